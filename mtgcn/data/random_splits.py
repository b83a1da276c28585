"""Random splits: other training, validation and test nodes of the same graph, drawn from a seed."""

from dataclasses import replace
from typing import NamedTuple, TypeVar

import numpy as np

from mtgcn.data.arrays import Arrays
from mtgcn.errors import MtgcnError

Graph = TypeVar("Graph", bound=Arrays)


class Sizes(NamedTuple):
    """How many nodes each part of a split has: training nodes of each class, validation and test nodes in all."""

    each: int
    validation: int
    test: int


def sizes(nodes: int, classes: int) -> Sizes:
    """Return Planetoid's sizes, 20 a class, 500 and 1,000; of a small graph an eighth, a quarter and half."""
    return Sizes(min(20, nodes // (8 * classes)), min(500, nodes // 4), min(1000, nodes // 2))


def drawn(graph: Graph, seed: int) -> Graph:
    """Return ``graph`` with a split drawn from ``seed``; the same whichever split it had before.

    Training nodes are drawn from each class, then validation and test nodes from all that are left. A node whose
    class nobody knows (``graph.unlabelled``) is in no part. The parts are sorted node indices.
    """
    each, validation, test = sizes(graph.nodes, graph.classes)
    known = np.setdiff1d(np.arange(graph.nodes), graph.unlabelled)
    counts = np.bincount(graph.labels[known], minlength=graph.classes)
    if each < 1:
        raise MtgcnError(
            f"a random split of {graph.classes} classes needs {8 * graph.classes} nodes, not {graph.nodes}."
        )
    if counts.min() < each:
        raise MtgcnError(
            f"a random split needs {each} training nodes of each class, but class {counts.argmin()} has {counts.min()}."
        )
    left = len(known) - each * graph.classes
    if left < validation + test:
        raise MtgcnError(
            f"a random split needs {validation} validation and {test} test nodes beside those for training, "
            f"but only {left} nodes of known class are left."
        )
    random = np.random.default_rng(seed)
    train = np.concatenate(
        [random.choice(known[graph.labels[known] == k], each, replace=False) for k in range(graph.classes)]
    )
    rest = random.permutation(np.setdiff1d(known, train))
    return replace(
        graph,
        train=np.sort(train),
        validation=np.sort(rest[:validation]),
        test=np.sort(rest[validation : validation + test]),
    )
