"""The reader's path in Chromium: it fits every screen, can be read in both themes, and axe finds nothing serious."""

import re
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from support.built_book import pages, readers_path
from support.site import CHROMIUM, Site

axe = pytest.importorskip("axe_playwright_python.sync_playwright")
pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")]

SMALLEST = 9  # pixels of a letter in a figure
# What is wider than the column and not inside something that scrolls by itself.
OUTSIDE = """() => {
  const scrolls = (element) => ["auto", "scroll", "hidden"].includes(getComputedStyle(element).overflowX);
  const inside = (element) => {
    for (let e = element.parentElement; e && e.tagName !== "ARTICLE"; e = e.parentElement) if (scrolls(e)) return true;
    return false;
  };
  const right = document.querySelector("article").getBoundingClientRect().right;
  return [...document.querySelectorAll("article *")]
    .filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > right + 1 && !inside(e))
    .map((e) => `${e.tagName}.${e.className}`.slice(0, 60));
}"""
CLIPPED = """() => [...document.querySelectorAll(".table-scroll:has(table)")]
  .filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.innerText.slice(0, 60))"""
PICTURES = """() => [...document.querySelectorAll("article img")].filter((i) => i.checkVisibility())
  .map((i) => [i.getAttribute("src"), i.clientWidth])"""


def letters(svg: str) -> list[float]:
    """Return the sizes of all letters in units of the picture: text, or outlines that are drawn at a hundredth."""
    outlines = [100 * float(size) for size in re.findall(r"scale\(([\d.]+) -[\d.]+\)", svg)]
    return outlines + [float(size) for size in re.findall(r"font(?:-size)?: *([\d.]+)px", svg)]


def too_small(html: Path, name: str, pictures: list[tuple[str, int]]) -> list[str]:
    """Return the pictures of a page with letters smaller than they should be, at the width that they have there."""
    found = []
    for source, width in pictures:
        if not source.endswith(".svg"):
            continue
        svg = (html / name).parent.joinpath(source).resolve().read_text(encoding="utf-8")
        (units,) = re.findall(r'viewBox="0 0 ([\d.]+) [\d.]+"', svg)
        sizes = letters(svg)
        if sizes and min(sizes) * width / float(units) < SMALLEST - 0.05:
            found.append(f"{source}: {min(sizes) * width / float(units):.1f} px at {width}")
    return found


def problems_of(site: Site, html: Path, name: str, width: int) -> list[str]:
    """Return what is wrong with the page that is open, at a width of the screen."""
    site.page.set_viewport_size({"width": width, "height": 900})
    site.settle()
    found = site.page.evaluate(OUTSIDE) + too_small(html, name, site.page.evaluate(PICTURES))
    if width > 1000:
        found += [f"clipped: {text}" for text in site.page.evaluate(CLIPPED)]
    wide = site.page.evaluate("document.documentElement.scrollWidth")
    return found if wide <= width else [*found, f"{wide} pixels wide"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_of_the_readers_path_fits_every_screen(browser: Any, html: Path, scheme: str) -> None:
    site = Site(browser, html.as_uri(), scheme=scheme)
    problems = {}
    for name in [*readers_path(html), "book/explorer.html"]:
        site.open_still(name)
        for width in (1920, 1280, 390):
            if found := problems_of(site, html, name, width):
                problems[name, width] = found
    site.context.close()
    assert problems == {}
    assert not site.troubles


# A drawing is judged by its title and text alternative; its thousands of strokes would take axe minutes.
DRAWN = {"exclude": [["svg g"]]}
# The dark theme has other colours on the same elements.
RULES = {
    "light": {"resultTypes": ["violations"]},
    "dark": {"resultTypes": ["violations"], "runOnly": ["color-contrast"]},
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_on_the_readers_path(browser: Any, html: Path, scheme: str) -> None:
    site = Site(browser, html.as_uri(), 1280, scheme)
    serious = {}
    for name in [*readers_path(html), "book/explorer.html", "book/all_runs.html"]:
        page = site.open_still(name)
        found = axe.Axe().run(page, DRAWN, RULES[scheme]).response["violations"]
        bad = [
            (one["id"], node["target"], node["failureSummary"][:200])
            for one in found
            if one["impact"] in ("serious", "critical")
            for node in one["nodes"][:3]
        ]
        if bad:
            serious[name] = bad
    site.context.close()
    assert serious == {}


def test_on_a_phone_a_wide_table_keeps_its_first_column_and_shows_that_there_is_more(browser: Any, html: Path) -> None:
    site = Site(browser, html.as_uri(), 390)
    page = site.open_still("book/runs/tables.html")
    frame = page.locator(".table-frame.wide:has(table)").first
    assert "more" in frame.get_attribute("class").split()
    scroll, first = frame.locator(".table-scroll"), frame.locator("tbody tr").first.locator("th, td").first
    before = first.bounding_box()["x"]
    scroll.evaluate("element => { element.scrollLeft = element.scrollWidth; }")
    page.wait_for_function("element => !element.classList.contains('more')", arg=frame.element_handle())
    assert first.bounding_box()["x"] == pytest.approx(before, abs=1)
    site.context.close()


def test_letters_of_a_picture_are_measured() -> None:
    outline = '<g transform="translate(1 2) scale(0.1 -0.1)"><use/></g>'
    assert letters(outline) == [pytest.approx(10)]
    assert letters("<text style='font: 12px sans'/><text style='font-size: 7px'/>") == [12, 7]


def test_the_readers_path_is_short_and_every_title_too(html: Path) -> None:
    path = readers_path(html)
    assert 10 < len(path) <= 16  # fifteen pages behind the first
    assert set(path) < set(pages(html))
    titles = {}
    for name in pages(html):
        soup = BeautifulSoup((html / name).read_text(encoding="utf-8"), "html.parser")
        titles[name] = soup.select_one("article h1").get_text().removesuffix("#").strip()
    assert {name: title for name, title in titles.items() if len(title) >= 60} == {}


def test_the_first_page_links_every_page_of_the_path(html: Path) -> None:
    soup = BeautifulSoup((html / "book/index.html").read_text(encoding="utf-8"), "html.parser")
    links = {str(link["href"]).split("#")[0] for link in soup.select("article a[href]")}
    chapters = [name.removeprefix("book/") for name in readers_path(html)[1:]]
    assert [name for name in chapters if name not in links] == []
