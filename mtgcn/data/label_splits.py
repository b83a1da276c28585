"""Splits with few or many labels: training sets of any size that lie within each other, and the same test nodes.

Sizes compare within a split: of a class, ten labelled nodes are the five of the smaller set and five more, and all
are asked about the same nodes.
"""

from dataclasses import replace
from typing import TypeVar

import numpy as np

from mtgcn.data.arrays import Arrays
from mtgcn.errors import MtgcnError

Graph = TypeVar("Graph", bound=Arrays)
LARGEST = 80  # labelled nodes of a class; so many are set aside whatever the size, or the test nodes would depend on it
VALIDATION, TEST = 500, 1000


def drawn(graph: Graph, seed: int, each: int, small_validation: bool = False) -> Graph:
    """Return ``graph`` with ``each`` training nodes of every class, in the split drawn from ``seed``.

    A class gives half of its nodes to training at the most: where it has fewer than twice ``each``, it has fewer
    training nodes than the others. (With up to 80 that concerns none of Cora, Citeseer and Pubmed, whose smallest class
    has 180 nodes.) Validation and test nodes are drawn from what is left after 80 of each class: 500 and 1,000, or of a
    small graph a third and the rest. They are the same for all sizes.

    Args:
        small_validation: keep as many validation nodes as there are training nodes, taken from the classes in turn.
            So ``each`` is their number of a class, too, as long as the class has so many among the 500.
    """
    if not 1 <= each <= LARGEST:
        raise MtgcnError(f"a label split has 1 to {LARGEST} training nodes of each class, not {each}.")
    random = np.random.default_rng(seed)
    known = np.setdiff1d(np.arange(graph.nodes), graph.unlabelled)
    by_class = [random.permutation(known[graph.labels[known] == k]) for k in range(graph.classes)]
    for k, nodes in enumerate(by_class):
        if len(nodes) < 2:
            raise MtgcnError(f"a label split needs two nodes of each class, but class {k} has {len(nodes)}.")
    aside = [nodes[: min(LARGEST, len(nodes) // 2)] for nodes in by_class]
    train = np.concatenate([nodes[:each] for nodes in aside])
    rest = random.permutation(np.setdiff1d(known, np.concatenate(aside)))
    if len(rest) < 2:
        raise MtgcnError("a label split leaves no node to validate or to test on: the graph is too small.")
    third = min(VALIDATION, max(1, len(rest) // 3))
    validation, test = rest[:third], rest[third : third + TEST]
    if small_validation:
        validation = in_turn(validation, graph.labels[validation])[: len(train)]
    return replace(graph, train=np.sort(train), validation=np.sort(validation), test=np.sort(test))


def in_turn(nodes: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return ``nodes`` (m,) so that those of each of their ``labels`` (m,) come in turn, in the order they had."""
    turn = np.empty(len(nodes), np.int64)
    for label in np.unique(labels):
        own = labels == label
        turn[own] = np.arange(own.sum())
    return nodes[np.lexsort((labels, turn))]
