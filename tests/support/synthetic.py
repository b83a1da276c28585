"""Made-up results for tests, in the form the experiments write; nothing here was measured."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from ruamel.yaml import YAML

from mtgcn.analysis.literature import NETWORKS
from mtgcn.pipeline.search import outcome, stages
from mtgcn.pipeline.search.space import Space


def results(
    cells: Sequence[tuple[str, int]], networks: Sequence[str] = NETWORKS, runs: int = 10, seed: int = 0
) -> pd.DataFrame:
    """One row a run: GCN around 80 %, the k-th network k tenths above, in tenths of a percent."""
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


def split_runs(splits: int = 6, runs: int = 3, gain: float = 0.5) -> pd.DataFrame:
    """GCN and AE on splits that differ a lot; what AE gains differs by split more than by run."""
    rng = np.random.default_rng(4)
    rows = []
    for split in range(splits):
        level, own_gain = rng.normal(80, 2), rng.normal(gain, 0.4)
        for seed in range(runs):
            rows += [("cora", 1, split, "GCN", seed, level + rng.normal(0, 0.1))]
            rows += [("cora", 1, split, "AE", seed, level + own_gain + rng.normal(0, 0.1))]
    return pd.DataFrame(rows, columns=["dataset", "hidden_layers", "split", "network", "seed", "test_accuracy"])


def search_table(text: str) -> pd.DataFrame:
    """The table of a search whose scores are not measured but drawn: the best AE has the weight 10."""
    space, scores, rng = Space(**YAML(typ="safe").load(text)), {}, np.random.default_rng(0)
    while wants := stages.todo(space, scores):
        for want in wants:
            weights = [value for name, value in want.point.values if "weight" in name]  # noqa: PD011  (not pandas)
            level = 80 - sum((np.log10(weight) - 1) ** 2 for weight in weights)
            scores.setdefault(want.point, {}).update({seed: level + rng.normal(0, 0.1) for seed in want.seeds})
    return outcome.table(space, scores)


def label_runs(splits: int = 6, runs: int = 2, gain: float = 0.5) -> pd.DataFrame:
    """GCN and AE on Cora with 1, 3 and 20 labels a class: better with more, AE ahead by ``gain`` and less with more."""
    rng = np.random.default_rng(5)
    rows = []
    for labels in (1, 3, 20):
        for split in range(splits):
            level, own_gain = 50 + 10 * np.log(labels) + rng.normal(0, 2), gain + rng.normal(0, 0.3)
            for seed in range(runs):
                rows += [(labels, split, "cora", 1, "GCN", seed, level + rng.normal(0, 0.1))]
                rows += [(labels, split, "cora", 1, "AE", seed, level + own_gain + rng.normal(0, 0.1))]
    return pd.DataFrame(
        rows, columns=["labels", "split", "dataset", "hidden_layers", "network", "seed", "test_accuracy"]
    )
