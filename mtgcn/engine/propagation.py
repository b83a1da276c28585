"""Propagation by Â for all runs, and METIS: the only module that knows DGL.

DGL's builds on the package registry have no CUDA and its releases have ceased, so it is kept behind one
interface: on a device that DGL cannot use, the same numbers come from torch's sparse CSR matrices.
"""

import os
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from functools import cache
from typing import Any

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from mtgcn.engine import kernels
from mtgcn.engine.compiled import available
from mtgcn.engine.csr import csr, csr_index, over_runs
from mtgcn.engine.linear import Map
from mtgcn.errors import MtgcnError


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


def choose_backend(name: str, device: torch.device, dtype: torch.dtype) -> str:
    """Return the backend ``name``, for ``auto`` the first that can be had of ``compiled``, ``dgl`` and ``torch``."""
    if name == "compiled" and not available(device, dtype):
        raise MtgcnError("backend 'compiled' needs a C compiler called cc, and runs on a CPU; use backend 'auto'.")
    if name != "auto":
        return name
    if available(device, dtype):
        return "compiled"
    if device.type == "cpu":
        return "dgl"
    try:
        dgl_module().graph(([0], [0]), device=device)
    except Exception:  # DGL raises its own error for a device that its build lacks
        return "torch"
    return "dgl"


def propagation(
    matrix: sparse.csr_matrix,
    out_scale: np.ndarray,
    in_scale: np.ndarray,
    runs: int,
    device: torch.device,
    dtype: torch.dtype,
    backend: str,
) -> Map:
    """Return S_out A S_in for all runs as a map of states, (runs, n_in, c) to (runs, n_out, c).

    Args:
        matrix: A, (n_out, n_in), of small whole numbers: how often a neighbour counts.
        out_scale: (n_out,), the diagonal of S_out.
        in_scale: (n_in,), the diagonal of S_in.
        backend: ``"compiled"``, ``"dgl"`` or ``"torch"``.
    """
    if backend != "torch":
        matrix = of_ones(matrix)
    if backend == "compiled":
        return kernels.propagation(matrix, out_scale, in_scale, runs, dtype)
    if backend == "dgl":
        out_factors, in_factors = (torch.from_numpy(s[:, None]).to(device, dtype) for s in (out_scale, in_scale))
        return _by_dgl(matrix, out_factors, in_factors, runs)
    scaled = sparse.diags(out_scale) @ matrix @ sparse.diags(in_scale)
    block = sparse.csr_matrix(sparse.block_diag([scaled] * runs))
    return over_runs(csr(csr_index(block, device), torch.from_numpy(block.data).to(device, dtype), block.shape))


def of_ones(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return a matrix of whole numbers as one of ones, with an entry as often as its number says."""
    if (matrix.data == 1).all():
        return matrix
    times = matrix.data.astype(np.int64)
    ends = np.concatenate([[0], np.cumsum(times)])[matrix.indptr]
    return sparse.csr_matrix((np.ones(times.sum()), np.repeat(matrix.indices, times), ends), shape=matrix.shape)


def _by_dgl(matrix: sparse.csr_matrix, out_scale: Tensor, in_scale: Tensor, runs: int) -> Map:
    """Scale the states by (n_out, 1) and (n_in, 1) factors, which is faster than weights on edges."""
    rows, columns = matrix.shape
    coo = matrix.tocoo()
    copies = np.arange(runs)[:, None]
    source = torch.from_numpy((copies * columns + coo.col).ravel().astype(np.int32))
    target = torch.from_numpy((copies * rows + coo.row).ravel().astype(np.int32))
    sizes = {"num_src_nodes": runs * columns, "num_dst_nodes": runs * rows}
    block = dgl_module().create_block((source, target), **sizes, device=in_scale.device).formats(["csc"])
    block.create_formats_()

    def propagate(x: Tensor) -> Tensor:
        scaled = (x * in_scale).reshape(-1, x.shape[2])
        return dgl_module().ops.copy_u_sum(block, scaled).view(runs, -1, x.shape[2]).mul_(out_scale)

    return propagate


def metis(edges: np.ndarray, nodes: int, parts: int) -> np.ndarray:
    """Return the part of each node, (nodes,) int64, that METIS finds; it draws the same numbers every time."""
    both = torch.from_numpy(np.concatenate([edges, edges[::-1]], axis=1))
    graph = dgl_module().graph((both[0], both[1]), num_nodes=nodes)
    with _quiet():
        return dgl_module().metis_partition_assignment(graph, parts).numpy().astype(np.int64)


@contextmanager
def _quiet() -> Iterator[None]:
    """Swallow what DGL prints from Python, and what its library in C writes to standard error."""
    sys.stderr.flush()
    before = os.dup(2)
    try:
        with open(os.devnull, "w", encoding="utf-8") as nothing, redirect_stdout(nothing):
            os.dup2(nothing.fileno(), 2)
            yield
    finally:
        os.dup2(before, 2)
        os.close(before)
