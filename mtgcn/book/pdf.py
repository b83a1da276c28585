"""The whole book as one PDF: the built pages joined into one document, printed by Chromium."""

import argparse
import posixpath
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup, Tag

from mtgcn.errors import MtgcnError
from mtgcn.files import replacing

CHROMIUM_FLAGS = [
    *["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
    *["--disable-background-networking", "--disable-component-update", "--disable-sync"],
]
PRINT_STYLE = """
body { font-size: 10.5pt; } .page { break-before: page; } .page:first-of-type { break-before: auto; }
pre, figure, tr, div.math, .sd-card, .admonition { break-inside: avoid; } h1, h2, h3 { break-after: avoid; }
pre { white-space: pre-wrap; }
details > summary { display: none; } .cell_input details { display: none; }
"""


def pages(html: Path) -> list[str]:
    """Return the pages of the book in the order of its table of contents, as paths in the folder ``html``."""
    first = "book/index.html"
    soup = BeautifulSoup((html / first).read_text(encoding="utf-8"), "html.parser")
    links = [str(link["href"]) for link in soup.select("nav.bd-links a.internal")]
    found = [_resolve(first, link)[0] for link in links if not link.startswith("#")]
    return list(dict.fromkeys([first, *found]))


def joined(html: Path) -> str:
    """Return one HTML document with the articles of all pages; links between them point inside it."""
    names = pages(html)
    first = BeautifulSoup((html / names[0]).read_text(encoding="utf-8"), "html.parser")
    head = first.head
    assert head is not None
    for tag in head.select("script, link[rel=index], link[rel=search], link[rel=next], link[rel=prev]"):
        if "mathjax" not in str(tag).lower():
            tag.decompose()
    _rewrite_files(head, names[0])
    articles = "\n".join(str(_article(html, name, names)) for name in names)
    return (
        f'<!doctype html><html lang="en" data-theme="light"><head>{head.decode_contents()}<style>{PRINT_STYLE}</style>'
        f'</head><body class="bd-article">{articles}</body></html>'
    )


def _article(html: Path, name: str, names: list[str]) -> Tag:
    """Return the article of a page as a section whose ids and links are unique in the whole document."""
    soup = BeautifulSoup((html / name).read_text(encoding="utf-8"), "html.parser")
    article = soup.select_one("article.bd-article")
    if article is None:
        raise MtgcnError(f"{html / name} has no article: build the book again.")
    for tag in article.select(".headerlink, .notebook-bar, .toctree-wrapper, script"):
        tag.decompose()
    for tag in article.select("[id]"):
        tag["id"] = f"{_slug(name)}--{tag['id']}"
    for link in article.select("a[href]"):
        target, anchor = _resolve(name, str(link["href"]))
        if target in names:
            link["href"] = f"#{_slug(target)}--{anchor}" if anchor else f"#{_slug(target)}"
        elif not urlsplit(str(link["href"])).scheme:
            del link["href"]  # a file of the site, which paper does not have
    _rewrite_files(article, name)
    article.name, article["id"], article["class"] = "section", _slug(name), "page"
    return article


def _rewrite_files(tag: Tag, name: str) -> None:
    """Make paths of images, styles and scripts relative to the folder of the site."""
    for attribute in ("src", "href", "data"):
        for found in tag.select(f"img[{attribute}], script[{attribute}], link[{attribute}], object[{attribute}]"):
            if not urlsplit(str(found[attribute])).scheme:
                found[attribute] = _resolve(name, str(found[attribute]))[0]


def _resolve(name: str, link: str) -> tuple[str, str]:
    """Return the path in the site and the anchor that ``link`` on the page ``name`` points to."""
    parts = urlsplit(link)
    path = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(parts.path))) if parts.path else name
    return path, parts.fragment


def _slug(name: str) -> str:
    return "page-" + name.removesuffix(".html").replace("/", "-")


def write(html: Path, target: Path) -> None:
    """Print the built book in the folder ``html`` to the PDF ``target``."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        raise MtgcnError("Chromium is not installed: the PDF is printed by it (on Debian: apt install chromium).")
    if not (html / "book" / "index.html").exists():
        raise MtgcnError(f"there is no built book in {html}; `make book` builds it.")
    whole = html / "whole-book.html"  # beside the pages, so that relative paths work from disk
    whole.write_text(joined(html), encoding="utf-8")
    try:
        with sync_playwright() as playwright, replacing(target) as temporary:
            browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
            page = browser.new_page()
            page.goto(whole.absolute().as_uri())
            page.wait_for_function("window.MathJax && MathJax.startup && MathJax.startup.promise")
            page.evaluate("MathJax.startup.promise")
            page.pdf(path=temporary, format="A4", outline=True, tagged=True, print_background=True, **_frame())
            browser.close()
    finally:
        whole.unlink()


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
    """Run from the command line: ``python -m mtgcn.book.pdf _build/html _build/mtgcn.pdf``."""
    parser = argparse.ArgumentParser(description="Print the built book as one PDF.")
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
