"""What every page gets: a bar with Colab and downloads, described pictures, contents in the order written."""

import html
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util.matching import patmatch


class NotebookBar(SphinxTransform):
    """Under the title of a notebook page: open in Colab, and the files behind the page."""

    default_priority = 800

    def apply(self, **kwargs: object) -> None:
        """Insert the bar after the first title."""
        source = Path(self.env.doc2path(self.env.docname))
        title = next(iter(self.document.findall(nodes.title)), None)
        if source.suffix != ".ipynb" or title is None or title.parent is None:
            return
        bar = nodes.paragraph(classes=["notebook-bar"])
        bar += nodes.reference(
            "",
            "Open in Colab",
            refuri=colab_address(self.config.html_theme_options, self.env.docname),
            internal=False,
            classes=["colab"],
        )
        for label, path in self._files(source):
            bar += nodes.Text(" ")
            bar += addnodes.download_reference(
                "", "", nodes.inline("", label), reftarget=path, refdoc=self.env.docname, refexplicit=True
            )
        title.parent.insert(title.parent.index(title) + 1, bar)

    def _files(self, source: Path) -> list[tuple[str, str]]:
        """Return (label, path from the book's root) of the files that belong to the page."""
        root = Path(self.env.srcdir)
        candidates = {
            "Notebook": source,
            "Parameters": root / "params" / f"{source.stem}.yaml",
            "Results": root / "book" / "results" / f"{source.stem}.csv",
        }
        return [(label, f"/{path.relative_to(root)}") for label, path in candidates.items() if path.exists()]


class Descriptions(SphinxTransform):
    """A picture without alternative text gets the title inside its SVG file, or else the headings above it."""

    default_priority = 810

    def apply(self, **kwargs: object) -> None:
        """Set the missing ``alt`` attributes."""
        for image in self.document.findall(nodes.image):
            if not image.get("alt"):
                image["alt"] = self._title(image["uri"]) or self._headings(image)

    def _title(self, uri: str) -> str:
        path = Path(self.env.relfn2path(uri)[1])
        if path.suffix != ".svg" or not path.is_file():
            return ""
        found = re.search(r"<(?:dc:)?title>(.*?)</(?:dc:)?title>", path.read_text(encoding="utf-8"), re.DOTALL)
        return html.unescape(found[1]).strip() if found else ""

    def _headings(self, image: nodes.image) -> str:
        headings, parent = [], image.parent
        while parent is not None:
            if isinstance(parent, nodes.section):
                headings.append(parent[0].astext())
            parent = parent.parent
        return "Figure: " + ", ".join(headings)


class WrittenOrder(SphinxTransform):
    """Pages stand in the order of ``_toc.yml``; those of one pattern as cora-2, cora-16, not as cora-16, cora-2."""

    default_priority = 820

    def apply(self, **kwargs: object) -> None:
        """Sort the entries of each toctree by their item in the file, and within one item naturally."""
        site_map = self.config.external_site_map
        if self.env.docname not in site_map:
            return
        written = site_map[self.env.docname].subtrees
        for node, tree in zip(self.document.findall(addnodes.toctree), written, strict=True):
            _sort(node, list(map(str, tree.items)))


def _sort(node: addnodes.toctree, items: list[str]) -> None:
    """Sort the pages of a toctree by the file names and patterns of its ``items``."""
    node["entries"].sort(key=lambda entry: _place(items, entry[1]))
    node["includefiles"].sort(key=lambda docname: _place(items, docname))


def _place(items: list[str], docname: str) -> tuple[int, list[tuple[int, str]]]:
    """Return which of the file names and patterns is the first to name a page, and its natural key."""
    return next(number for number, item in enumerate(items) if patmatch(docname, item)), natural_key(docname)


def fill_address(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put the repository's address where a chapter says ``@repository@``."""
    source[0] = source[0].replace("@repository@", app.config.html_theme_options["repository_url"])


def without_thebe(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object) -> None:
    """Leave out the scripts for live code: they name a content delivery network, and nothing here uses them."""
    kept = [script for script in context["script_files"] if "thebe" not in _text(script).lower()]
    context["script_files"][:] = kept


def _text(script: Any) -> str:
    return f"{getattr(script, 'filename', script)} {getattr(script, 'attributes', '')}"


def plain_docstring(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Let docstrings be prose: ``|rows|`` is a size, not a substitution, and `x` in single backticks is code."""
    for number, line in enumerate(lines):
        parts = re.split(r"(``.*?``)", line)
        parts[::2] = [re.sub(r"`([^`]+)`", r"``\1``", part.replace("|", r"\|")) for part in parts[::2]]
        lines[number] = "".join(parts)


def natural_key(name: str) -> list[tuple[int, str]]:
    """Return a key that compares runs of digits as numbers."""
    return [(int(part or -1) if part.isdigit() else -1, part) for part in re.split(r"(\d+)", name)]


def colab_address(theme_options: dict, docname: str) -> str:
    """Return the address that opens the page's notebook in Colab, from the addresses of ``_config.yml``."""
    repository = theme_options["repository_url"].removeprefix("https://github.com/")
    base = theme_options["launch_buttons"]["colab_url"].rstrip("/")
    return f"{base}/github/{repository}/blob/{theme_options['repository_branch']}/{docname}.ipynb"


TRANSFORMS = [NotebookBar, Descriptions, WrittenOrder]
