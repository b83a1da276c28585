"""Measures along training: what is recorded when, against dense computations, and that training does not notice."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from support.dense import DenseNetwork
from support.small import dense_loss, parameters

from mtgcn.data.datasets import Dataset, load
from mtgcn.experiments import build, experiment, memory
from mtgcn.experiments.columns import MEASURED
from mtgcn.experiments.recorder import Recorder, first_gradients
from mtgcn.pipeline import yaml_file

TOY = load("toy")
NETWORKS = {"GCN": {}, "AE": {"AE": {"weight": 10.0}}}


def run(**values) -> tuple[experiment.Outcome, experiment.Parameters]:
    chosen = parameters(**({"networks": NETWORKS, "hidden_layers": 2, "epochs": 12, "measure_every": 5} | values))
    return experiment.run(chosen, TOY, progress=False), chosen


@pytest.fixture(scope="module")
def outcome() -> experiment.Outcome:
    return run()[0]


def test_rows_are_those_of_the_epochs_asked_for_and_of_the_best(outcome):
    measures = outcome.measures
    assert list(measures.columns) == MEASURED
    assert len(measures) == 2 * 3 * 2 * (3 + 1)  # networks, runs, layers, epochs 1, 6, 11 and the best one
    assert sorted(measures.loc[~measures["best"], "epoch"].unique()) == [1, 6, 11]
    assert set(measures["layer"]) == {1, 2}
    best = measures[measures["best"]].drop_duplicates(["network", "seed"])[["network", "seed", "epoch"]]
    expected = outcome.table[["network", "seed", "best_epoch"]].rename(columns={"best_epoch": "epoch"})
    pd.testing.assert_frame_equal(best.reset_index(drop=True), expected, check_dtype=False)
    assert measures.groupby(["network", "seed", "best", "epoch"])["gradient_norm"].nunique().eq(1).all()


def densely(data: Dataset, network: DenseNetwork, layer: int) -> dict[str, float]:
    """All measures of one run's layer once more, from n × n matrices in float64."""
    network.hidden_layers = layer
    h = network.g_sh(network.x).numpy()
    adjacency = np.zeros((data.nodes, data.nodes))
    adjacency[data.edges[0], data.edges[1]] = adjacency[data.edges[1], data.edges[0]] = 1
    laplacian = np.diag(adjacency.sum(axis=1)) - adjacency
    normalised = np.eye(data.nodes) - network.a_hat.numpy()
    values = np.linalg.svd(h, compute_uv=False)
    shares = values[values > 1e-6 * values[0]] / values.sum()
    norms = np.linalg.norm(h, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        distances = 1 - h @ h.T / np.outer(norms, norms)
    used = adjacency * np.isfinite(distances)
    has = used.sum(axis=1) > 0
    return {
        "dirichlet_energy": np.trace(h.T @ laplacian @ h),
        "normalised_dirichlet_energy": np.trace(h.T @ normalised @ h),
        "squared_norm": (h**2).sum(),
        "effective_rank": np.exp(-(shares * np.log(shares)).sum()),
        "mad_neighbours": ((np.nan_to_num(distances) * used).sum(axis=1)[has] / used.sum(axis=1)[has]).mean(),
        "dead_units": (h == 0).all(axis=0).mean(),
    }


def agrees(row: pd.Series, value: float, name: str) -> bool:
    """Tell whether a measure is the dense one: to the digits that single precision leaves it, counts exactly."""
    if name == "dead_units":
        return bool(row[name] == value)
    return bool(row[name] == pytest.approx(value, rel=1e-3 if name in ("effective_rank", "mad_neighbours") else 1e-4))


def test_the_best_epoch_is_measured_at_its_weights_densely(outcome):
    """One run recomputed with dense float64 matrices."""
    network = DenseNetwork(TOY, 2, {name: w[1].double() for name, w in outcome.trained["AE"].best_weights.items()})
    for layer in (1, 2):
        row = outcome.measures.query(f"network == 'AE' and seed == 1 and best and layer == {layer}").iloc[0]
        for name, value in densely(TOY, network, layer).items():
            assert agrees(row, value, name), name


def test_a_run_of_the_study_densely(real):
    """One run with three hidden layers on Cora, in full; the book's own row of it agrees."""
    name, depth, root = "depth-cora-shallow", 3, Path(__file__).parents[2]
    chosen = yaml_file.read(root / "params" / f"{name}.yaml").data
    values = {"dataset": "cora", "hidden_layers": depth, "runs": 1, "epochs": chosen["epochs"], "measure_every": 5000}
    cora = real("cora")
    outcome = experiment.run(experiment.parameters_of(**values, networks={"GCN": {}}), cora, progress=False)
    network = DenseNetwork(
        cora, depth, {name: w[0].double() for name, w in outcome.trained["GCN"].best_weights.items()}
    )
    rows = outcome.measures[outcome.measures["best"]].set_index("layer")
    for layer in range(1, depth + 1):
        for measure, value in densely(cora, network, layer).items():
            assert agrees(rows.loc[layer], value, measure), (layer, measure)
    stored = pd.read_csv(root / "book/results" / name / "measures.csv")
    stored = stored.query(f"network == 'GCN' and seed == 0 and hidden_layers == {depth}").set_index("layer")
    # On another machine the last digits differ, and after hundreds of epochs some of the first with them.
    same = stored["epoch"].iloc[0] == rows["epoch"].iloc[0]
    assert rows["effective_rank"].to_numpy() == pytest.approx(stored["effective_rank"], rel=1e-3 if same else 0.3)


def test_the_gradient_is_that_of_the_risks_by_the_first_layer():
    chosen = parameters("AE", {"AE": {"weight": 10.0}}, dropout=0, hidden_layers=2)
    network = build.build(chosen, "AE", TOY)
    network.training_loss().sum().backward()
    for seed, norm in enumerate(first_gradients(network)):
        loss, leaves = dense_loss(network, seed, chosen)
        loss.backward()
        assert norm == pytest.approx(leaves["encoder.0.B"].grad.norm().item(), rel=1e-4)


def test_training_does_not_notice():
    (measured, _), (plain, _) = run(), run(measure_every=0)
    pd.testing.assert_frame_equal(measured.table.drop(columns="seconds"), plain.table.drop(columns="seconds"))
    pd.testing.assert_frame_equal(measured.curves, plain.curves)
    for name, one in plain.trained.items():
        for weight, value in one.best_weights.items():
            assert torch.equal(value, measured.trained[name].best_weights[weight])
    assert plain.measures.empty
    assert list(plain.measures.columns) == MEASURED


def test_runs_that_end_or_never_begin_have_the_rows_they_lived_for(monkeypatch):
    early = {"learning_rate": 0.1, "plateau_patience": 2, "plateau_tolerance": 0.02, "stop_below": 5e-4}
    result, _ = run(networks={"GCN": {}}, runs=6, epochs=40, **early)
    ends = result.table.set_index("seed")["epochs"]
    assert len(set(ends)) > 1
    last = result.measures[~result.measures["best"]].groupby("seed")["epoch"].max()
    assert last.to_dict() == {seed: 1 + (epochs - 1) // 5 * 5 for seed, epochs in ends.items()}
    recorder = Recorder(TOY.edges, TOY.nodes, 5)
    recorder.record_best(build.build(parameters(), "GCN", TOY), np.array([3, 0, 7]))
    assert recorder.table("GCN")["seed"].tolist() == [0, 2]


def test_many_runs_in_groups_are_measured_as_if_together(monkeypatch, outcome):
    monkeypatch.setattr(memory, "TOGETHER", 2)
    pd.testing.assert_frame_equal(run()[0].measures, outcome.measures)
