"""Several depths on one data set: what is trained, what is kept, and how small."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mtgcn.data import datasets
from mtgcn.data.datasets import load
from mtgcn.errors import MtgcnError
from mtgcn.experiments import build, depth_study, embedding_maps, experiment
from mtgcn.pipeline import parameter_file

TOY = load("toy")
VALUES = {"dataset": "toy", "depths": [1, 3], "runs": 3, "epochs": 12, "measure_every": 5}
NETWORKS = {"GCN": {}, "AE": {"AE": {"weight": 10}}}


@pytest.fixture(scope="module")
def outcome() -> depth_study.Study:
    return depth_study.study(experiment.parameters_of(**VALUES, networks=NETWORKS), TOY, progress=False)


def test_the_table_has_what_each_depth_gives_alone(outcome):
    assert outcome.table.groupby(["hidden_layers", "network"], sort=False).size().to_dict() == {
        (depth, network): 3 for depth in (1, 3) for network in NETWORKS
    }
    alone = experiment.run(
        experiment.parameters_of(dataset="toy", runs=3, epochs=12, hidden_layers=3, networks=NETWORKS), TOY, False
    )
    here = outcome.table[outcome.table["hidden_layers"] == 3].reset_index(drop=True)
    pd.testing.assert_frame_equal(
        here[alone.table.columns].drop(columns="seconds"), alone.table.drop(columns="seconds")
    )
    assert set(outcome.table["remedy"]) == {"none"}
    assert set(outcome.table["tuned_for"]) == {1}
    largest = np.bincount(TOY.labels[TOY.test]).max() / len(TOY.test)
    assert outcome.table["chance"].to_numpy() == pytest.approx(100 * largest, abs=1e-3)


def test_measures_are_those_of_the_best_epoch_and_the_course_is_the_mean_over_runs(outcome):
    assert len(outcome.measures) == 2 * 3 * (1 + 3)
    assert outcome.course.groupby(["network", "hidden_layers", "layer"])["epoch"].apply(list).tolist() == (
        [[1, 6, 11]] * 2 * (1 + 3)
    )
    parameters = experiment.parameters_of(**VALUES, networks=NETWORKS).at(hidden_layers=3)
    whole = experiment.run(parameters, TOY, progress=False).measures
    for layer in (1, 3):
        own = whole.query(f"network == 'AE' and layer == {layer} and not best and epoch == 6")
        row = outcome.course.query(f"network == 'AE' and hidden_layers == 3 and layer == {layer} and epoch == 6").iloc[
            0
        ]
        assert row["effective_rank"] == pytest.approx(own["effective_rank"].mean(), rel=1e-4)


def test_chance_is_that_of_the_split_that_is_trained_on():
    chosen = experiment.parameters_of(**{**VALUES, "depths": [1], "epochs": 2, "split_seed": 3})
    table = depth_study.study(chosen, TOY, progress=False).table
    drawn = build.split_of(chosen, TOY)
    assert (drawn.test != TOY.test).any()
    largest = 100 * np.bincount(drawn.labels[drawn.test]).max() / len(drawn.test)
    assert table["chance"].to_numpy() == pytest.approx(largest, abs=1e-3)
    assert abs(largest - datasets.one_answer(TOY)) > 0.1  # or this test says nothing


def test_runs_that_never_had_a_best_epoch_have_no_measures():
    chosen = experiment.parameters_of(**VALUES, networks=NETWORKS, learning_rate=1e38)
    outcome = depth_study.study(chosen, TOY, progress=False)
    never = outcome.table["best_epoch"] == 0
    assert never.any()
    keys = ["network", "hidden_layers", "seed"]
    measured = outcome.measures[keys].drop_duplicates()
    assert len(outcome.table[never].merge(measured, on=keys)) == 0
    assert len(outcome.table[~never].merge(measured, on=keys)) == (~never).sum()


def test_examples_are_the_extremes_of_the_depth_with_the_widest_spread():
    table = pd.DataFrame({"network": ["GCN", "AE"] * 3, "hidden_layers": [1, 1, 5, 5, 9, 9], "seed": range(6)})
    table["test_accuracy"] = [80.0, 82.0, 16.0, 70.0, 14.0, np.nan]
    chosen = depth_study.examples(table)
    assert chosen.to_dict("list") == {
        "network": ["GCN", "AE"],
        "hidden_layers": [5, 5],
        "seed": [2, 3],
        "run": ["collapses", "learns"],
    }
    assert depth_study.examples(table.iloc[:0]).empty


def test_curves_are_of_the_two_examples_only(outcome):
    assert set(outcome.curves["run"]) == set(outcome.examples["run"]) == {"collapses", "learns"}
    assert len(outcome.curves[["network", "hidden_layers", "seed"]].drop_duplicates()) == 2


def test_maps_show_the_plain_and_the_best_network_at_some_depths(outcome):
    assert set(outcome.maps["network"]) == {"GCN", "AE"}
    assert set(outcome.maps["hidden_layers"]) == {1}  # of 1, 2, 5 and 16 the only one that was trained
    assert outcome.maps.groupby("network").size().tolist() == [TOY.nodes] * 2
    assert outcome.maps[["x", "y"]].abs().max().max() == 1
    node = outcome.maps.iloc[17]
    assert node["label"] == TOY.labels[node["node"]]


def test_a_map_keeps_groups_together_and_survives_collapse():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.eye(3, 5), 30, axis=0) * 1e-7 + 1e-9 * rng.normal(size=(90, 5))
    points = embedding_maps.tsne(groups)
    centres = np.stack([points[30 * k : 30 * k + 30].mean(axis=0) for k in range(3)])
    nearest = ((points[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    assert nearest.tolist() == np.repeat([0, 1, 2], 30).tolist()
    assert (embedding_maps.tsne(groups) == points).all()
    assert (embedding_maps.tsne(np.ones((40, 3)) * 7) == 0).all()
    assert (embedding_maps.tsne(np.zeros((40, 3))) == 0).all()
    assert len(embedding_maps.some_nodes(2708)) == 500


def test_files_stay_small_and_five_digits_are_enough():
    table = depth_study.rounded(pd.DataFrame({"a": [123456.789, 1.23456789e-12, np.nan], "b": [1, 2, 3]}))
    assert table["a"].tolist()[:2] == [123460.0, 1.2346e-12]
    assert table["b"].tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("depths: [1, 1]", r"x\.yaml:3: depths names a number twice: 1, 1"),
        ("depths: [0, 2]", r"x\.yaml:3: depths holds 0"),
        ("depths: [2]\nhidden_layers: 3", r"depths, a list, takes the place of hidden_layers"),
        ("depth: [1]", r"x\.yaml:3: there is no parameter 'depth'; did you mean 'depths'\?"),
        ("depths: [2]\nremedy: gcn", r"x\.yaml:4: there is no remedy 'gcn'"),
        ("depths: [2]\nmaps: [GCM]", r"x\.yaml:4: maps names 'GCM', which is not among .*; did you mean 'GCN'\?"),
        ("depths: [2]\nremedy: gcnii\nremedy_settings: {alpha: 2}", r"x\.yaml:5: alpha is 2"),
    ],
)
def test_mistakes_in_a_file_are_refused_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(MtgcnError, match=message):
        _load(tmp_path, text)


def test_a_file_is_checked_by_the_model_and_titled(tmp_path: Path) -> None:
    file = _load(tmp_path, "depths: [2, 8]\nremedy: dropedge")
    assert file.title == "Toy with dropedge, 2 and 8 hidden layers"
    assert file.experiment is not None
    assert file.experiment.depths == [2, 8]
    assert file.experiment.remedy_settings.model_dump() == {"rate": 0.5}
    assert file.experiment.measured_every == 25
    assert file.experiment.at(hidden_layers=8).hidden_layers == 8
    file.check_data()


def _load(folder: Path, text: str) -> parameter_file.ParameterFile:
    (folder / "x.yaml").write_text(f"notebook: depth\ndataset: toy\n{text}\n")
    return parameter_file.load(folder / "x.yaml", Path(__file__).parents[2] / "notebooks")
