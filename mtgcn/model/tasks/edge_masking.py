"""EM: tell hidden edges from pairs of nodes without one (Jin et al. 2020)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from mtgcn.engine.randomness import stream
from mtgcn.model.tasks.base import TaskParameters
from mtgcn.model.tasks.pairs import Pairs

if TYPE_CHECKING:
    from torch import Tensor

    from mtgcn.data.arrays import Arrays
    from mtgcn.engine.sparse import Features
    from mtgcn.model.batch import Batch
    from mtgcn.model.forward import Pass


class EdgeMaskingParameters(TaskParameters):
    """Parameters of EM."""

    weight: float = Field(1.0, ge=0, allow_inf_nan=False, description="weight w_EM of the risk in the objective")
    rate: float = Field(0.1, gt=0, lt=1, description="share of the edges that are hidden, the same in every epoch")


class EdgeMasking(Pairs):
    """Cross-entropy of hidden edges against as many pairs without one, in embeddings of the graph without the former.

    Only the pass of this task goes without the hidden edges; the main task keeps them. Theirs trains both without.
    """

    name = "EM"
    Parameters = EdgeMaskingParameters
    outputs = 2
    features: Features  # the clean ones, which go through the encoder a second time

    def __init__(self, parameters: EdgeMaskingParameters, batch: Batch) -> None:
        from mtgcn.engine.graph import adjacency_of
        from mtgcn.engine.rewired import RewiredGraph

        super().__init__(parameters, batch)
        self.features = batch.features
        data, hidden = batch.dataset, hidden_edges(batch.dataset, parameters.rate)
        stays = [np.sort(order(seed, data)[hidden:]) for seed in batch.seeds]
        adjacency = [adjacency_of(data.edges[:, one], data.nodes, loops=True) for one in stays]
        self.graph = RewiredGraph(batch.graph, adjacency)

    @staticmethod
    def check(parameters: TaskParameters, data: Arrays, hidden_units: int) -> str | None:  # noqa: D102
        assert isinstance(parameters, EdgeMaskingParameters)
        edges = data.edges.shape[1]
        without = data.nodes * (data.nodes - 1) // 2 - edges
        if edges and hidden_edges(data, parameters.rate) <= without // 2:
            return None
        return f"rate {parameters.rate} hides too many of the {edges} edges: only {without} pairs of nodes have none"

    def draw(self, parameters: TaskParameters, batch: Batch, seed: int) -> tuple[np.ndarray, np.ndarray]:  # noqa: D102
        assert isinstance(parameters, EdgeMaskingParameters)
        data, hidden = batch.dataset, hidden_edges(batch.dataset, parameters.rate)
        others = unlinked(data, hidden, stream(seed, "EM.pairs"))
        pairs = np.concatenate([data.edges[:, order(seed, data)[:hidden]], others], axis=1)
        return pairs, np.repeat(np.array([1, 0]), hidden)

    def embedding(self, forward: Pass) -> Tensor:
        """Return the embedding of the graph without the hidden edges."""
        return forward.on(self.graph).encode(self.features, f"{self.name}.encoder")


def hidden_edges(data: Arrays, rate: float) -> int:
    """Return how many edges are hidden, one at least."""
    return max(1, round(rate * data.edges.shape[1]))


def order(seed: int, data: Arrays) -> np.ndarray:
    """Return the numbers of the edges in the order in which a run hides them, (m,)."""
    return stream(seed, "EM.edges").permutation(data.edges.shape[1])


def unlinked(data: Arrays, number: int, random: np.random.Generator) -> np.ndarray:
    """Draw different pairs of nodes without an edge, (2, number), smaller node first."""
    linked, found = data.edges[0] * data.nodes + data.edges[1], np.empty(0, np.int64)
    while len(found) < number:
        low, high = np.sort(random.integers(data.nodes, size=(2, 2 * number)), axis=0)
        keys = (low * data.nodes + high)[low != high]
        keys = np.concatenate([found, keys[~np.isin(keys, linked)]])
        found = keys[np.sort(np.unique(keys, return_index=True)[1])]  # each once, in the order drawn
    return np.stack([found[:number] // data.nodes, found[:number] % data.nodes])
