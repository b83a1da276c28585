"""Embeddings as maps: two coordinates a node by t-SNE, of one run."""

import numpy as np
import pandas as pd

from mtgcn.data.datasets import Dataset
from mtgcn.experiments import build
from mtgcn.experiments.columns import MAPPED
from mtgcn.experiments.parameters import Parameters
from mtgcn.experiments.training import Trained

NODES = 500  # in a map: enough to see groups, few enough for a small file


def of_one_run(parameters: Parameters, network: str, data: Dataset, trained: Trained) -> pd.DataFrame:
    """Map the run with the median validation accuracy at its best epoch: `MAPPED` but hidden_layers, a row a node."""
    lived = np.flatnonzero(trained.best_epoch > 0)
    if len(lived) == 0:
        return pd.DataFrame(columns=MAPPED)
    order = lived[np.argsort(trained.validation_accuracy[lived], kind="stable")]
    run = int(order[(len(order) - 1) // 2])
    weights = {name: value[[run]] for name, value in trained.best_weights.items()}
    restored = build.restore(parameters, network, data, [trained.seeds[run]], weights)
    nodes = some_nodes(data.nodes)
    x, y = tsne(restored.embed()[-1][0].cpu().numpy()[nodes]).T
    rows = {"network": network, "seed": trained.seeds[run], "node": nodes, "label": data.labels[nodes]}
    return pd.DataFrame({**rows, "x": x, "y": y})


def some_nodes(nodes: int) -> np.ndarray:
    """Return which nodes a map shows: at most 500, the same for every map of a data set."""
    return np.sort(np.random.default_rng(0).permutation(nodes)[:NODES])


def tsne(embedding: np.ndarray) -> np.ndarray:
    """Return t-SNE coordinates of (n, c) within ±1, (n, 2); all zero where the nodes cannot be told apart."""
    from sklearn.manifold import TSNE  # not needed to train

    centred = (embedding - embedding.mean(axis=0)).astype(np.float64)
    largest = np.abs(centred).max(initial=0.0)
    # Below the last digits of single precision there are no distances, only rounding.
    if len(embedding) < 4 or not np.isfinite(largest) or largest <= 1e-6 * np.abs(embedding).max(initial=0.0):
        return np.zeros((len(embedding), 2))
    perplexity = min(30.0, (len(embedding) - 1) / 3)
    made = TSNE(init="pca", perplexity=perplexity, random_state=0).fit_transform((centred / largest).astype(np.float32))
    return np.round(made / np.abs(made).max(), 3)
