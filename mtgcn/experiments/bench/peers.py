"""The peers: the plain model, one run at a time, with the layers and the features that others would take.

Each peer is a function of a data set and the tasks' names that returns the model and the data to train it on.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor, nn

from mtgcn.data.datasets import Dataset
from mtgcn.engine.propagation import dgl_module
from mtgcn.model import plain

TASK_WEIGHTS = {"AE": 100.0, "FR": 100.0, "ER": 0.1}
ZEROED_FEATURES, ZEROED_EMBEDDINGS = 100, 4


class Peer(NamedTuple):
    """A model and what it is trained on."""

    model: plain.Model
    data: plain.Data

    def epochs(self) -> Callable[[], tuple[float, float]]:
        """Return a function that trains for one epoch and returns validation accuracy and loss."""
        return partial(plain.epoch, self.model, self.data, plain.optimiser(self.model))


def plain_dgl(dataset: Dataset, tasks: Sequence[str]) -> Peer:
    """DGL's ``GraphConv`` on dense features, dense reconstruction."""
    dgl = dgl_module()
    graph = dgl.add_self_loop(dgl.graph(both_ways(dataset), num_nodes=dataset.nodes))
    return _peer(dataset, tasks, lambda i, o: _Layer(dgl.nn.GraphConv(i, o, bias=False), lambda c, x: c(graph, x)))


def plain_pyg(dataset: Dataset, tasks: Sequence[str]) -> Peer:
    """PyTorch Geometric's ``GCNConv`` on dense features."""
    from torch_geometric.nn import GCNConv

    edges = torch.stack(both_ways(dataset))
    make = partial(GCNConv, bias=False, cached=True)
    return _peer(dataset, tasks, lambda i, o: _Layer(make(i, o), lambda c, x: c(x, edges)))


def plain_sparse(dataset: Dataset, tasks: Sequence[str]) -> Peer:
    """The plain model as it is: sparse features, dropout on the stored values, dense reconstruction."""
    return _peer(dataset, tasks, partial(plain.GC, plain.propagation(dataset.edges, dataset.nodes)), sparse=True)


class _Layer(nn.Module):
    """A library's layer, and how it is applied to (n, c)."""

    def __init__(self, convolution: nn.Module, apply: Callable[[nn.Module, Tensor], Tensor]) -> None:
        super().__init__()
        self.convolution, self.apply_to = convolution, apply

    def forward(self, x: Tensor) -> Tensor:
        return self.apply_to(self.convolution, x)


def _peer(dataset: Dataset, tasks: Sequence[str], gc: plain.Layer, sparse: bool = False) -> Peer:
    torch.manual_seed(0)
    data = plain.tensors(dataset)
    data = data if sparse else data._replace(x=data.x.to_dense())
    features = data.x.shape[1]
    m = torch.randperm(features)[: min(ZEROED_FEATURES, features // 2)]
    known: dict[str, plain.AE | plain.FR | plain.ER] = {
        "AE": plain.AE(data.x, TASK_WEIGHTS["AE"]),
        "FR": plain.FR(data.x, m, TASK_WEIGHTS["FR"]),
        "ER": plain.ER(torch.arange(ZEROED_EMBEDDINGS), TASK_WEIGHTS["ER"]),
    }
    return Peer(plain.Model(gc, features, dataset.classes, [known[task] for task in tasks]), data)


def both_ways(dataset: Dataset) -> tuple[Tensor, Tensor]:
    """Return the ends of every edge in both directions."""
    u, v = torch.from_numpy(dataset.edges)
    return torch.cat([u, v]), torch.cat([v, u])
