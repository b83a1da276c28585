"""Figures of others as tidy tables, to stand beside what is measured here: the paper's own, and those of remedies."""

from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
from ruamel.yaml import YAML

# The order of the rows in the paper's tables.
NETWORKS = ("GCN", "AE", "FR", "ER", "AE+FR", "AE+ER", "AE+FR+ER")

PAPER = "Manessi & Rozza (2021)"
YOU = "You et al. (2020)"
KIPF = "Kipf & Welling (2017)"

# What the paper claims, in our words, by the numbers that this book gives them.
CLAIMS = {
    1: "Every network with tasks beats the plain GCN",
    2: "The best network is one with tasks",
    3: "The best network varies less than the plain GCN",
    4: "The tasks help with two and five layers, too",
    5: "All four heads together are never the best",
    6: "The gains reach those of You et al.",
}


@cache
def _printed(file: str = "paper.yaml") -> Any:
    return YAML(typ="safe", pure=True).load(Path(__file__).with_name(file))


def accuracies() -> pd.DataFrame:
    """Tables 1 and 2: ``dataset, hidden_layers, network, mean, sem``, in percent, one row a cell (35)."""
    rows = [
        (dataset, depth, network, *cell)
        for dataset, depths in _printed()["accuracy"].items()
        for depth, cells in depths.items()
        for network, cell in cells.items()
    ]
    return pd.DataFrame(rows, columns=["dataset", "hidden_layers", "network", "mean", "sem"])


def gains() -> pd.DataFrame:
    """Table 3: ``source, dataset, gain``, the best gain over the plain GCN in percentage points."""
    rows = [(source, dataset, gain) for source, cells in _printed()["gains"].items() for dataset, gain in cells.items()]
    return pd.DataFrame(rows, columns=["source", "dataset", "gain"])


def published_gcn() -> pd.DataFrame:
    """Kipf & Welling's GCN as Table 1 quotes it, no errors: ``dataset, hidden_layers, network, mean``."""
    rows = [(dataset, 1, "GCN", mean) for dataset, mean in _printed()["published_gcn"].items()]
    return pd.DataFrame(rows, columns=["dataset", "hidden_layers", "network", "mean"])


def datasets() -> pd.DataFrame:
    """The data sets as the paper counts them: ``dataset, nodes, edges, classes, features, epochs``.

    The split follows in ``training_per_class, validation, test``; edges include duplicates and self-loops.
    """
    split = _printed()["split"]
    rows = [{"dataset": name, **counts, **split} for name, counts in _printed()["datasets"].items()]
    return pd.DataFrame(rows)


def remedies() -> pd.DataFrame:
    """What others publish for remedies without tasks: ``source, dataset, remedy, layers, hidden_layers, accuracy``.

    ``layers`` is the source's own count, ``hidden_layers`` what that is here; accuracies are in percent.
    """
    rows = [
        (entry["source"], dataset, remedy, layers, layers + entry["hidden"], value)
        for entry in _printed("published.yaml")
        for dataset, by_remedy in entry["accuracy"].items()
        for remedy, values in by_remedy.items()
        for layers, value in zip(entry["layers"], values, strict=True)
        if value is not None
    ]
    return pd.DataFrame(rows, columns=["source", "dataset", "remedy", "layers", "hidden_layers", "accuracy"])


def remedy_sources() -> dict[str, str]:
    """Return where the figures of each source of `remedies` were read."""
    return {entry["source"]: entry["from"] for entry in _printed("published.yaml")}


def few_labels() -> pd.DataFrame:
    """What others publish for few labels: ``source, from, dataset, method, rate, labels, accuracy``.

    ``rate`` is the share of labelled nodes in percent, ``labels`` how many that are of each class on average;
    ``accuracy`` is in percent.
    """
    rows = [
        (entry["source"], entry["from"], dataset, method, rate, value)
        for entry in _printed("published_labels.yaml")
        for method, by_dataset in entry["accuracy"].items()
        for dataset, values in by_dataset.items()
        for rate, value in zip(entry["rates"][dataset], values, strict=True)
    ]
    table = pd.DataFrame(rows, columns=["source", "from", "dataset", "method", "rate", "accuracy"])
    counts = datasets().set_index("dataset")
    each = counts["nodes"] / counts["classes"] / 100
    table.insert(5, "labels", table["rate"] * table["dataset"].map(each))
    return table


def layers() -> pd.DataFrame:
    """What others publish for other layers without tasks: ``source, from, layer, dataset, accuracy``, in percent."""
    rows = [
        (entry["source"], entry["from"], entry["layer"], dataset, value)
        for entry in _printed("published_layers.yaml")
        for dataset, value in entry["accuracy"].items()
    ]
    return pd.DataFrame(rows, columns=["source", "from", "layer", "dataset", "accuracy"])
