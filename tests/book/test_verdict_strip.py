"""The first page's table of verdicts, and its figure, from results that may not be complete."""

from pathlib import Path

import pandas as pd
import pytest
from docutils import nodes
from support import synthetic

from mtgcn.analysis import paper_tables
from mtgcn.analysis.figures import means_by_protocol
from mtgcn.book import drawings, verdict_strip

COLUMNS = ["protocol", "dataset", "hidden_layers", "claim", "verdict"]
VERDICTS = [
    ("text", "citeseer", 1, 1, "holds"),
    ("text", "cora", 5, 4, "too close"),
    ("matched", "cora", 5, 4, "does not hold"),
]


def rows(verdicts: list[tuple]) -> list[list[str]]:
    """Return the words of a strip, row by row."""
    table = verdict_strip.table(pd.DataFrame(verdicts, columns=COLUMNS), lambda page, text: nodes.Text(text))
    return [[entry.astext() for entry in row.findall(nodes.entry)] for row in table.findall(nodes.row)]


def test_a_verdict_stands_in_the_row_of_its_claim_and_the_column_of_its_place() -> None:
    protocols, heads, *claims = rows(VERDICTS)
    assert protocols == ["", "trained as the paper says", "trained as its figures suggest"]
    assert heads[1:6] == heads[6:] == ["Citeseer 1", "Cora 1", "Cora 2", "Cora 5", "Pubmed 1"]
    assert len(claims) == 6
    assert claims[0][1:] == ["✓ holds", *[""] * 9]
    assert claims[3][1:] == [*[""] * 3, "± too close to call", *[""] * 4, "✗ does not hold", ""]


def test_without_the_second_protocol_there_is_one_half() -> None:
    assert [len(row) for row in rows(VERDICTS[:2])] == [2, *[6] * 7]


def test_the_pages_of_the_second_protocol_have_its_name() -> None:
    assert verdict_strip.run_page("text", "cora", 5) == "/book/runs/cora-5"
    assert verdict_strip.run_page("matched", "cora", 5) == "/book/runs/matched-cora-5"


@pytest.mark.parametrize("there", [[], ["cora-1"], ["cora-1", "matched-cora-1", "matched-cora-5"]])
def test_the_figure_shows_what_is_there(tmp_path: Path, there: list[str]) -> None:
    runs = synthetic.results([("cora", 1), ("cora", 5)])
    for name in there:
        depth = int(name[-1])
        runs[runs["hidden_layers"] == depth].to_csv(tmp_path / f"{name}.csv", index=False)
    drawings.draw(tmp_path / "drawn", tmp_path)
    answer = tmp_path / "drawn" / "answer.svg"
    assert answer.exists() == bool(there)
    assert not there or ("as its figures suggest" in answer.read_text()) == (len(there) > 1)


def test_the_figure_has_a_mark_for_each_protocol_and_the_paper() -> None:
    runs = synthetic.results([("cora", 1)])
    both = pd.concat([runs.assign(protocol=name) for name in ("text", "matched")])
    figure = means_by_protocol(both, paper_tables.TABLE_1[1:2])
    heights = [round(float(bar[0].get_ydata()[0]), 2) for bar in figure.axes[0].containers]
    assert sorted(heights) == [row + line for row in range(7) for line in (0, 0.25, 0.5)]
