"""What somebody who knows torch would write: one run with sparse features and CSR propagation, no matrix of n × d."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from scipy import sparse
from torch import Tensor, nn
from torch.nn.functional import dropout

from mtgcn.data.datasets import Dataset
from mtgcn.experiments.bench.peers import TASK_WEIGHTS, Peer, both_ways
from mtgcn.model import plain

Pair = tuple[Tensor, Tensor]  # a sparse matrix and its transpose, both CSR


def one_sparse_run(dataset: Dataset, tasks: Sequence[str]) -> Peer:
    """Plain torch: features and Â as CSR matrices, whose transposes are at hand for the gradient."""
    u, v = (end.numpy() for end in both_ways(dataset))
    loops = np.arange(dataset.nodes)
    ends = np.concatenate([u, loops]), np.concatenate([v, loops])
    with_loops = sparse.csr_matrix((np.ones(len(ends[0])), ends), shape=(dataset.nodes, dataset.nodes))
    scale = sparse.diags(1 / np.sqrt(np.asarray(with_loops.sum(axis=1)).ravel()))
    a_hat, _ = Sparse(sparse.csr_matrix(scale @ with_loops @ scale, dtype=np.float32)).pair()  # symmetric
    return _peer(dataset, tasks, partial(_GC, lambda x: _Times.apply(x, a_hat, a_hat)))


def one_sparse_pyg_run(dataset: Dataset, tasks: Sequence[str]) -> Peer:
    """PyTorch Geometric's ``GCNConv`` with sparse features and a CSR adjacency matrix; no task AE."""
    ends = torch.stack(both_ways(dataset))
    square = dataset.nodes, dataset.nodes
    adjacency = torch.sparse_coo_tensor(ends, torch.ones(ends.shape[1]), square, check_invariants=False)
    return _peer(dataset, tasks, partial(_Convolution, adjacency.to_sparse_csr()))


class Sparse:
    """Features X (n, d), and where the values of Xᵀ stand among its own."""

    def __init__(self, matrix: sparse.csr_matrix) -> None:
        self.shape, self.matrix, self.values = matrix.shape, matrix, torch.from_numpy(matrix.data)
        numbers = sparse.csr_matrix((np.arange(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)
        both = matrix, numbers.T.tocsr()
        self.order = torch.from_numpy(both[1].data)
        self._whole: Pair | None = None
        self._index = [[torch.from_numpy(part.astype(np.int32)) for part in (one.indptr, one.indices)] for one in both]

    def pair(self, rate: float = 0.0) -> Pair:
        """Return X and Xᵀ, with dropout on the stored values."""
        if rate == 0:
            self._whole = self._whole or self._made(self.values)
            return self._whole
        return self._made(dropout(self.values, rate))

    def _made(self, values: Tensor) -> Pair:
        (index, index_t), turned = self._index, (self.shape[1], self.shape[0])
        return _csr(index, values, self.shape), _csr(index_t, values[self.order], turned)


def _csr(index: Sequence[Tensor], values: Tensor, size: tuple[int, int]) -> Tensor:
    return torch.sparse_csr_tensor(index[0], index[1], values, size=size, check_invariants=False)


class _Times(torch.autograd.Function):
    """A matrix that is not learnt times x; the gradient takes its transpose."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, matrix: Tensor, transposed: Tensor) -> Tensor:
        ctx.transposed = transposed
        return matrix @ x

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        return ctx.transposed @ grads[0], None, None


class _GC(plain.GC):
    """The plain layer, also for sparse features."""

    def forward(self, x: Tensor | Pair) -> Tensor:
        return self.a_hat(_Times.apply(self.B, *x)) if isinstance(x, tuple) else super().forward(x)


class _Convolution(nn.Module):
    """A layer of PyTorch Geometric."""

    def __init__(self, adjacency: Tensor, inputs: int, outputs: int) -> None:
        from torch_geometric.nn import GCNConv

        super().__init__()
        self.adjacency, self.convolution = adjacency, GCNConv(inputs, outputs, bias=False, cached=True)

    def forward(self, x: Tensor | Pair) -> Tensor:
        return self.convolution(x[0] if isinstance(x, tuple) else x, self.adjacency)


class _Model(plain.Model):
    """The plain model on sparse features."""

    def drop(self, x: Any, place: str) -> Any:
        if isinstance(x, Sparse):
            return x.pair(0.5 if self.training else 0.0)
        return super().drop(x, place)


class _AE(plain.AE):
    """AE without the n × d matrix: ‖X − ZB‖² = ‖X‖² − 2⟨XᵀZ, Bᵀ⟩ + ⟨ZᵀZ B, B⟩."""

    def __init__(self, x: Sparse, validation: np.ndarray, weight: float) -> None:
        self.weight, self.nodes, self.outputs = weight, plain.ALL, x.shape[1]
        self._whole, self._some = (
            (*one.pair(), float(one.values.square().sum())) for one in (x, Sparse(x.matrix[validation]))
        )

    def risk(self, model: plain.Model, embedding: Tensor, nodes: plain.Nodes) -> Tensor:
        first, last = model.get_submodule(self.name).children()
        z = last.a_hat(model.drop(first(model.drop(embedding, "AE.0")).relu(), "AE.1"))[nodes]  # type: ignore[operator]
        x, x_t, norm = self._whole if nodes is plain.ALL else self._some
        cross, fitted = _Times.apply(z, x_t, x), z.T @ z @ last.B
        return (norm - 2 * (cross.T * last.B).sum() + (fitted * last.B).sum()) / len(z)


def _peer(dataset: Dataset, tasks: Sequence[str], gc: plain.Layer) -> Peer:
    torch.manual_seed(0)
    x, data = Sparse(dataset.features), plain.tensors(dataset)
    known = [_AE(x, dataset.validation, TASK_WEIGHTS["AE"]) for task in tasks if task == "AE"]
    features: Any = x
    return Peer(_Model(gc, x.shape[1], dataset.classes, known), data._replace(x=features))
