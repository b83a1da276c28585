"""Readings of the open points: which are trained for whom, and what is said about them."""

import pandas as pd

from mtgcn.experiments import experiment, reading_study, readings
from mtgcn.experiments.parameters import Parameters

NETWORKS = {"GCN": {}, "AE": {"AE": {"weight": 10}}, "FR": {"FR": {"size": 40}}, "ER": {}}
WHOLE = ["l2-all", "epoch-loss", "tolerance-0", "tolerance-1e-3", "raw-features", "l2-all-epoch-loss"]


def trained(parameters: Parameters, network: str) -> list[str]:
    return [one.name for one in readings.READINGS if reading_study.concerns(one, network, parameters)]


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
    table = reading_study.run(parameters, progress=False)
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
