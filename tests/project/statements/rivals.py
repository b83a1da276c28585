"""Statements of the page on rival tasks, learned weights and other layers."""

from functools import cache

import pandas as pd
from project.statements import Statement, gains, number, page, side, signed

OURS, THEIRS = ("AE", "FR", "ER"), ("NC", "GP", "GCo", "EM", "PD")
FEATURES = ("AE", "FR", "NC", "GCo")  # tasks made from the features
TEXT, MATCHED = ("citeseer-1", "cora-1", "pubmed-1"), ("matched-citeseer-1", "matched-cora-1")


@cache
def gain(place: str, network: str) -> pd.Series:
    """Return the gains (runs,) of a network in a place, whichever page trained it."""
    beside = f"rivals-{place}"
    return gains(beside if network in set(page(beside)["network"]) else place, network)


def both(place: str) -> str:
    """Return the network with a task of each side."""
    (name,) = [each for each in set(page(f"rivals-{place}")["network"]) if "+" in each]
    return str(name)


def clear(place: str, sign: int) -> list[str]:
    """Return the single tasks that clearly gain, or lose, in a place."""
    return [task for task in (*OURS, *THEIRS) if side(gain(place, task)) == sign]


def mean(place: str, network: str) -> str:
    """Return a mean gain as it is printed."""
    return signed(gain(place, network).mean())


def features_on_citeseer() -> list[str]:
    """Four tasks gain, and they are those made from the features."""
    assert set(clear("citeseer-1", 1)) == set(FEATURES)
    means = sorted(gain("citeseer-1", task).mean() for task in FEATURES)
    return [signed(means[0]), signed(means[-1])]


def together_on_citeseer() -> list[str]:
    """FR with NC is clearly ahead of the best task alone."""
    assert both("citeseer-1") == "FR+NC"
    best = max((gain("citeseer-1", task) for task in FEATURES), key=lambda one: one.mean())
    assert side(gain("citeseer-1", "FR+NC") - best) == 1
    return [mean("citeseer-1", "FR+NC")]


def nothing_on_cora() -> bool:
    return clear("cora-1", 1) == []
