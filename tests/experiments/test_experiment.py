import dataclasses

import numpy as np
import pandas as pd
import pytest
import torch
from pydantic import Field
from support.small import parameters
from torch import Tensor

from mtgcn.analysis.literature import NETWORKS
from mtgcn.data.datasets import Dataset, load
from mtgcn.errors import MtgcnError
from mtgcn.experiments import build, experiment, memory
from mtgcn.experiments.experiment import COLUMNS
from mtgcn.experiments.training import train
from mtgcn.model.layers import GC, LAYERS
from mtgcn.model.tasks import TASKS, Task, TaskParameters

TOY = load("toy")


def run(chosen, dataset: Dataset = TOY) -> experiment.Outcome:
    return experiment.run(chosen, dataset, progress=False)


def changed(**values) -> Dataset:
    return dataclasses.replace(TOY, **values)


@pytest.fixture(scope="module")
def seven() -> experiment.Outcome:
    """All seven networks, briefly."""
    return run(parameters(networks={name: {} for name in NETWORKS}, epochs=25))


def test_table_has_one_row_a_run(seven):
    table = seven.table
    assert list(table.columns) == COLUMNS
    assert table["network"].tolist() == [name for name in NETWORKS for _ in range(3)]
    assert table["seed"].tolist() == [0, 1, 2] * 7
    assert set(table["dataset"]) == {"toy"}
    assert set(table["hidden_layers"]) == {1}
    assert table["test_accuracy"].between(25, 100).all()  # in percent
    assert not table["diverged"].any()


def test_curves_have_one_row_a_run_and_epoch(seven):
    curves = seven.curves
    lengths = curves.groupby(["network", "seed"], sort=False)["epoch"].agg(["count", "min", "max"])
    table = seven.table.set_index(["network", "seed"])
    assert lengths["count"].tolist() == lengths["max"].tolist() == table["epochs"].tolist()
    assert (lengths["min"] == 1).all()
    assert curves[["training_loss", "validation_loss", "validation_accuracy", "learning_rate"]].notna().all(axis=None)
    best = curves.merge(seven.table, on=["network", "seed"]).query("epoch == best_epoch")
    np.testing.assert_allclose(best["validation_accuracy_x"], best["validation_accuracy_y"], atol=1e-3)


def test_curves_end_where_their_run_has_ended():
    early = {"learning_rate": 0.1, "plateau_patience": 2, "plateau_tolerance": 0.02, "stop_below": 5e-4}
    outcome = run(parameters(runs=6, epochs=50, **early))
    assert outcome.table["epochs"].nunique() > 2
    assert outcome.curves.groupby("seed").size().tolist() == outcome.table["epochs"].tolist()


def test_test_accuracy_is_that_of_the_best_weights(seven):
    trained = seven.trained["AE"]
    best = build.restore(parameters("AE"), "AE", TOY, trained.seeds, trained.best_weights)
    right = best.predict().numpy()[:, TOY.test] == TOY.labels[TOY.test]
    table = seven.table.query("network == 'AE'")
    np.testing.assert_allclose(table["test_accuracy"], 100 * right.mean(1), atol=1e-4)


def test_same_seeds_give_the_same_table_and_others_another():
    chosen = parameters("AE+FR+ER", {"FR": {"size": 30}})
    first, second = run(chosen), run(chosen)
    pd.testing.assert_frame_equal(first.table.drop(columns="seconds"), second.table.drop(columns="seconds"))
    pd.testing.assert_frame_equal(first.curves, second.curves)
    others = run(chosen.model_copy(update={"first_seed": 50}))
    assert others.curves["training_loss"].tolist() != first.curves["training_loss"].tolist()


def test_test_labels_play_no_part_before_the_table():
    shuffled = TOY.labels.copy()
    shuffled[TOY.test] = np.roll(shuffled[TOY.test], 1)
    first, second = run(parameters()), run(parameters(), changed(labels=shuffled))
    pd.testing.assert_frame_equal(first.curves, second.curves)
    assert not first.table["test_accuracy"].equals(second.table["test_accuracy"])


def test_line_of_a_grid_is_one_batch_and_can_be_tabulated():
    chosen = parameters("AE")
    for weights in ([1.0, 10.0, 100.0], [0.0, 0.0, 0.0], [0.0, 0.0, 100.0]):
        line = build.build(chosen, "AE", TOY, task_weights={"AE": weights})
        table = experiment.tabulate(chosen, "AE", TOY, train(line, chosen))
        for seed, weight in enumerate(weights):
            alone = run(parameters("AE", {"AE": {"weight": weight}}, runs=1, first_seed=seed)).table
            same = table.iloc[[seed]].reset_index(drop=True).drop(columns="seconds")
            pd.testing.assert_frame_equal(same, alone.drop(columns="seconds"))


def test_run_that_never_had_a_finite_loss_has_no_accuracy():
    chosen = parameters()
    network = build.build(chosen, "GCN", TOY)
    network.weights["encoder.0.B"].data[1, 0, 0] = float("nan")
    table = experiment.tabulate(chosen, "GCN", TOY, train(network, chosen))
    assert table["diverged"].tolist() == [False, True, False]
    assert table["test_accuracy"].isna().tolist() == [False, True, False]
    assert experiment.summary(table)["runs"].tolist() == [2]


def test_summary_is_mean_and_standard_error():
    table = pd.DataFrame({"dataset": "toy", "hidden_layers": 1, "network": ["GCN"] * 3 + ["AE"] * 2})
    table["test_accuracy"] = [80.0, 81.0, 85.0, 70.0, 72.0]
    summary = experiment.summary(table)
    assert summary["network"].tolist() == ["GCN", "AE"]
    assert summary["runs"].tolist() == [3, 2]
    assert summary["mean"].tolist() == [82.0, 71.0]
    expected = [np.std([80, 81, 85], ddof=1) / 3**0.5, 1.0]
    np.testing.assert_allclose(summary["sem"], expected)


def test_stopping_when_nothing_moves_changes_no_outcome_on_cora(real):
    cora = real("cora")
    chosen = parameters(dataset="cora", runs=3, epochs=900)
    early, late = run(chosen, cora).table, run(chosen.model_copy(update={"stop_below": 0.0}), cora).table
    assert (early["epochs"] < 800).all()
    assert (late["epochs"] == 900).all()
    same = ["seed", "test_accuracy", "validation_accuracy", "best_epoch"]
    pd.testing.assert_frame_equal(early[same], late[same])


WITH_NAN = TOY.features.copy()
WITH_NAN.data[5] = np.nan


@pytest.mark.parametrize(
    ("values", "dataset", "sentence"),
    [
        ({}, changed(train=TOY.train[:0]), "'toy' has no training nodes"),
        ({}, changed(validation=TOY.validation[:0]), "'toy' has no validation nodes"),
        ({}, changed(features=WITH_NAN), "features of data set 'toy' hold NaN or infinite values"),
        ({}, changed(labels=TOY.labels + 1), "labels of data set 'toy' must lie between 0 and 3"),
        ({}, changed(labels=TOY.labels - 1), "labels of data set 'toy' must lie between 0 and 3"),
        ({"networks": {"FR": {"FR": {"size": 121}}}}, TOY, "network 'FR', task 'FR': size 121 does not fit the 120"),
        ({"networks": {"ER": {"ER": {"size": 17}}}}, TOY, "network 'ER', task 'ER': size 17 is more than the 16"),
        ({"device": "cuda"}, TOY, "'cuda' was asked for, but torch finds no GPU here"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_impossible_experiment_is_refused_before_any_training(monkeypatch, values, dataset, sentence):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(experiment, "train", lambda *_: pytest.fail("training has started"))
    with pytest.raises(MtgcnError, match=sentence) as caught:
        run(parameters(**values), dataset)
    assert "\n" not in str(caught.value)


def test_new_task_is_a_class_and_a_line_in_the_registry(monkeypatch):
    class DegreeParameters(TaskParameters):
        power: float = Field(0.5, description="what the degree is raised to")

    class Degree(Task):
        """Predict a power of each node's degree."""

        name = "DG"
        Parameters = DegreeParameters

        def __init__(self, parameters, batch):
            super().__init__(parameters, batch)
            degree = np.bincount(batch.dataset.edges.ravel(), minlength=batch.dataset.nodes)
            self.target = torch.from_numpy(degree**parameters.power).float().unsqueeze(1)

        @property
        def outputs(self) -> int:
            return 1

        def risk(self, forward, nodes) -> Tensor:
            z, b = forward.head(forward.embedding, self.name, nodes)
            target = self.target if nodes is None else self.target[nodes.index]
            return (z @ b - target).square().sum(2).mean(1)

    monkeypatch.setitem(TASKS, "DG", Degree)
    chosen = parameters("AE+DG", {"DG": {"weight": 0.3, "power": 1.0, "nodes": "labelled"}}, epochs=60)
    outcome = run(chosen)
    losses = outcome.curves.groupby("seed")["validation_loss"]
    assert (losses.last() < losses.first()).all()
    assert set(outcome.trained["AE+DG"].best_weights) > {"AE.1.B", "DG.0.B", "DG.1.B"}
    without = run(parameters("AE", epochs=60))
    assert not torch.equal(
        outcome.trained["AE+DG"].best_weights["main.B"], without.trained["AE"].best_weights["main.B"]
    )
    with pytest.raises(MtgcnError, match="weight is -1"):
        parameters("DG", {"DG": {"weight": -1}})


def test_new_layer_is_a_class_and_a_line_in_the_registry(monkeypatch):
    class Biased(GC):
        """GC with a bias, and a row of ones that carries it through the last layer of a head."""

        @staticmethod
        def shapes(inputs, outputs):
            return {"B": (inputs, outputs), "bias": (outputs,)}

        @staticmethod
        def first(graph, weights, x):
            return GC.first(graph, weights, x) + weights["bias"].unsqueeze(1)

        @staticmethod
        def apply(graph, weights, x, rows=None):
            return GC().apply(graph, weights, x, rows) + weights["bias"].unsqueeze(1)

        @staticmethod
        def factors(graph, weights, x, rows=None):
            z, b = GC.factors(graph, weights, x, rows)
            one = torch.ones_like(z[:, :, :1])
            return torch.cat([z, one], 2), torch.cat([b, weights["bias"].unsqueeze(1)], 1)

    monkeypatch.setitem(LAYERS, "biased", Biased)
    chosen = parameters("AE+FR+ER", layer="biased", epochs=40, hidden_layers=2, l2_layers="all")
    outcome = run(chosen)
    weights = outcome.trained["AE+FR+ER"].best_weights
    biases = [name for name in weights if name.endswith(".bias")]
    assert len(biases) == 9
    assert all((weights[name] != 0).any() for name in biases)
    losses = outcome.curves.groupby("seed")["validation_loss"]
    assert (losses.last() < losses.first()).all()


def test_many_runs_train_in_groups_and_come_out_as_if_together(monkeypatch):
    early = {"learning_rate": 0.1, "plateau_patience": 2, "plateau_tolerance": 0.02, "stop_below": 5e-4}
    values = parameters(networks={"GCN": {}, "AE": {}}, runs=5, epochs=40, **early)
    together = run(values)
    monkeypatch.setattr(memory, "TOGETHER", 2)
    groups = run(values)
    pd.testing.assert_frame_equal(groups.table.drop(columns="seconds"), together.table.drop(columns="seconds"))
    pd.testing.assert_frame_equal(groups.curves, together.curves)
    for network, one in together.trained.items():
        other = groups.trained[network]
        assert other.seeds == one.seeds
        assert all(torch.equal(value, other.best_weights[name]) for name, value in one.best_weights.items())
        for name, rows in one.curves.items():
            np.testing.assert_array_equal(np.stack(rows), np.stack(other.curves[name]))


@pytest.mark.parametrize("network", ["GCN", "AE"])
def test_an_interrupt_outside_of_training_hands_over_the_networks_before(monkeypatch, network):
    trained = experiment.train

    def interrupted(made, *args):
        if ("AE.0.B" in made.weights) == (network == "AE"):
            raise KeyboardInterrupt
        return trained(made, *args)

    monkeypatch.setattr(experiment, "train", interrupted)
    both = experiment.parameters_of(dataset="toy", networks={"GCN": {}, "AE": {}}, runs=2, epochs=3)
    with pytest.raises(KeyboardInterrupt) as caught:
        experiment.run(both, TOY, progress=False)
    assert caught.value.args[0]["network"].tolist() == ([] if network == "GCN" else ["GCN", "GCN"])
