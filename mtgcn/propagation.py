"""Propagation by Â for all runs: the only module that knows DGL.

DGL's builds on the package registry have no CUDA and its releases have ceased, so it is kept behind one
interface: on a device that DGL cannot use, the same numbers come from torch's sparse CSR matrices.
"""

import os
import sys
import types
from functools import cache, partial
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from mtgcn.sparse import csr, csr_index


@cache
def dgl_module() -> Any:
    """Import DGL quietly: no note about a default backend, no file in the user's home.

    DGL 2.1.0 loads a compiled library of its ``graphbolt`` part at import, which exists only for the torch
    releases of its day. Nothing here uses that part, so an empty module stands in for it.
    """
    os.environ.setdefault("DGLBACKEND", "pytorch")
    from importlib.metadata import version

    if version("dgl").startswith("2."):
        sys.modules.setdefault("dgl.graphbolt", types.ModuleType("dgl.graphbolt"))
    import dgl

    return dgl


class States(NamedTuple):
    """What the states of all runs, (runs, n, c), are like."""

    runs: int
    device: torch.device
    dtype: torch.dtype


class _Operator(Protocol):
    """A linear map over nodes for all runs: (runs, n_in, c) to (runs, n_out, c)."""

    def __call__(self, x: Tensor) -> Tensor: ...


class Propagation:
    """Â, or some of its rows, for all runs: (runs, n, c) to (runs, n or |rows|, c), with its gradient.

    Args:
        with_loops: A + I, (n, n).
        scale: (n,) of D̃^-1/2.
        rows: the nodes whose rows are wanted; ``None`` for all.
        backend: ``"dgl"`` or ``"torch"``.
        states: what is propagated.
    """

    def __init__(
        self, with_loops: sparse.csr_matrix, scale: np.ndarray, rows: np.ndarray | None, backend: str, states: States
    ) -> None:
        make = partial(_DglOperator if backend == "dgl" else _TorchOperator, states=states)
        self._forward: _Operator
        self._backward: _Operator
        if rows is None:
            self._forward = self._backward = make(with_loops, scale, scale)  # Â is symmetric
            return
        # Only the neighbours of the rows take part; the others are not even scaled.
        matrix = with_loops[rows]
        near = np.unique(matrix.indices)
        matrix = sparse.csr_matrix(matrix[:, near])
        index = torch.from_numpy(near.astype(np.int64)).to(states.device)
        self._forward = _FromSome(make(matrix, scale[rows], scale[near]), index)
        self._backward = _ToSome(make(matrix.T.tocsr(), scale[near], scale[rows]), index, with_loops.shape[0])

    def __call__(self, x: Tensor) -> Tensor:
        """Propagate the states."""
        return _Differentiable.apply(x, self._forward, self._backward)


def choose_backend(device: torch.device) -> str:
    """Return ``"dgl"`` where DGL's build can compute on the device, else ``"torch"``."""
    if device.type == "cpu":
        return "dgl"
    try:
        dgl_module().graph(([0], [0]), device=device)
    except Exception:  # DGL raises its own error for a device that its build lacks
        return "torch"
    return "dgl"


class _DglOperator:
    """S_out A S_in with DGL: the scaling is applied to the states, which is faster than weights on edges."""

    def __init__(self, matrix: sparse.csr_matrix, out_scale: np.ndarray, in_scale: np.ndarray, states: States) -> None:
        rows, columns = matrix.shape
        coo = matrix.tocoo()
        copies = np.arange(states.runs)[:, None]
        source = torch.from_numpy((copies * columns + coo.col).ravel().astype(np.int32))
        target = torch.from_numpy((copies * rows + coo.row).ravel().astype(np.int32))
        block = dgl_module().create_block(
            (source, target),
            num_src_nodes=states.runs * columns,
            num_dst_nodes=states.runs * rows,
            device=states.device,
        )
        self.block = block.formats(["csc"])
        self.block.create_formats_()
        scales = [torch.from_numpy(s).to(states.device, states.dtype).unsqueeze(1) for s in (out_scale, in_scale)]
        self.out_scale, self.in_scale = scales
        self.runs = states.runs

    def __call__(self, x: Tensor) -> Tensor:
        scaled = (x * self.in_scale).reshape(-1, x.shape[2])
        return dgl_module().ops.copy_u_sum(self.block, scaled).view(self.runs, -1, x.shape[2]).mul_(self.out_scale)


class _TorchOperator:
    """S_out A S_in as one block-diagonal CSR matrix of torch."""

    def __init__(self, matrix: sparse.csr_matrix, out_scale: np.ndarray, in_scale: np.ndarray, states: States) -> None:
        scaled = sparse.diags(out_scale) @ matrix @ sparse.diags(in_scale)
        block = sparse.csr_matrix(sparse.block_diag([scaled] * states.runs))
        values = torch.from_numpy(block.data).to(states.device, states.dtype)
        self.matrix = csr(csr_index(block, states.device), values, block.shape)

    def __call__(self, x: Tensor) -> Tensor:
        return (self.matrix @ x.reshape(-1, x.shape[2])).view(x.shape[0], -1, x.shape[2])


class _FromSome:
    """An operator that reads some of the nodes only: (runs, n, c) to what the inner one gives."""

    def __init__(self, inner: _Operator, index: Tensor) -> None:
        self.inner, self.index = inner, index

    def __call__(self, x: Tensor) -> Tensor:
        return self.inner(x.index_select(1, self.index))


class _ToSome:
    """Its transpose: what the inner operator gives goes to some of the n nodes, zero to the others."""

    def __init__(self, inner: _Operator, index: Tensor, nodes: int) -> None:
        self.inner, self.index, self.nodes = inner, index, nodes

    def __call__(self, x: Tensor) -> Tensor:
        whole = x.new_zeros(x.shape[0], self.nodes, x.shape[2])
        return whole.index_copy_(1, self.index, self.inner(x))


class _Differentiable(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, operator: _Operator, transposed: _Operator) -> Tensor:
        ctx.transposed = transposed
        return operator(x)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        return ctx.transposed(grads[0]), None, None
