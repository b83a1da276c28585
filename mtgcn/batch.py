"""What the runs of a batch share: the graph, the features and the settings of the network."""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from mtgcn.datasets import Dataset
from mtgcn.graph import Graph, NodeSet
from mtgcn.layers import Layer
from mtgcn.remedies import Remedy
from mtgcn.sparse import BlockSparse, numbered

SMALLER = 0.9  # a part with more than this share of the nodes is not worth arrays of its own


@dataclass(frozen=True)
class Architecture:
    """The settings that shape the encoder and the heads."""

    layer: type[Layer]
    hidden_layers: int
    hidden_units: int
    dropout: float
    remedy: Remedy = field(default_factory=Remedy)

    @property
    def ends(self) -> type[Layer]:
        """The layer that reads the features, and the one that gives the classes."""
        return self.remedy.ends or self.layer

    @property
    def encoder_layers(self) -> int:
        """The number of layers of the encoder: the hidden ones, and one before them where a remedy has one."""
        return self.hidden_layers + (self.remedy.ends is not None)


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
        self._places: dict[int, Tensor] = {}

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

    def around(self, nodes: NodeSet, hops: int) -> "Batch":
        """Return the part of this batch that outputs at ``nodes`` can depend on through so many layers.

        States in it have a row for each of ``graph.members``. At its border they are wrong, since neighbours are
        missing there; nothing that is ``hops`` layers further on at ``nodes`` sees that.
        """
        members = self.graph.around(nodes, hops)
        if len(members) > SMALLER * self.dataset.nodes:
            return self
        part = self.on(self.graph.part(members))
        part._places = {}
        return part

    def on(self, graph: Graph) -> "Batch":
        """Return the same batch on another graph."""
        other = copy(self)
        other.graph = graph
        return other

    def places(self, channels: int) -> Tensor | None:
        """Return where the values of (runs, n, channels) stand among those of the whole graph, None for the whole."""
        members = self.graph.members
        if members is not None and channels not in self._places:
            rows = self.dataset.nodes * np.arange(self.runs)[:, None] + members.index
            values = channels * rows[:, :, None] + np.arange(channels)
            self._places[channels] = torch.from_numpy(values.ravel()).to(self.device)
        return self._places.get(channels)

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
        self._orders: dict[str, tuple[Tensor | None, Tensor]] = {}

    @property
    def columns(self) -> int:
        """The number of columns, d."""
        return int(self._matrices[0].shape[1])

    @property
    def sizes(self) -> list[int]:
        """The number of values that each whole matrix stores."""
        return [matrix.nnz for matrix in self._matrices]

    def at(self, nodes: NodeSet | None = None) -> BlockSparse:
        """Return the rows of these nodes, or all of them."""
        name = "" if nodes is None else nodes.name
        if name not in self._built:
            rows = slice(None) if nodes is None else np.asarray(nodes.index)
            self._built[name] = BlockSparse([m[rows] for m in self._matrices], self._device, self._dtype)
        return self._built[name]

    def orders(self, nodes: NodeSet | None = None) -> tuple[Tensor | None, Tensor]:
        """Return where the values of ``at(nodes)`` stand among those of all runs, by its rows and by its columns.

        ``None`` stands for the natural order. Whatever is drawn for each value of the whole can so be had for a part.
        """
        by_columns = self.at(nodes).order
        if nodes is None:
            return None, by_columns
        if nodes.name not in self._orders:
            starts = np.cumsum([0, *self.sizes[:-1]])
            stored = [
                start + numbered(matrix)[nodes.index].data for start, matrix in zip(starts, self._matrices, strict=True)
            ]
            by_rows = torch.from_numpy(np.concatenate(stored)).to(self._device)
            self._orders[nodes.name] = by_rows, by_rows[by_columns]
        return self._orders[nodes.name]
