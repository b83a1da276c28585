"""A graph with other links than the data have, in every run the same or others, for tasks that hide some."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from scipy import sparse
from torch import Tensor

from mtgcn.engine.graph import Graph, adjacency_of, row_scaled
from mtgcn.engine.part import NodeSet
from mtgcn.engine.sparse import Features


class RewiredGraph(Graph):
    """The whole of a graph whose states are propagated by D^-1/2 A D^-1/2, or D^-1 A, of another A for each run.

    Args:
        graph: whose nodes these are.
        adjacency: A of each run, (n, n), symmetric, of ones; runs may share one. A node without any link gets 0.
    """

    def __init__(self, graph: Graph, adjacency: Sequence[sparse.csr_matrix]) -> None:
        where = graph.device, graph.dtype, graph.backend
        super().__init__(graph.edges, graph.part.whole, graph.runs, *where, adjacency=graph.adjacency)
        self._adjacency = list(adjacency)
        scale = symmetrically_scaled if graph.adjacency == "symmetric" else row_scaled
        scaled = {id(matrix): scale(matrix) for matrix in adjacency}
        self._a_hats = Features([scaled[id(matrix)] for matrix in adjacency], *where)

    def _mean_matrices(self) -> list[sparse.csr_matrix]:
        means = {id(matrix): row_scaled(without_loops(matrix)) for matrix in self._adjacency}
        return [means[id(matrix)] for matrix in self._adjacency]

    @cached_property
    def _link_numbers(self) -> list[sparse.csr_matrix]:
        """Links have the numbers that they have in the graph of the data, whose links they are a part of."""
        every = adjacency_of(self.edges, self.part.whole, loops=True)
        every.sort_indices()
        every.data = np.arange(1, every.nnz + 1)  # 0 would be nothing
        found: dict[int, sparse.csr_matrix] = {}
        for matrix in self._adjacency:
            if id(matrix) not in found:
                numbers = sparse.csr_matrix(every.multiply(matrix.astype(np.int64)))
                numbers.data = numbers.data.astype(np.int64) - 1
                found[id(matrix)] = numbers
        return [found[id(matrix)] for matrix in self._adjacency]

    def propagate(self, x: Tensor, rows: NodeSet | None = None) -> Tensor:
        """Return Â x with the other A, (runs, n, c) to (runs, n or |rows|, c)."""
        return self._a_hats.at(rows) @ x


def symmetrically_scaled(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return D^-1/2 A D^-1/2, where D are the sums of the rows of A; a row of zeros stays one."""
    degrees = np.asarray(matrix.sum(axis=1)).ravel()
    roots = np.divide(1.0, np.sqrt(degrees), out=np.zeros_like(degrees), where=degrees > 0)
    scaled = sparse.csr_matrix(sparse.diags(roots) @ matrix @ sparse.diags(roots))
    scaled.sort_indices()
    return scaled


def without_loops(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return the matrix with nothing on its diagonal."""
    rest = sparse.csr_matrix(matrix - sparse.diags(matrix.diagonal()))
    rest.eliminate_zeros()
    return rest
