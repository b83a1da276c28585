"""The list of all pages that train: what each one trained, with what, and how long it took."""

from pathlib import Path
from typing import NamedTuple

import nbformat
from docutils import nodes
from sphinx import addnodes

from mtgcn.book import html_tables
from mtgcn.book.transforms import natural_key
from mtgcn.experiments import records

HEADER = ("page", "runs", "seconds", "Python", "torch", "DGL", "engine")
NUMERIC = (False, True, True, False, False, False, False)


class Trained(NamedTuple):
    """A page and the record of its results."""

    name: str
    title: str
    record: records.Record
    runs: int

    def cells(self) -> list[str]:
        """Return the texts of a row of the table."""
        versions = [self.record.versions.get(name, "–") for name in ("Python", "torch", "dgl")]
        return [
            self.title,
            str(self.runs),
            f"{self.record.seconds:.0f}",
            *versions,
            "same numbers" if self.record.trusted else "not verified",
        ]


def pages(book: Path) -> list[Trained]:
    """Return the pages in ``book/runs`` whose results are in ``book/results`` with their record, by name."""
    found = []
    for path in sorted((book / "runs").glob("*.ipynb"), key=lambda path: natural_key(path.stem)):
        record = records.read(book / "results" / f"{path.stem}.json")
        table = book / "results" / f"{path.stem}.csv"
        if record is not None and table.exists():
            runs = len(table.read_text(encoding="utf-8").splitlines()) - 1
            found.append(Trained(path.stem, title(path), record, runs))
    return found


def title(notebook: Path) -> str:
    """Return the first heading of a notebook."""
    cells = nbformat.read(notebook, 4).cells
    texts = [line for cell in cells if cell.cell_type == "markdown" for line in cell.source.splitlines()]
    return next((line.removeprefix("# ") for line in texts if line.startswith("# ")), notebook.stem)


def table(trained: list[Trained], docname: str) -> nodes.table:
    """Return the table, each page a link."""
    built = html_tables.build(HEADER, [page.cells() for page in trained], NUMERIC)
    (body,) = built.findall(nodes.tbody)
    for page, row in zip(trained, body.children, strict=True):
        (paragraph,) = row[0].children
        link = addnodes.pending_xref(
            "", refdomain="std", reftype="doc", reftarget=f"/book/runs/{page.name}", refdoc=docname, refexplicit=True
        )
        link += nodes.inline("", page.title)
        paragraph.children.clear()
        paragraph += link
    return built
