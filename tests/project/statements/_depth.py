"""Runs of the study of depth, for the statements of its pages: read and compared apart from the pages' own code."""

from functools import cache

import numpy as np
import pandas as pd
from project.statements import RESULTS, TASKS, page, side
from scipy import stats

DATASETS = ("citeseer", "cora", "pubmed")


@cache
def study(dataset: str) -> pd.DataFrame:
    """Return all runs without remedy and with weights tuned for one layer, with the measures of their last layer."""
    parts = []
    for path in sorted(RESULTS.glob(f"depth-{dataset}*.csv")):
        runs = page(path.stem)
        if set(runs["tuned_for"]) != {1}:
            continue
        measures = page(path.stem, "measures")
        keys = ["network", "hidden_layers", "seed"]
        last = measures[measures["layer"] == measures["hidden_layers"]].rename(
            columns={"dead_units": "last_dead_units"}
        )
        most = measures.groupby(keys)["dead_units"].max().reset_index()
        parts.append(runs.merge(last, on=keys, validate="1:1").merge(most, on=keys, validate="1:1"))
        assert len(parts[-1]) == len(runs)
    runs = pd.concat(parts, ignore_index=True)
    assert set(runs["remedy"]) == {"none"}
    runs["smoothed"] = (runs["effective_rank"] < 2.5) | (runs["mad_remote"] < 0.1)
    return runs.assign(dataset=dataset, failed=runs["test_accuracy"] <= runs["chance"] + 5)


@cache
def every() -> pd.DataFrame:
    return pd.concat([study(dataset) for dataset in DATASETS], ignore_index=True)


def means(runs: pd.DataFrame, network: str = "GCN") -> pd.Series:
    """Return the mean accuracy by depth."""
    return runs[runs["network"] == network].groupby("hidden_layers")["test_accuracy"].mean()


def gains(runs: pd.DataFrame, network: str, depth: int, base: pd.DataFrame | None = None) -> pd.Series:
    """Return the gains (runs,) at a depth over the GCN of ``base``, by default of the same runs, by seed."""

    def of(table: pd.DataFrame, name: str) -> pd.Series:
        own = table[(table["network"] == name) & (table["hidden_layers"] == depth)]
        return own.set_index("seed")["test_accuracy"].sort_index()

    ours, theirs = of(runs, network), of(runs if base is None else base, "GCN")
    assert ours.index.tolist() == theirs.index.tolist()
    return ours - theirs


def clear(runs: pd.DataFrame, depth: int, base: pd.DataFrame | None = None) -> dict[str, int]:
    """Return which networks gain (1) or lose (-1) clearly at a depth."""
    there = set(runs.loc[runs["hidden_layers"] == depth, "network"])
    found = {name: side(gains(runs, name, depth, base)) for name in TASKS if name in there}
    return {name: sign for name, sign in found.items() if sign}


def steepest(dataset: str) -> list[str]:
    """Return the neighbouring depths between which the GCN loses most, of those at which tasks were trained, too."""
    runs = study(dataset)
    accuracy = means(runs)[sorted(set(runs.loc[runs["network"] == "AE", "hidden_layers"]))]
    place = int(np.argmax(-np.diff(accuracy)))
    return [str(depth) for depth in accuracy.index[place : place + 2]]


def correlations(runs: pd.DataFrame) -> pd.Series:
    """Return Spearman's ρ of the accuracy with each measure that the page shows."""
    runs = runs.assign(relative_energy=runs["normalised_dirichlet_energy"] / runs["squared_norm"])
    shown = ["relative_energy", "mad_neighbours", "mad_remote", "effective_rank", "gradient_norm", "last_dead_units"]
    found = {name: runs[[name, "test_accuracy"]].dropna() for name in shown}
    return pd.Series({name: stats.spearmanr(*own.T.to_numpy()).statistic for name, own in found.items()})
