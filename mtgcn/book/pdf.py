"""The whole book as one PDF: Sphinx puts all pages into one, and Chromium prints it."""

import argparse
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mtgcn.errors import MtgcnError
from mtgcn.files import replacing

CHROMIUM_FLAGS = [
    *["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
    *["--disable-background-networking", "--disable-component-update", "--disable-sync"],
]
WIDTH = 658  # of the text on A4 between margins of 18 mm, in the 96 pixels of an inch
PRINT_STYLE = """
body { font-size: 10.5pt; }
[id^="document-"] + section { break-before: page; }
[id^="document-"] + section > :is(h2, h3) { font-size: 2rem; border: none; }
div.cell_input, figure, tr, div.math, .sd-card, .admonition { break-inside: avoid; }
h1, h2, h3, h4, .table-caption { break-after: avoid; }
pre { white-space: pre-wrap; }
.bd-article .cell details.hide { display: none; }
.printed-contents { break-before: page; }
.printed-contents ol { list-style: none; padding: 0; max-width: none; }
.printed-contents a { color: inherit; text-decoration: none; }
.printed-contents .below { padding-left: 1.5rem; font-size: 0.9em; }
table.sortable th button::after { display: none; }
"""
# What paper and one page for all need. Sphinx writes a link to a place on another page as if that page were still a
# file. Files to download stay behind. Tables of two notebooks may share an id, so that the style of one would set cells
# of the other in bold. Paper does not scroll: a table that is too wide shrinks. The contents have a link to every page.
ONE_PAGE = """async () => {
  const all = (selector, change) => document.querySelectorAll(selector).forEach(change);
  all("a[href^='book/index.html#']", (link) => { link.href = link.hash; });
  all("article a.download", (link) => { link.removeAttribute("href"); });
  all("article style", (style) => { style.textContent = `@scope { ${style.textContent} }`; });
  const contents = document.createElement("nav");
  contents.className = "printed-contents";
  contents.innerHTML = "<h2>Contents</h2><ol></ol>";
  all("[id^='document-'] + section", (section) => {
    const heading = section.querySelector("h1, h2, h3, h4");
    const line = document.createElement("li");
    const link = document.createElement("a");
    link.href = `#${section.previousElementSibling.id}`;
    link.textContent = heading.textContent.replace(/#$/, "");
    line.className = heading.tagName === "H2" ? "" : "below";
    line.append(link);
    contents.lastChild.append(line);
  });
  const first = document.querySelector("[id^='document-']");
  if (first) first.before(contents);
  await MathJax.startup.promise;
  const room = 0.97 * document.querySelector("article section").clientWidth;  // letters do not shrink evenly
  all("article table", (table) => { table.style.zoom = Math.min(1, room / table.scrollWidth); });
}"""


def write(html: Path, target: Path) -> None:
    """Print the book that ``jupyter-book build --builder singlehtml`` left in the folder ``html`` to ``target``."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        raise MtgcnError("Chromium is not installed: the PDF is printed by it (on Debian: apt install chromium).")
    built = html / "book" / "index.html"
    if not built.exists():
        raise MtgcnError(f"there is no book in one page in {html}; `make pdf` builds it.")
    whole = html / "whole-book.html"  # the paths in it start from this folder, not from that of the page
    shutil.copyfile(built, whole)
    with sync_playwright() as playwright, replacing(target) as temporary:
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        page = browser.new_page(color_scheme="light", viewport={"width": WIDTH, "height": 900})
        page.set_default_timeout(600_000)  # the whole book on a busy machine
        page.goto(whole.absolute().as_uri())
        page.emulate_media(media="print")
        page.add_style_tag(content=PRINT_STYLE)
        page.evaluate(ONE_PAGE)
        page.pdf(path=temporary, format="A4", outline=True, tagged=True, print_background=True, **_frame())
        browser.close()


def _frame() -> dict[str, Any]:
    """Return what Chromium needs to print page numbers."""
    number = '<div style="width: 100%; text-align: center; font-size: 8px"><span class="pageNumber"></span></div>'
    margin = dict.fromkeys(("top", "bottom", "left", "right"), "18mm")
    return {
        "display_header_footer": True,
        "header_template": "<span></span>",
        "footer_template": number,
        "margin": margin,
    }


def main(arguments: Iterable[str] | None = None) -> None:
    """Run from the command line: ``python -m mtgcn.book.pdf _build/singlehtml _build/mtgcn.pdf``."""
    parser = argparse.ArgumentParser(description="Print the book, built as one page, as one PDF.")
    parser.add_argument("html", type=Path)
    parser.add_argument("target", type=Path)
    options = parser.parse_args(list(arguments) if arguments is not None else None)
    try:
        write(options.html, options.target)
    except MtgcnError as error:
        print(f"mtgcn: {error}", file=sys.stderr)
        sys.exit(2)
    print(options.target)


if __name__ == "__main__":
    main()
