"""A graph with other links than the data have, in every run the same or others, for tasks that hide some."""

from collections.abc import Sequence

import numpy as np
from scipy import sparse
from torch import Tensor

from mtgcn.engine.graph import Graph
from mtgcn.engine.part import NodeSet
from mtgcn.engine.sparse import Features


class RewiredGraph(Graph):
    """The whole of a graph whose states are propagated by D^-1/2 A D^-1/2 of another A for each run.

    Args:
        graph: whose nodes these are.
        adjacency: A of each run, (n, n), symmetric, of ones; runs may share one. A node without any link gets 0.
    """

    def __init__(self, graph: Graph, adjacency: Sequence[sparse.csr_matrix]) -> None:
        super().__init__(graph.edges, graph.part.whole, graph.runs, graph.device, graph.dtype, graph.backend)
        scaled = {id(matrix): symmetrically_scaled(matrix) for matrix in adjacency}
        where = graph.device, graph.dtype, self.backend
        self._a_hats = Features([scaled[id(matrix)] for matrix in adjacency], *where)

    def propagate(self, x: Tensor, rows: NodeSet | None = None) -> Tensor:
        """Return D^-1/2 A D^-1/2 x, (runs, n, c) to (runs, n or |rows|, c)."""
        return self._a_hats.at(rows) @ x


def adjacency_of(edges: np.ndarray, nodes: int, loops: bool) -> sparse.csr_matrix:
    """Return A of (2, m) undirected edges, (n, n) of ones, or A + I."""
    own = np.tile(np.arange(nodes if loops else 0), (2, 1))
    ends = np.concatenate([edges, edges[::-1], own], axis=1)
    return sparse.csr_matrix((np.ones(ends.shape[1]), (ends[0], ends[1])), shape=(nodes, nodes))


def symmetrically_scaled(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return D^-1/2 A D^-1/2, where D are the sums of the rows of A; a row of zeros stays one."""
    degrees = np.asarray(matrix.sum(axis=1)).ravel()
    roots = np.divide(1.0, np.sqrt(degrees), out=np.zeros_like(degrees), where=degrees > 0)
    scaled = sparse.csr_matrix(sparse.diags(roots) @ matrix @ sparse.diags(roots))
    scaled.sort_indices()
    return scaled
