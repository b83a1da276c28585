"""Tables of the book: docutils nodes from data frames, and the minutes that the training behind each page took."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from docutils import nodes

from mtgcn.analysis import literature
from mtgcn.pipeline.store import SECONDS


def from_frame(data: pd.DataFrame, digits: int = 2) -> nodes.table:
    """Return a sortable table of ``data``: floats with ``digits`` decimals, numbers set to the right."""
    numeric = [pd.api.types.is_numeric_dtype(data[name]) for name in data.columns]
    header = [str(name).replace("_", " ") for name in data.columns]
    rows = [[_text(value, digits) for value in values] for values in data.itertuples(index=False)]
    return build(header, rows, numeric)


def build(header: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[bool]) -> nodes.table:
    """Return a docutils table: ``numeric`` columns to the right, text between double asterisks in bold.

    A cell of several lines gets a paragraph for each; those after the first stand back.
    """
    table = nodes.table(classes=["sortable"])
    group = nodes.tgroup(cols=len(header))
    table += group
    group += [nodes.colspec(colwidth=1) for _ in header]
    head, body = nodes.thead(), nodes.tbody()
    group += [head, body]
    head += _row(header, numeric)
    body += [_row(row, numeric) for row in rows]
    return table


def caption(text: str) -> nodes.paragraph:
    """Return a caption to stand above a table; unlike Sphinx's own it has no number."""
    return nodes.paragraph(text, text, classes=["table-caption"])


def training_minutes(results: Path) -> pd.DataFrame:
    """Return ``page, runs, minutes`` of each page that trained, summed below those of the paper's tables and below all.

    ``results`` is the folder of the tidy tables; those without a column ``seconds`` gather what others trained.
    """
    rows = []
    for path in sorted(results.glob("*.csv")):
        table = pd.read_csv(path)
        if SECONDS in table and "seed" in table:
            rows.append((path.stem, len(table), table[SECONDS].sum() / 60))
    cells = literature.accuracies()
    paper = {f"{dataset}-{depth}" for dataset, depth in zip(cells["dataset"], cells["hidden_layers"], strict=True)}
    shown = [row for row in rows if row[0] in paper]
    if shown:
        shown.append(_sum("Tables 1 to 3", shown))
    shown += [row for row in rows if row[0] not in paper]
    if rows:
        shown.append(_sum("everything", rows))
    return pd.DataFrame(shown, columns=["page", "runs", "minutes"])


def _sum(name: str, rows: list[tuple[str, int, float]]) -> tuple[str, int, float]:
    return name, sum(row[1] for row in rows), sum(row[2] for row in rows)


def _row(cells: Sequence[str], numeric: Sequence[bool]) -> nodes.row:
    row = nodes.row()
    for text, number in zip(cells, numeric, strict=True):
        entry = nodes.entry(classes=["number"] if number else [])
        entry += [_line(line, first=place == 0) for place, line in enumerate(text.split("\n"))]
        row += entry
    return row


def _line(text: str, first: bool) -> nodes.paragraph:
    before, *bold = text.split("**")[:2]
    line = nodes.paragraph("", "", classes=[] if first else ["second"])
    line += nodes.Text(before)
    line += [nodes.strong("", part) for part in bold]
    return line


def _text(value: object, digits: int) -> str:
    if value is None or value != value:  # NaN
        return "–"
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)
