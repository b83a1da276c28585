"""A graph with other links than the data have, in every run the same or others, for tasks that hide some."""

from collections.abc import Sequence

import numpy as np
from scipy import sparse
from torch import Tensor

from mtgcn.engine.graph import Graph, row_scaled
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
