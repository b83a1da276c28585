"""Statements of the page that looks for the paper's protocol, found from the runs by other means than on the page."""

from functools import cache

import numpy as np
import pandas as pd
from project.statements import PLACES, Statement, number, page, paper

from mtgcn.experiments.protocols import PROTOCOLS

RULES = ("accuracy", "accuracy_last", "accuracy_loss", "loss", "main_loss")
SHALLOW = ("pubmed-1", "cora-1", "citeseer-1")
NEAREST, LITERAL = ("all whole inside", "loss"), ("first half", "accuracy")
ON_ALL = ("all half", "all whole", "all half inside", "all whole inside")
STEP_1 = [*ON_ALL, *(name.replace("all", "first") for name in ON_ALL)]


@cache
def accuracies(place: str, variant: str, rule: str) -> pd.Series:
    """Return the test accuracies (50,) of a candidate; Cora has no self-loops that could be kept."""
    if variant == "self-loops kept" and place.startswith("cora"):
        variant = NEAREST[0]
    table = page(f"protocol-{'l2' if variant in STEP_1 else 'rest'}-{place}")
    return table.loc[table["variant"] == variant, f"test_by_{rule}"]


def apart(place: str, variant: str, rule: str) -> float:
    ours, theirs = accuracies(place, variant, rule), paper(place).loc["GCN"]
    return float((ours.mean() - theirs["mean"]) / np.hypot(ours.std() / len(ours) ** 0.5, theirs["sem"]))


def distance(variant: str, rule: str) -> float:
    return float(np.linalg.norm([apart(place, variant, rule) for place in PLACES]) / len(PLACES) ** 0.5)


@cache
def candidates() -> dict[tuple[str, str], float]:
    further = page("protocol-rest-citeseer-1")["variant"].unique()
    return {(variant, rule): distance(variant, rule) for variant in [*STEP_1, *further] for rule in RULES}


def mean(place: str, variant: str, rule: str) -> str:
    return number(accuracies(place, variant, rule).mean())


def over(place: str) -> str:
    return number(accuracies(place, *NEAREST).mean() - paper(place).loc["GCN", "mean"])


def nearest_in_step_1() -> bool:
    first = {one: far for one, far in candidates().items() if one[0] in STEP_1}
    settings = {"l2_layers": "all", "l2_counts": "whole", "l2_in_validation_loss": True, "best_epoch_by": "loss"}
    return min(first, key=first.__getitem__) == NEAREST and dict(PROTOCOLS["matched"]) == settings


def never_below() -> bool:
    normalised = [one for one in candidates() if one[0] != "raw features"]
    return all(apart(place, *one) > 0 for place in SHALLOW for one in normalised)


def step_2() -> pd.Series:
    """Return in which share of the page's samples a candidate of step 2 was nearer than the winner of step 1."""
    return page("which_protocol", "step-2").set_index(["variant", "rule"])["nearer"]


def nothing_taken_over() -> bool:
    kept = page("which_protocol", "candidates")
    same = all(np.isclose(far, candidates()[name, rule.replace(", ", "_")]) for name, rule, far, _ in kept.to_numpy())
    return len(kept) == len(candidates()) and same and bool((step_2() < 0.975).all())


def worst_on_all() -> float:
    return max(far for one, far in candidates().items() if one[0] in ("all whole", "all whole inside"))


STATEMENTS = [
    Statement("One of 70 candidates fits the paper's figures for the plain GCN best", lambda: [str(len(candidates()))]),
    Statement(
        "L2 on all layers, counted whole as Keras does, with the penalty in the validation loss", nearest_in_step_1
    ),
    Statement(
        "Under it our GCN with five hidden layers has 18.26 percent, where the paper has 16.47",
        lambda: [mean("cora-5", *NEAREST), number(paper("cora-5").loc["GCN", "mean"])],
    ),
    Statement(
        "under the paper's words, taken literally, it has 64.78",
        lambda: [mean("cora-5", *LITERAL)],
    ),
    Statement(
        "by 0.66 points on Pubmed, 0.68 on Cora and 1.63 on Citeseer", lambda: [over(place) for place in SHALLOW]
    ),
    Statement("No candidate with row-normalised features goes below the paper there", never_below),
    Statement(
        "With L2 on the first layer only, a candidate is far from the paper, whatever its other settings.",
        lambda: min(far for one, far in candidates().items() if one[0].startswith("first")) > worst_on_all(),
    ),
    Statement("comes nearer beyond chance. Keeping the self-loops", nothing_taken_over),
    Statement(
        "just misses the bar (97.4 percent of the samples) and moves Citeseer by 0.07 points only",
        lambda: [
            f"{100 * step_2()['self-loops kept', 'loss']:.1f}",
            number(
                accuracies("citeseer-1", *NEAREST).mean() - accuracies("citeseer-1", "self-loops kept", "loss").mean()
            ),
        ],
    ),
    Statement(
        "from collapsing (36.45 and 64.58 percent)",
        lambda: [mean("cora-5", name, "loss") for name in ("biases", "raw features")],
    ),
    Statement(
        "the nearest reading is within 0.6 standard errors of the paper",
        lambda: [f"{max(abs(apart(place, *NEAREST)) for place in ('cora-2', 'cora-5')):.1f}"],
    ),
    Statement(
        "4.4 standard errors on Cora and 7.0 on Citeseer",
        lambda: [f"{apart(place, *NEAREST):.1f}" for place in ("cora-1", "citeseer-1")],
    ),
]
