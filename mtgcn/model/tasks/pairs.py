"""What tasks share that say something about pairs of nodes: how far apart their embeddings are, and a dense layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from mtgcn.model.layer import Layer
from mtgcn.model.layers import Dense
from mtgcn.model.tasks.base import Task, TaskParameters

if TYPE_CHECKING:
    from torch import Tensor

    from mtgcn.engine.part import NodeSet
    from mtgcn.model.batch import Batch
    from mtgcn.model.forward import Pass


class Pairs(Task):
    """Mean over pairs (u, v) of the cross-entropy of a softmax of |h_u − h_v| B + b, where h is the dropped embedding.

    A risk over some nodes is one over the pairs with an end among them, and 0 where there is none. Every run has pairs
    of its own, drawn once.
    """

    layers = 0
    whole_graph = True
    likelihood = "softmax"

    def __init__(self, parameters: TaskParameters, batch: Batch) -> None:
        import torch

        super().__init__(parameters, batch)
        drawn = [self.draw(parameters, batch, seed) for seed in batch.seeds]
        pairs, labels = (np.stack(arrays) for arrays in zip(*drawn, strict=True))
        self.pairs = pairs  # (runs, 2, P); u = v where a run has fewer
        self.labels = torch.from_numpy(labels).to(batch.device)  # (runs, P)
        self._differences = batch.blocks([differences(one, batch.dataset.nodes) for one in pairs])
        self._shares: dict[str, Tensor] = {}

    def draw(self, parameters: TaskParameters, batch: Batch, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the pairs of a run, (2, P), and their labels, (P,) int64; P is the same for all runs."""
        raise NotImplementedError

    def sites(self) -> Sequence[tuple[Layer, int, int]]:
        """One dense layer, from the hidden units to the labels."""
        return [(Dense(), self.batch.architecture.hidden_units, self.outputs)]

    def embedding(self, forward: Pass) -> Tensor:
        """Return the embedding that pairs are compared in, (runs, n, hidden units)."""
        return forward.embedding

    def risk(self, forward: Pass, nodes: NodeSet | None) -> Tensor:
        """Return the mean cross-entropy over the pairs with an end among these nodes, (runs,)."""
        from torch.nn.functional import cross_entropy

        site = f"{self.name}.0"
        h = forward.drop(self.embedding(forward), site)
        apart = (self._differences.at() @ h).abs()
        logits = Dense().apply(forward.graph, forward.weights.of(site), apart)
        losses = cross_entropy(logits.flatten(0, 1), self.labels.flatten(), reduction="none")
        return (losses.view(self.labels.shape).double() * self._share(nodes)).sum(1)

    def _share(self, nodes: NodeSet | None) -> Tensor:
        """Return what each pair counts in a risk over these nodes, (runs, P): nothing, or as much as the others."""
        import torch

        name = "" if nodes is None else nodes.name
        if name not in self._shares:
            among = np.full((len(self.pairs), self.batch.dataset.nodes), nodes is None)
            if nodes is not None:
                np.put_along_axis(among, np.atleast_2d(nodes.index), True, axis=1)
            run = np.arange(len(self.pairs))[:, None, None]
            counts = among[run, self.pairs].any(1) & (self.pairs[:, 0] != self.pairs[:, 1])
            share = counts / np.maximum(counts.sum(1, keepdims=True), 1)
            self._shares[name] = torch.from_numpy(share).to(self.batch.device)
        return self._shares[name]


def differences(pairs: np.ndarray, nodes: int) -> sparse.csr_matrix:
    """Return the (P, n) matrix that takes states to h_u − h_v of each of the (2, P) pairs."""
    row = np.arange(pairs.shape[1])
    entries = np.concatenate([np.ones(len(row)), -np.ones(len(row))])
    matrix = sparse.csr_matrix((entries, (np.tile(row, 2), pairs.ravel())), shape=(len(row), nodes))
    matrix.sum_duplicates()
    return matrix
