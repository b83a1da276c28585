"""Made-up results for tests, in the form the experiments write; nothing here was measured."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from mtgcn.paper import NETWORKS


def results(
    cells: Sequence[tuple[str, int]], networks: Sequence[str] = NETWORKS, runs: int = 10, seed: int = 0
) -> pd.DataFrame:
    """One row a run: GCN around 80 %, the k-th network k tenths above, in tenths of a per cent."""
    rng = np.random.default_rng(seed)
    rows = [
        (dataset, network, depth, run, round(80 + position / 10 + rng.normal(0, 0.5), 1))
        for dataset, depth in cells
        for position, network in enumerate(networks)
        for run in range(runs)
    ]
    return pd.DataFrame(rows, columns=["dataset", "network", "hidden_layers", "seed", "test_accuracy"])


def curves(networks: Sequence[str] = NETWORKS, runs: int = 3, epochs: int = 400) -> pd.DataFrame:
    """One row a run and epoch; run k stops k epochs earlier."""
    rng = np.random.default_rng(0)
    parts = []
    for network in networks:
        for seed in range(runs):
            epoch = np.arange(1, epochs + 1 - seed)
            fall = np.exp(-epoch / 40)
            part = {"network": network, "seed": seed, "epoch": epoch, "learning_rate": 0.01}
            noise = rng.normal(0, 1, epoch.size)
            part |= {"validation_accuracy": 80 - 50 * fall + noise, "validation_loss": 1 + fall + noise / 50}
            parts.append(pd.DataFrame(part | {"training_loss": 0.5 + fall}))
    return pd.concat(parts, ignore_index=True)
