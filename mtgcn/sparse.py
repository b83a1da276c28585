"""The sparse features of all runs as one block-diagonal matrix."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta state")
warnings.filterwarnings("ignore", message="Sparse invariant checks are implicitly disabled")


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
        transposed = numbered(block).T.tocsr()
        self.order = torch.from_numpy(transposed.data.astype(np.int64)).to(device)
        self.values = torch.from_numpy(block.data).to(device, dtype)
        squares = [part.double().square().sum() for part in self.values.split(self.sizes)]
        self.squared_norms = torch.stack(squares)  # (runs,) in float64
        self._index = csr_index(block, device)
        self._transposed_index = csr_index(transposed, device)
        self._matrix = self._csr(self._index, self.values, (self.rows, self.columns))
        self._transposed = self._csr(self._transposed_index, self.values[self.order], (self.columns, self.rows))

    def product(self, dense: Tensor, masks: Sequence[Tensor] | None = None) -> Tensor:
        """Return X W: (runs, d, c) to (runs, n, c), differentiable in W.

        ``masks`` scale the stored values, in the order of the matrix and in that of its transpose.
        """
        matrix, transposed = self._matrix, self._transposed
        if masks is not None:
            matrix = self._csr(self._index, self.values * masks[0], (self.rows, self.columns))
            values = self._transposed.values() * masks[1]
            transposed = self._csr(self._transposed_index, values, (self.columns, self.rows))
        return multiply(dense, matrix, transposed)

    def transposed_product(self, dense: Tensor) -> Tensor:
        """Return Xᵀ Z: (runs, n, c) to (runs, d, c), differentiable in Z."""
        return multiply(dense, self._transposed, self._matrix)

    def _csr(self, index: tuple[Tensor, Tensor], values: Tensor, shape: tuple[int, int]) -> Tensor:
        size = (self.runs * shape[0], self.runs * shape[1])
        return csr(index, values, size)


def numbered(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return the matrix with the number of each stored value, from 0 on, in its place."""
    return sparse.csr_matrix((np.arange(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)


def csr_index(matrix: sparse.csr_matrix, device: torch.device) -> tuple[Tensor, Tensor]:
    """Return row pointers and column indices of a scipy matrix as 32-bit tensors."""
    pointers, columns = (torch.from_numpy(part.astype(np.int32)) for part in (matrix.indptr, matrix.indices))
    return pointers.to(device), columns.to(device)


def csr(index: tuple[Tensor, Tensor], values: Tensor, shape: tuple[int, int]) -> Tensor:
    """Return a torch CSR matrix over the given index, without copying or checking it."""
    return torch.sparse_csr_tensor(index[0], index[1], values, size=shape, check_invariants=False)


def multiply(dense: Tensor, matrix: Tensor, transposed: Tensor) -> Tensor:
    """Return the block-diagonal ``matrix`` times ``dense``, (runs, d, c) to (runs, n, c), differentiable in the latter.

    The gradient takes the way of ``transposed``.
    """
    return _Product.apply(dense, matrix, transposed)


class _Product(torch.autograd.Function):
    """A constant sparse matrix times a dense one; the gradient goes through the transpose."""

    @staticmethod
    def forward(ctx: Any, dense: Tensor, matrix: Tensor, transposed: Tensor) -> Tensor:
        ctx.transposed = transposed
        runs, _, channels = dense.shape
        return (matrix @ dense.reshape(-1, channels)).view(runs, -1, channels)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        runs, _, channels = grads[0].shape
        return (ctx.transposed @ grads[0].reshape(-1, channels)).view(runs, -1, channels), None, None
