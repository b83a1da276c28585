"""Runs that train together, each on a split of its own: the arrays of the split have a row for each run."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from mtgcn.data.arrays import Arrays

Graph = TypeVar("Graph", bound=Arrays)


def stacked(splits: Sequence[Graph]) -> Graph:
    """Return one graph with the split of each run, its parts (runs, size); ``splits`` of a graph are of equal sizes."""
    return replace(
        splits[0],
        train=np.stack([split.train for split in splits]),
        validation=np.stack([split.validation for split in splits]),
        test=np.stack([split.test for split in splits]),
    )


def of_runs(graph: Graph, runs: Sequence[int]) -> Graph:
    """Return ``graph`` with the splits of these runs only; a single one is the split of the graph, and stays so."""
    if not has_each(graph):
        return graph
    chosen = runs[0] if len(runs) == 1 else list(runs)
    return replace(graph, train=graph.train[chosen], validation=graph.validation[chosen], test=graph.test[chosen])


def has_each(graph: Arrays) -> bool:
    """Tell whether each run has a split of its own."""
    return graph.train.ndim == 2
