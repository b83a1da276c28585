"""Small graphs and networks on which the engine is tried."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mtgcn.data import toy
from mtgcn.data.datasets import Dataset, from_arrays
from mtgcn.experiments import experiment
from mtgcn.experiments.build import architecture_of
from mtgcn.experiments.parameters import Parameters
from mtgcn.model.batch import Batch
from mtgcn.model.network import Network
from support.dense import DenseNetwork

CPU = torch.device("cpu")
BACKENDS = ["compiled", "dgl", "torch"]


def tiny() -> Dataset:
    """40 nodes, 3 classes, 18 features: small enough for dense float64 matrices and many cases."""
    return from_arrays(toy.generate(nodes=40, classes=3, features=18, words=5, seed=1), "tiny", "generated")


def scattered() -> Dataset:
    """120 nodes with few edges: a risk over the labelled or the validation nodes sees a part of them only."""
    arrays = toy.generate(nodes=120, classes=3, features=18, words=5, average_degree=1.5, seed=1)
    return from_arrays(arrays, "scattered", "generated")


def parameters(network: str = "GCN", tasks: dict[str, Any] | None = None, **values: Any) -> Parameters:
    """Parameters of a short experiment with one network on the toy graph."""
    defaults = {"dataset": "toy", "runs": 3, "epochs": 30, "device": "cpu", "networks": {network: tasks or {}}}
    return experiment.parameters_of(**(defaults | values))


def double_network(graph: Dataset, chosen: Parameters, seeds: Sequence[int] | None = None) -> Network:
    """The engine's network in float64, where it can be compared to the last digits."""
    (tasks,) = chosen.networks.values()
    batch = Batch(graph, architecture_of(chosen), seeds or chosen.seeds, CPU, chosen.backend, torch.float64)
    return Network(batch, tasks, None, chosen.main_weight, chosen.weighting, chosen.gradnorm_alpha)


def dense_loss(
    network: Network,
    run: int,
    chosen: Parameters,
    validation: bool = False,
    edges: np.ndarray | None = None,
) -> tuple[Tensor, dict[str, Tensor]]:
    """The objective of one run by the paper's formulas, and the leaves to differentiate it by."""
    graph, (tasks,) = network.batch.dataset, chosen.networks.values()
    leaves = {name: value[run].detach().double().requires_grad_() for name, value in network.weights.items()}
    ends = getattr(chosen.remedy_settings, "dense_ends", False)
    dense = DenseNetwork(graph, chosen.hidden_layers, leaves, chosen.remedy, edges, ends, chosen.adjacency)
    everywhere = np.arange(graph.nodes)
    loss = chosen.main_weight * dense.risk_main(graph.validation if validation else graph.train)
    for name, task in tasks.items():
        if validation:
            nodes = graph.validation if chosen.validation_risk_nodes == "validation" else everywhere
        else:
            nodes = graph.train if task.nodes == "labelled" else everywhere
        if name == "AE":
            risk = dense.risk_ae(nodes)
        elif name == "FR":
            risk = dense.risk_fr(nodes, network.tasks["FR"].m[run], task.reconstruct)
        else:
            risk = dense.risk_er(nodes, network.tasks["ER"].n[run].numpy(), task.reconstruct, task.detach_target)
        loss = loss + task.weight * risk
    return loss, leaves
