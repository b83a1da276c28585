"""Measures of over-smoothing along training and at the best epoch, a row for each run, epoch and layer."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import torch

from mtgcn.experiments.columns import MEASURED
from mtgcn.experiments.smoothing import Floats, Gauge
from mtgcn.model.network import Network


class Recorder:
    """Takes the measures of a network while it trains; the training comes out the same with or without it.

    The rows of an epoch tell of the hidden layers (1 is the first) on the clean features, after that epoch's step.
    ``gradient_norm`` is that of the first layer's weights, of the risks without L2, in the training pass of the epoch;
    it belongs to a run, and stands in the row of each of its layers. ``weight_norm`` is the Frobenius norm of the
    layer's own weights. Rows with ``best`` are those of the best epoch's
    weights: there the gradient is that of one training pass at these weights, with the first masks of each stream.

    Args:
        edges: (2, m) of the graph.
        every: epochs 1, 1 + every, 1 + 2 every, … are recorded.
    """

    def __init__(self, edges: np.ndarray, nodes: int, every: int) -> None:
        self.gauge, self.every = Gauge(edges, nodes), every
        self.parts: list[pd.DataFrame] = []

    def wants(self, epoch: int) -> bool:
        """Tell whether an epoch, counted from 1, is one of those to record."""
        return (epoch - 1) % self.every == 0

    def record(self, network: Network, epochs: Sequence[int], gradients: Floats, best: bool = False) -> None:
        """Measure every layer of every run; ``epochs`` and ``gradients`` have one value a run, (runs,)."""
        states = network.embed()
        before = network.batch.architecture.encoder_layers - len(states)  # layers that a remedy has before the hidden
        for number, state in enumerate(states, start=1):
            rows = {"seed": network.batch.seeds, "epoch": epochs, "best": best, "layer": number}
            measured = self.gauge.measures(state.detach().cpu().numpy())
            weights = network.weights[f"encoder.{before + number - 1}.B"].detach().flatten(1).double().norm(dim=1)
            norms = {"gradient_norm": gradients, "weight_norm": weights.cpu().numpy()}
            self.parts.append(pd.DataFrame({**rows, **measured, **norms}))

    def record_best(self, network: Network, epochs: np.ndarray) -> None:
        """Measure the network of the best ``epochs`` (runs,); a run without one (0) has no rows."""
        network.descend()
        self.record(network, epochs.tolist(), first_gradients(network), best=True)
        self.parts = [part[part["epoch"] > 0] for part in self.parts]

    def table(self, network: str) -> pd.DataFrame:
        """Return what was recorded (`MEASURED`) under the name of the network, by seed, epoch and layer; start anew."""
        table = pd.concat(self.parts, ignore_index=True).assign(network=network)[MEASURED]
        self.parts = []
        return table.sort_values(["seed", "best", "epoch", "layer"], ignore_index=True)


def first_gradients(network: Network) -> Floats:
    """Return the norm of the gradient by the first layer's weights, (runs,)."""
    names = [name for name in network.weights if name.startswith("encoder.0.")]
    parts = [network.weights.grad[network.weights.offsets[name]].view(network.batch.runs, -1) for name in names]
    return torch.cat(parts, dim=1).double().norm(dim=1).cpu().numpy()
