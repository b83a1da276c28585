"""Propagation over the graph: the only module that knows DGL.

DGL's builds on the package registry have no CUDA and its releases have ceased, so it is kept behind one
interface: on a device that DGL cannot use, the same numbers come from torch's sparse CSR matrices.
"""

import os
import sys
import types
from copy import copy
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from mtgcn.errors import MtgcnError
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


@dataclass(frozen=True)
class NodeSet:
    """A named set of nodes, such as the labelled ones."""

    name: str
    index: np.ndarray  # (size,) int64

    def __len__(self) -> int:
        return len(self.index)


class _Operator(Protocol):
    """A linear map over nodes for all runs: (runs n_in, c) to (runs n_out, c)."""

    def __call__(self, x: Tensor) -> Tensor: ...


class Graph:
    """R disjoint copies of a graph, through which (runs, n, c) states are propagated by Â.

    Â = D̃^-1/2 (A + I) D̃^-1/2, the re-normalised adjacency matrix (section 3.1 of the paper).

    Args:
        edges: (2, m) unique undirected edges without self-loops.
        backend: ``"dgl"``, ``"torch"``, or ``"auto"``: DGL where its build supports the device.
    """

    def __init__(
        self,
        edges: np.ndarray,
        nodes: int,
        runs: int,
        device: torch.device,
        dtype: torch.dtype = torch.float32,
        backend: str = "auto",
    ) -> None:
        self.nodes, self.runs, self.device, self.dtype = nodes, runs, device, dtype
        self.backend = choose_backend(device) if backend == "auto" else backend
        ends = np.concatenate([edges, edges[::-1], np.tile(np.arange(nodes), (2, 1))], axis=1)
        ones = np.ones(ends.shape[1])
        self._with_loops = sparse.csr_matrix((ones, (ends[0], ends[1])), shape=(nodes, nodes))
        self._scale = 1.0 / np.sqrt(np.asarray(self._with_loops.sum(axis=1)).ravel())  # D̃^-1/2
        self._operators: dict[str, tuple[_Operator, _Operator]] = {}
        self.members: NodeSet | None = None  # of a part

    def propagate(self, x: Tensor, rows: NodeSet | None = None) -> Tensor:
        """Return Â x, (runs, n, c) to (runs, n or |rows|, c); only the rows asked for are computed."""
        name = "" if rows is None else rows.name
        if name not in self._operators:
            self._operators[name] = self._build(None if rows is None else self.places(rows))
        return _Propagate.apply(x, *self._operators[name])

    def take(self, x: Tensor, rows: NodeSet | None) -> Tensor:
        """Return the rows of x at these nodes, (runs, n, c) to (runs, |rows|, c), or all of x for ``None``."""
        return x if rows is None else x[:, torch.from_numpy(self.places(rows)).to(x.device)]

    def places(self, nodes: NodeSet) -> np.ndarray:
        """Return where in this graph the nodes stand: their own numbers, unless it is a `part` of another."""
        return nodes.index if self.members is None else np.searchsorted(self.members.index, nodes.index)

    def around(self, nodes: NodeSet, hops: int) -> NodeSet:
        """Return the nodes that lie at most ``hops`` edges away from one of ``nodes``, themselves included."""
        near = np.zeros(self.nodes)
        near[nodes.index] = 1
        for _ in range(hops):
            near = np.sign(self._with_loops @ near)
        return NodeSet(f"{nodes.name} and {hops} hops", np.flatnonzero(near))

    def part(self, members: NodeSet) -> "Graph":
        """Return the graph of these nodes, in rising order, and the edges among them.

        They keep the degrees D̃ that they have in the whole. So Â x comes out the same, to the last bit, for every
        node all of whose neighbours are members.
        """
        inner = copy(self)
        inner.members, inner.nodes = members, len(members)
        inner._with_loops = sparse.csr_matrix(self._with_loops[members.index][:, members.index])
        inner._scale = self._scale[members.index]
        inner._operators = {}
        return inner

    def _build(self, rows: np.ndarray | None) -> tuple[_Operator, _Operator]:
        make = _DglOperator if self.backend == "dgl" else _TorchOperator
        if rows is None:
            whole = make(self._with_loops, self._scale, self._scale, self)
            return whole, whole  # Â is symmetric: the gradient takes the same way
        # Only the neighbours of the rows take part; the others are not even scaled.
        matrix = self._with_loops[rows]
        near = np.unique(matrix.indices)
        matrix = sparse.csr_matrix(matrix[:, near])
        index = torch.from_numpy(near.astype(np.int64)).to(self.device)
        forward = make(matrix, self._scale[rows], self._scale[near], self)
        backward = make(matrix.T.tocsr(), self._scale[near], self._scale[rows], self)
        return _FromSome(forward, index), _ToSome(backward, index, self.nodes)


def choose_backend(device: torch.device) -> str:
    """Return ``"dgl"`` where DGL's build can compute on the device, else ``"torch"``."""
    if device.type == "cpu":
        return "dgl"
    try:
        dgl_module().graph(([0], [0]), device=device)
    except Exception:  # DGL raises its own error for a device that its build lacks
        return "torch"
    return "dgl"


def choose_device(name: str) -> torch.device:
    """Return the device called ``"cpu"``, ``"cuda"`` or, for ``"auto"``, a GPU when there is one."""
    available = torch.cuda.is_available()
    if name == "cuda" and not available:
        raise MtgcnError("device 'cuda' was asked for, but torch finds no GPU here; use device 'auto' or 'cpu'.")
    return torch.device("cuda" if name in ("auto", "cuda") and available else "cpu")


class _DglOperator:
    """S_out A S_in with DGL: the scaling is applied to the states, which is faster than weights on edges."""

    def __init__(self, matrix: sparse.csr_matrix, out_scale: np.ndarray, in_scale: np.ndarray, graph: Graph) -> None:
        rows, columns = matrix.shape
        coo = matrix.tocoo()
        copies = np.arange(graph.runs)[:, None]
        source = torch.from_numpy((copies * columns + coo.col).ravel().astype(np.int32))
        target = torch.from_numpy((copies * rows + coo.row).ravel().astype(np.int32))
        block = dgl_module().create_block(
            (source, target),
            num_src_nodes=graph.runs * columns,
            num_dst_nodes=graph.runs * rows,
            device=graph.device,
        )
        self.block = block.formats(["csc"])
        self.block.create_formats_()
        scales = [torch.from_numpy(s).to(graph.device, graph.dtype).unsqueeze(1) for s in (out_scale, in_scale)]
        self.out_scale, self.in_scale = scales
        self.runs = graph.runs

    def __call__(self, x: Tensor) -> Tensor:
        scaled = (x * self.in_scale).reshape(-1, x.shape[2])
        return dgl_module().ops.copy_u_sum(self.block, scaled).view(self.runs, -1, x.shape[2]).mul_(self.out_scale)


class _TorchOperator:
    """S_out A S_in as one block-diagonal CSR matrix of torch."""

    def __init__(self, matrix: sparse.csr_matrix, out_scale: np.ndarray, in_scale: np.ndarray, graph: Graph) -> None:
        scaled = sparse.diags(out_scale) @ matrix @ sparse.diags(in_scale)
        block = sparse.csr_matrix(sparse.block_diag([scaled] * graph.runs))
        values = torch.from_numpy(block.data).to(graph.device, graph.dtype)
        self.matrix = csr(csr_index(block, graph.device), values, block.shape)

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


class _Propagate(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, operator: _Operator, transposed: _Operator) -> Tensor:
        ctx.transposed = transposed
        return operator(x)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        return ctx.transposed(grads[0]), None, None
