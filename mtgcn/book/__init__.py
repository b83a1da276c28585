"""A small Sphinx extension: what the book needs beyond jupyter-book, so that a plain build needs no second step."""

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config

from mtgcn.book import directives, drawings, mathjax, transforms


def setup(app: Sphinx) -> dict[str, Any]:
    """Register directives and transforms, and bring MathJax before Sphinx looks for it."""
    app.connect("config-inited", _bring_mathjax, priority=100)
    app.connect("builder-inited", _draw)
    app.connect("autodoc-process-docstring", transforms.plain_docstring, priority=100)
    app.connect("source-read", transforms.fill_address)
    app.connect("html-page-context", transforms.without_thebe, priority=900)
    app.add_css_file("book.css", priority=900)
    app.add_js_file("book.js")
    for name, directive in directives.ALL.items():
        app.add_directive(name, directive)
    for transform in transforms.TRANSFORMS:
        app.add_transform(transform)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _bring_mathjax(app: Sphinx, config: Config) -> None:
    mathjax.ensure(Path(app.srcdir) / "book" / "_mathjax")


def _draw(app: Sphinx) -> None:
    book = Path(app.srcdir) / "book"
    drawings.draw(book / "_drawings", book / "results")
