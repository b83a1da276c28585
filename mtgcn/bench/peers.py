"""The peers: the same networks written the plain way, one run at a time.

Each peer is a function of a data set and a task list that returns one epoch as a function: a training step and
an evaluation that gives validation accuracy and multi-task validation loss, as the protocol needs them.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from scipy import sparse
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, dropout

from mtgcn.datasets import Dataset
from mtgcn.propagation import dgl_module

UNITS, RATE, L2, LEARNING_RATE = 16, 0.5, 5e-4, 0.01
TASK_WEIGHTS = {"AE": 100.0, "FR": 100.0, "ER": 0.1}
ZEROED_FEATURES, ZEROED_EMBEDDINGS = 100, 4
Convolution = Callable[[int, int], nn.Module]
Epoch = Callable[[], float]  # trains for one epoch and returns the validation loss


def plain_dgl(dataset: Dataset, tasks: list[str]) -> Epoch:
    """DGL's ``GraphConv`` on dense features, dense reconstruction."""
    return _epoch(dataset, tasks, _graph_conv(dataset))


def plain_pyg(dataset: Dataset, tasks: list[str]) -> Epoch:
    """PyTorch Geometric's ``GCNConv`` on dense features."""
    from torch_geometric.nn import GCNConv

    edges = torch.stack(_both_ways(dataset))
    return _epoch(dataset, tasks, lambda i, o: _OnEdges(GCNConv(i, o, bias=False, cached=True), edges))


def one_sparse_run(dataset: Dataset, tasks: list[str]) -> Epoch:
    """One run on sparse features (a sparse product, dropout on the stored values), dense reconstruction."""
    return _epoch(dataset, tasks, _graph_conv(dataset), sparse_input=True)


def _graph_conv(dataset: Dataset) -> Convolution:
    graph = dgl_module().graph(_both_ways(dataset), num_nodes=dataset.nodes)
    graph_conv = dgl_module().nn.GraphConv
    return lambda inputs, outputs: _OnGraph(graph_conv(inputs, outputs, bias=False), graph)


class _OnGraph(nn.Module):
    def __init__(self, convolution: nn.Module, graph: object) -> None:
        super().__init__()
        self.convolution, self.graph = convolution, graph

    def forward(self, x: Tensor) -> Tensor:
        return self.convolution(self.graph, x)


class _OnEdges(nn.Module):
    def __init__(self, convolution: nn.Module, edges: Tensor) -> None:
        super().__init__()
        self.convolution, self.edges = convolution, edges

    def forward(self, x: Tensor) -> Tensor:
        return self.convolution(x, self.edges)


class _SparseFirst(nn.Module):
    """Â X B with sparse X: the product first, then a convolution of the identity."""

    def __init__(self, inputs: int, convolution: Convolution) -> None:
        super().__init__()
        self.weight = nn.Parameter(nn.init.xavier_uniform_(torch.empty(inputs, UNITS)))
        self.propagation = convolution(UNITS, UNITS)
        identity = next(self.propagation.parameters())
        identity.data.copy_(torch.eye(UNITS))
        identity.requires_grad_(False)

    def forward(self, x: Tensor) -> Tensor:
        return self.propagation(torch.sparse.mm(x, self.weight))


class _Plain(nn.Module):
    def __init__(self, dataset: Dataset, tasks: list[str], convolution: Convolution, sparse_input: bool) -> None:
        super().__init__()
        features = dataset.features.shape[1]
        self.first = _SparseFirst(features, convolution) if sparse_input else convolution(features, UNITS)
        self.main = convolution(UNITS, dataset.classes)
        outputs = {"AE": features, "FR": features, "ER": UNITS}
        self.heads = nn.ModuleDict(
            {t: nn.ModuleList([convolution(UNITS, UNITS), convolution(UNITS, outputs[t])]) for t in tasks}
        )

    def encode(self, x: Tensor) -> Tensor:
        if x.layout == torch.strided:
            return self.first(dropout(x, RATE, self.training)).relu()
        values = dropout(x.values(), RATE, self.training)
        dropped = torch.sparse_coo_tensor(x.indices(), values, x.shape, is_coalesced=True, check_invariants=False)
        return self.first(dropped).relu()

    def head(self, task: str, h: Tensor) -> Tensor:
        head = self.heads[task]
        assert isinstance(head, nn.ModuleList)
        hidden = head[0](dropout(h, RATE, self.training)).relu()
        return head[1](dropout(hidden, RATE, self.training))

    def risks(self, inputs: dict[str, Tensor], target: Tensor, nodes: Tensor | slice) -> tuple[Tensor, Tensor]:
        """Return the logits of all nodes and the weighted auxiliary risks over ``nodes``."""
        h = self.encode(inputs["clean"])
        risk = torch.zeros(())
        for task in self.heads:
            if task == "ER":
                goal, source = h, h * inputs["N"]
            else:
                goal, source = target, h if task == "AE" else self.encode(inputs["corrupted"])
            difference = (goal - self.head(task, source))[nodes]
            risk = risk + TASK_WEIGHTS[task] * difference.square().sum(1).mean()
        return self.main(dropout(h, RATE, self.training)), risk


def _epoch(dataset: Dataset, tasks: list[str], convolution: Convolution, sparse_input: bool = False) -> Epoch:
    dense = torch.from_numpy(dataset.features.toarray())
    torch.manual_seed(0)
    model = _Plain(dataset, tasks, convolution, sparse_input)
    features = dataset.features.shape[1]
    kept = np.ones(features, np.float32)
    kept[np.random.default_rng(0).choice(features, min(ZEROED_FEATURES, features // 2), replace=False)] = 0
    zeroed = torch.ones(UNITS)
    zeroed[:ZEROED_EMBEDDINGS] = 0
    inputs = {"clean": dense, "corrupted": dense * torch.from_numpy(kept), "N": zeroed}
    if sparse_input:
        corrupted = sparse.coo_matrix(dataset.features @ sparse.diags(kept))
        inputs |= {"clean": _coo(dataset.features.tocoo()), "corrupted": _coo(corrupted)}
    labels, train = torch.from_numpy(dataset.labels), torch.from_numpy(dataset.train)
    validation = torch.from_numpy(dataset.validation)
    groups: list[dict[str, Any]] = [
        {"params": list(model.first.parameters()), "weight_decay": L2},
        {"params": [*model.main.parameters(), *model.heads.parameters()]},
    ]
    optimiser = torch.optim.Adam(groups, lr=LEARNING_RATE)

    def epoch() -> float:
        model.train()
        optimiser.zero_grad()
        logits, risk = model.risks(inputs, dense, slice(None))
        (cross_entropy(logits[train], labels[train]) + risk).backward()
        optimiser.step()
        model.eval()
        with torch.no_grad():
            logits, risk = model.risks(inputs, dense, validation)
            loss = float(cross_entropy(logits[validation], labels[validation]) + risk)
            float((logits[validation].argmax(1) == labels[validation]).float().mean())
        return loss

    return epoch


def _coo(matrix: sparse.coo_matrix) -> Tensor:
    index = torch.from_numpy(np.stack([matrix.row, matrix.col]).astype(np.int64))
    values = torch.from_numpy(matrix.data.astype(np.float32))
    return torch.sparse_coo_tensor(index, values, matrix.shape, check_invariants=False).coalesce()


def _both_ways(dataset: Dataset) -> tuple[Tensor, Tensor]:
    loops = np.arange(dataset.nodes)
    ends = np.concatenate([dataset.edges, dataset.edges[::-1], [loops, loops]], axis=1)
    return torch.from_numpy(ends[0]), torch.from_numpy(ends[1])
