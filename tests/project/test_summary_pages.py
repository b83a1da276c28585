"""The summary notebooks, run as scripts: on made-up results whose answers are known, and on the committed ones."""

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.synthetic import split_runs

from mtgcn.analysis import paper_tables, statistics
from mtgcn.analysis.comparison import compare
from mtgcn.analysis.literature import NETWORKS
from mtgcn.experiments import stored

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "book" / "results"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of results that the notebooks read."""
    monkeypatch.setenv(stored.RESULTS, str(tmp_path))
    return tmp_path


def executed(notebook: str) -> dict[str, Any]:
    """Run a notebook and return its names."""
    return runpy.run_path(str(ROOT / "notebooks" / f"{notebook}.py"))


def write(folder: Path, page: str, means: dict[str, float], spread: float = 0.1, runs: int = 10) -> None:
    """Write runs around ``means``: GCN's own spread is 1, the others have ``spread``, without common noise."""
    rng = np.random.default_rng(0)
    dataset, depth = page.split("-")[-2:]
    rows = []
    for network, mean in means.items():
        noise = rng.normal(size=runs)
        noise = (noise - noise.mean()) / noise.std() if runs > 1 else noise * 0
        scale = 1.0 if network == "GCN" else spread
        rows += [(dataset, int(depth), network, seed, mean + scale * value) for seed, value in enumerate(noise)]
    columns = ["dataset", "hidden_layers", "network", "seed", "test_accuracy"]
    pd.DataFrame(rows, columns=columns).to_csv(folder / f"{page}.csv", index=False)


def all_at(value: float, **others: float) -> dict[str, float]:
    means = {"GCN": 80.0, **dict.fromkeys(NETWORKS[1:], value)}
    return means | {name.replace("_", "+"): mean for name, mean in others.items()}


def test_verdicts_follow_from_gains_spreads_and_errors(folder: Path) -> None:
    write(folder, "citeseer-1", all_at(84.0, ER=84.05))
    write(folder, "cora-1", all_at(84.0, ER=70.0, AE_FR_ER=90.0))
    write(folder, "pubmed-1", all_at(80.2), spread=1.0)
    write(folder, "cora-2", all_at(84.0, AE_FR_ER=80.0), spread=0.05)
    write(folder, "cora-5", all_at(20.0), spread=20.0)
    write(folder, "hundred-cora-1", {"GCN": 80.0, "AE": 81.0}, spread=1.0, runs=100)
    write(folder, "hundred-pubmed-1", {"GCN": 80.0, "FR": 78.0}, spread=1.0, runs=100)
    write(folder, "hundred-cora-5", {"GCN": 80.0, "ER": 80.0}, spread=1.0, runs=100)
    names = executed("does_it_hold")
    table = names["found"].pivot_table("verdict", "claim", ["dataset", "hidden_layers"], aggfunc="first")
    places = [("citeseer", 1), ("cora", 1), ("pubmed", 1), ("cora", 2), ("cora", 5)]
    found = {claim: table.loc[claim].reindex(places).dropna().tolist() for claim in table.index}
    assert found == {
        1: ["holds", "fails", "unclear"],  # one network far below refutes that all win
        2: ["holds", "holds", "unclear"],
        3: ["holds", "holds", "unclear", "holds", "fails"],
        4: ["holds", "fails"],
        5: ["unclear", "fails", "unclear", "holds", "unclear"],
        6: ["holds", "holds", "unclear"],
    }
    assert [names["together"](pd.Series(found[claim])) for claim in (1, 2, 4)] == ["fails", "unclear", "fails"]
    assert names["together"](pd.Series(["holds", "holds"])) == "holds"
    assert names["clear"][["dataset", "verdict"]].to_numpy().tolist() == [
        ["cora", "holds"],
        ["pubmed", "fails"],
        ["cora", "unclear"],
    ]


def test_one_run_makes_nothing_clear(folder: Path) -> None:
    for page in ("citeseer-1", "cora-1", "cora-2", "cora-5", "pubmed-1"):
        write(folder, page, all_at(84.0, AE_FR_ER=90.0), runs=1)
    assert set(executed("does_it_hold")["found"]["verdict"]) == {"unclear"}
    assert executed("tables")["table_1"]["p"].isna().all()


def test_the_tables_of_the_page_are_those_of_the_module() -> None:
    """Two ways to the same numbers: the cells of the notebook, and ``compare``."""
    names = executed("tables")
    for own, cells in (("table_1", paper_tables.TABLE_1), ("table_2", paper_tables.TABLE_2)):
        expected = compare(names["runs"], cells)
        assert names[own]["network"].tolist() == expected["network"].tolist()
        numbers = expected.select_dtypes(float).columns
        assert len(numbers) >= 11
        np.testing.assert_allclose(names[own][numbers], expected[numbers], rtol=1e-9, atol=1e-9)
        assert names[own]["agrees"].tolist() == expected["agrees"].tolist()
    table = paper_tables.table1(compare(names["runs"], paper_tables.TABLE_1))
    assert table.csv() == (KEPT / "tables" / "table-1.csv").read_text()


def test_more_runs_has_a_split_as_the_unit_and_the_same_p_as_the_page_of_the_place(folder: Path) -> None:
    split_runs().to_csv(folder / "splits-cora-1.csv", index=False)
    write(folder, "hundred-toy-1", {"GCN": 80.0, "AE": 80.3}, spread=1.0, runs=100)
    names = executed("more_runs")
    (row,) = names["data"].to_dict("records")  # of the last table: random splits
    gains = split_runs().pivot_table("test_accuracy", "split", "network").eval("AE - GCN")
    assert (row["dataset"], row["network"], row["splits"], row["runs"]) == ("cora", "AE", 6, 3)
    assert row["gain"] == pytest.approx(gains.mean())
    assert (row["gain_low"], row["gain_high"]) == pytest.approx(statistics.interval(gains))
    signs = np.array(np.meshgrid(*[[1, -1]] * 6)).reshape(6, -1)
    assert row["p"] == pytest.approx(np.mean(np.abs(signs.T @ gains.to_numpy()) >= abs(gains.sum()) - 1e-9))
    assert row["above"] == (gains > 0).sum()
    hundred = names["summary"](names["hundred"]).reset_index()
    expected = compare(pd.read_csv(folder / "hundred-toy-1.csv")).query("network == 'AE'")
    for name in ("mean", "sem", "gain", "gain_low", "gain_high", "p"):
        assert hundred[name].tolist() == pytest.approx(expected[name].tolist()), name
    assert len(names["first_ten"]) == 10


def test_a_split_without_any_gain_is_not_above_zero(folder: Path) -> None:
    """Three runs whose gains cancel out have a mean of 5e-15, not of 0."""
    runs = [("GCN", [78.1, 78.3, 78.2]), ("AE", [78.2, 78.2, 78.2])]
    rows = [("cora", 1, 0, name, seed, value) for name, values in runs for seed, value in enumerate(values)]
    columns = ["dataset", "hidden_layers", "split", "network", "seed", "test_accuracy"]
    pd.DataFrame(rows, columns=columns).to_csv(folder / "splits-cora-1.csv", index=False)
    assert executed("more_runs")["data"]["above"].tolist() == [0]


def test_more_runs_shows_nothing_where_there_is_nothing(folder: Path) -> None:
    names = executed("more_runs")
    assert len(names["table"].text) == 0
    assert names["table"].html()
    assert names["figure"].svg()
