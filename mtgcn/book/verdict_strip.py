"""``{verdict-strip} results/verdicts/verdicts.csv``: every claim in every place under every protocol, at a glance."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from mtgcn.analysis import literature, paper_tables, wording

PAGE = "/book/runs/verdicts"
# How a verdict of the page looks and reads here.
LOOKS = {
    "holds": ("✓", "holds", "holds"),
    "does not hold": ("✗", "does not hold", "fails"),
    "too close": ("±", "too close to call", "close"),
}


class VerdictStrip(SphinxDirective):
    """A table with a row for each claim and a column for each place, side by side for the protocols.

    Claims lead to the page of verdicts, places to their runs. Nothing is shown as long as there are no verdicts.
    """

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the table, or nothing."""
        _, absolute = self.env.relfn2path(self.arguments[0])
        self.env.note_dependency(absolute)
        self.env.note_reread()
        if not Path(absolute).exists():
            return []
        return [table(pd.read_csv(absolute), self._link)]

    def _link(self, page: str, text: str) -> nodes.Node:
        """Return a link to a page, or the text alone where there is no such page."""
        if page.removeprefix("/") not in self.env.found_docs:
            return nodes.Text(text)
        link = addnodes.pending_xref(
            "", refdomain="std", reftype="doc", reftarget=page, refdoc=self.env.docname, refexplicit=True
        )
        link += nodes.inline("", text)
        return link


def table(verdicts: pd.DataFrame, link: Callable[[str, str], nodes.Node]) -> nodes.table:
    """Lay out ``protocol, dataset, hidden_layers, claim, verdict``; ``link`` makes a node of a page and a text."""
    protocols = [name for name in wording.PROTOCOLS if name in set(verdicts["protocol"])]
    cells = sorted(paper_tables.CELLS)
    columns = [(name, *cell) for name in protocols for cell in cells]
    found = verdicts.set_index(["protocol", "dataset", "hidden_layers", "claim"])["verdict"].to_dict()
    head, body = nodes.thead(), nodes.tbody()
    spans = [_cell(nodes.Text(f"trained {wording.PROTOCOLS[name]}"), "protocol") for name in protocols]
    for span in spans:
        span["morecols"] = len(cells) - 1
    head += _row(_cell(nodes.Text("")), *spans)
    places = [_cell(link(run_page(*column), f"{column[1].capitalize()} {column[2]}"), "place") for column in columns]
    head += _row(_cell(nodes.Text("claim of the paper")), *places)
    for number, claim in literature.CLAIMS.items():
        first = _cell(link(PAGE, f"{number}. {claim}"))
        body += _row(first, *(_verdict(found.get((*column, number))) for column in columns))
    group = nodes.tgroup(cols=1 + len(columns))
    group += [nodes.colspec(colwidth=1) for _ in range(1 + len(columns))]
    group += [head, body]
    return nodes.table("", group, classes=["verdicts"])


def run_page(protocol: str, dataset: str, depth: int) -> str:
    """Return the page whose runs a verdict rests on."""
    before = "" if protocol == "text" else f"{protocol}-"
    return f"/book/runs/{before}{dataset}-{depth}"


def _verdict(verdict: str | None) -> nodes.entry:
    """Return a sign, with words for those who do not see it; an empty cell where the claim says nothing."""
    if verdict is None:
        return _cell(nodes.Text(""))
    sign, words, look = LOOKS[verdict]
    return _cell(nodes.inline("", sign, classes=["sign"]), look, nodes.inline("", words, classes=["words"]))


def _cell(content: nodes.Node, look: str = "", words: nodes.Node | None = None) -> nodes.entry:
    cell = nodes.entry(classes=[look] if look else [])
    paragraph = nodes.paragraph("", "", content)
    paragraph += [nodes.Text(" "), words] if words else []
    cell += paragraph
    return cell


def _row(*cells: nodes.entry) -> nodes.row:
    row = nodes.row()
    row += list(cells)
    return row
