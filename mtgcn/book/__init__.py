"""A small Sphinx extension: what the book needs beyond jupyter-book, so that a plain build needs no second step."""

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config

from mtgcn.book import directives, drawings, explorer, mathjax, sharing, transforms


def setup(app: Sphinx) -> dict[str, Any]:
    """Register directives and transforms, and bring files of others before Sphinx looks for them."""
    app.connect("config-inited", _bring_scripts, priority=100)
    app.connect("builder-inited", _draw)
    app.connect("autodoc-process-docstring", transforms.plain_docstring, priority=100)
    app.connect("source-read", transforms.fill_address)
    app.connect("html-page-context", transforms.without_thebe, priority=900)
    app.connect("html-page-context", sharing.describe)
    app.add_css_file("book.css", priority=900)
    for script in ("csv.js", "tables.js", "book.js"):
        app.add_js_file(script)
    for name, directive in directives.ALL.items():
        app.add_directive(name, directive)
    for transform in transforms.TRANSFORMS:
        app.add_transform(transform)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _bring_scripts(app: Sphinx, config: Config) -> None:
    book = Path(app.srcdir) / "book"
    mathjax.ensure(book / "_mathjax")
    explorer.write(book / "_explorer", book / "results")
    sharing.draw_card(book / "_explorer" / sharing.CARD)


def _draw(app: Sphinx) -> None:
    book = Path(app.srcdir) / "book"
    drawings.draw(book / "_drawings", book / "results")
