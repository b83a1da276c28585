"""What the runs of a batch share: the graph, the features and the settings of the network."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from mtgcn.data.datasets import Dataset
from mtgcn.data.split_each_run import of_runs
from mtgcn.engine.graph import Graph
from mtgcn.engine.part import NodeSet
from mtgcn.engine.sparse import Features
from mtgcn.model.layer import Layer
from mtgcn.model.remedies import Remedy


@dataclass(frozen=True)
class Architecture:
    """The settings that shape the encoder and the heads."""

    layer: Layer
    hidden_layers: int
    hidden_units: int
    dropout: float
    remedy: Remedy = field(default_factory=Remedy)
    adjacency: str = "symmetric"

    @property
    def first(self) -> Layer:
        """The layer that reads the features."""
        return self.remedy.ends or self.layer

    @property
    def classifier(self) -> Layer:
        """The layer that gives the classes."""
        return self.remedy.ends or self.layer.classifier

    @property
    def encoder_layers(self) -> int:
        """The number of layers of the encoder: the hidden ones, and one before them where a remedy has one."""
        return self.hidden_layers + (self.remedy.ends is not None)


class Batch:
    """R runs on copies of one graph, on one device.

    Args:
        dataset: graph, features, labels and split; or the split of each run, as `split_each_run` has it.
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
        where = device, dtype, backend
        self.graph = Graph(
            dataset.edges, dataset.nodes, self.runs, *where, loops=dataset.loops, adjacency=architecture.adjacency
        )
        self.labelled = NodeSet("labelled", dataset.train)
        self.unlabelled = NodeSet("unlabelled", others(dataset.train, dataset.nodes))
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

    def blocks(self, matrices: Sequence[sparse.csr_matrix]) -> Features:
        """Put one sparse (n, d) matrix a run on this batch's device."""
        return Features(matrices, self.device, self.dtype, self.graph.backend)

    def labels(self, nodes: NodeSet) -> Tensor:
        """Return the labels of these nodes, (size,), or (runs, size) where each run has its own."""
        return torch.from_numpy(self.dataset.labels[nodes.index]).to(self.device)

    def keep(self, runs: Sequence[int]) -> "Batch":
        """Return the batch of these runs only."""
        seeds = [self.seeds[run] for run in runs]
        return Batch(of_runs(self.dataset, runs), self.architecture, seeds, self.device, self.backend, self.dtype)


def others(chosen: np.ndarray, nodes: int) -> np.ndarray:
    """Return the other nodes in rising order: (size,) of so many ``nodes`` to (nodes - size,), or both (runs, ...)."""
    left = np.ones((*chosen.shape[:-1], nodes), bool)
    np.put_along_axis(left, chosen, False, axis=-1)
    return left.nonzero()[-1].reshape(*chosen.shape[:-1], -1)
