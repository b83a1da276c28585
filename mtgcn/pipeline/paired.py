"""Paired notebooks: ``X.py`` in the percent format is the source, ``X.ipynb`` its twin for Jupyter and Colab."""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mtgcn.errors import MtgcnError, nearest, short

if TYPE_CHECKING:
    from nbformat import NotebookNode

HEADING = re.compile(r"^#[ \t]+(.*?)[ \t]*$", re.MULTILINE)
CELL = re.compile(r"^# %%(.*)$", re.MULTILINE)  # what begins a cell; type and tags follow in the line
COMMENT = re.compile(r"^# ?", re.MULTILINE)  # prose stands in comments


def find(folder: Path, name: str) -> Path:
    """Return the source of the notebook ``name``, or say which notebooks there are; a path is no name."""
    sources = {source.stem: source for source in sorted(folder.glob("*.py"))}
    if name not in sources:
        raise MtgcnError(f"there is no notebook '{short(name)}' in {folder}{nearest(name, sources)}")
    return sources[name]


def read(path: Path) -> NotebookNode:
    """Read a source; cell ids count the cells, so that the same source always gives the same notebook."""
    import jupytext

    notebook = jupytext.read(path, fmt="py:percent")
    for number, cell in enumerate(notebook.cells, start=1):
        cell.id = f"cell-{number}"
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    notebook.metadata.pop("jupytext", None)
    return notebook


def defaults(path: Path) -> dict[str, Any]:
    """Return the names and values of the cell tagged ``parameters``, which are those that papermill sees."""
    return dict(_facts(path, path.stat().st_mtime_ns)[0])


def title(path: Path) -> str:
    """Return the text of the first heading."""
    return _facts(path, path.stat().st_mtime_ns)[1]


@lru_cache(maxsize=64)  # many parameter files share a notebook
def _facts(path: Path, changed: int) -> tuple[dict[str, Any], str]:
    """Return `defaults` and `title`, read without jupytext and papermill, whose start takes longer than a status."""
    _, *parts = CELL.split(path.read_text(encoding="utf-8"))
    cells = list(zip(parts[::2], parts[1::2], strict=True))
    assigned = next((body for head, body in cells if '"parameters"' in head), "")
    values = {
        target.id: ast.literal_eval(line.value)
        for line in ast.parse(assigned).body
        if isinstance(line, ast.Assign)
        for target in line.targets
        if isinstance(target, ast.Name)
    }
    texts = (HEADING.search(COMMENT.sub("", body)) for head, body in cells if head.startswith(" [markdown]"))
    return values, next((heading[1] for heading in texts if heading), "")


def drift(source: Path) -> str:
    """Say how the notebook beside ``source`` differs from it in cells, tags or metadata; "" when it does not."""
    import jupytext
    import nbformat
    from jupytext.compare import NotebookDifference, compare_notebooks

    twin = source.with_suffix(".ipynb")
    if not twin.is_file():
        return f"{twin} is missing"
    try:
        compare_notebooks(
            nbformat.read(twin, as_version=4),
            jupytext.read(source, fmt="py:percent"),
            fmt="py:percent",
            compare_ids=False,
        )
    except NotebookDifference as difference:
        return str(difference)
    return ""
