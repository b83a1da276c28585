"""The built book in Chromium, from disk and from a local server, with the network cut."""

import csv
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.built_book import REPOSITORY, ROOT, build, pages
from support.site import CHROMIUM, UNDRAWN, Site

from mtgcn.book import pdf

pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")]

EMPTY_IMAGES = "[...document.images].filter(i => !i.complete || i.naturalWidth === 0).map(i => i.src)"
# Visible text of the article whose contrast with what is behind it is below 3, by the formula of WCAG.
PALE = """() => {
  const parse = (css) => css.match(/[\\d.]+/g).map(Number);
  const light = (rgb) => {
    const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = rgb.slice(0, 3).map((v) => linear(v / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = parse(getComputedStyle(e).backgroundColor);
      if (colour.length === 3 || colour[3] > 0.5) return colour;
    }
    return [255, 255, 255];
  };
  const pale = [];
  const walker = document.createTreeWalker(document.querySelector("article"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility()) continue;
    if (element.closest(".headerlink, script, svg")) continue;
    const [a, b] = [light(parse(getComputedStyle(element).color)), light(behind(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 3) pale.push(`${contrast.toFixed(1)}: ${walker.currentNode.data.trim().slice(0, 40)}`);
  }
  return pale;
}"""
WIDTH = "document.documentElement.scrollWidth"


def test_every_page_opens_with_equations_and_pictures(site: Site, html: Path) -> None:
    names = pages(html)
    assert len(names) > 15
    drawn, empty = 0, {}
    for name in [*names, "search.html"]:
        page = site.open(name)
        drawn += page.locator("mjx-container").count()
        if found := page.evaluate(EMPTY_IMAGES):
            empty[name] = found
    assert not empty
    assert drawn > 50


def test_the_root_leads_to_the_first_page(site: Site) -> None:
    site.page.goto(f"{site.address}/index.html")
    site.page.wait_for_url("**/book/index.html", wait_until="load")
    assert site.page.locator("article h1").inner_text().startswith("[Re] ")
    site.page.wait_for_load_state("networkidle")


def test_no_page_scrolls_sideways_on_a_phone(disk: Site, html: Path) -> None:
    disk.page.set_viewport_size({"width": 390, "height": 800})
    widths = {name: disk.open(name).evaluate(WIDTH) for name in pages(html)}
    assert {name: width for name, width in widths.items() if width > 390} == {}


def test_search_finds_over_smoothing(site: Site) -> None:
    page = site.page
    page.goto(f"{site.address}/search.html?q=over-smoothing")
    # Results come in one by one, so each is waited for.
    for title in ("What goes wrong inside a deep network", "Glossary"):
        page.wait_for_selector(f"#search-results li a:has-text('{title}')")


def test_search_finds_the_quickstart(disk: Site) -> None:
    disk.page.goto(f"{disk.address}/search.html?q=quickstart")
    disk.page.wait_for_selector("#search-results li a[href*='runs/quickstart']")


def test_theme_switch(site: Site) -> None:
    page = site.open("book/index.html")
    backgrounds = set()
    for _ in range(3):
        page.locator(".theme-switch-button:visible").first.click()
        theme = page.evaluate("document.documentElement.dataset.theme")
        backgrounds.add((theme, page.evaluate("getComputedStyle(document.body).backgroundColor")))
    assert {theme for theme, _ in backgrounds} == {"light", "dark"}
    assert len(backgrounds) == 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_what_is_behind_it(disk: Site, run_page: str, scheme: str) -> None:
    disk.page.emulate_media(color_scheme=scheme)
    names = ["book/index.html", "book/add_task.html", "book/protocol.html", "book/reference/api.html", run_page]
    pale = {}
    for name in names:
        page = disk.open(name)
        assert page.evaluate("document.documentElement.dataset.theme") == scheme
        if found := page.evaluate(PALE):
            pale[name] = found
    assert not pale


def test_folded_cells_open(site: Site, run_page: str) -> None:
    page = site.open(run_page)
    folded = page.locator("details.hide").first
    code = folded.locator("pre").first
    assert not code.is_visible()
    folded.locator("summary").click()
    assert code.is_visible()


def test_downloads(site: Site, html: Path, run_page: str) -> None:
    page = site.open(run_page)
    with page.expect_download() as started:
        page.locator(".notebook-bar a", has_text="Results").click()
    stem = Path(run_page).stem
    stored = html.parents[1] / "book" / "results" / f"{stem}.csv"
    assert started.value.suggested_filename == stored.name
    assert Path(started.value.path()).read_bytes() == stored.read_bytes()


def downloaded(page: Any, button: Any) -> list[list[str]]:
    """Click on a button and return the rows of the CSV file that comes."""
    with page.expect_download() as started:
        button.click()
    return list(csv.reader(Path(started.value.path()).read_text(encoding="utf-8").splitlines()))


def test_a_table_as_csv_has_one_value_in_a_column(site: Site) -> None:
    page = site.open("book/paper.html")
    rows = downloaded(page, page.locator(".csv-button").first)
    assert rows[0] == [
        "network",
        *(f"{data}_{kind}" for data in ("citeseer", "cora", "pubmed") for kind in ("mean", "sem")),
    ]
    assert rows[2] == ["AE", "71.06", "0.16", "82.17", "0.09", "78.97", "0.14"]
    assert len(rows) == 8
    assert "_sem its standard error" in page.locator(".download-line").first.inner_text()


TABLE = """<article class="bd-article"><div class="cell_output"><table><thead>
<tr><th></th><th colspan="2">Cora</th><th colspan="2">Pubmed</th></tr>
<tr><th>network</th><th>gain [95 %]</th><th>p</th><th>gain [95 %]</th><th>p</th></tr></thead><tbody>
<tr><th rowspan="2">AE</th><td>−0.11 [−0.82, +0.60]</td><td>&lt;0.001</td><td>+1,200.5 ≠</td><td>0.25</td></tr>
<tr><td>+1.00 [+0.50, +1.50] (9 of 10 runs)</td><td>0.5</td><td>–</td><td>2.13.0</td></tr>
</tbody></table></div></article>"""


def test_intervals_marks_and_joined_cells_become_columns_of_a_csv(browser: Any) -> None:
    page = browser.new_page()
    page.set_content(TABLE)
    for name in ("csv.js", "tables.js"):
        page.add_script_tag(path=ROOT / "book" / "_static" / name)
    page.evaluate("document.dispatchEvent(new Event('DOMContentLoaded'))")
    rows = downloaded(page, page.locator(".csv-button"))
    page.close()
    cora = ["cora_gain", "cora_gain_low", "cora_gain_high", "cora_gain_note", "cora_p", "cora_p_note"]
    assert rows == [
        ["network", *cora, "pubmed_gain", "pubmed_gain_agrees", "pubmed_p", "pubmed_p_note"],
        ["AE", "-0.11", "-0.82", "+0.60", "", "0.001", "less than", "+1200.5", "no", "0.25", ""],
        ["AE", "+1.00", "+0.50", "+1.50", "9 of 10 runs", "0.5", "", "", "", "", "2.13.0"],
    ]


def test_sortable_table(site: Site) -> None:
    page = site.open("book/paper.html")
    table = page.locator("table.sortable").first
    column = lambda: [float(text.split()[0]) for text in table.locator("tbody td:nth-child(3)").all_inner_texts()]  # noqa: E731
    before = column()
    button = table.locator("th button", has_text="Cora")
    button.click()
    assert column() == sorted(before, reverse=True) != before
    button.press("Enter")  # the keyboard does it too
    assert column() == sorted(before)
    assert table.locator("th").nth(2).get_attribute("aria-sort") == "ascending"
    table.locator("th button", has_text="network").click()
    assert table.locator("tbody td:first-child").all_inner_texts()[:3] == ["AE", "AE+ER", "AE+FR"]


def test_slider(site: Site) -> None:
    page = site.open("book/runs/depth_inside.html")
    slider = page.locator(".slider")
    assert slider.locator("figure:visible").count() == 1
    first = slider.locator("figure:visible img").get_attribute("src")
    slider.locator("input").focus()
    page.keyboard.press("ArrowRight")
    assert slider.locator("output").inner_text() == "1"
    assert slider.locator("figure:visible").count() == 1
    assert slider.locator("figure:visible img").get_attribute("src") != first
    page.keyboard.press("End")
    assert slider.locator("output").inner_text() == "64"


def test_a_picture_grows_on_click(disk: Site) -> None:
    page = disk.open("book/paper.html")
    picture = page.locator("figure img").first
    small = picture.bounding_box()["width"]
    picture.click()
    large = page.locator("dialog.zoom img")
    assert large.bounding_box()["width"] > small
    large.click()
    assert not large.is_visible()


def test_colab_links(disk: Site, html: Path) -> None:
    slug = REPOSITORY.removeprefix("https://github.com/")
    notebooks = [name for name in pages(html) if name.startswith("book/runs/")]
    for name in notebooks:
        links = disk.open(name).locator("a[href*='colab']").evaluate_all("all => all.map(a => a.href)")
        path = name.replace(".html", ".ipynb")
        assert (html.parents[1] / path).exists()
        assert set(links) == {f"https://colab.research.google.com/github/{slug}/blob/main/{path}"}
        assert len(links) >= 2  # the bar below the title and the theme's own button


def test_pdf_holds_every_page_with_links_inside(html: Path, tmp_path: Path) -> None:
    whole = build(html.parents[1], "singlehtml")
    target = tmp_path / "book.pdf"
    command = [sys.executable, "-m", "mtgcn.book.pdf", str(whole), str(target)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout.strip() == str(target), done.stderr
    content = target.read_bytes()
    assert content.startswith(b"%PDF")
    assert content.count(b"/Type /Page\n") >= len(pages(html))
    # A link inside names a destination, with # and two digits for what is no letter; each has to be somewhere.
    links = set(re.findall(rb"/Dest /(\S+)", content))
    assert {name for name in links if not re.search(rb"/" + re.escape(name) + rb"\s*\[", content)} == set()
    shown = {b"document-" + name.removesuffix(".html").replace("/", "#2F").encode() for name in pages(html)[1:]}
    assert len(links & shown) > 20
    assert {b"cite-kipf2017", b"equation-eq-ae", b"four-tasks"} <= links
    assert b"file://" not in content


def test_in_the_pdf_a_table_keeps_its_own_bold_cells(browser: Any) -> None:
    cells = "<table><td id=T_a_row0>x</td><td id=T_a_row1>x</td></table>"
    outputs = "".join(f"<div><style>#T_a_row{row} {{font-weight: bold}}</style>{cells}</div>" for row in (0, 1))
    body = f"<article><section>{outputs}</section></article>"
    page = browser.new_page()
    page.set_content(f"<script>MathJax = {{startup: {{}}}}</script>{body}")
    page.evaluate(pdf.ONE_PAGE)
    weights = page.locator("td").evaluate_all("cells => cells.map(cell => getComputedStyle(cell).fontWeight)")
    page.close()
    assert weights == ["700", "400", "400", "700"]


def test_screenshots_to_look_at(browser: Any, html: Path, run_page: str) -> None:
    folder = ROOT / "_build" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    names = ["book/index.html", "book/paper.html", "book/runs/depth_inside.html", "book/all_runs.html", run_page]
    looks = {"light": (1280, "light"), "dark": (1280, "dark"), "phone": (390, "light"), "phone-dark": (390, "dark")}
    for look, (width, scheme) in looks.items():
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page = context.new_page()
        for name in names:
            page.goto(f"{html.as_uri()}/{name}")
            page.wait_for_function(f"{UNDRAWN} === 0")
            target = folder / f"{name.removesuffix('.html').replace('/', '-')}-{look}.png"
            page.wait_for_timeout(200)  # the sidebar slides in
            page.screenshot(path=target, full_page=True, animations="disabled")
            assert target.stat().st_size > 10_000
        context.close()
