"""Random splits: sizes, disjointness, who may never be drawn, and that training keeps to them."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.small import parameters, tiny

from mtgcn.data import datasets, random_splits, toy
from mtgcn.errors import MtgcnError
from mtgcn.experiments import build, checkpoint, experiment
from mtgcn.pipeline import parameter_file

PARTS = ("train", "validation", "test")


def nodes_of(graph: datasets.Arrays) -> np.ndarray:
    return np.concatenate([getattr(graph, part) for part in PARTS])


@pytest.mark.parametrize("name", ["cora", "citeseer", "pubmed"])
def test_planetoid_graphs_keep_their_sizes(name: str, real: Callable[[str], datasets.Dataset]) -> None:
    public = real(name)
    graph = random_splits.drawn(public, 3)
    assert np.bincount(graph.labels[graph.train]).tolist() == [20] * graph.classes
    assert (len(graph.validation), len(graph.test)) == (500, 1000)
    assert len(np.unique(nodes_of(graph))) == len(nodes_of(graph))
    assert graph.digest == public.digest
    # Nodes that the public split leaves out are drawn too, in proportion.
    outside = np.setdiff1d(np.arange(graph.nodes), nodes_of(public))
    expected = len(outside) / graph.nodes
    assert np.isin(graph.test, outside).mean() == pytest.approx(expected, abs=0.06)


def test_citeseers_nodes_without_a_class_are_never_drawn(real: Callable[[str], datasets.Dataset]) -> None:
    public = real("citeseer")
    # Kipf & Welling: the nodes that are missing in the list of test nodes, which have no words either.
    empty = np.flatnonzero(np.diff(public.features.indptr) == 0)
    assert len(empty) == 15
    assert public.unlabelled.tolist() == empty.tolist()
    for seed in range(20):
        assert not np.isin(nodes_of(random_splits.drawn(public, seed)), empty).any()


def test_the_seed_decides_and_the_former_split_does_not() -> None:
    graph = toy.generate()
    first = random_splits.drawn(graph, 1)
    for part in PARTS:
        again, other = random_splits.drawn(random_splits.drawn(graph, 9), 1), random_splits.drawn(graph, 2)
        assert getattr(first, part).tolist() == getattr(again, part).tolist()
        assert getattr(first, part).tolist() != getattr(other, part).tolist()
        assert getattr(first, part).tolist() != getattr(graph, part).tolist()
        assert len(getattr(first, part)) == len(getattr(graph, part))


def test_every_node_is_drawn_as_often_as_any_other_of_its_class() -> None:
    graph = toy.generate(nodes=40, classes=2)
    counts = np.zeros(40)
    for seed in range(600):
        counts[random_splits.drawn(graph, seed).train] += 1
    assert counts / 600 == pytest.approx(np.full(40, 2 / 20), abs=0.05)


def test_graphs_that_are_too_small() -> None:
    graph = toy.generate()
    rare = replace(graph, labels=np.where(np.arange(graph.nodes) < 3, 0, 1), classes=2)
    with pytest.raises(MtgcnError, match="needs 15 training nodes of each class, but class 0 has 3"):
        random_splits.drawn(rare, 0)
    with pytest.raises(MtgcnError, match="4 classes needs 32 nodes, not 30"):
        random_splits.drawn(replace(graph, labels=graph.labels[:30], unlabelled=np.empty(0, np.int64)), 0)
    unknown = replace(graph, unlabelled=np.arange(60))
    with pytest.raises(MtgcnError, match=r"60 validation and 120 test nodes .* only 152 nodes of known class are left"):
        random_splits.drawn(unknown, 0)


def test_training_uses_the_split_whichever_way_the_data_comes() -> None:
    chosen = parameters(split_seed=5, epochs=10)
    public = datasets.load("toy")
    network = build.build(chosen, "GCN", public)
    expected = random_splits.drawn(public, 5)
    for part in PARTS:
        assert getattr(network.batch.dataset, part).tolist() == getattr(expected, part).tolist()
    tables = [experiment.run(chosen, data, progress=False).table for data in (None, public, expected)]
    for table in tables[1:]:
        assert table.drop(columns="seconds").equals(tables[0].drop(columns="seconds"))
    # As if the drawn split were the data set's own.
    own = experiment.run(parameters(epochs=10), expected, progress=False).table
    assert own["test_accuracy"].tolist() == tables[0]["test_accuracy"].tolist()


def test_a_state_restores_on_the_split_it_was_trained_on(tmp_path: Path) -> None:
    chosen = parameters(split_seed=5, epochs=10)
    public = datasets.load("toy")
    outcome = experiment.run(chosen, public, progress=False)
    checkpoint.save(tmp_path / "gcn.safetensors", checkpoint.State.of(chosen, "GCN", public, outcome.trained["GCN"]))
    restored = checkpoint.load(tmp_path / "gcn.safetensors").restore(public)
    test = restored.batch.test
    accuracy = 100 * (restored.predict(test) == restored.batch.labels(test)).double().mean(1)
    assert accuracy.numpy().round(4).tolist() == outcome.table["test_accuracy"].tolist()


def test_a_graph_too_small_is_told_before_training(tmp_path: Path) -> None:
    graph = replace(tiny(), labels=np.where(np.arange(40) == 0, 0, 1), classes=2)
    with pytest.raises(MtgcnError, match=r"^a random split needs 2 training nodes of each class, but class 0 has 1\.$"):
        experiment.run(parameters(split_seed=0), graph, progress=False)
    datasets.save(tmp_path / "small.npz", graph)
    file = tmp_path / "own.yaml"
    file.write_text(f"dataset: {tmp_path}/small.npz\n\nsplit_seed: 1\n")
    with pytest.raises(MtgcnError, match=r"own\.yaml:3: a random split needs 2"):
        parameter_file.load(file, Path(__file__).parents[2] / "notebooks").check_data()
    file.write_text(f"dataset: {tmp_path}/small.npz\n\nsplit_seed: -1\n")
    with pytest.raises(MtgcnError, match=r"own\.yaml:3: split_seed is -1"):
        parameter_file.load(file, Path(__file__).parents[2] / "notebooks")
