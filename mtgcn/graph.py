"""The graph, its parts and sets of its nodes, for all runs at once."""

from copy import copy
from dataclasses import dataclass

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from mtgcn.propagation import Propagation, States, choose_backend


@dataclass(frozen=True)
class NodeSet:
    """A named set of nodes, such as the labelled ones."""

    name: str
    index: np.ndarray  # (size,) int64

    def __len__(self) -> int:
        return len(self.index)


class Graph:
    """R disjoint copies of a graph, through which (runs, n, c) states are propagated by Â.

    Â = D̃^-1/2 (A + I) D̃^-1/2, the re-normalised adjacency matrix (section 3.1 of the paper).

    Args:
        edges: (2, m) unique undirected edges without self-loops.
        backend: ``"dgl"``, ``"torch"``, or ``"auto"``: DGL where its build supports the device.
    """

    def __init__(
        self,
        edges: np.ndarray,
        nodes: int,
        runs: int,
        device: torch.device,
        dtype: torch.dtype = torch.float32,
        backend: str = "auto",
    ) -> None:
        self.nodes, self.runs, self.device, self.dtype = nodes, runs, device, dtype
        self.backend = choose_backend(device) if backend == "auto" else backend
        ends = np.concatenate([edges, edges[::-1], np.tile(np.arange(nodes), (2, 1))], axis=1)
        ones = np.ones(ends.shape[1])
        self._with_loops = sparse.csr_matrix((ones, (ends[0], ends[1])), shape=(nodes, nodes))
        self._scale = 1.0 / np.sqrt(np.asarray(self._with_loops.sum(axis=1)).ravel())  # D̃^-1/2
        self._propagations: dict[str, Propagation] = {}
        self.members: NodeSet | None = None  # of a part

    def propagate(self, x: Tensor, rows: NodeSet | None = None) -> Tensor:
        """Return Â x, (runs, n, c) to (runs, n or |rows|, c); only the rows asked for are computed."""
        name = "" if rows is None else rows.name
        if name not in self._propagations:
            places = None if rows is None else self.places(rows)
            states = States(self.runs, self.device, self.dtype)
            self._propagations[name] = Propagation(self._with_loops, self._scale, places, self.backend, states)
        return self._propagations[name](x)

    def take(self, x: Tensor, rows: NodeSet | None) -> Tensor:
        """Return the rows of x at these nodes, (runs, n, c) to (runs, |rows|, c), or all of x for ``None``."""
        return x if rows is None else x[:, torch.from_numpy(self.places(rows)).to(x.device)]

    def places(self, nodes: NodeSet) -> np.ndarray:
        """Return where in this graph the nodes stand: their own numbers, unless it is a `part` of another."""
        return nodes.index if self.members is None else np.searchsorted(self.members.index, nodes.index)

    def around(self, nodes: NodeSet, hops: int) -> NodeSet:
        """Return the nodes that lie at most ``hops`` edges away from one of ``nodes``, themselves included."""
        near = np.zeros(self.nodes)
        near[nodes.index] = 1
        for _ in range(hops):
            near = np.sign(self._with_loops @ near)
        return NodeSet(f"{nodes.name} and {hops} hops", np.flatnonzero(near))

    def part(self, members: NodeSet) -> "Graph":
        """Return the graph of these nodes, in rising order, and the edges among them.

        They keep the degrees D̃ that they have in the whole. So Â x comes out the same, to the last bit, for every
        node all of whose neighbours are members.
        """
        inner = copy(self)
        inner.members, inner.nodes = members, len(members)
        inner._with_loops = sparse.csr_matrix(self._with_loops[members.index][:, members.index])
        inner._scale = self._scale[members.index]
        inner._propagations = {}
        return inner
