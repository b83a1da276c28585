"""Only the part of a graph that a risk can see is computed; all that this takes is here.

A risk over the labelled nodes behind two layers sees these nodes and what lies at most two edges away. So the states of
its pass have rows for these nodes only. Near the border of a part they are wrong, since neighbours are missing there;
nothing that the risk sees depends on that, and it comes out the same to the last bit.

In a part a node has another place than in the whole graph, and so have the values that belong to it. Random numbers are
drawn for every value of the whole graph, so that they do not depend on the part; `Part` says where its own stand.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from mtgcn.engine.linear import Linear, Map

# A row of Xᵀ has a value for each node that has this word, so XᵀZ walks through all of Z for every word. Beyond so many
# nodes Z leaves the cache on the way, and the product is cut into stripes of nodes whose part of Z stays there.
NODES_AT_ONCE, STRIPE = 1 << 16, 1 << 15
SMALLER = 0.9  # a part with more than this share of the nodes is not worth arrays of its own


@dataclass(frozen=True)
class NodeSet:
    """A named set of nodes, such as the labelled ones; a name stands for the same nodes everywhere.

    Attributes:
        index: (size,) int64, numbers in the whole graph; or (runs, size) where each run has nodes of its own.
    """

    name: str
    index: np.ndarray

    def __len__(self) -> int:
        return int(self.index.shape[-1])

    @property
    def by_run(self) -> bool:
        """Whether each run has nodes of its own."""
        return self.index.ndim == 2


@dataclass(frozen=True)
class Part:
    """The nodes that states (runs, n, c) have rows for: all of a graph, or some of them.

    Attributes:
        whole: number of nodes of the whole graph.
        members: the nodes of the part in rising order; ``None`` for all.
    """

    whole: int
    members: NodeSet | None = None

    @property
    def index(self) -> np.ndarray:
        """The numbers of the nodes in the whole graph, (n,)."""
        return np.arange(self.whole) if self.members is None else self.members.index

    @property
    def nodes(self) -> int:
        """The number of nodes, n."""
        return self.whole if self.members is None else len(self.members)

    def places(self, nodes: NodeSet) -> np.ndarray:
        """Return which rows of a state belong to these nodes, shaped as they; all of them have to be in the part."""
        return nodes.index if self.members is None else np.searchsorted(self.members.index, nodes.index)

    def take(self, x: Tensor, nodes: NodeSet | None) -> Tensor:
        """Return the rows of x at these nodes, (runs or 1, n, c) to (runs, size, c), or all of x for ``None``."""
        return x if nodes is None else rows_of(x, self.places(nodes))

    def among(self, matrix: sparse.csr_matrix) -> sparse.csr_matrix:
        """Return rows and columns of the part, (whole, whole) to (n, n)."""
        return matrix if self.members is None else sparse.csr_matrix(matrix[self.index][:, self.index])

    def state_values(self, runs: int, channels: int) -> Tensor | None:
        """Return where the values of (runs, n, channels) stand in a state of the whole graph; ``None``: as there."""
        if self.members is None:
            return None
        rows = self.whole * np.arange(runs)[:, None] + self.index
        return torch.from_numpy((channels * rows[:, :, None] + np.arange(channels)).ravel())

    def stored_values(self, matrices: Sequence[sparse.csr_matrix]) -> Tensor | None:
        """Return where the stored values of the part's rows stand among those of all rows, matrix after matrix."""
        if self.members is None:
            return None
        starts = np.cumsum([0, *(matrix.nnz for matrix in matrices[:-1])])
        rows = [start + numbered(matrix)[self.index].data for start, matrix in zip(starts, matrices, strict=True)]
        return torch.from_numpy(np.concatenate(rows))


def rows_of(x: Tensor, places: np.ndarray) -> Tensor:
    """Return the rows of x, (runs or 1, n, ...), at (size,) places, or at (runs, size) of them: those of each run."""
    index = torch.from_numpy(places).to(x.device)
    return x[:, index] if index.ndim == 1 else x[torch.arange(len(x), device=x.device)[:, None], index]


def around(edges: np.ndarray, nodes: NodeSet, hops: int, whole: int) -> Part:
    """Return the part of all nodes at most ``hops`` of the ``edges`` (2, m) away from one of ``nodes``, in any run.

    When that is nearly all of the ``whole`` graph, it is all of it.
    """
    near = np.zeros(whole, dtype=bool)
    near[nodes.index] = True
    for _ in range(hops):
        ends = edges[:, near[edges].any(axis=0)]
        near[ends] = True
    members = np.flatnonzero(near)
    return Part(whole, NodeSet(f"{nodes.name} and {hops} hops", members) if len(members) <= SMALLER * whole else None)


def some_rows(
    matrix: sparse.csr_matrix,
    rows: np.ndarray,
    make: Callable[[sparse.csr_matrix, np.ndarray, np.ndarray, bool], Map],
    device: torch.device,
) -> Linear:
    """Return some rows of a square matrix as a linear map: (runs, n, c) to (runs, |rows|, c).

    Only nodes with a value in one of the rows take part; of the others nothing is read.

    Args:
        matrix: (n, n).
        make: makes the map of a piece of the matrix, given with the numbers of its rows and of its columns, and whether
            it is one of the transpose.
    """
    piece = matrix[rows]
    columns = np.unique(piece.indices)
    piece = sparse.csr_matrix(piece[:, columns])
    inner, inner_transposed = make(piece, rows, columns, False), make(piece.T.tocsr(), columns, rows, True)
    index = torch.from_numpy(columns.astype(np.int64)).to(device)

    def forward(x: Tensor) -> Tensor:
        return inner(x.index_select(1, index))

    def transposed(y: Tensor) -> Tensor:
        return y.new_zeros(y.shape[0], matrix.shape[0], y.shape[2]).index_copy_(1, index, inner_transposed(y))

    return Linear(forward, transposed)


def numbered(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return the matrix with the number of each stored value, from 0 on, in its place, in four bytes if they do."""
    numbers = np.arange(matrix.nnz, dtype=np.int32 if matrix.nnz < 2**31 else np.int64)
    return sparse.csr_matrix((numbers, matrix.indices, matrix.indptr), shape=matrix.shape)


def stripes(nodes: int, rows: int) -> list[slice]:
    """Return the stripes of so many rows of a matrix whose runs have so many nodes; even one of no rows is a stripe."""
    width = max(1, rows) if nodes <= NODES_AT_ONCE else STRIPE
    return [slice(start, start + width) for start in range(0, max(1, rows), width)]
