"""The three tables: what a reader sees, as HTML, CSV and LaTeX."""

import io
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.synthetic import results

from mtgcn.analysis import literature, paper_tables
from mtgcn.analysis.comparison import compare
from mtgcn.analysis.table import Table


def table1(runs: pd.DataFrame) -> Table:
    return paper_tables.table1(compare(runs, paper_tables.TABLE_1))


def table2(runs: pd.DataFrame) -> Table:
    return paper_tables.table2(compare(runs, paper_tables.TABLE_2))


def table1_gains(runs: pd.DataFrame) -> Table:
    return paper_tables.gain_table("table-1-gains", compare(runs, paper_tables.TABLE_1))


def table2_gains(runs: pd.DataFrame) -> Table:
    return paper_tables.gain_table("table-2-gains", compare(runs, paper_tables.TABLE_2), by_depth=True)


def table3(runs: pd.DataFrame) -> Table:
    numbers = compare(runs, paper_tables.TABLE_1)
    return paper_tables.table3(numbers, numbers)


ALL = [table1, table1_gains, table2, table2_gains, table3]
BUILDERS = pytest.mark.parametrize("build", ALL, ids=lambda build: build.__name__)


@pytest.fixture
def runs() -> pd.DataFrame:
    """Everything but Pubmed and five hidden layers."""
    return results([("citeseer", 1), ("cora", 1), ("cora", 2)])


def test_table_1_sets_ours_beside_the_paper_s(runs: pd.DataFrame) -> None:
    text = table1(runs).text
    own = runs.query("dataset == 'cora' and hidden_layers == 1 and network == 'AE'")["test_accuracy"]
    assert text.loc["AE", ("Cora", "ours")] == f"{own.mean():.2f} ± {own.sem():.2f}"
    assert text.loc["AE", ("Cora", "paper")] == "82.17 ± 0.09"
    assert text.loc["AE", ("Cora", "Δ")] == f"−{82.17 - own.mean():.2f} ≠"
    assert text.loc["GCN, Kipf & Welling (2017)", ("Cora", "paper")] == "81.50"
    assert list(text.index[1:]) == list(literature.NETWORKS)


def test_table_2_goes_by_depth(runs: pd.DataFrame) -> None:
    text = table2(runs).text
    assert text.columns.levels[0].tolist() == ["1 hidden layer", "2 hidden layers", "5 hidden layers"]
    assert text.loc["FR", ("5 hidden layers", "paper")] == "51.05 ± 4.32"
    assert text.loc["FR", ("5 hidden layers", "ours")] == "–"


def test_the_best_is_bold_on_either_side(runs: pd.DataFrame) -> None:
    runs.loc[(runs["network"] == "ER") & (runs["hidden_layers"] == 2), "test_accuracy"] += 5
    bold = table2(runs).bold
    ours, theirs = bold.xs("ours", axis=1, level=1), bold.xs("paper", axis=1, level=1)
    assert ours.index[ours["2 hidden layers"]].tolist() == ["ER"]
    assert not ours["5 hidden layers"].any()
    assert [theirs.index[theirs[depth]].tolist() for depth in theirs] == [["AE"], ["AE"], ["FR"]]
    assert not bold.xs("Δ", axis=1, level=1).any(axis=None)


def test_gains_have_intervals_and_corrected_p(runs: pd.DataFrame) -> None:
    runs.loc[(runs["network"] == "AE") & (runs["hidden_layers"] == 2), "test_accuracy"] += 30
    text = table2_gains(runs).text
    gain, p, theirs = text.loc["AE", "2 hidden layers"]
    assert re.fullmatch(r"\+\d+\.\d\d \[\+\d+\.\d\d, \+\d+\.\d\d\]", gain)
    assert p == f"{12 * 2 / 1024:.3f}"  # the smallest p of ten pairs, six networks at two depths
    assert theirs == "+1.36"
    assert "GCN" not in text.index
    assert text.loc["AE+FR+ER", ("2 hidden layers", "paper")] == "−0.29"


def test_table_3_takes_the_best_network_of_each_data_set(runs: pd.DataFrame) -> None:
    runs.loc[(runs["network"] == "ER") & (runs["dataset"] == "cora"), "test_accuracy"] += 9
    of_others = runs[runs["network"].isin(["AE", "FR"])].replace({"network": {"AE": "GP", "FR": "AE+GP"}})
    of_others.loc[of_others["network"] == "AE+GP", "test_accuracy"] += 30  # a task of each paper is neither's
    table = table3(pd.concat([runs, of_others]))
    assert table.text.loc["the paper's tasks, measured here", "Cora"].endswith("(ER)")
    assert table.text.loc["the paper's tasks, measured here", "Pubmed"] == "–"
    assert table.text.loc["You et al.'s tasks, measured here", "Cora"].endswith("(GP)")
    assert table.text.loc["You et al. (2020)"].tolist() == ["+0.83", "+0.81", "+0.90"]
    assert table.bold["Cora"].tolist() == [True, False, False, False]
    assert table.bold["Pubmed"].tolist() == [False, False, False, True]


def test_odd_cells_say_what_they_rest_on(runs: pd.DataFrame) -> None:
    odd = runs.query("dataset == 'cora' and hidden_layers == 1").copy()
    odd.loc[(odd["network"] == "AE") & (odd["seed"] < 2), "test_accuracy"] = np.nan
    odd.loc[odd["network"] == "FR", "test_accuracy"] = np.nan
    ours = table1(odd).text["Cora", "ours"]
    assert ours["AE"].endswith(" (8 of 10 runs)")
    assert ours["FR"] == "diverged"
    single = table1(odd.query("seed == 5")).text["Cora"]
    assert single.loc["GCN", "ours"].endswith(" ± –")
    assert single.loc["GCN", "Δ"][-1].isdigit()


@BUILDERS
def test_an_empty_table_shows_the_paper_and_dashes(build: Callable[[pd.DataFrame], Table]) -> None:
    table = build(pd.DataFrame())
    assert not table.text.isin(["nan", "<NA>", ""]).any(axis=None)
    assert not table.text.map(lambda cell: "nan" in cell).any(axis=None)
    ours = [name for name in table.text.columns if name[-1].startswith(("ours", "gain"))]
    assert (table.text[ours] == "–").all(axis=None)
    assert table.html()
    assert table.latex()


@BUILDERS
def test_html_is_repeatable_and_holds_every_cell(build: Callable[[pd.DataFrame], Table], runs: pd.DataFrame) -> None:
    table = build(runs)
    assert table.html() == build(runs).html() == table._repr_html_()
    cells = [unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", table.html())]
    assert cells == table.text.to_numpy().ravel().tolist()
    assert all(cell in repr(table) for cell in cells)
    rows = [unescape(cell) for cell in re.findall(r"<th[^>]*row_heading[^>]*>(.*?)</th>", table.html())]
    assert rows == table.text.index.tolist()


def test_bold_cells_are_the_ones_marked_in_html(runs: pd.DataFrame) -> None:
    table = table1(runs)
    (selectors,) = re.findall(r"((?:#\S+,?\s)+)\{\s*font-weight: bold", table.html())
    marked = {(int(row), int(column)) for row, column in re.findall(r"row(\d+)_col(\d+)", selectors)}
    assert marked == set(zip(*(index.tolist() for index in np.nonzero(table.bold.to_numpy())), strict=True))


def test_html_escapes_what_users_name() -> None:
    text = pd.DataFrame({"p": ["<0.001"]}, index=["A&B<script>"])
    html = Table("t", text, text, text == "").html()
    assert "&lt;0.001" in html
    assert "A&amp;B&lt;script&gt;" in html


@BUILDERS
def test_latex_is_plain_and_rectangular(build: Callable[[pd.DataFrame], Table], runs: pd.DataFrame) -> None:
    table = build(runs)
    latex = table.latex()
    assert latex.isascii()
    body = latex.split("\\midrule\n")[1].split("\\bottomrule")[0].strip().splitlines()
    assert len(body) == len(table.text)
    assert {len(re.findall(r"(?<!\\)&", line)) for line in body} == {table.text.shape[1]}
    assert sum(line.count(r"\bfseries") for line in body) == table.bold.to_numpy().sum()


def test_csv_holds_the_numbers(runs: pd.DataFrame) -> None:
    table = table1(runs)
    read = pd.read_csv(io.StringIO(table.csv()))
    assert len(read) == 3 * (7 + 1)
    assert read["mean"].to_numpy() == pytest.approx(table.data["mean"].to_numpy(float), nan_ok=True)
    assert read["agrees"].dropna().isin([True, False]).all()


def test_measured_sets_our_means_beside_the_paper_s_where_it_has_any(tmp_path: Path) -> None:
    assert paper_tables.measured(paper_tables.runs_in(tmp_path)).text.empty
    runs = results([("cora", 1), ("cora", 8), ("pubmed", 1)], networks=["GCN", "AE"])
    for (dataset, depth), group in runs.groupby(["dataset", "hidden_layers"]):
        group.to_csv(tmp_path / f"{dataset}-{depth}.csv", index=False)
    pd.DataFrame({"x": [1]}).to_csv(tmp_path / "cora-weights.csv")  # something else about Cora
    read = paper_tables.runs_in(tmp_path)
    table = paper_tables.measured(read)
    assert list(table.text) == [("Cora", "ours"), ("Cora", "paper"), ("Pubmed", "ours"), ("Pubmed", "paper")]
    values = runs.query("dataset == 'cora' and network == 'AE' and hidden_layers == 1")["test_accuracy"]
    expected = f"{values.mean():.2f} ± {values.std(ddof=1) / len(values) ** 0.5:.2f}"
    assert table.text.loc["AE", "Cora"].tolist() == [expected, "82.17 ± 0.09"]
    assert table.bold.loc["AE", ("Cora", "paper")]
    assert table.text.loc["FR", ("Cora", "ours")] == "–"
    by_depth = paper_tables.measured(read, "cora").text
    assert list(by_depth) == [("1 hidden layer", "ours"), ("1 hidden layer", "paper"), ("8 hidden layers", "ours")]


def test_the_paper_s_tables_are_complete_and_their_best_is_bold() -> None:
    table = paper_tables.printed(2)
    assert list(table.text) == ["1 hidden layer", "2 hidden layers", "5 hidden layers"]
    assert list(table.text.index) == list(literature.NETWORKS)
    assert table.text.loc["FR"].tolist() == ["82.07 ± 0.15", "80.89 ± 0.29", "51.05 ± 4.32"]
    assert table.bold.loc["FR"].tolist() == [False, False, True]
    assert list(paper_tables.printed(1).text) == ["Citeseer", "Cora", "Pubmed"]
    gains = paper_tables.printed(3)
    assert gains.text.loc[literature.YOU].tolist() == ["0.83", "0.81", "0.90"]
    assert gains.bold.loc[literature.YOU].tolist() == [False, False, True]
