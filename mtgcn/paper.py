"""The paper's own figures (``paper.yaml``) as tidy tables, to stand beside what is measured here."""

from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

# The order of the rows in the paper's tables.
NETWORKS = ("GCN", "AE", "FR", "ER", "AE+FR", "AE+ER", "AE+FR+ER")

PAPER = "Manessi & Rozza (2021)"
YOU = "You et al. (2020)"
KIPF = "Kipf & Welling (2017)"


@cache
def _printed() -> dict[str, Any]:
    return yaml.safe_load(Path(__file__).with_name("paper.yaml").read_text(encoding="utf-8"))


def accuracies() -> pd.DataFrame:
    """Tables 1 and 2: ``dataset, hidden_layers, network, mean, sem``, in per cent, one row a cell (35)."""
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
