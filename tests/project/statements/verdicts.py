"""Statements of the page of verdicts; verdicts are found here by other means than on the page.

For a sentence of the answer: ``gain`` and ``plain`` give numbers of a place, ``verdicts`` the verdict of a claim there,
``reached`` how often a verdict is given, ``claims_that`` which claims have it when all their places are taken together.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd
from project.statements import PLACES, RESULTS, TASKS, Statement, number, page, paper, printed_gain, side, signed, wide
from scipy import stats

from mtgcn.analysis import literature

SHALLOW, DEEP = PLACES[:3], PLACES[3:]
FOUR, MARGIN = "AE+FR+ER", 0.3
HOLDS, FAILS, CLOSE = "holds", "does not hold", "too close"
DEPTHS = {1: SHALLOW, 2: SHALLOW, 3: PLACES, 4: DEEP, 5: PLACES, 6: SHALLOW}


class Found(NamedTuple):
    """A test: its p, which way it points, and whether a difference is shown to be small."""

    p: float
    way: float
    small: bool = False


def results(protocol: str, place: str) -> str:
    """Return the name of the results of a place under a protocol."""
    return place if protocol == "text" else f"{protocol}-{place}"


def protocols() -> list[str]:
    """Return the protocols that have results in every place."""
    there = [
        all((RESULTS / f"{results(name, place)}.csv").exists() for place in PLACES) for name in ("text", "matched")
    ]
    return [name for name, complete in zip(("text", "matched"), there, strict=True) if complete]


@cache
def chosen(protocol: str, place: str, but: str = "") -> str:
    """Return the network with tasks that did best on the validation nodes, leaving one out."""
    means = page(results(protocol, place)).groupby("network")["validation_accuracy"].mean().round(9)
    return str(means[[task for task in TASKS if task != but]].idxmax())


def gains(protocol: str, place: str, network: str, over: str = "GCN") -> pd.Series:
    """Return the gains (runs,) of a network over another with the same seeds."""
    accuracies = wide(results(protocol, place))
    return accuracies[network] - accuracies[over]


def paired(values: pd.Series, bound: float = 0.0) -> Found:
    """Test a mean against ``bound``; that it is small is what two one-sided tests show."""
    above = stats.ttest_1samp(values, -MARGIN, alternative="greater").pvalue
    below = stats.ttest_1samp(values, MARGIN, alternative="less").pvalue
    p = stats.ttest_rel(values, np.full(len(values), bound)).pvalue
    return Found(p, values.mean() - bound, bound == 0 and max(above, below) < 0.05)


def spreads(protocol: str, place: str) -> Found:
    """Brown and Forsythe's test is an analysis of variance of the distances from the medians."""
    two = wide(results(protocol, place))[[chosen(protocol, place), "GCN"]]
    distances = (two - two.median()).abs()
    p = stats.f_oneway(*(distances[name] for name in distances)).pvalue
    return Found(float(p), two["GCN"].std() - two.iloc[:, 0].std())


def made(protocol: str, claim: int, place: str) -> list[Found]:
    """Return the tests of a claim in a place."""
    best = chosen(protocol, place)
    if claim == 1:
        return [paired(gains(protocol, place, task)) for task in TASKS]
    if claim == 3:
        return [spreads(protocol, place)]
    if claim == 5:
        return [paired(gains(protocol, place, chosen(protocol, place, FOUR), FOUR))]
    bound = printed_gain(literature.YOU, place.split("-")[0]) - MARGIN if claim == 6 else 0.0
    return [paired(gains(protocol, place, best), bound)]


def corrected(values: list[float]) -> list[float]:
    """Holm: no p may be below that of a smaller one, each multiplied by how many are not smaller."""
    return [
        min(1.0, max(other * sum(third >= other for third in values) for other in values if other <= p)) for p in values
    ]


@cache
def verdicts(protocol: str) -> dict[tuple[int, str], str]:
    """Return the verdict of each claim in each place that it speaks of."""
    found = {}
    for claim, places in DEPTHS.items():
        tests = [(place, test) for place in places for test in made(protocol, claim, place)]
        words: dict[str, list[str]] = {place: [] for place in places}
        for (place, test), p in zip(tests, corrected([test.p for _, test in tests]), strict=True):
            clear = HOLDS if test.way > 0 else FAILS
            words[place].append(clear if p < 0.05 else FAILS if test.small else CLOSE)
        found |= {(claim, place): summed(own) for place, own in words.items()}
    return found


def summed(words: list[str]) -> str:
    """Return the verdict of several: one that fails is enough, and all have to hold."""
    return FAILS if FAILS in words else CLOSE if CLOSE in words else HOLDS


def together(protocol: str, claim: int) -> str:
    """Return the verdict of a claim in all places that it speaks of."""
    return summed([verdicts(protocol)[claim, place] for place in DEPTHS[claim]])


def claims_that(protocol: str, verdict: str) -> list[int]:
    """Return the claims with a verdict, all places taken together."""
    return [claim for claim in DEPTHS if together(protocol, claim) == verdict]


def reached(protocol: str, verdict: str) -> list[str]:
    """Return how many verdicts are this one, of how many."""
    every = list(verdicts(protocol).values())
    return [str(every.count(verdict)), str(len(every))]


def gain(protocol: str, place: str, network: str = "") -> list[str]:
    """Return the mean gain of a network, by default of the one chosen on the validation nodes."""
    return [signed(gains(protocol, place, network or chosen(protocol, place)).mean())]


def plain(protocol: str, place: str) -> list[str]:
    """Return the plain GCN's accuracy, ours and the paper's."""
    return [number(wide(results(protocol, place))["GCN"].mean()), number(paper(place).loc["GCN", "mean"])]


def odds() -> list[str]:
    """Return what the paper's tables say against two of its claims."""
    theirs = paper("cora-5")
    network = theirs["mean"].idxmax()
    two = [printed_gain(source, "pubmed") for source in (literature.PAPER, literature.YOU)]
    assert two[0] < two[1]
    assert theirs["sem"][network] > theirs["sem"]["GCN"]
    return [*map(number, two), *(number(theirs["sem"][one]) for one in (network, "GCN"))]


def largest_only() -> bool:
    """Claim 4 holds with five layers under both protocols, claims 1, 2 and 6 in no place under both."""
    large = [verdicts(protocol)[4, "cora-5"] == HOLDS for protocol in ("text", "matched")]
    small = [
        {verdicts(protocol)[claim, place] for protocol in ("text", "matched")} == {HOLDS}
        for claim in (1, 2, 6)
        for place in SHALLOW
    ]
    return all(large) and not any(small)


def shallow(protocol: str) -> list[str]:
    """Return the gains of the chosen networks on Citeseer, Cora and Pubmed."""
    return [value for place in SHALLOW for value in gain(protocol, place)]


def runs_of_a_place() -> bool:
    """Every place has fifty runs of each network under both protocols."""
    counts = {
        (protocol, place): set(page(results(protocol, place)).groupby("network").size())
        for protocol in ("text", "matched")
        for place in PLACES
    }
    return set().union(*counts.values()) == {50}


def nothing_clear_with_two() -> bool:
    """No network with tasks is clearly above the plain one, under either protocol."""
    every = [(protocol, task) for protocol in ("text", "matched") for task in TASKS]
    return not any(side(gains(protocol, "cora-2", task)) == 1 for protocol, task in every)


STATEMENTS = [
    Statement("The paper's largest gain is there under both protocols, and its small ones are not.", largest_only),
    Statement(
        "our plain GCN has 18.26 percent where the paper has 16.47, and the network chosen on the validation nodes "
        "gains +39.66 points.",
        lambda: [*plain("matched", "cora-5"), *gain("matched", "cora-5")],
    ),
    Statement(
        "Trained as the paper says, the plain GCN has 64.78 percent, and the gain is +4.05.",
        lambda: [*plain("text", "cora-5")[:1], *gain("text", "cora-5")],
    ),
    Statement(
        "With one layer the chosen networks gain +0.80 points on Citeseer, −1.04 on Cora and −0.05 on Pubmed as the "
        "paper says, and +0.05, −0.43 and +0.02 as its figures suggest.",
        lambda: [*shallow("text"), *shallow("matched")],
    ),
    Statement("With two layers on Cora no gain is clear.", nothing_clear_with_two),
    Statement("A place has fifty runs of each network.", runs_of_a_place),
    Statement(
        "Six claims of the paper are judged here in 5 places: on each data set, and on Cora also with two and five "
        "layers.",
        lambda: [str(len(PLACES))] if len(DEPTHS) == len(literature.CLAIMS) == 6 else [],
    ),
    Statement(
        "Its best gain on Pubmed, 0.70, is below the 0.90 of You et al. And with five layers its best network has a "
        "standard error of 4.32, its plain GCN one of 2.19.",
        odds,
    ),
]
