"""Ours beside the paper's, from made-up runs with known answers."""

import numpy as np
import pandas as pd
import pytest
from support.synthetic import results

from mtgcn.analysis import literature, statistics
from mtgcn.analysis.comparison import compare, in_order, p_head
from mtgcn.errors import MtgcnError


def row(table: pd.DataFrame, network: str, dataset: str = "cora", depth: int = 1) -> pd.Series:
    keys = (table["network"] == network) & (table["dataset"] == dataset) & (table["hidden_layers"] == depth)
    (found,) = np.flatnonzero(keys)
    return table.iloc[found]


def test_a_cell_is_mean_and_error_of_its_own_runs() -> None:
    runs = results([("cora", 1), ("cora", 2), ("citeseer", 1)])
    for dataset, depth in (("cora", 2), ("citeseer", 1)):
        own = runs.query("dataset == @dataset and hidden_layers == @depth and network == 'FR'")["test_accuracy"]
        cell = row(compare(runs), "FR", dataset, depth)
        assert (cell["mean"], cell["sem"]) == pytest.approx((own.mean(), own.sem()))
        assert (cell["runs"], cell["diverged"]) == (10, 0)


def test_the_difference_is_judged_by_two_errors() -> None:
    runs = results([("cora", 1)])
    cell = row(compare(runs), "GCN")
    assert cell["difference"] == pytest.approx(cell["mean"] - 81.13)
    for shift, expected in ((1.9, True), (2.1, False), (-1.9, True), (-2.1, False)):
        moved = runs.copy()
        moved["test_accuracy"] += 81.13 - cell["mean"] + shift * np.hypot(cell["sem"], 0.13)
        assert bool(row(compare(moved), "GCN")["agrees"]) is expected


def test_gains_are_paired_by_seed() -> None:
    # Runs of very different quality that the network lifts by 0.4 to 0.6 each: clear only in pairs.
    quality = np.linspace(60, 80, 10)
    lift = np.array([0.4, 0.5, 0.6, 0.5, 0.4, 0.6, 0.5, 0.5, 0.4, 0.6])
    runs = pd.concat(
        [
            pd.DataFrame({"network": "GCN", "seed": range(10), "test_accuracy": quality}),
            pd.DataFrame({"network": "AE", "seed": range(10), "test_accuracy": quality + lift})[::-1],
        ]
    ).assign(dataset="cora", hidden_layers=1)
    cell = row(compare(runs), "AE")
    half = 2.262157 * lift.std(ddof=1) / np.sqrt(10)
    assert cell["gain"] == pytest.approx(0.5)
    assert (cell["gain_low"], cell["gain_high"]) == pytest.approx((0.5 - half, 0.5 + half), rel=1e-6)
    assert cell["p"] == pytest.approx(2 / 1024)


def test_p_values_are_corrected_for_all_gains_of_the_table() -> None:
    runs = results([("cora", 1), ("citeseer", 1)])
    table = compare(runs)
    assert table["p"].notna().sum() == 12
    smallest = table["p"].min()
    assert table.loc[table["p"].idxmin(), "p_holm"] == pytest.approx(12 * smallest)
    assert table["p_holm"].to_numpy() == pytest.approx(statistics.holm(table["p"]), nan_ok=True)
    assert compare(runs, [("cora", 1)])["p_holm"].min() < 12 * smallest


def test_a_corrected_p_is_labelled_and_a_single_one_is_the_same_everywhere() -> None:
    runs = results([("cora", 1)], networks=["GCN", "AE", "FR"])
    assert p_head(compare(runs)) == "p (Holm)"
    single = compare(runs[runs["network"] != "FR"])
    assert p_head(single) == "p"
    assert single["p_holm"].to_numpy() == pytest.approx(single["p"], nan_ok=True)


def test_the_paper_s_figures_stand_in_their_own_columns() -> None:
    table = compare(pd.DataFrame(), [("cora", 5), ("pubmed", 1)])
    assert table["network"].tolist() == [*literature.NETWORKS] * 2
    cell = row(table, "FR", depth=5)
    assert cell[["paper_mean", "paper_sem", "paper_gain"]].tolist() == [51.05, 4.32, 34.58]
    assert cell[["mean", "sem", "difference", "gain", "p", "p_holm"]].isna().all()
    assert cell["agrees"] is pd.NA
    assert np.isnan(row(table, "GCN", "pubmed")["paper_gain"])


def test_a_diverged_run_is_counted_and_left_out() -> None:
    runs = results([("cora", 1)])
    runs.loc[(runs["network"] == "AE") & (runs["seed"] == 3), "test_accuracy"] = np.nan
    cell = row(compare(runs), "AE")
    kept = runs.query("network == 'AE' and seed != 3")["test_accuracy"].to_numpy()
    base = runs.query("network == 'GCN' and seed != 3")["test_accuracy"].to_numpy()
    assert (cell["runs"], cell["diverged"]) == (9, 1)
    assert cell["mean"] == pytest.approx(kept.mean())
    assert cell["gain"] == pytest.approx((kept - base).mean())


def test_one_run_has_no_error_no_interval_and_no_verdict() -> None:
    cell = row(compare(results([("cora", 1)], runs=1)), "AE")
    assert np.isfinite(cell["mean"])
    assert np.isfinite(cell["gain"])
    assert cell[["sem", "gain_low", "gain_high", "p"]].isna().all()
    assert cell["agrees"] is pd.NA


def test_without_gcn_there_are_no_gains() -> None:
    table = compare(results([("cora", 1)], networks=["AE", "FR"]))
    assert table["gain"].isna().all()
    assert table["mean"].notna().sum() == 2


def test_other_networks_and_depths_come_along() -> None:
    table = compare(results([("cora", 16)], networks=["NEW", "AE", "GCN"]))
    assert table["network"].tolist() == [*literature.NETWORKS, "NEW"]
    assert table["paper_mean"].isna().all()
    assert in_order(["NEW", "ER", "GCN", "ER"]) == ["GCN", "ER", "NEW"]


def test_mistakes_are_named() -> None:
    runs = results([("cora", 2)])
    with pytest.raises(MtgcnError, match="GCN on cora with 2 hidden layers has seed 0 more than once"):
        compare(pd.concat([runs, runs]))
    with pytest.raises(MtgcnError, match=r"AE on cora with 2 hidden layers against GCN: .* seed 9 is on one side"):
        compare(runs.query("network != 'AE' or seed < 9"))
    with pytest.raises(MtgcnError, match="lacks the column 'seed'"):
        compare(runs.drop(columns="seed"))
