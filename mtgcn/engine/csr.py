"""Sparse matrices of all runs as torch has them: on the diagonal of one large matrix."""

import warnings
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from mtgcn.engine.dropout import Mask
from mtgcn.engine.linear import Map
from mtgcn.engine.part import numbered, stripes

warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta state")
warnings.filterwarnings("ignore", message="Sparse invariant checks are implicitly disabled")

Index = tuple[Tensor, Tensor]  # row pointers and column indices of a CSR matrix
Matrix: TypeAlias = "Tensor | Stripes"


class Blocks:
    """R matrices X (n, d) on the diagonal of one (R n, R d) CSR matrix, and the transpose of that.

    Both are kept with 32-bit indices, since gradients need the latter and torch has a fast product for CSR only.
    """

    def __init__(self, matrices: Sequence[sparse.csr_matrix], device: torch.device, dtype: torch.dtype) -> None:
        block = sparse.csr_matrix(sparse.block_diag(matrices))
        self._values = torch.from_numpy(block.data).to(device, dtype)
        self._index, self._size = csr_index(block, device), block.shape
        numbers, places = numbered(block), stripes(matrices[0].shape[0], block.shape[0])
        parts = [numbers[place].T.tocsr() for place in places]
        self._order = torch.from_numpy(np.concatenate([part.data for part in parts])).to(device)
        index = [csr_index(part, device) for part in parts]
        self._stripes = Stripes(index, places, self._values[self._order], block.shape[::-1])

    def forward(self, mask: Mask | None) -> Map:
        """Return W to X W, (runs, d, c) to (runs, n, c)."""
        values = self._values if mask is None else self._values * mask.factors(mask.kept)
        return over_runs(csr(self._index, values, self._size))

    def transposed(self, mask: Mask | None) -> Map:
        """Return Z to Xᵀ Z, (runs, n, c) to (runs, d, c)."""
        return over_runs(self._stripes if mask is None else self._stripes.times(mask.factors(mask.again[0])))

    def reorder(self, kept: Tensor) -> list[Tensor]:
        """Bring what belongs to the stored values into the order of the transpose."""
        return [kept[self._order]]


class Stripes:
    """A sparse matrix as stripes of its columns, each a CSR matrix; a product with it is the sum of theirs.

    Args:
        index: row pointers and column indices of each stripe; the columns of a stripe count from 0.
        places: the columns of each stripe.
        values: of all stripes, one after the other.
        size: of the whole.
    """

    def __init__(self, index: Sequence[Index], places: Sequence[slice], values: Tensor, size: tuple[int, int]) -> None:
        self.index, self.places, self.values, self.size = index, places, values, size
        own = values.split([len(columns) for _, columns in index])
        widths = [len(range(size[1])[place]) for place in places]
        parts = zip(index, own, widths, strict=True)
        self._parts = [csr(one, some, (size[0], width)) for one, some, width in parts]

    def times(self, factors: Tensor) -> "Stripes":
        """Return the matrix with its values multiplied by ``factors``, in their order."""
        return Stripes(self.index, self.places, self.values * factors, self.size)

    def __matmul__(self, dense: Tensor) -> Tensor:
        total, *others = (part @ dense[place] for part, place in zip(self._parts, self.places, strict=True))
        for other in others:
            total += other
        return total


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
