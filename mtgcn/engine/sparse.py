"""Sparse features of all runs: one matrix a run, on the diagonal of one large matrix."""

import warnings
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from mtgcn.engine.linear import Linear, Map
from mtgcn.engine.part import NodeSet, numbered

warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta state")
warnings.filterwarnings("ignore", message="Sparse invariant checks are implicitly disabled")


Index = tuple[Tensor, Tensor]  # row pointers and column indices of a CSR matrix
Matrix: TypeAlias = "Tensor | Stripes"

# A row of Xᵀ has a value for each node that has this word, so XᵀZ walks through all of Z for every word. Beyond so many
# nodes Z leaves the cache on the way, and the product is cut into stripes of nodes whose part of Z stays there.
NODES_AT_ONCE, STRIPE = 1 << 16, 1 << 15


class Features:
    """One sparse (n, d) matrix X a run, all of its rows or those of a set of nodes; each is built once, on demand."""

    def __init__(self, matrices: Sequence[sparse.csr_matrix], device: torch.device, dtype: torch.dtype) -> None:
        self.matrices, self._device, self._dtype = matrices, device, dtype
        self._built: dict[str, BlockSparse] = {}

    @property
    def columns(self) -> int:
        """The number of columns, d."""
        return int(self.matrices[0].shape[1])

    def at(self, nodes: NodeSet | None = None) -> "BlockSparse":
        """Return the rows of these nodes, or all of them."""
        name = "" if nodes is None else nodes.name
        if name not in self._built:
            rows = slice(None) if nodes is None else np.asarray(nodes.index)
            self._built[name] = BlockSparse([m[rows] for m in self.matrices], self._device, self._dtype)
        return self._built[name]


class BlockSparse(Linear):
    """R sparse matrices X of the same shape (n, d), one a run, on the diagonal of one (R n, R d) CSR matrix.

    ``x @ w`` is X W, (runs, d, c) to (runs, n, c), and ``x.T @ z`` is Xᵀ Z. Both the matrix and its transpose are kept
    in CSR with 32-bit indices, since gradients need the latter and torch has a fast product for CSR only.

    Attributes:
        values: (stored,) of all runs, one after the other.
        order: (stored,) where the values of the transpose stand among them.
        squared_norms: ‖X‖² of each run, (runs,) in float64.
    """

    def __init__(self, matrices: Sequence[sparse.csr_matrix], device: torch.device, dtype: torch.dtype) -> None:
        self.rows, self.columns = matrices[0].shape
        block = sparse.csr_matrix(sparse.block_diag(matrices))
        self.values = torch.from_numpy(block.data).to(device, dtype)
        own = self.values.split([matrix.nnz for matrix in matrices])
        self.squared_norms = torch.stack([part.double().square().sum() for part in own])
        self._index, self._size = csr_index(block, device), block.shape
        width = max(1, block.shape[0]) if self.rows <= NODES_AT_ONCE else STRIPE
        numbers = numbered(block)
        parts = [numbers[start : start + width].T.tocsr() for start in starts(block.shape[0], width)]
        self.order = torch.from_numpy(np.concatenate([part.data for part in parts])).to(device)
        index = [csr_index(part, device) for part in parts]
        self._stripes = Stripes(index, width, self.values[self.order], block.shape[::-1])
        super().__init__(over_runs(csr(self._index, self.values, self._size)), over_runs(self._stripes))

    def masked(self, by_rows: Tensor, by_columns: Tensor) -> Linear:
        """Return X with its stored values scaled: (stored,) factors in their order, and in that of the transpose."""
        matrix = csr(self._index, self.values * by_rows, self._size)
        return Linear(over_runs(matrix), over_runs(self._stripes.masked(by_columns)))


class Stripes:
    """A sparse matrix as stripes of its columns, each a CSR matrix; a product with it is the sum of theirs.

    Args:
        index: row pointers and column indices of each stripe; the columns of a stripe count from 0.
        width: columns of a stripe; the last one may have fewer.
        values: of all stripes, one after the other.
        size: of the whole.
    """

    def __init__(self, index: Sequence[Index], width: int, values: Tensor, size: tuple[int, int]) -> None:
        self.index, self.width, self.values, self.size = index, width, values, size
        own = values.split([len(columns) for _, columns in index])
        parts = zip(index, own, starts(size[1], width), strict=True)
        self._parts = [csr(one, some, (size[0], min(width, size[1] - start))) for one, some, start in parts]

    def masked(self, mask: Tensor) -> "Stripes":
        """Return the matrix with its values multiplied by those of ``mask``, in their order."""
        return Stripes(self.index, self.width, self.values * mask, self.size)

    def __matmul__(self, dense: Tensor) -> Tensor:
        total, *others = (part @ own for part, own in zip(self._parts, dense.split(self.width), strict=True))
        for other in others:
            total += other
        return total


def starts(columns: int, width: int) -> range:
    """Return where the stripes of a matrix begin; even one without columns has a stripe."""
    return range(0, max(1, columns), width)


def csr_index(matrix: sparse.csr_matrix, device: torch.device) -> Index:
    """Return row pointers and column indices of a scipy matrix as 32-bit tensors."""
    pointers, columns = (torch.from_numpy(part.astype(np.int32)) for part in (matrix.indptr, matrix.indices))
    return pointers.to(device), columns.to(device)


def csr(index: Index, values: Tensor, shape: tuple[int, int]) -> Tensor:
    """Return a torch CSR matrix over the given index, without copying or checking it."""
    return torch.sparse_csr_tensor(index[0], index[1], values, size=shape, check_invariants=False)


def over_runs(matrix: Matrix) -> Map:
    """Return the product with a block-diagonal matrix as a map of states, (runs, d, c) to (runs, n, c)."""
    return lambda x: (matrix @ x.reshape(-1, x.shape[2])).view(x.shape[0], -1, x.shape[2])
