"""Tables of the book: docutils nodes from data frames, sortable in the browser, best values in bold."""

from collections.abc import Sequence

import pandas as pd
from docutils import nodes


def from_frame(data: pd.DataFrame, digits: int = 2) -> nodes.table:
    """Return a sortable table of ``data``: floats with ``digits`` decimals, numbers set to the right."""
    numeric = [pd.api.types.is_numeric_dtype(data[name]) for name in data.columns]
    header = [str(name).replace("_", " ") for name in data.columns]
    rows = [[_text(value, digits) for value in values] for values in data.itertuples(index=False)]
    return build(header, rows, numeric)


def build(header: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[bool]) -> nodes.table:
    """Return a docutils table: ``numeric`` columns to the right, cells between double asterisks in bold."""
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


def _row(cells: Sequence[str], numeric: Sequence[bool]) -> nodes.row:
    row = nodes.row()
    for text, number in zip(cells, numeric, strict=True):
        bold = text.startswith("**") and text.endswith("**")
        inside = nodes.strong("", text.strip("*")) if bold else nodes.Text(text)
        row += nodes.entry("", nodes.paragraph("", "", inside), classes=["number"] if number else [])
    return row


def _text(value: object, digits: int) -> str:
    if value is None or value != value:  # NaN
        return "–"
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)
