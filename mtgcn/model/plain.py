"""The paper's model, its three tasks and its training in plain torch and DGL: one run, and no trick.

The page "The model" shows this code cell by cell, and a test holds the two equal. The engine computes the same for many
runs at once; tests compare it with this, and the benchmark measures against it.

n nodes, d features, K classes; M and N are the columns that FR and ER zero.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import NamedTuple, TypeAlias

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, dropout
from torch.optim.lr_scheduler import ReduceLROnPlateau

from mtgcn.data.datasets import Dataset
from mtgcn.engine.propagation import dgl_module

Nodes: TypeAlias = Tensor | slice
Layer: TypeAlias = Callable[[int, int], nn.Module]
Tasks: TypeAlias = "Sequence[AE | FR | ER]"
ALL = slice(None)


class Data(NamedTuple):
    """Features x (n, d), sparse or dense, labels y (n,), and the nodes of the split."""

    x: Tensor
    y: Tensor
    train: Tensor
    validation: Tensor
    test: Tensor


def tensors(dataset: Dataset) -> Data:
    """Return a data set as tensors, its features sparse."""
    arrays = dataset.features.toarray(), dataset.labels, dataset.train, dataset.validation, dataset.test
    x, y, train, validation, test = (torch.from_numpy(array) for array in arrays)
    return Data(x.to_sparse(), y, train, validation, test)


def propagation(edges: np.ndarray, nodes: int) -> Callable[[Tensor], Tensor]:
    """Return Â = D̃^-1/2 (A + I) D̃^-1/2 as a function from (n, c) to (n, c); ``edges`` is (2, m), each edge once."""
    dgl = dgl_module()
    u, v = torch.from_numpy(edges)
    graph = dgl.add_self_loop(dgl.graph((torch.cat([u, v]), torch.cat([v, u])), num_nodes=nodes))
    scale = graph.in_degrees().double().rsqrt().unsqueeze(1)  # D̃^-1/2, (n, 1)

    def a_hat(x: Tensor) -> Tensor:
        return scale.to(x.dtype) * dgl.ops.copy_u_sum(graph, scale.to(x.dtype) * x)

    return a_hat


class GC(nn.Module):
    """GC(X) = Â X B, (n, inputs) to (n, outputs)."""

    def __init__(self, a_hat: Callable[[Tensor], Tensor], inputs: int, outputs: int) -> None:
        super().__init__()
        self.a_hat = a_hat
        self.B = nn.Parameter(nn.init.xavier_uniform_(torch.empty(inputs, outputs)))  # Glorot's

    def forward(self, x: Tensor) -> Tensor:  # noqa: D102
        inputs, outputs = self.B.shape  # Â acts on the narrower side, which is less work
        return self.a_hat(x @ self.B) if inputs > outputs else self.a_hat(x) @ self.B


class Model(nn.Module):
    """Encoder g_sh, main head and a head for each task.

    The weights have the engine's names: ``encoder.0.B``, ``main.B``, ``AE.0.B``, ``AE.1.B``, … ``masks`` may hold
    dropout masks by place, ``encoder.0``, ``main``, ``AE.0``, … (``FR.encoder.0`` where the encoder reads corrupted
    features), each (n, c), or (stored values,) for sparse features. What it does not hold is drawn.

    Args:
        gc: makes a layer of so many inputs and outputs.
        features: d.
        classes: K.
    """

    def __init__(
        self, gc: Layer, features: int, classes: int, tasks: Tasks = (), hidden_layers: int = 1, units: int = 16
    ) -> None:
        super().__init__()
        self.tasks = tasks
        self.masks: dict[str, Tensor] = {}
        self.encoder = nn.ModuleList(gc(units if layer else features, units) for layer in range(hidden_layers))
        self.main = gc(units, classes)
        for task in tasks:
            self.add_module(task.name, nn.ModuleList([gc(units, units), gc(units, task.outputs)]))

    def drop(self, x: Tensor, place: str) -> Tensor:
        """Apply Dropout(0.5) in training; of sparse features, to the values that are stored."""
        if not self.training:
            return x
        if x.is_sparse:
            values = self.drop(x.values(), place)
            return torch.sparse_coo_tensor(x.indices(), values, x.shape, is_coalesced=True, check_invariants=False)
        return x * self.masks[place] if place in self.masks else dropout(x, 0.5)

    def encode(self, x: Tensor, place: str = "encoder") -> Tensor:
        """Return the embedding g_sh(x), (n, units): for each hidden layer Dropout, GC, ReLU."""
        for number, layer in enumerate(self.encoder):
            x = layer(self.drop(x, f"{place}.{number}")).relu()
        return x

    def classify(self, embedding: Tensor) -> Tensor:
        """Return the logits of g_main, (n, K): Dropout, GC; the softmax is part of the risk."""
        return self.main(self.drop(embedding, "main"))

    def rebuild(self, embedding: Tensor, task: str) -> Tensor:
        """Return what a task's head makes of the embedding, (n, outputs): Dropout, GC, ReLU, Dropout, GC."""
        first, last = self.get_submodule(task).children()
        return last(self.drop(first(self.drop(embedding, f"{task}.0")).relu(), f"{task}.1"))


def distance(target: Tensor, rebuilt: Tensor, nodes: Nodes) -> Tensor:
    """Return the mean over ``nodes`` of ‖target_i − rebuilt_i‖²."""
    return (target[nodes] - rebuilt[nodes]).square().sum(1).mean()


class AE:
    """Autoencoding: rebuild the features from their embedding."""

    name = "AE"

    def __init__(self, x: Tensor, weight: float, nodes: Nodes = ALL) -> None:
        self.weight, self.nodes, self.target, self.outputs = weight, nodes, x.to_dense(), x.shape[1]

    def risk(self, model: Model, embedding: Tensor, nodes: Nodes) -> Tensor:
        """Return R_AE."""
        return distance(self.target, model.rebuild(embedding, self.name), nodes)


class FR:
    """Rebuild the features, or only those in M (``partial``), from the embedding of a copy with M zeroed."""

    name = "FR"

    def __init__(self, x: Tensor, M: Tensor, weight: float, nodes: Nodes = ALL, partial: bool = False) -> None:
        clean = x.to_dense()
        corrupted = clean.index_fill(1, M, 0)
        self.corrupted = corrupted.to_sparse() if x.is_sparse else corrupted  # P_M x
        self.target = clean[:, M] if partial else clean
        self.M, self.weight, self.nodes, self.outputs = M, weight, nodes, self.target.shape[1]

    def risk(self, model: Model, embedding: Tensor, nodes: Nodes) -> Tensor:
        """Return R_FR."""
        of_corrupted = model.encode(self.corrupted, "FR.encoder")
        return distance(self.target, model.rebuild(of_corrupted, self.name), nodes)


class ER:
    """Rebuild the embedding, or only its columns in N (``partial``), from a copy with N zeroed."""

    name = "ER"

    def __init__(self, N: Tensor, weight: float, nodes: Nodes = ALL, partial: bool = False, units: int = 16) -> None:
        self.N, self.weight, self.nodes = N, weight, nodes
        self.rebuilt = N if partial else torch.arange(units)
        self.outputs = len(self.rebuilt)

    def risk(self, model: Model, embedding: Tensor, nodes: Nodes) -> Tensor:
        """Return R_ER."""
        corrupted = embedding.index_fill(1, self.N, 0)  # P_N g_sh(x)
        return distance(embedding[:, self.rebuilt], model.rebuild(corrupted, self.name), nodes)


def objective(model: Model, data: Data, nodes: Tensor) -> tuple[Tensor, Tensor]:
    """Return R_main over ``nodes`` with the weighted risks of the tasks added, and the logits, (n, K).

    In training every task has nodes of its own, in validation all of them look at ``nodes``.
    """
    embedding = model.encode(data.x)
    logits = model.classify(embedding)
    loss = cross_entropy(logits[nodes], data.y[nodes])
    for task in model.tasks:
        loss = loss + task.weight * task.risk(model, embedding, task.nodes if model.training else nodes)
    return loss, logits


@torch.no_grad()
def evaluate(model: Model, data: Data, nodes: Tensor) -> tuple[float, float]:
    """Return accuracy in percent and multi-task loss on ``nodes``, without dropout."""
    model.eval()
    loss, logits = objective(model, data, nodes)
    right = logits[nodes].argmax(1) == data.y[nodes]
    return 100 * right.double().mean().item(), loss.item()


def optimiser(model: Model) -> torch.optim.Adam:
    """Return Adam with Kipf & Welling's settings: L2 on the first layer only."""
    first, *others = model.parameters()
    groups = [{"params": [first], "weight_decay": 5e-4}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.Adam(groups, lr=0.01)


def epoch(model: Model, data: Data, adam: torch.optim.Adam) -> tuple[float, float]:
    """Train for one epoch, all nodes at once; return accuracy and loss on the validation nodes."""
    model.train()
    adam.zero_grad()
    loss, _ = objective(model, data, data.train)
    loss.backward()
    adam.step()
    return evaluate(model, data, data.validation)


def train(model: Model, data: Data, epochs: int = 5000) -> dict[str, float]:
    """Train by the paper's protocol and return the run's row: the test nodes are met once, with the best epoch."""
    adam = optimiser(model)
    plateau = ReduceLROnPlateau(adam, factor=0.1, patience=39, threshold=1e-4)  # the 40th bad epoch cuts
    best, best_epoch, number = -1.0, 0, 0
    while number < epochs and adam.param_groups[0]["lr"] > 5e-7:  # below that nothing moves
        number += 1
        accuracy, loss = epoch(model, data, adam)
        plateau.step(loss)
        if accuracy > best:
            best, best_epoch, weights = accuracy, number, deepcopy(model.state_dict())
    model.load_state_dict(weights)
    test, _ = evaluate(model, data, data.test)
    return {"test_accuracy": test, "validation_accuracy": best, "best_epoch": best_epoch, "epochs": number}
