"""Statements of the page with fifty runs and random splits."""

from functools import cache

import numpy as np
import pandas as pd
from project.statements import PLACES, Statement, interval, page, side, signed
from project.statements.verdicts import chosen, gains, results


def many(protocol: str, place: str) -> pd.Series:
    """Return the gains (runs,) on the usual split."""
    return gains(protocol, place, chosen(protocol, place))


def on_splits(protocol: str, place: str) -> pd.Series:
    """Return the mean gains (splits,) on random splits."""
    means = page(f"splits-{results(protocol, place)}").pivot_table("test_accuracy", "split", "network")
    return means[chosen(protocol, place)] - means["GCN"]


def mean(values: pd.Series) -> list[str]:
    """Return a mean gain as it is printed."""
    return [signed(values.mean())]


def sides(of, protocol: str) -> dict[str, int]:
    """Return on which side of zero the interval of each place's gain lies."""
    return {place: side(of(protocol, place)) for place in PLACES}


@cache
def misled(protocol: str, place: str) -> float:
    """Return how often ten of the runs have the other sign in percent, drawn in another way than on the page."""
    every = many(protocol, place).to_numpy()
    rng = np.random.default_rng(1)
    means = np.array([rng.choice(every, 10, replace=False).mean() for _ in range(20_000)])
    return float(100 * np.mean(np.sign(means.round(9)) != np.sign(every.mean())))


def share(protocol: str, place: str) -> str:
    """Return the share that the page kept, if drawing anew agrees with it within the error of 20,000 draws."""
    dataset, depth = place.split("-")
    table = page("more_runs", "fifty").set_index(["protocol", "dataset", "hidden_layers"])
    kept = table.loc[(protocol, dataset, int(depth)), "wrong_sign"]
    assert abs(misled(protocol, place) - 100 * kept) < 1.5
    return f"{100 * kept:.1f}"


def above(protocol: str, place: str) -> list[str]:
    """Return on how many splits the mean gain is above zero, and how many there are."""
    means = on_splits(protocol, place).round(9)
    return [str((means > 0).sum()), str(len(means))]


def reach(values: pd.Series) -> list[str]:
    """Return the ends of the interval of a mean gain."""
    return [signed(end) for end in interval(values)]


STATEMENTS: list[Statement] = []
