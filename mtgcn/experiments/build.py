"""From parameters to a network, untrained or with the weights of earlier runs."""

from collections.abc import Mapping, Sequence

import torch

from mtgcn.data import label_splits, random_splits
from mtgcn.data.datasets import Dataset
from mtgcn.engine.machine import choose_device
from mtgcn.errors import MtgcnError, short
from mtgcn.experiments.parameters import Parameters
from mtgcn.model.batch import Architecture, Batch
from mtgcn.model.layers import LAYERS
from mtgcn.model.network import Network


def split_of(parameters: Parameters, dataset: Dataset) -> Dataset:
    """Return ``dataset`` in the split of ``parameters``: its own, or one drawn from their seed.

    What is repeated on several splits has none yet.
    """
    if parameters.splits:
        return dataset
    if parameters.labels:
        (each,) = parameters.labels
        return label_splits.drawn(dataset, parameters.split_seed or 0, each, parameters.small_validation)
    return dataset if parameters.split_seed is None else random_splits.drawn(dataset, parameters.split_seed)


def architecture_of(parameters: Parameters) -> Architecture:
    """Return the settings that shape encoder and heads."""
    return Architecture(
        LAYERS[parameters.layer](parameters.layer_settings),
        parameters.hidden_layers,
        parameters.hidden_units,
        parameters.dropout,
        parameters.remedy_settings,
        parameters.adjacency,
    )


def build(
    parameters: Parameters,
    network: str,
    dataset: Dataset,
    seeds: Sequence[int] | None = None,
    task_weights: Mapping[str, Sequence[float]] | None = None,
) -> Network:
    """Return the network called ``network``, untrained.

    Every network is made here, so this is the place where a split that ``parameters`` draw takes the place of the
    data set's own.

    Args:
        seeds: one a run; those of ``parameters`` when not given.
        task_weights: weights of a task that differ by run, so that a line of a grid trains as one batch.
    """
    architecture = architecture_of(parameters)
    device = choose_device(parameters.device)
    dataset = split_of(parameters, dataset)
    batch = Batch(dataset, architecture, parameters.seeds if seeds is None else seeds, device, parameters.backend)
    weighting = parameters.main_weight, parameters.weighting, parameters.gradnorm_alpha
    return Network(batch, parameters.networks[network], task_weights, *weighting)


def restore(
    parameters: Parameters, network: str, dataset: Dataset, seeds: Sequence[int], weights: Mapping[str, torch.Tensor]
) -> Network:
    """Return the network with the given weights, such as those of every run's best epoch, (runs, …) each."""
    # A task without weight in any run of a batch has no head.
    absent = [task for task in parameters.networks[network] if not any(name.startswith(f"{task}.") for name in weights)]
    restored = build(parameters, network, dataset, seeds, {task: [0.0] * len(seeds) for task in absent})
    _check_weights(restored, weights)
    with torch.no_grad():
        for name, value in restored.weights.items():
            value.copy_(weights[name])
    return restored


def _check_weights(network: Network, weights: Mapping[str, torch.Tensor]) -> None:
    """Refuse weights that are not those of the network: names that it lacks or has besides, and other shapes."""
    expected = {name: tuple(value.shape) for name, value in network.weights.items()}
    for name in sorted({*expected, *weights}):
        given = tuple(weights[name].shape) if name in weights else "missing"
        if given != expected.get(name):
            right = expected.get(name, "absent")
            raise MtgcnError(
                f"these are not weights of this network: '{short(name)}' is {given}, it should be {right}."
            )
