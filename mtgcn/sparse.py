"""The sparse features of all runs as one block-diagonal matrix."""

import warnings
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta state")
warnings.filterwarnings("ignore", message="Sparse invariant checks are implicitly disabled")


Index = tuple[Tensor, Tensor]  # row pointers and column indices of a CSR matrix
Matrix: TypeAlias = "Tensor | Stripes"

# A row of Xᵀ has a value for each node that has this word, so XᵀZ walks through all of Z for every word. Beyond so many
# nodes Z leaves the cache on the way, and the product is cut into stripes of nodes whose part of Z stays there.
NODES_AT_ONCE, STRIPE = 1 << 16, 1 << 15


class BlockSparse:
    """R sparse matrices of the same shape (n, d), one a run, on the diagonal of one (R n, R d) CSR matrix.

    Both the matrix and its transpose are kept in CSR with 32-bit indices, since gradients need the latter
    and torch has a fast product for CSR only.
    """

    def __init__(self, matrices: Sequence[sparse.csr_matrix], device: torch.device, dtype: torch.dtype) -> None:
        self.runs = len(matrices)
        self.rows, self.columns = matrices[0].shape
        self.sizes = [matrix.nnz for matrix in matrices]
        block = sparse.csr_matrix(sparse.block_diag(matrices))
        self.values = torch.from_numpy(block.data).to(device, dtype)
        squares = [part.double().square().sum() for part in self.values.split(self.sizes)]
        self.squared_norms = torch.stack(squares)  # (runs,) in float64
        self._index, self._size = csr_index(block, device), block.shape
        self._matrix = csr(self._index, self.values, self._size)
        width = max(1, block.shape[0]) if self.rows <= NODES_AT_ONCE else STRIPE
        numbers = numbered(block)
        parts = [numbers[start : start + width].T.tocsr() for start in starts(block.shape[0], width)]
        self.order = torch.from_numpy(np.concatenate([part.data for part in parts])).to(device)
        index = [csr_index(part, device) for part in parts]
        self._transposed = Stripes(index, width, self.values[self.order], block.shape[::-1])

    def product(self, dense: Tensor, masks: Sequence[Tensor] | None = None) -> Tensor:
        """Return X W: (runs, d, c) to (runs, n, c), differentiable in W.

        ``masks`` scale the stored values, in the order of the matrix and in that of its transpose.
        """
        if masks is None:
            return multiply(dense, self._matrix, self._transposed)
        matrix = csr(self._index, self.values * masks[0], self._size)
        return multiply(dense, matrix, self._transposed.masked(masks[1]))

    def transposed_product(self, dense: Tensor) -> Tensor:
        """Return Xᵀ Z: (runs, n, c) to (runs, d, c), differentiable in Z."""
        return multiply(dense, self._transposed, self._matrix)


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


def numbered(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return the matrix with the number of each stored value, from 0 on, in its place."""
    return sparse.csr_matrix((np.arange(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)


def csr_index(matrix: sparse.csr_matrix, device: torch.device) -> Index:
    """Return row pointers and column indices of a scipy matrix as 32-bit tensors."""
    pointers, columns = (torch.from_numpy(part.astype(np.int32)) for part in (matrix.indptr, matrix.indices))
    return pointers.to(device), columns.to(device)


def csr(index: Index, values: Tensor, shape: tuple[int, int]) -> Tensor:
    """Return a torch CSR matrix over the given index, without copying or checking it."""
    return torch.sparse_csr_tensor(index[0], index[1], values, size=shape, check_invariants=False)


def multiply(dense: Tensor, matrix: Matrix, transposed: Matrix) -> Tensor:
    """Return the block-diagonal ``matrix`` times ``dense``, (runs, d, c) to (runs, n, c), differentiable in the latter.

    The gradient takes the way of ``transposed``.
    """
    return _Product.apply(dense, matrix, transposed)


class _Product(torch.autograd.Function):
    """A constant sparse matrix times a dense one; the gradient goes through the transpose."""

    @staticmethod
    def forward(ctx: Any, dense: Tensor, matrix: Matrix, transposed: Matrix) -> Tensor:
        ctx.transposed = transposed
        runs, _, channels = dense.shape
        return (matrix @ dense.reshape(-1, channels)).view(runs, -1, channels)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        runs, _, channels = grads[0].shape
        return (ctx.transposed @ grads[0].reshape(-1, channels)).view(runs, -1, channels), None, None
