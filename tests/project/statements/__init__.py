"""What people wrote on the summary pages, phrase by phrase, each with what book/results says about it.

A module here is named like its notebook and has a list ``STATEMENTS``. A phrase is copied from the notebook as it
stands there, line ends and asterisks aside; its function computes from the results, apart from the notebook's own code,
the numbers that the phrase has to hold, as they are printed and in their order. Results are written in digits: "5 of
6". A phrase without numbers is a verdict, and its function returns whether it is true.
"""

import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from scipy import stats

from mtgcn.analysis import literature

RESULTS = Path(__file__).parents[3] / "book" / "results"
PLACES = ("citeseer-1", "cora-1", "pubmed-1", "cora-2", "cora-5")
TASKS = [network for network in literature.NETWORKS if network != "GCN"]
READING = "open-points-5"


class Statement(NamedTuple):
    """A phrase of a notebook, and the numbers in it or whether it is true, as the results have it."""

    phrase: str
    said: Callable[[], bool | Sequence[str]]


@cache
def page(name: str, kept: str = "") -> pd.DataFrame:
    """Return the table of a page, or one that it kept."""
    return pd.read_csv(RESULTS / (f"{name}/{kept}.csv" if kept else f"{name}.csv"))


def page_record(name: str) -> dict[str, Any]:
    """Return what the results of a page were made with."""
    return json.loads((RESULTS / f"{name}.json").read_text())


@cache
def wide(name: str) -> pd.DataFrame:
    """Return the test accuracies (runs, networks) of a page with one split, by seed."""
    return page(name).pivot_table("test_accuracy", "seed", "network")


def gains(name: str, network: str) -> pd.Series:
    """Return the gains (runs,) over the plain GCN with the same seeds."""
    return wide(name)[network] - wide(name)["GCN"]


def interval(values: pd.Series) -> tuple[float, float]:
    """Return the 95 % interval of the mean of ``values`` (runs,), as the one-sample t test has it."""
    found = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    return float(found.low), float(found.high)


def side(values: pd.Series, bound: float = 0.0) -> int:
    """Return 1 where the interval of ``values`` lies above ``bound``, -1 where below, 0 where it holds it."""
    low, high = interval(values)
    return int(low > bound) - int(high < bound)


def sides(*names: str) -> list[int]:
    """Return on which side of zero the gains of all networks with tasks lie, on the pages ``names``."""
    return [side(gains(name, network)) for name in names for network in TASKS]


def best(name: str) -> str:
    """Return the network with tasks that has the highest mean test accuracy."""
    return str(wide(name)[TASKS].mean().idxmax())


def paper(name: str) -> pd.DataFrame:
    """Return the paper's mean and sem by network in the place ``name``."""
    dataset, depth = name.split("-")
    table = literature.accuracies()
    return table[(table["dataset"] == dataset) & (table["hidden_layers"] == int(depth))].set_index("network")


def printed_gain(source: str, dataset: str) -> float:
    """Return a best gain of the paper's Table 3."""
    table = literature.gains().set_index(["source", "dataset"])["gain"]
    return float(table[source, dataset])


def collapsed() -> str:
    """Return the accuracy of the plain GCN with five layers under L2 on every layer and the best epoch by loss."""
    table = page(READING)
    chosen = (table["network"] == "GCN") & (table["reading"] == "l2-all-epoch-loss")
    return number(table.loc[chosen, "test_accuracy"].mean())


def number(value: float) -> str:
    """Return a mean as it is printed."""
    return f"{value:.2f}"


def signed(value: float) -> str:
    """Return a gain as it is printed."""
    return f"{value:+.2f}".replace("-", "−")


def our_reading(*names: str) -> bool:
    """Tell whether the pages ``names`` were trained with L2 on the first layer and the best epoch by accuracy."""
    records = [page_record(name)["parameters"] for name in names]
    return all((record["l2_layers"], record["best_epoch_by"]) == ("first", "accuracy") for record in records)
