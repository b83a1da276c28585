"""Sparse features of all runs, and products with them."""

from collections.abc import Sequence

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from mtgcn.engine.compiled import available
from mtgcn.engine.csr import Blocks
from mtgcn.engine.dropout import Mask
from mtgcn.engine.kernels import Stack
from mtgcn.engine.linear import Linear
from mtgcn.engine.part import NodeSet


class Features:
    """One sparse (n, d) matrix X a run, all of its rows or those of a set of nodes; each is built once, on demand.

    Runs may share one matrix, as those of the features themselves do.
    """

    def __init__(
        self, matrices: Sequence[sparse.csr_matrix], device: torch.device, dtype: torch.dtype, backend: str
    ) -> None:
        self.matrices, self._where = matrices, (device, dtype, backend)
        self._built: dict[str, BlockSparse] = {}

    @property
    def columns(self) -> int:
        """The number of columns, d."""
        return int(self.matrices[0].shape[1])

    def at(self, nodes: NodeSet | None = None) -> "BlockSparse":
        """Return the rows of these nodes, or all of them."""
        name = "" if nodes is None else nodes.name
        if name not in self._built:
            self._built[name] = BlockSparse(self._rows(nodes), *self._where)
        return self._built[name]

    def _rows(self, nodes: NodeSet | None) -> list[sparse.csr_matrix]:
        if nodes is not None and nodes.by_run:
            return [matrix[rows] for matrix, rows in zip(self.matrices, nodes.index, strict=True)]
        rows = slice(None) if nodes is None else np.asarray(nodes.index)
        some = {id(matrix): matrix[rows] for matrix in self.matrices}
        return [some[id(matrix)] for matrix in self.matrices]


class BlockSparse(Linear):
    """R sparse matrices X of the same shape (n, d), one a run.

    ``x @ w`` is X W, (runs, d, c) to (runs, n, c), and ``x.T @ z`` is Xᵀ Z.

    Attributes:
        squared_norms: ‖X‖² of each run, (runs,) in float64.
        compiled: whether the kernels in C multiply.
    """

    def __init__(
        self,
        matrices: Sequence[sparse.csr_matrix],
        device: torch.device,
        dtype: torch.dtype,
        backend: str = "auto",
    ) -> None:
        self.rows, self.columns = matrices[0].shape
        values = {id(matrix): torch.from_numpy(matrix.data).to(device, dtype) for matrix in matrices}
        norms = {name: own.double().square().sum() for name, own in values.items()}
        self.squared_norms = torch.stack([norms[id(matrix)] for matrix in matrices])
        self.compiled = backend == "compiled" or (backend == "auto" and available(device, dtype))
        self._stored = Stack(matrices, dtype) if self.compiled else Blocks(matrices, device, dtype)
        super().__init__(self._stored.forward(None), self._stored.transposed(None))

    def masked(self, mask: Mask) -> Linear:
        """Return X with some of its stored values dropped and the others scaled."""
        return Linear(self._stored.forward(mask), self._stored.transposed(mask))

    def reorder(self, kept: Tensor) -> list[Tensor]:
        """Bring what belongs to the stored values of all runs into the order of the transpose."""
        return self._stored.reorder(kept)
