"""Runs with a split each train together, and come out as each does alone on its split."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from support.small import BACKENDS, parameters, scattered

from mtgcn.data import label_splits
from mtgcn.data.datasets import Dataset, load
from mtgcn.data.split_each_run import of_runs, stacked
from mtgcn.experiments import build, experiment, memory

pytestmark = pytest.mark.usefixtures("one_thread")

TOY, SCATTERED = load("toy"), scattered()
SEEDS = 5, 9, 9, 31  # of the splits; two runs share one
SOME: dict[str, Any] = {"nodes": "labelled"}
TASKS: dict[str, dict[str, Any]] = {
    "GCN": {},
    "AE+FR+ER": {"AE": SOME, "FR": SOME | {"size": 5, "reconstruct": "partial"}, "ER": SOME | {"size": 3}},
    "AE+ER": {"AE": {"nodes": "unlabelled"}, "ER": {"size": 3, "reconstruct": "partial"}},
    "NC+GP": {"NC": {"clusters": 9}, "GP": {"parts": 4}},
    "GCo+EM+PD": {"GCo": {"size": 4}, "EM": SOME, "PD": {"size": 20}},
}
WAYS: dict[str, dict[str, Any]] = {
    **{backend: {"backend": backend} for backend in BACKENDS},
    "means": {"layer": "SAGE", "hidden_layers": 2},
    "attention": {"layer": "GAT", "hidden_layers": 2, "layer_settings": {"heads": 2}},
    "other edges": {"remedy": "dropedge"},
    "runs that end early": {"plateau_patience": 1, "plateau_factor": 0.5, "stop_below": 1e-3, "epochs": 20},
    "risks over all nodes": {"validation_risk_nodes": "all", "hidden_layers": 2},
}


def assert_alone_is_the_same(chosen: Any, graph: Dataset = SCATTERED, exactly: bool = False) -> None:
    """Train with the splits of all runs at once, and the second and last run alone, each on its own split.

    Sums over nodes are grouped in another way where the runs see different parts of the graph.
    """
    near = {"check_exact": True} if exactly else {"rtol": 1e-4}
    splits = [label_splits.drawn(graph, seed, 3, small_validation=True) for seed in SEEDS]
    (network,) = chosen.networks
    together = experiment.run(chosen, stacked(splits), progress=False)
    for run in (1, 3):
        alone = experiment.run(chosen.at(runs=1, first_seed=run), splits[run], progress=False)
        for table in ("table", "curves"):
            own, expected = (
                one.drop(columns="seconds", errors="ignore")
                for one in (getattr(together, table), getattr(alone, table))
            )
            pd.testing.assert_frame_equal(own[own["seed"] == run].reset_index(drop=True), expected, **near)
        for name, weight in alone.trained[network].best_weights.items():
            torch.testing.assert_close(
                together.trained[network].best_weights[name][run],
                weight[0],
                rtol=0 if exactly else 1e-3,
                atol=0 if exactly else 1e-5,
            )


@pytest.mark.parametrize("network", TASKS)
def test_a_run_is_the_same_as_alone(network: str) -> None:
    assert_alone_is_the_same(parameters(network, TASKS[network], runs=4, epochs=6))


@pytest.mark.parametrize("way", WAYS)
def test_a_run_is_the_same_as_alone_in_every_way_of_training(way: str) -> None:
    assert_alone_is_the_same(parameters("AE+FR+ER", TASKS["AE+FR+ER"], **{"runs": 4, "epochs": 6} | WAYS[way]))


def test_a_run_is_the_same_to_the_bit_where_all_see_the_whole_graph() -> None:
    chosen = parameters("AE+FR+ER", {"FR": {"size": 5}, "ER": {"size": 3}}, runs=4, epochs=25)
    assert_alone_is_the_same(chosen, TOY, exactly=True)


def test_batches_are_of_runs_and_their_splits(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit, together in ((0, 1), (10**9, 3)):
        monkeypatch.setattr(memory, "ONE_BY_ONE", limit)
        monkeypatch.setattr(memory, "TOGETHER", 3)
        assert_alone_is_the_same(parameters(runs=4, epochs=4))
        assert memory.together(stacked([TOY] * 4)) == together
    assert memory.together(TOY) == 3


def test_a_batch_sees_what_any_of_its_runs_sees() -> None:
    splits = [label_splits.drawn(SCATTERED, seed, 1) for seed in SEEDS]
    both = stacked(splits)
    seen = build.build(parameters(runs=4), "GCN", both)._training.part.index
    alone = [build.build(parameters(runs=1), "GCN", split)._training.part.index for split in splits]
    assert set(seen) == set(np.concatenate(alone))
    assert max(map(len, alone)) < len(seen) < both.nodes
    assert of_runs(both, [2]).train.tolist() == splits[2].train.tolist()
    batch = build.build(parameters(runs=4), "GCN", both).batch.keep([3, 0])
    assert batch.validation.index.tolist() == [splits[3].validation.tolist(), splits[0].validation.tolist()]
    for labelled, others in zip(batch.labelled.index, batch.unlabelled.index, strict=True):
        assert sorted([*labelled, *others]) == list(range(both.nodes))
