"""The graph, or a part of it, for all runs at once."""

from functools import cached_property

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from mtgcn.engine.linear import Linear, Map
from mtgcn.engine.links import Links
from mtgcn.engine.part import NodeSet, Part, around, numbered, some_rows
from mtgcn.engine.propagation import choose_backend, propagation
from mtgcn.engine.randomness import State
from mtgcn.engine.sparse import Features


class Graph:
    """R disjoint copies of a graph, through which (runs, n, c) states are propagated by Â.

    Â = D̃^-1/2 (A + I) D̃^-1/2, the re-normalised adjacency matrix (section 3.1 of the paper), or D̃^-1 (A + I), whose
    rows add up to 1. In a part of the graph nodes keep the degrees D̃ that they have in the whole, so Â x comes out the
    same for all that have their neighbours.

    Args:
        edges: (2, m) unique undirected edges of the whole graph, without self-loops.
        nodes: of the whole graph.
        backend: what multiplies sparse matrices: ``"compiled"``, ``"dgl"``, ``"torch"``, or ``"auto"``, the first of
            them that the machine has.
        part: what states have rows for; the whole graph when not given.
        loops: nodes with a self-loop of their own, which A counts beside the one of I.
        adjacency: what Â is divided by: ``"symmetric"``, or ``"row"`` for the second form.
    """

    def __init__(
        self,
        edges: np.ndarray,
        nodes: int,
        runs: int,
        device: torch.device,
        dtype: torch.dtype = torch.float32,
        backend: str = "auto",
        part: Part | None = None,
        loops: np.ndarray | None = None,
        adjacency: str = "symmetric",
    ) -> None:
        self.adjacency = adjacency
        self.loops = np.empty(0, np.int64) if loops is None else loops
        self.edges, self.runs, self.device, self.dtype = edges, runs, device, dtype
        self.backend = choose_backend(backend, device, dtype)
        self.part = part or Part(nodes)
        itself = np.concatenate([np.arange(nodes), self.loops])
        ends = np.concatenate([edges, edges[::-1], np.tile(itself, (2, 1))], axis=1)
        ones = np.ones(ends.shape[1], np.int8)  # a byte for each, on a graph of millions of edges
        with_loops = sparse.csr_matrix((ones, (ends[0], ends[1])), shape=(nodes, nodes))
        degrees = np.asarray(with_loops.sum(axis=1)).ravel()[self.part.index]  # the diagonal of D̃
        # Â = S_left (A + I) S_right
        self._left = self._right = 1.0 / np.sqrt(degrees)
        if adjacency == "row":
            self._left, self._right = 1.0 / degrees, np.ones(len(degrees))
        self._with_loops = self.part.among(with_loops)  # A + I
        self._propagations: dict[str, Linear] = {}
        self._means: Features | None = None  # made when a layer asks for it
        self._links: dict[str, Links] = {}  # likewise

    def propagate(self, x: Tensor, rows: NodeSet | None = None) -> Tensor:
        """Return Â x, (runs, n, c) to (runs, n or |rows|, c); only the rows asked for are computed.

        Where each run asks for other rows, all are computed: between them the runs would want most.
        """
        if rows is not None and rows.by_run:
            return self.take(self.propagate(x), rows)
        name = "" if rows is None else rows.name
        if name not in self._propagations:
            self._propagations[name] = self._a_hat(rows)
        return self._propagations[name] @ x

    def average(self, x: Tensor, rows: NodeSet | None = None) -> Tensor:
        """Return D^-1 A x, the mean over the neighbours, (runs, n, c) to (runs, n or |rows|, c); 0 without any."""
        if self._means is None:
            self._means = Features(self._mean_matrices(), self.device, self.dtype, self.backend)
        return self._means.at(None if rows is None else NodeSet(rows.name, self.part.places(rows))) @ x

    def links(self, rows: NodeSet | None = None) -> Links:
        """Return the links of each node, or of some, with its neighbours and itself, for a layer that weighs each."""
        name = "" if rows is None else rows.name
        if name not in self._links:
            places = slice(None) if rows is None else self.part.places(rows)
            some = {id(matrix): matrix[places] for matrix in self._link_numbers}
            matrices = [some[id(matrix)] for matrix in self._link_numbers] if len(some) > 1 else list(some.values())
            self._links[name] = Links(matrices, self.runs, self.all_links, self.device, self.backend)
        return self._links[name]

    @property
    def all_links(self) -> int:
        """The number of links of the whole graph: both ways of an edge, and every node with itself."""
        return 2 * self.edges.shape[1] + self.part.whole

    @cached_property
    def _link_numbers(self) -> list[sparse.csr_matrix]:
        """The number of each link of the whole graph in its place among the rows and columns of the part.

        One matrix for all runs, or one a run. Here a self-loop of the raw files is no second one.
        """
        return [self.part.among(numbered(adjacency_of(self.edges, self.part.whole, loops=True)))]

    def take(self, x: Tensor, rows: NodeSet | None) -> Tensor:
        """Return the rows of x at these nodes, (runs, n, c) to (runs, |rows|, c), or all of x for ``None``."""
        return self.part.take(x, rows)

    def around(self, nodes: NodeSet, hops: int) -> "Graph":
        """Return the part of this whole graph that what is computed for ``nodes`` through so many hops depends on."""
        part = around(self.edges, nodes, hops, self.part.whole)
        if part.members is None:
            return self
        where = self.device, self.dtype, self.backend
        return Graph(self.edges, part.whole, self.runs, *where, part, self.loops, self.adjacency)

    def draw(self) -> None:
        """Draw what is random about the graph in the next epoch of training: nothing, but see `ThinnedGraph`."""

    def go_on(self, before: "Graph", runs: list[int]) -> None:
        """Let what is random go on from where these runs are on the graph ``before``."""

    def random_state(self) -> State:
        """Return where the random streams are, of which this graph has none."""
        return []

    def set_random_state(self, known: State) -> None:
        """Let what is random go on from a state."""

    def _a_hat(self, rows: NodeSet | None) -> Linear:
        everywhere = np.arange(self.part.nodes)
        if rows is not None and self.backend == "compiled":  # which reads the rows it needs where they are
            places = self.part.places(rows)
            piece = self._with_loops[places]
            back = self._piece(piece.T.tocsr(), everywhere, places, transposed=True)
            return Linear(self._piece(piece, places, everywhere), back)
        if rows is not None:
            return some_rows(self._with_loops, self.part.places(rows), self._piece, self.device)
        whole = self._piece(self._with_loops, everywhere, everywhere)
        if self.adjacency == "symmetric":
            return Linear(whole, whole)
        return Linear(whole, self._piece(self._with_loops, everywhere, everywhere, transposed=True))

    def _mean_matrices(self) -> list[sparse.csr_matrix]:
        """Return D^-1 A of each run, (n, n); a node keeps the degree that it has in the whole graph."""
        return [self.part.among(row_scaled(adjacency_of(self.edges, self.part.whole, loops=False)))] * self.runs

    def _piece(self, matrix: sparse.csr_matrix, rows: np.ndarray, columns: np.ndarray, transposed: bool = False) -> Map:
        """Return a piece of Â, or of its transpose, as a map: ``matrix`` are its places among A + I."""
        left, right = (self._right, self._left) if transposed else (self._left, self._right)
        scales = left[rows], right[columns]
        return propagation(matrix, *scales, self.runs, self.device, self.dtype, self.backend)


def adjacency_of(edges: np.ndarray, nodes: int, loops: bool) -> sparse.csr_matrix:
    """Return A of (2, m) undirected edges, (n, n) of ones, or A + I."""
    own = np.tile(np.arange(nodes if loops else 0), (2, 1))
    ends = np.concatenate([edges, edges[::-1], own], axis=1)
    return sparse.csr_matrix((np.ones(ends.shape[1]), (ends[0], ends[1])), shape=(nodes, nodes))


def row_scaled(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return D^-1 A, where D are the sums of the rows of A; a row of zeros stays one."""
    sums = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
    scale = np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > 0)
    return sparse.csr_matrix(sparse.diags(scale) @ matrix)
