"""A graph that loses some of its edges at random, others in every run and every epoch (DropEdge)."""

from collections.abc import Sequence
from copy import copy

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from mtgcn.graph import Graph, NodeSet
from mtgcn.randomness import stream
from mtgcn.sparse import csr, csr_index, multiply


class Thinning:
    """Draws, for each run, which edges an epoch goes without.

    Args:
        edges: (2, m) unique undirected edges of the whole graph.
        seeds: one seed a run; a run draws from a stream of its own.
        rate: share of the edges that are left out, exactly so many in every epoch.
    """

    def __init__(self, edges: np.ndarray, nodes: int, seeds: Sequence[int], rate: float) -> None:
        self.edges, self.nodes = edges, nodes
        self.dropped = round(rate * edges.shape[1])
        self.streams = [stream(seed, "dropedge") for seed in seeds]
        self._layouts: dict[str, _Layout] = {}

    def keep(self, runs: Sequence[int]) -> "Thinning":
        """Go on with these runs only."""
        kept = copy(self)
        kept.streams, kept._layouts = [self.streams[run] for run in runs], {}
        return kept

    def draw(self) -> np.ndarray:
        """Return the next epoch's edges, (runs, m): 1 for those that stay, 0 for the others."""
        stays = np.ones((len(self.streams), self.edges.shape[1]))
        for row, numbers in zip(stays, self.streams, strict=True):
            row[numbers.permutation(self.edges.shape[1])[: self.dropped]] = 0
        return stays

    def thin(self, graph: Graph) -> Graph:
        """Return the whole graph, or a part of it, with the next epoch's edges and Â for these.

        Edges are drawn and degrees counted over the whole graph: a part gives the numbers of the whole.
        """
        stays = self.draw()
        degrees = [np.bincount(self.edges.ravel(), np.tile(row, 2), self.nodes) for row in stays]
        scale = 1.0 / np.sqrt(1.0 + np.stack(degrees))
        name = "" if graph.members is None else graph.members.name
        if name not in self._layouts:
            self._layouts[name] = _Layout(self.edges, self.nodes, graph)
        return _Thinned(graph, self._layouts[name].matrix(stays, scale))


class _Layout:
    """Where the entries of Â stand for all runs, and which edge and nodes each belongs to.

    torch takes new values at old places, while DGL would need a new index for every epoch: a thinned graph goes
    through torch whatever the backend.
    """

    def __init__(self, edges: np.ndarray, nodes: int, graph: Graph) -> None:
        loops = np.tile(np.arange(nodes), (2, 1))
        ends = np.concatenate([edges, edges[::-1], loops], axis=1)
        count = edges.shape[1]
        # Entries are numbered from 1, since a sparse matrix takes 0 for nothing; all loops have the last number.
        number = np.concatenate([np.tile(np.arange(1, count + 1), 2), np.full(nodes, count + 1)])
        entries = sparse.csr_matrix((number, (ends[0], ends[1])), shape=(nodes, nodes))
        members = np.arange(nodes) if graph.members is None else graph.members.index
        entries = sparse.csr_matrix(entries[members][:, members])
        self.edge = torch.from_numpy(entries.data.astype(np.int64) - 1).to(graph.device)
        rows = np.repeat(members, np.diff(entries.indptr))
        self.rows, self.columns = (torch.from_numpy(part).to(graph.device) for part in (rows, members[entries.indices]))
        block = sparse.csr_matrix(sparse.block_diag([entries] * graph.runs))
        self.index, self.shape = csr_index(block, graph.device), block.shape
        self.device, self.dtype = graph.device, graph.dtype

    def matrix(self, stays: np.ndarray, scale: np.ndarray) -> Tensor:
        """Return Â of all runs as one sparse matrix, from the edges (runs, m) and D̃^-1/2 (runs, nodes)."""
        ones = np.ones((len(stays), 1))
        weight = torch.from_numpy(np.concatenate([stays, ones], axis=1)).to(self.device)[:, self.edge]
        roots = torch.from_numpy(scale).to(self.device)
        values = weight * roots[:, self.rows] * roots[:, self.columns]
        return csr(self.index, values.to(self.dtype).flatten(), self.shape)


class _Thinned(Graph):
    """A graph with the Â of one epoch."""

    def __init__(self, graph: Graph, matrix: Tensor) -> None:
        self.__dict__.update(graph.__dict__)
        self.matrix = matrix

    def propagate(self, x: Tensor, rows: NodeSet | None = None) -> Tensor:
        """Return Â x, (runs, n, c) to (runs, n or |rows|, c)."""
        return self.take(multiply(x, self.matrix, self.matrix), rows)  # Â is symmetric
