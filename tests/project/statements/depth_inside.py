"""Statements of the page on what goes wrong inside a deep network."""

import pandas as pd
from project.statements import Statement
from project.statements._depth import DATASETS, correlations, every, study


def failed() -> pd.DataFrame:
    return every().query("failed")


def signs_of_the_plain_gcn() -> list[str]:
    runs = failed().query("network == 'GCN'")
    assert len(runs) > 50
    return [f"{100 * share:.0f}" for share in (runs["smoothed"].mean(), (runs["gradient_norm"] < 1e-3).mean())]


def the_rank_goes_along() -> list[str]:
    """No other measure goes with accuracy much better."""
    rho = {name: correlations(study(name)) for name in DATASETS}
    assert all(own.abs().max() - own["effective_rank"] < 0.01 for own in rho.values())
    return [f"{own['effective_rank']:.2f}" for own in rho.values()]


def few_fail_early_and_most_late() -> bool:
    share = every().groupby("hidden_layers")["failed"].mean()
    return bool(share[share.index <= 3].max() < 0.03 and share[16] > 0.95 and failed()["smoothed"].mean() > 0.75)


def vanishes_late() -> bool:
    vanished = failed().query("gradient_norm < 0.001")["hidden_layers"]
    return bool((vanished >= 16).mean() > 0.9)


def dead_layers() -> list[str]:
    return [str((failed()["dead_units"] >= 0.9).sum()), str(len(failed()))]


def fewer_that_learn_are_smoothed() -> bool:
    """At depths where some fail and others do not."""
    runs = every()
    mixed = runs[runs.groupby(["dataset", "hidden_layers"])["failed"].transform("nunique") == 2]
    share = mixed.groupby("failed")["smoothed"].mean()
    return bool(0 < share[False] < share[True] / 3)


def without_sign_they_have_hardly_moved() -> bool:
    bare = failed().query("not smoothed and gradient_norm >= 0.001 and dead_units < 0.9")
    return len(bare) > 20 and bool((bare["epoch"] <= 3).mean() > 0.8)


def few_directions_low_accuracy() -> bool:
    """Accurate is halfway between the largest class and the best run."""
    runs = every()
    best = runs.groupby("dataset")["test_accuracy"].transform("max")
    accurate = runs["test_accuracy"] > (runs["chance"] + best) / 2
    return bool(accurate[runs["effective_rank"] < 2].mean() < 0.05)


STATEMENTS = [
    Statement(
        "The nodes become alike: of the failed runs of the plain GCN, 96 % show over-smoothing, and 40 % a gradient "
        "that has vanished",
        signs_of_the_plain_gcn,
    ),
    Statement(
        "goes with accuracy: the rank correlation is 0.83 on Citeseer, 0.80 on Cora and 0.86 on Pubmed.",
        the_rank_goes_along,
    ),
    Statement(
        "Up to three hidden layers hardly a run fails, with sixteen nearly all do, and most that fail show "
        "over-smoothing",
        few_fail_early_and_most_late,
    ),
    Statement("The gradient vanishes mostly from sixteen layers on", vanishes_late),
    Statement("A layer of dead units is rare: 1 of 688 failed runs has one.", dead_layers),
    Statement("Runs that learn can show over-smoothing, too, but far fewer do", fewer_that_learn_are_smoothed),
    Statement(
        "Failed runs without any of the three signs have mostly not left their first weights",
        without_sign_they_have_hardly_moved,
    ),
    Statement("hardly a run with fewer than two directions is accurate", few_directions_low_accuracy),
]
