"""PD: predict how many edges away two nodes are from each other (Jin et al. 2020)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from mtgcn.engine.randomness import stream
from mtgcn.model.tasks.base import TaskParameters
from mtgcn.model.tasks.pairs import Pairs

if TYPE_CHECKING:
    from mtgcn.data.arrays import Arrays
    from mtgcn.model.batch import Batch


class PairwiseDistanceParameters(TaskParameters):
    """Parameters of PD."""

    weight: float = Field(1.0, ge=0, allow_inf_nan=False, description="weight w_PD of the risk in the objective")
    classes: int = Field(4, ge=2, description="classes of distance: 1, 2, …, and everything from the last one on")
    size: int = Field(1000, ge=1, description="pairs of each class, or all there are among those looked at")
    sources: int = Field(300, ge=1, description="nodes from which distances are looked at, or all nodes")


class PairwiseDistance(Pairs):
    """Cross-entropy of the distance of two nodes, as many pairs of each distance; the last class has what is beyond.

    Distances are looked at from some nodes only, others in every run, so that there is no n × n matrix.
    """

    name = "PD"
    Parameters = PairwiseDistanceParameters

    def __init__(self, parameters: PairwiseDistanceParameters, batch: Batch) -> None:
        self._classes = parameters.classes
        super().__init__(parameters, batch)

    @property
    def outputs(self) -> int:
        """As many as there are classes of distance."""
        return self._classes

    @staticmethod
    def check(parameters: TaskParameters, data: Arrays, hidden_units: int) -> str | None:  # noqa: D102
        return None if data.edges.shape[1] else "the data have no edges, so there are no distances"

    def draw(self, parameters: TaskParameters, batch: Batch, seed: int) -> tuple[np.ndarray, np.ndarray]:  # noqa: D102
        assert isinstance(parameters, PairwiseDistanceParameters)
        nodes, size, random = batch.dataset.nodes, parameters.size, stream(seed, "PD.pairs")
        sources = np.sort(random.choice(nodes, min(parameters.sources, nodes), replace=False))
        distance = distances(batch.dataset, sources, parameters.classes)
        pairs = np.zeros((2, parameters.classes * size), np.int64)  # (0, 0), which counts for nothing, where one lacks
        for number in range(parameters.classes):
            candidates = np.flatnonzero(distance == number + 1)
            chosen = random.choice(candidates, min(size, len(candidates)), replace=False)
            place = slice(number * size, number * size + len(chosen))
            pairs[:, place] = sources[chosen // nodes], chosen % nodes
        return pairs, np.repeat(np.arange(parameters.classes), size)


def distances(data: Arrays, sources: np.ndarray, most: int) -> np.ndarray:
    """Return the number of edges from each source to each node, (sources, n); ``most`` where it is more or none."""
    from scipy.sparse.csgraph import dijkstra

    from mtgcn.engine.graph import adjacency_of

    graph = adjacency_of(data.edges, data.nodes, loops=False)
    found = dijkstra(graph, indices=sources, unweighted=True, limit=most - 1)
    return np.minimum(found, most).astype(np.int8)
