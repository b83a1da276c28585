"""Which failure is it? Over-smoothing, vanishing gradients and dead units told apart from a run's measures.

All three end in the same accuracy. A run fails when it is hardly better than naming the largest class for every node;
what its measures show at the best epoch then says why. More than one can be true.
"""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from mtgcn import paper
from mtgcn.comparison import BASELINE

# Points above the share of the largest class that a run needs to count as having learnt something.
MARGIN = 5.0
# A layer with so many of its units at zero on every node lets (almost) nothing through: 15 of 16.
DEAD = 0.9
# The last hidden layer has fewer than three directions; in runs that learn, Cora's seven classes have four to eight ...
RANK = 2.5
# ... or all nodes, however far apart in the graph, point one way: within 10 %, where runs that learn have 30 to 60 %.
DISTANCE = 0.1
# Norm of the first layer's gradient. Runs that learn have 3e-2 and more; L2 alone pulls at the first layer with 3e-3
# (λ ‖B‖ of Glorot's weights on Cora), so that below a third of that the data have no say there.
GRADIENT = 1e-3

FAILURES = {"smoothed": "over-smoothing", "vanished": "vanishing gradients", "dead": "dead units"}
# Where the paper's plain network is no better than chance, and the points around its mean that count as the same.
COLLAPSED, NEAR = ("cora", 5), 5.0
LEARNS, OTHER, DIVERGED = "learns", "none of the three", "diverged"
RUN = ["dataset", "remedy", "network", "hidden_layers", "seed"]


def diagnose(table: pd.DataFrame, measures: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each run: `RUN`, its accuracy, the epoch of its measures, what applies, and the verdict.

    ``table`` and ``measures`` are those of `mtgcn.depths.study`, the latter with ``dataset`` and ``remedy``. The
    columns ``failed``, ``smoothed``, ``vanished`` and ``dead`` are true or false; ``verdict`` names the failures of a
    run that failed, joined by " and ".
    """
    runs = table[[*RUN, "test_accuracy", "chance"]].merge(_signs(measures), on=RUN, how="left", indicator="found")
    # A run that diverged before its first epoch has no measures; any other without them cannot be judged.
    runs = runs[(runs.pop("found") == "both") | runs["test_accuracy"].isna()].reset_index(drop=True)
    runs["failed"] = ~(runs["test_accuracy"] > runs["chance"] + MARGIN)
    runs["smoothed"] = (runs["effective_rank"] < RANK) | (runs["mad_remote"] < DISTANCE)
    runs["vanished"] = runs["gradient_norm"] < GRADIENT
    runs["dead"] = runs["dead_units"] >= DEAD
    runs["verdict"] = [_verdict(row) for row in runs.to_dict("records")]
    return runs


def papers_accuracy() -> float:
    """Return the mean test accuracy in per cent of the paper's plain network where it is no better than chance."""
    printed = paper.accuracies().set_index(["dataset", "hidden_layers", "network"])["mean"]
    return float(printed[(*COLLAPSED, BASELINE)])


def like_the_papers(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs of `diagnose` of the plain network that are within five points of `papers_accuracy`."""
    near = (runs["test_accuracy"] - papers_accuracy()).abs() <= NEAR
    return runs[near & (runs["network"] == BASELINE) & (runs["dataset"] == COLLAPSED[0])]


def _signs(measures: pd.DataFrame) -> pd.DataFrame:
    """Return what decides, one row a run: the last hidden layer's measures, and the most dead units of any layer."""
    last = measures[measures["layer"] == measures["hidden_layers"]]
    most = measures.groupby(RUN)["dead_units"].max().reset_index()
    return last[[*RUN, "epoch", "effective_rank", "mad_remote", "gradient_norm"]].merge(most, on=RUN)


def _verdict(row: Mapping[Hashable, Any]) -> str:
    if not row["failed"]:
        return LEARNS
    if np.isnan(row["test_accuracy"]):
        return DIVERGED
    return " and ".join(text for name, text in FAILURES.items() if row[name]) or OTHER
