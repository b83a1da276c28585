"""A graph that loses some of its edges at random, others in every run and every epoch (DropEdge)."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from mtgcn.engine.csr import csr, csr_index, over_runs
from mtgcn.engine.graph import Graph
from mtgcn.engine.linear import Linear, Map
from mtgcn.engine.links import Links
from mtgcn.engine.part import NodeSet
from mtgcn.engine.randomness import State, set_states, states, stream
from mtgcn.errors import MtgcnError


class ThinnedGraph(Graph):
    """A graph, or a part of one, that `draw` gives other edges and an Â for these.

    Edges are drawn and degrees counted over the whole graph: a part gives the numbers of the whole. torch takes new
    values at old places, while DGL would need a new index for every epoch: Â x goes through torch whatever the backend.

    Args:
        graph: with all edges.
        seeds: one seed a run; a run draws from a stream of its own.
        rate: share of the edges that are left out, exactly so many in every epoch.
    """

    def __init__(self, graph: Graph, seeds: Sequence[int], rate: float) -> None:
        if len(graph.loops):
            raise MtgcnError("DropEdge knows no self-loops of the raw files; use self_loops: dropped.")
        where = graph.device, graph.dtype, graph.backend
        super().__init__(graph.edges, graph.part.whole, graph.runs, *where, graph.part, adjacency=graph.adjacency)
        self.streams = [stream(seed, "dropedge") for seed in seeds]
        self._dropped = round(rate * self.edges.shape[1])
        self._present: Tensor | None = None  # of the links, made when a layer asks for them
        self._lay_out()

    def _lay_out(self) -> None:
        """Find where the entries of Â stand for all runs, and which edge and nodes each belongs to."""
        count, nodes, index = self.edges.shape[1], self.part.whole, self.part.index
        ends = np.concatenate([self.edges, self.edges[::-1], np.tile(np.arange(nodes), (2, 1))], axis=1)
        # Entries are numbered from 1, since a sparse matrix takes 0 for nothing; all loops have the last number.
        number = np.concatenate([np.tile(np.arange(1, count + 1), 2), np.full(nodes, count + 1)])
        entries = self.part.among(sparse.csr_matrix((number, (ends[0], ends[1])), shape=(nodes, nodes)))
        rows = np.repeat(index, np.diff(entries.indptr))
        places = entries.data.astype(np.int64) - 1, rows, index[entries.indices]
        self._edge, self._rows, self._columns = (torch.from_numpy(one).to(self.device) for one in places)
        block = sparse.csr_matrix(sparse.block_diag([entries] * self.runs))
        self._index, self._size = csr_index(block, self.device), block.shape

    def draw(self) -> None:
        """Draw the next epoch's edges."""
        stays = self.staying()
        degrees = [np.bincount(self.edges.ravel(), np.tile(row, 2), self.part.whole) for row in stays]
        d_tilde = 1.0 + np.stack(degrees)  # (runs, whole)
        self._stays, self._degrees, self._present = stays, np.stack(degrees), None
        with_loops = np.concatenate([stays, np.ones((self.runs, 1))], axis=1)
        weight = torch.from_numpy(with_loops).to(self.device)[:, self._edge]
        if self.adjacency == "symmetric":
            roots = torch.from_numpy(1.0 / np.sqrt(d_tilde)).to(self.device)
            symmetric = self._product(weight * roots[:, self._rows] * roots[:, self._columns])
            self._thinned = Linear(symmetric, symmetric)
        else:
            inverse = torch.from_numpy(1.0 / d_tilde).to(self.device)
            by_row, by_column = (weight * inverse[:, places] for places in (self._rows, self._columns))
            self._thinned = Linear(self._product(by_row), self._product(by_column))

    def _product(self, values: Tensor) -> Map:
        """Return the product with the matrix that has these values, (runs, stored), at the places of Â."""
        return over_runs(csr(self._index, values.to(self.dtype).flatten(), self._size))

    def staying(self) -> np.ndarray:
        """Return the next epoch's edges, (runs, m): 1 for those that stay, 0 for the others."""
        stays = np.ones((self.runs, self.edges.shape[1]))
        for row, numbers in zip(stays, self.streams, strict=True):
            row[numbers.permutation(self.edges.shape[1])[: self._dropped]] = 0
        return stays

    def go_on(self, before: Graph, runs: list[int]) -> None:
        """Draw on from where these runs are on the thinned graph ``before``."""
        assert isinstance(before, ThinnedGraph)
        self.streams = [before.streams[run] for run in runs]

    def average(self, x: Tensor, rows: NodeSet | None = None) -> Tensor:
        """Return the mean over the neighbours by the edges drawn last, (runs, n, c) to (runs, n or |rows|, c)."""
        without_loops = np.concatenate([self._stays, np.zeros((self.runs, 1))], axis=1)
        weight = torch.from_numpy(without_loops).to(self.device)[:, self._edge]
        shares = torch.from_numpy(1.0 / np.maximum(self._degrees, 1)).to(self.device)
        by_row, by_column = (self._product(weight * shares[:, places]) for places in (self._rows, self._columns))
        return self.take(Linear(by_row, by_column) @ x, rows)

    def links(self, rows: NodeSet | None = None) -> Links:
        """Return the links, of which those of the edges drawn last count."""
        if self._present is None:
            with_loops = np.concatenate([self._stays, np.ones((self.runs, 1))], axis=1)[:, self._edge_of_link]
            self._present = torch.from_numpy(with_loops.astype(np.uint8, order="C")).to(self.device)
        found = super().links(rows)
        found.present = self._present
        return found

    @cached_property
    def _edge_of_link(self) -> np.ndarray:
        """The number of the edge that each link of the whole graph belongs to; those with itself have the last one."""
        count, nodes = self.edges.shape[1], self.part.whole
        ends = np.concatenate([self.edges, self.edges[::-1], np.tile(np.arange(nodes), (2, 1))], axis=1)
        edge = np.concatenate([np.tile(np.arange(count), 2), np.full(nodes, count)])
        return sparse.csr_matrix((edge, (ends[0], ends[1])), shape=(nodes, nodes)).data

    def random_state(self) -> State:
        """Return where the streams are."""
        return states(self.streams)

    def set_random_state(self, known: State) -> None:
        """Draw on from a state."""
        set_states(self.streams, known)

    def propagate(self, x: Tensor, rows: NodeSet | None = None) -> Tensor:
        """Return Â x of the edges drawn last, (runs, n, c) to (runs, n or |rows|, c)."""
        return self.take(self._thinned @ x, rows)
