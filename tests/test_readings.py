"""Readings of the open points: which are trained for whom, and what is said about them."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from synthetic import reading_runs

from mtgcn import datasets, experiment, figures, readings, readings_tables
from mtgcn.parameters import Parameters

NETWORKS = {"GCN": {}, "AE": {"AE": {"weight": 10}}, "FR": {"FR": {"size": 40}}, "ER": {}}
WHOLE = ["l2-all", "epoch-loss", "tolerance-0", "tolerance-1e-3", "raw-features", "l2-all-epoch-loss"]


def trained(parameters: Parameters, network: str) -> list[str]:
    return [one.name for one in readings.READINGS if readings.concerns(one, network, parameters)]


def test_each_network_has_the_readings_that_concern_it() -> None:
    parameters = experiment.parameters_of(dataset="toy", networks=NETWORKS)
    assert trained(parameters, "GCN") == WHOLE
    assert trained(parameters, "AE") == sorted([*WHOLE, "risks-all"], key=list(readings.LABELS).index)
    assert trained(parameters, "FR") == ["size-kept"]
    assert trained(parameters, "ER") == ["er-detached"]


def test_what_is_so_already_is_not_trained_twice() -> None:
    parameters = experiment.parameters_of(dataset="toy", networks=NETWORKS, l2_layers="all", plateau_tolerance=0.0)
    assert trained(parameters, "GCN") == ["epoch-loss", "tolerance-1e-3", "raw-features", "l2-all-epoch-loss"]


def test_a_reading_is_the_experiment_with_other_settings() -> None:
    parameters = experiment.parameters_of(dataset="toy", networks=NETWORKS, runs=2, epochs=6, first_seed=3)
    table = readings.run(parameters, progress=False)
    assert list(table.columns) == ["reading", *experiment.COLUMNS]
    counts = table.groupby("network")["reading"].nunique().to_dict()
    assert counts == {"GCN": 7, "AE": 8, "FR": 2, "ER": 2}
    assert len(table) == 2 * sum(counts.values())
    for name, network, settings, tasks in [
        ("default", "AE", {}, {}),
        ("raw-features", "GCN", {"normalise_features": False}, {}),
        ("size-kept", "FR", {}, {"size_means": "kept"}),
        ("l2-all-epoch-loss", "AE", {"l2_layers": "all", "best_epoch_by": "loss"}, {}),
    ]:
        given = {network: {task: {**values, **tasks} for task, values in NETWORKS[network].items()}}
        alone = experiment.parameters_of(dataset="toy", networks=given, runs=2, epochs=6, first_seed=3, **settings)
        expected = experiment.run(alone, progress=False).table.drop(columns="seconds")
        own = table[(table["reading"] == name) & (table["network"] == network)]
        pd.testing.assert_frame_equal(own.drop(columns=["reading", "seconds"]).reset_index(drop=True), expected)


def test_differences_are_paired_by_seed() -> None:
    runs = reading_runs().sample(frac=1, random_state=1)
    row = readings_tables.summary(runs).set_index(["reading", "network"]).loc[("l2-all", "AE")]
    wide = runs[runs["network"] == "AE"].pivot_table("test_accuracy", "seed", "reading")
    difference = wide["l2-all"] - wide["default"]
    low, high = stats.t.interval(0.95, 9, difference.mean(), stats.sem(difference))
    assert row[["difference", "low", "high"]].tolist() == pytest.approx([difference.mean(), low, high])
    table = readings_tables.table(runs)
    assert list(table.text.index) == ["our default", "L2 on all layers", "L2 on all, epoch by loss"]
    assert table.text.loc["our default", ("GCN", "difference [95 %]")] == "–"
    assert table.bold.loc["L2 on all, epoch by loss", ("GCN", "difference [95 %]")]
    assert table.html()


def test_collapse_counts_runs_no_better_than_one_answer() -> None:
    data = datasets.load("toy")
    counts = pd.Series(data.labels[data.test]).value_counts()
    bound = datasets.one_answer(data)
    assert bound == pytest.approx(100 * counts.max() / counts.sum(), abs=1e-4)
    runs = reading_runs()
    runs.loc[0, "test_accuracy"] = bound
    table = readings_tables.collapse(runs, data)
    text = table.text["no better than one answer"]
    assert text["GCN, our default"] == "1 of 10"
    assert text["GCN, L2 on all, epoch by loss"] == "10 of 10"
    assert table.text.loc["GCN, our default", "paper"] == "16.47 ± 2.19 ≠"
    assert table.text.loc["GCN, L2 on all, epoch by loss", "paper"] == "16.47 ± 2.19 ≈"
    said = readings_tables.finding(table.data, runs)
    assert (
        "16.47 % of GCN on cora with 5 hidden layers is reached, within two standard errors, by: L2 on all, ep" in said
    )
    lowest = runs[runs["network"] == "GCN"].groupby("reading")["test_accuracy"].mean().min()
    assert f"The lowest mean of a reading is {lowest:.2f} %" in said


def test_the_finding_is_safe_whatever_was_measured() -> None:
    data = datasets.load("toy")
    high = reading_runs().assign(test_accuracy=70.0)
    assert "is reached by no reading here" in readings_tables.finding(readings_tables.collapse(high, data).data, high)
    other = reading_runs(depth=3)
    assert "no mean of GCN on cora with 3" in readings_tables.finding(readings_tables.collapse(other, data).data, other)
    lost = reading_runs().assign(test_accuracy=np.nan)
    assert "no mean" in readings_tables.finding(readings_tables.collapse(lost, data).data, lost)
    assert readings_tables.table(lost).html()
    single = reading_runs().query("seed == 0")
    assert readings_tables.finding(readings_tables.collapse(single, data).data, single)


def test_the_figure_has_every_run_the_default_and_the_paper() -> None:
    runs = reading_runs()
    figure = figures.runs_by_reading(runs)
    gcn, _ = figure.axes
    assert [label.get_text() for label in gcn.get_yticklabels()] == list(readings_tables.table(runs).text.index)
    own = runs[runs["network"] == "GCN"].groupby("reading", sort=False)["test_accuracy"]
    assert [container.lines[0].get_xdata()[0] for container in gcn.containers] == pytest.approx(own.mean().tolist())
    lines = [
        line.get_xdata()[0] for line in gcn.lines if len(set(line.get_xdata())) == 1 and len(line.get_xdata()) == 2
    ]
    assert own.mean()["default"] in [pytest.approx(x) for x in lines]
    assert 16.47 in lines
    assert figure.svg()
