"""Executed notebooks as they are stored: no times, no paths, no stderr, so that a rerun gives the same bytes."""

from __future__ import annotations

import json
import pprint
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mtgcn.pipeline.paired import HEADING

if TYPE_CHECKING:
    from nbformat import NotebookNode

INJECTED = "injected-parameters"
FOLDED = "hide-input"


def clean(
    text: str, parameters: Mapping[str, Any], given_by: str, title: str, answer: str, record: Mapping[str, Any]
) -> str:
    """Return the JSON of an executed notebook without what differs between two executions.

    The first heading becomes ``title``, with the ``answer`` under it, the cell with the ``parameters`` that papermill
    put in says that they were ``given_by`` a file, and ``record`` is stored in the metadata under ``mtgcn``.
    """
    import nbformat

    notebook = nbformat.reads(text, as_version=4)
    folded = any({"parameters", FOLDED} <= set(cell.metadata.get("tags", [])) for cell in notebook.cells)
    for cell in notebook.cells:
        for name in ("papermill", "execution"):
            cell.metadata.pop(name, None)
        tags = cell.metadata.get("tags", [])
        if not tags:  # papermill adds an empty list
            cell.metadata.pop("tags", None)
        if cell.cell_type == "code":
            cell.outputs = _outputs(cell.outputs)
        if INJECTED in tags:
            cell.id = INJECTED
            cell.source = _assignments(parameters, given_by)
            if folded:  # a page that folds its own parameters folds those of the file, too
                tags.append(FOLDED)
    if parameters:
        _fold_defaults(notebook)
    _head(notebook, title, answer)
    for name in ("papermill", "widgets"):
        notebook.metadata.pop(name, None)
    notebook.metadata["mtgcn"] = dict(record)
    nbformat.validate(notebook)
    return nbformat.writes(notebook) + "\n"


def record(text: str) -> dict[str, Any]:
    """Return what `clean` stored in the metadata of the notebook with this JSON; empty when there is none."""
    return json.loads(text).get("metadata", {}).get("mtgcn", {})


def _outputs(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Drop stderr, and join pieces of stdout, which arrive cut at random places."""
    kept: list[NotebookNode] = []
    for output in outputs:
        if output.output_type != "stream":
            kept.append(output)
        elif output.name == "stdout":
            if kept and kept[-1].output_type == "stream":
                kept[-1].text += output.text
            else:
                kept.append(output)
    return kept


def _assignments(parameters: Mapping[str, Any], given_by: str) -> str:
    """Write parameters as Python that a person can read; papermill puts each on one line of any length."""
    lines = [f"# From {given_by}"]
    for name, value in parameters.items():
        start = f"{name} = "
        text = pprint.pformat(value, width=80 - len(start), sort_dicts=False)
        lines.append(start + text.replace("\n", "\n" + " " * len(start)))
    return "\n".join(lines)


def _fold_defaults(notebook: NotebookNode) -> None:
    """Fold the cell with the values to start from, since those of the file stand below it."""
    for cell in notebook.cells:
        tags = cell.metadata.get("tags", [])
        if "parameters" in tags and FOLDED not in tags:
            tags.append(FOLDED)


def _head(notebook: NotebookNode, title: str, answer: str) -> None:
    """Give the notebook its title, and what it shows before anything else."""
    head = f"# {title}\n\n**{answer}**" if answer else f"# {title}"
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and HEADING.search(cell.source):
            cell.source = HEADING.sub(lambda _: head, cell.source, count=1)
            return
