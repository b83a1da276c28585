"""Paired notebooks: ``X.py`` in the percent format is the source, ``X.ipynb`` its twin for Jupyter and Colab."""

import ast
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import jupytext
import nbformat
import papermill
from jupytext.compare import NotebookDifference, compare_notebooks

from mtgcn.errors import MtgcnError, nearest, short

HEADING = re.compile(r"^#[ \t]+(.*?)[ \t]*$", re.MULTILINE)


def find(folder: Path, name: str) -> Path:
    """Return the source of the notebook ``name``, or say which notebooks there are; a path is no name."""
    sources = {source.stem: source for source in sorted(folder.glob("*.py"))}
    if name not in sources:
        raise MtgcnError(f"there is no notebook '{short(name)}' in {folder}{nearest(name, sources)}")
    return sources[name]


def read(path: Path) -> nbformat.NotebookNode:
    """Read a source; cell ids count the cells, so that the same source always gives the same notebook."""
    notebook = jupytext.read(path, fmt="py:percent")
    for number, cell in enumerate(notebook.cells, start=1):
        cell.id = f"cell-{number}"
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    notebook.metadata.pop("jupytext", None)
    return notebook


def defaults(path: Path) -> dict[str, Any]:
    """Return the names and values of the cell tagged ``parameters``, as papermill sees them."""
    return dict(_facts(path, path.stat().st_mtime_ns)[0])


def title(path: Path) -> str:
    """Return the text of the first heading."""
    return _facts(path, path.stat().st_mtime_ns)[1]


@lru_cache(maxsize=64)  # many parameter files share a notebook
def _facts(path: Path, changed: int) -> tuple[dict[str, Any], str]:
    notebook = read(path)
    found = papermill.inspect_notebook(notebook)
    texts = (HEADING.search(cell.source) for cell in notebook.cells if cell.cell_type == "markdown")
    values = {name: ast.literal_eval(parameter["default"]) for name, parameter in found.items()}
    return values, next((heading[1] for heading in texts if heading), "")


def drift(source: Path) -> str:
    """Say how the notebook beside ``source`` differs from it in cells, tags or metadata; "" when it does not."""
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
