"""A table to show, as HTML, CSV and LaTeX, the same bytes each time."""

from dataclasses import dataclass
from zlib import crc32

import pandas as pd
from pandas.io.formats.style import Styler

_LATEX = {
    **{"\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "_": r"\_", "#": r"\#", "$": r"\$"},
    **{"±": r"$\pm$", "−": "$-$", "–": "--", "≈": r"$\approx$", "≠": r"$\neq$", "Δ": r"$\Delta$", "<": "$<$"},
}


@dataclass(frozen=True)
class Table:
    """A table: ``data`` are its numbers (tidy), ``text`` its cells as shown, ``bold`` the cells that stand out.

    ``text`` and ``bold`` have the same index and columns. A notebook shows the HTML.
    """

    name: str
    data: pd.DataFrame
    text: pd.DataFrame
    bold: pd.DataFrame

    def html(self) -> str:
        """Return an HTML table in a box that scrolls sideways on a narrow screen."""
        # pandas would draw a random identifier for the style sheet; one by name alone would share the sheet with every
        # other table of that name on a page.
        content = self.text.to_csv() + self.bold.to_csv()
        styler = _in_bold(self.text, self.bold).set_uuid(f"{self.name}-{crc32(content.encode()):08x}")
        styler = styler.format(escape="html").format_index(escape="html", axis=0)
        styler = styler.set_table_styles([{"selector": "td", "props": "white-space: nowrap; text-align: right"}])
        table = styler.to_html(table_attributes='class="dataframe results"')
        return f'<div style="overflow-x: auto">\n{table}</div>\n'

    def latex(self) -> str:
        """Return a tabular for the LaTeX package booktabs."""
        text = self.text.map(_latex).rename(index=_latex, columns=_latex)
        bold = self.bold.set_axis(text.index, axis=0).set_axis(text.columns, axis=1)
        aligned = "l" + "r" * text.shape[1]
        return _in_bold(text, bold).to_latex(hrules=True, convert_css=True, multicol_align="c", column_format=aligned)

    def csv(self) -> str:
        """Return the numbers, one row a cell."""
        return self.data.to_csv(index=False, float_format="%.10g", lineterminator="\n")

    def __repr__(self) -> str:
        return self.text.to_string()

    def _repr_html_(self) -> str:
        return self.html()


def _in_bold(text: pd.DataFrame, bold: pd.DataFrame) -> Styler:
    css = bold.astype(object).where(~bold, "font-weight: bold").where(bold, "")
    return text.style.apply(lambda _: css, axis=None)


def _latex(text: object) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in str(text))
