"""Splits with few or many labels: sizes, nesting, no overlap, who is never drawn, small validation sets."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtgcn.data import datasets, label_splits, toy
from mtgcn.data.arrays import Arrays
from mtgcn.errors import MtgcnError

SIZES = [1, 2, 3, 5, 10, 20, 40, 80]
PARTS = ("train", "validation", "test")


@pytest.mark.parametrize("name", ["cora", "citeseer", "pubmed"])
def test_planetoid_graphs_have_every_size_in_full(name: str, real: Callable[[str], datasets.Dataset]) -> None:
    graph = real(name)
    for seed in (0, 29):
        for each in SIZES:
            split = label_splits.drawn(graph, seed, each)
            assert np.bincount(split.labels[split.train]).tolist() == [each] * graph.classes
            assert (len(split.validation), len(split.test)) == (500, 1000)
            assert not np.isin(np.concatenate([split.train, split.validation, split.test]), graph.unlabelled).any()
            small = label_splits.drawn(graph, seed, each, small_validation=True)
            assert len(small.validation) == min(500, each * graph.classes)
            if each <= 10:  # of so many there are enough in every class among the 500
                assert np.bincount(small.labels[small.validation]).tolist() == [each] * graph.classes


def graphs() -> st.SearchStrategy[Arrays]:
    """Graphs of few nodes, some of unknown class, whose classes may be of very different sizes."""

    def made(nodes: int, classes: int, skew: float, unknown: int, seed: int) -> Arrays:
        random = np.random.default_rng(seed)
        share = skew ** np.arange(classes)
        labels = np.concatenate([np.tile(np.arange(classes), 2), random.choice(classes, nodes, p=share / share.sum())])
        graph = toy.generate(nodes=max(len(labels), 8 * classes), classes=classes)
        labels = np.resize(labels, graph.nodes)
        # The first two of each class keep it.
        hidden = 2 * classes + random.permutation(graph.nodes - 2 * classes)[:unknown]
        return replace(graph, labels=labels, unlabelled=np.sort(hidden))

    return st.builds(
        made, st.integers(10, 400), st.integers(2, 5), st.floats(0.3, 1), st.integers(0, 5), st.integers(0, 99)
    )


@settings(max_examples=60, deadline=None)
@given(graphs(), st.integers(0, 10**6), st.integers(1, 80), st.integers(1, 80))
def test_sets_are_nested_apart_and_of_their_sizes(graph: Arrays, seed: int, one: int, other: int) -> None:
    few, many = sorted([one, other])
    smaller, larger = (label_splits.drawn(graph, seed, each) for each in (few, many))
    assert set(smaller.train) <= set(larger.train)
    assert smaller.validation.tolist() == larger.validation.tolist()
    assert smaller.test.tolist() == larger.test.tolist()
    known = np.bincount(np.delete(graph.labels, graph.unlabelled), minlength=graph.classes)
    for split, each in ((smaller, few), (larger, many)):
        nodes = np.concatenate([getattr(split, part) for part in PARTS])
        assert len(np.unique(nodes)) == len(nodes)
        assert not np.isin(nodes, graph.unlabelled).any()
        assert all(getattr(split, part).tolist() == sorted(getattr(split, part)) for part in PARTS)
        counts = np.bincount(graph.labels[split.train], minlength=graph.classes)
        assert counts.tolist() == [min(each, count // 2) for count in known]  # half of a class at the most
        assert min(len(split.validation), len(split.test)) > 0
        small = label_splits.drawn(graph, seed, each, small_validation=True)
        assert small.train.tolist() == split.train.tolist()
        assert small.test.tolist() == split.test.tolist()
        assert set(small.validation) <= set(split.validation)
        assert len(small.validation) == min(len(split.train), len(split.validation))
    few_validate, many_validate = (
        set(label_splits.drawn(graph, seed, each, small_validation=True).validation) for each in (few, many)
    )
    assert few_validate <= many_validate


def test_the_seed_decides_and_the_former_split_does_not() -> None:
    graph = toy.generate()
    first = label_splits.drawn(graph, 1, 5)
    again = label_splits.drawn(label_splits.drawn(graph, 9, 20), 1, 5)
    other = label_splits.drawn(graph, 2, 5)
    for part in PARTS:
        assert getattr(first, part).tolist() == getattr(again, part).tolist() != getattr(other, part).tolist()


def test_every_node_is_drawn_as_often_as_any_other_of_its_class() -> None:
    graph = toy.generate(nodes=40, classes=2)
    drawn = [label_splits.drawn(graph, seed, 2) for seed in range(600)]
    trained, tested = (np.bincount(np.concatenate([getattr(d, part) for d in drawn])) for part in ("train", "test"))
    assert trained / 600 == pytest.approx(np.full(40, 2 / 20), abs=0.05)
    assert tested / 600 == pytest.approx(np.full(40, 14 / 40), abs=0.08)


def test_classes_take_turns_in_a_small_validation_set() -> None:
    nodes, labels = np.array([7, 3, 9, 1, 4, 8]), np.array([0, 0, 0, 1, 2, 1])
    assert label_splits.in_turn(nodes, labels).tolist() == [7, 1, 4, 3, 8, 9]


def test_what_cannot_be_drawn_is_told() -> None:
    graph = toy.generate()
    with pytest.raises(MtgcnError, match="1 to 80 training nodes of each class, not 81"):
        label_splits.drawn(graph, 0, 81)
    with pytest.raises(MtgcnError, match="not 0"):
        label_splits.drawn(graph, 0, 0)
    rare = replace(graph, labels=np.where(np.arange(graph.nodes) == 5, 1, 0), classes=2)
    with pytest.raises(MtgcnError, match="two nodes of each class, but class 1 has 1"):
        label_splits.drawn(rare, 0, 3)
