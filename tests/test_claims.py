import numpy as np
import pandas as pd
import pytest

from mtgcn import claims
from mtgcn.paper import NETWORKS


def runs(means: dict[str, float], spread: float, cell: tuple[str, int] = ("cora", 1), number: int = 10) -> pd.DataFrame:
    """Runs around the given means; GCN's own spread is 1, the others have ``spread``, without common noise."""
    rng = np.random.default_rng(0)
    rows = []
    for network, mean in means.items():
        noise = rng.normal(size=number)
        noise = (noise - noise.mean()) / noise.std()
        scale = 1.0 if network == "GCN" else spread
        rows += [(*cell, network, seed, mean + scale * value) for seed, value in enumerate(noise)]
    return pd.DataFrame(rows, columns=["dataset", "hidden_layers", "network", "seed", "test_accuracy"])


def verdict(table: pd.DataFrame, claim: str, where: str = "Cora, 1 hidden layer") -> str:
    found = table[table["claim"].str.contains(claim) & (table["where"] == where)]
    assert len(found) == 1
    return found["verdict"].iloc[0]


def all_at(value: float, **others: float) -> dict[str, float]:
    return {"GCN": 80.0, **{name: value for name in NETWORKS if name != "GCN"}} | {
        name.replace("_", "+"): mean for name, mean in others.items()
    }


def test_gains_far_above_zero_hold():
    table = claims.verdicts(runs(all_at(84.0), 0.1))
    assert verdict(table, "all beat GCN") == claims.HOLDS
    assert verdict(table, "best has tasks") == claims.HOLDS
    assert verdict(table, "gain of You") == claims.HOLDS


def test_one_network_far_below_the_baseline_refutes_that_every_network_wins():
    table = claims.verdicts(runs(all_at(84.0, ER=70.0), 0.1))
    assert verdict(table, "all beat GCN") == claims.FAILS
    assert verdict(table, "best has tasks") == claims.HOLDS


def test_gains_within_the_noise_are_not_clear():
    table = claims.verdicts(runs(all_at(80.2), 1.0))
    assert verdict(table, "all beat GCN") == claims.UNCLEAR
    assert verdict(table, "gain of You") == claims.UNCLEAR


@pytest.mark.parametrize(("spread", "expected"), [(0.05, "holds"), (20.0, "does not hold"), (1.0, "not clear")])
def test_steadiness_follows_the_spread(spread, expected):
    assert verdict(claims.verdicts(runs(all_at(99.0), spread)), "steadier") == expected


def test_one_run_or_runs_that_never_vary_make_nothing_clear():
    single = claims.verdicts(runs(all_at(84.0, AE_FR_ER=90.0), 0.1).query("seed == 0"))
    assert set(single["verdict"]) <= {claims.UNCLEAR, claims.MISSING}
    assert not single["numbers"].str.contains("nan").any()
    constant = runs(all_at(84.0), 0.1).assign(
        test_accuracy=lambda t: t.groupby("network")["test_accuracy"].transform("mean").round(1)
    )
    assert verdict(claims.verdicts(constant), "steadier") == claims.UNCLEAR


@pytest.mark.parametrize(("four", "expected"), [(90.0, "does not hold"), (80.0, "holds"), (84.0, "not clear")])
def test_four_heads(four, expected):
    assert verdict(claims.verdicts(runs(all_at(84.0, AE_FR_ER=four), 0.1)), "four heads") == expected


def test_what_was_not_run_is_said_to_be_missing():
    table = claims.verdicts(runs(all_at(84.0), 0.1))
    assert set(table.loc[table["where"] == "Pubmed, 1 hidden layer", "verdict"]) == {claims.MISSING}
    assert set(claims.verdicts(pd.DataFrame())["verdict"]) == {claims.MISSING}


def test_the_overview_has_each_verdict_once_and_a_dash_elsewhere():
    results = runs(all_at(84.0, ER=70.0), 0.1)
    text = claims.overview(results).text
    assert list(text.index) == [*dict.fromkeys(claims.verdicts(results)["where"])]
    assert text.loc["Cora, 1 hidden layer", "all beat GCN"] == claims.FAILS
    assert text.loc["Cora, 1 hidden layer", "best has tasks"] == claims.HOLDS
    assert text.loc["Cora, 5 hidden layers", "gain of You et al."] == "–"
