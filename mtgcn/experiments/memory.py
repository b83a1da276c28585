"""How much memory a training will need, before it begins: what this machine cannot hold is refused in one sentence."""

import os
from pathlib import Path

from mtgcn.data.datasets import Dataset
from mtgcn.data.split_each_run import has_each
from mtgcn.errors import MtgcnError
from mtgcn.experiments.parameters import Parameters
from mtgcn.model.layers import LAYERS

TOGETHER = 10  # runs that train as one batch; more would leave the cache and gain nothing
# Runs of one split may see a small part of the graph, those of several together nearly all of it. Where the features
# have so many values, that costs more than the company saves, and runs with a split each train one by one.
ONE_BY_ONE = 500_000
FLOAT = 4  # bytes
COPIES = 4  # of each weight: its value, its gradient and Adam's two moments
LIMIT = Path("/sys/fs/cgroup/memory.max")  # of a container


def together(dataset: Dataset) -> int:
    """Return how many runs train as one batch at the most."""
    return 1 if has_each(dataset) and dataset.features.nnz >= ONE_BY_ONE else TOGETHER


def needed(parameters: Parameters, dataset: Dataset, network: str, runs: int) -> int:
    """Return the bytes without which ``runs`` runs cannot train together: weights, and the states for their gradients.

    A lower bound: a training needs more, by a factor of two or three.
    """
    units, layers = parameters.hidden_units, max([parameters.hidden_layers, *parameters.depths])
    nodes, features = dataset.features.shape
    tasks = len(parameters.networks[network])
    weights = features * units + (layers - 1) * units**2 + units * dataset.classes + tasks * units**2
    links = 2 * dataset.edges.shape[1] + nodes
    layer = LAYERS[parameters.layer](parameters.layer_settings)
    states = nodes * units * layers + layer.link_values * links * layers
    return runs * FLOAT * (COPIES * weights + states) + FLOAT * dataset.features.nnz


def available() -> int:
    """Return the bytes of memory that this machine or container has in all."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):  # a system that does not say
        return 2**63
    try:
        return min(total, int(LIMIT.read_text()))
    except (OSError, ValueError):  # no container, or one without a limit
        return total


def check_memory(parameters: Parameters, dataset: Dataset, network: str, runs: int) -> None:
    """Refuse what does not fit into this machine."""
    need, there = needed(parameters, dataset, network, min(runs, TOGETHER)), available()
    if need > there:
        raise MtgcnError(
            f"{network} with {parameters.hidden_units:,} units on {dataset.name} needs at least {_gigabytes(need)} of"
            f" memory, this machine has {_gigabytes(there)}: train fewer units, layers or runs."
        )


def _gigabytes(number: int) -> str:
    return f"{number / 2**30:,.1f} GB"
