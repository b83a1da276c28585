"""What the runs of a batch share: the graph, the features and the settings of the network."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from mtgcn.datasets import Dataset
from mtgcn.graph import Graph, NodeSet
from mtgcn.layers import Layer
from mtgcn.sparse import BlockSparse


@dataclass(frozen=True)
class Architecture:
    """The settings that shape the encoder and the heads."""

    layer: type[Layer]
    hidden_layers: int
    hidden_units: int
    dropout: float


class Batch:
    """R runs on copies of one graph, on one device.

    Args:
        dataset: graph, features, labels and split.
        seeds: one seed a run.
    """

    def __init__(
        self,
        dataset: Dataset,
        architecture: Architecture,
        seeds: Sequence[int],
        device: torch.device,
        backend: str = "auto",
        dtype: torch.dtype = torch.float32,
    ) -> None:
        self.dataset, self.architecture, self.seeds = dataset, architecture, list(seeds)
        self.device, self.backend, self.dtype = device, backend, dtype
        self.graph = Graph(dataset.edges, dataset.nodes, len(self.seeds), device, dtype, backend)
        self.labelled = NodeSet("labelled", dataset.train)
        self.validation = NodeSet("validation", dataset.validation)
        self.test = NodeSet("test", dataset.test)
        self.features = self.blocks([dataset.features] * len(self.seeds))

    @property
    def runs(self) -> int:
        """The number of runs, R."""
        return len(self.seeds)

    @property
    def stored_values(self) -> int:
        """The number of values stored for features and graph of all runs."""
        return self.runs * (self.dataset.features.nnz + 2 * self.dataset.edges.shape[1] + self.dataset.nodes)

    def blocks(self, matrices: Sequence[sparse.csr_matrix]) -> "Rows":
        """Put one sparse (n, d) matrix a run on this batch's device."""
        return Rows(matrices, self.device, self.dtype)

    def labels(self, nodes: NodeSet) -> Tensor:
        """Return the labels of these nodes, (size,)."""
        return torch.from_numpy(self.dataset.labels[nodes.index]).to(self.device)

    def keep(self, runs: Sequence[int]) -> "Batch":
        """Return the batch of these runs only."""
        seeds = [self.seeds[run] for run in runs]
        return Batch(self.dataset, self.architecture, seeds, self.device, self.backend, self.dtype)


class Rows:
    """One sparse (n, d) matrix a run, whole or restricted to a set of nodes; each is built once, on demand."""

    def __init__(self, matrices: Sequence[sparse.csr_matrix], device: torch.device, dtype: torch.dtype) -> None:
        self._matrices, self._device, self._dtype = matrices, device, dtype
        self._built: dict[str, BlockSparse] = {}

    @property
    def columns(self) -> int:
        """The number of columns, d."""
        return int(self._matrices[0].shape[1])

    def at(self, nodes: NodeSet | None = None) -> BlockSparse:
        """Return the rows of these nodes, or all of them."""
        name = "" if nodes is None else nodes.name
        if name not in self._built:
            rows = slice(None) if nodes is None else np.asarray(nodes.index)
            self._built[name] = BlockSparse([m[rows] for m in self._matrices], self._device, self._dtype)
        return self._built[name]
