"""The summary notebooks, run as scripts: on made-up results whose answers are known, and on the committed ones."""

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
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
    for page in ("citeseer-1", "cora-1", "cora-2", "cora-5", "pubmed-1"):
        write(tmp_path, page, {"GCN": 80.0})
    return tmp_path


def executed(notebook: str) -> dict[str, Any]:
    """Run a notebook and return its names."""
    return runpy.run_path(str(ROOT / "notebooks" / f"{notebook}.py"))


def write(
    folder: Path, page: str, means: dict[str, float], spread: float = 0.1, runs: int = 10, validated: str = ""
) -> None:
    """Write runs around ``means``: GCN's own spread is 1, the others have ``spread``, without common noise.

    The network ``validated`` does best on the validation nodes.
    """
    rng = np.random.default_rng(0)
    dataset, depth = page.split("-")[-2:]
    rows = []
    for network, mean in means.items():
        noise = rng.normal(size=runs)
        noise = (noise - noise.mean()) / noise.std() if runs > 1 else noise * 0
        scale = 1.0 if network == "GCN" else spread
        place, known = (dataset, int(depth), network), float(network == validated)
        rows += [(*place, seed, mean + scale * value, known) for seed, value in enumerate(noise)]
    columns = ["dataset", "hidden_layers", "network", "seed", "test_accuracy", "validation_accuracy"]
    pd.DataFrame(rows, columns=columns).to_csv(folder / f"{page}.csv", index=False)


def test_one_run_makes_nothing_clear(folder: Path) -> None:
    for page in ("citeseer-1", "cora-1", "cora-2", "cora-5", "pubmed-1"):
        write(folder, page, dict.fromkeys(NETWORKS, 84.0), runs=1)
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


def test_more_runs_has_a_split_as_the_unit_and_the_network_chosen_by_validation(folder: Path) -> None:
    split_runs().to_csv(folder / "splits-cora-1.csv", index=False)
    write(folder, "cora-1", {"GCN": 80.0, "AE": 80.3, "FR": 90.0}, spread=1.0, runs=50, validated="AE")
    names = executed("more_runs")
    (row,) = names["data"].to_dict("records")  # of the last table: random splits
    gains = split_runs().pivot_table("test_accuracy", "split", "network").eval("AE - GCN")
    assert (row["protocol"], row["dataset"], row["network"], row["splits"], row["runs"]) == ("text", "cora", "AE", 6, 3)
    assert row["gain"] == pytest.approx(gains.mean())
    assert (row["gain_low"], row["gain_high"]) == pytest.approx(statistics.interval(gains))
    assert row["p"] == pytest.approx(stats.ttest_rel(gains, np.zeros(6)).pvalue)
    assert row["above"] == (gains > 0).sum()
    fifty = names["summary"](names["fifty"]).reset_index()
    expected = compare(pd.read_csv(folder / "cora-1.csv")).query("network == 'AE'")
    for name in ("mean", "sem", "gain", "gain_low", "gain_high"):
        assert fifty[name].tolist() == pytest.approx(expected[name].tolist()), name
    assert fifty["p"].item() == pytest.approx(stats.ttest_1samp(names["fifty"]["gain"], 0).pvalue)
    assert len(names["first_ten"]) == 10


def test_a_split_without_any_gain_is_not_above_zero(folder: Path) -> None:
    """Three runs whose gains cancel out have a mean of 5e-15, not of 0."""
    runs = [("GCN", [78.1, 78.3, 78.2]), ("AE", [78.2, 78.2, 78.2])]
    rows = [("cora", 1, 0, name, seed, value) for name, values in runs for seed, value in enumerate(values)]
    columns = ["dataset", "hidden_layers", "split", "network", "seed", "test_accuracy"]
    pd.DataFrame(rows, columns=columns).to_csv(folder / "splits-cora-1.csv", index=False)
    write(folder, "cora-1", {"GCN": 80.0, "AE": 80.3})
    assert executed("more_runs")["data"]["above"].tolist() == [0]


def test_more_runs_shows_nothing_where_there_is_nothing(folder: Path) -> None:
    names = executed("more_runs")
    assert len(names["table"].text) == 0
    assert names["table"].html()
    assert names["figure"].svg()
