"""The paper's claims, each put to the runs measured here: holds, does not hold, or not clear.

A claim about gains holds where the 95 % intervals of all gains it speaks of lie above zero; it does not hold
where one lies below zero; otherwise these runs cannot tell.
"""

import math
from collections.abc import Hashable, Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from mtgcn import paper
from mtgcn.comparison import BASELINE, compare, describe, of_cell
from mtgcn.rendering import Table
from mtgcn.tables import CELLS
from mtgcn.wording import cell, interval, signed

HOLDS, FAILS, UNCLEAR, MISSING = "holds", "does not hold", "not clear", "not measured yet"
FOUR_HEADS = "AE+FR+ER"
Row = tuple[str, str, str, str]  # claim, where, verdict, numbers
Rows = dict[str, dict[Hashable, Any]]  # the rows of a comparison by network


def verdicts(results: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each claim and place with the columns claim, where, verdict and numbers.

    Args:
        results: one row a run, as `mtgcn.experiment.run` gives them.
    """
    table = compare(results, CELLS)
    rows = [row for place in CELLS for row in _of_cell(table, results, *place)]
    return pd.DataFrame(rows, columns=["claim", "where", "verdict", "numbers"])


def overview(results: pd.DataFrame) -> Table:
    """Return the verdicts at a glance: a row a place, a column a claim, a dash where it was not made."""
    data = verdicts(results)
    text = data.pivot_table(index="where", columns="claim", values="verdict", aggfunc="first", sort=False)
    text = text.fillna("–").rename_axis(index=None, columns=None)
    return Table("claims-overview", data, text, text == HOLDS)


def table(results: pd.DataFrame) -> Table:
    """Return the verdicts with their numbers, claim by claim."""
    data = verdicts(results)
    order = {claim: number for number, claim in enumerate(data["claim"].unique())}
    data = data.sort_values("claim", key=lambda claims: claims.map(order), kind="stable", ignore_index=True)
    text = data.set_index(["claim", "where"])
    bold = pd.DataFrame(False, index=text.index, columns=text.columns)
    bold["verdict"] = True
    return Table("claims", data, text, bold)


def _of_cell(table: pd.DataFrame, results: pd.DataFrame, dataset: str, depth: int) -> Iterator[Row]:
    here = of_cell(table, (dataset, depth))
    where = cell(dataset, depth)
    rows: Rows = {str(row["network"]): row for row in here.to_dict("records")}
    gains = {name: row for name, row in rows.items() if not math.isnan(row["gain"])}
    if not gains:
        yield "all beat GCN", where, MISSING, ""
        return
    best = max(gains, key=lambda name: gains[name]["mean"])
    yield "all beat GCN", where, above(gains.values()), _span(gains)
    yield "best has tasks", where, above([gains[best]]), gain_text(best, gains[best])
    yield "best is steadier", where, *_steadier(results, rows, best)
    if FOUR_HEADS in gains and len(gains) > 1:
        yield "four heads not best", where, *_never_best(gains, best)
    if depth == 1:
        yield "gain of You et al.", where, *_against_you(dataset, best, gains[best])


def above(gains: Iterable[dict[Hashable, Any]], bound: float = 0.0) -> str:
    """Judge whether all gains, with their intervals, lie above ``bound``."""
    intervals = [(gain["gain_low"], gain["gain_high"]) for gain in gains]
    if all(low > bound for low, _ in intervals):
        return HOLDS
    return FAILS if any(high < bound for _, high in intervals) else UNCLEAR


def _span(gains: Rows) -> str:
    ordered = sorted(gains, key=lambda name: gains[name]["gain"])
    return " to ".join(gain_text(name, gains[name]) for name in (ordered[0], ordered[-1]))


def gain_text(network: str, row: dict[Hashable, Any]) -> str:
    """Return e.g. "AE +0.52 [+0.10, +0.94]"."""
    return f"{network} {interval(row['gain'], row['gain_low'], row['gain_high'])}"


def _steadier(results: pd.DataFrame, rows: Rows, best: str) -> tuple[str, str]:
    """Compare standard errors; whether spreads differ at all is judged by Brown and Forsythe's test."""
    dataset, depth = rows[best]["dataset"], rows[best]["hidden_layers"]
    chosen = of_cell(results, (dataset, depth))
    runs = [chosen.loc[chosen["network"] == name, "test_accuracy"].dropna() for name in (best, BASELINE)]
    if min(map(len, runs)) < 3:
        return UNCLEAR, f"too few runs of {describe(best, dataset, depth)}"
    varied = any(np.ptp(own) > 0 for own in runs)
    p = float(stats.levene(*runs, center="median").pvalue) if varied else math.nan
    ours, baseline = rows[best]["sem"], rows[BASELINE]["sem"]
    different = p < 0.05  # not so where p is NaN
    verdict = UNCLEAR if not different else HOLDS if ours < baseline else FAILS
    return verdict, f"± {ours:.2f} ({best}) against ± {baseline:.2f}" + (f", p = {p:.2f}" if varied else "")


def _never_best(gains: Rows, best: str) -> tuple[str, str]:
    four = gains[FOUR_HEADS]
    second, other = max(((n, r) for n, r in gains.items() if n != FOUR_HEADS), key=lambda pair: pair[1]["mean"])
    numbers = f"{FOUR_HEADS} {four['mean']:.2f}, {second} {other['mean']:.2f}"
    different = abs(four["mean"] - other["mean"]) >= 2 * math.hypot(four["sem"], other["sem"])  # not so with NaN
    if not different:
        return UNCLEAR, numbers
    return (FAILS if best == FOUR_HEADS else HOLDS), numbers


def _against_you(dataset: str, best: str, row: dict[Hashable, Any]) -> tuple[str, str]:
    printed = paper.gains()
    theirs = float(printed.loc[(printed["source"] == paper.YOU) & (printed["dataset"] == dataset), "gain"].iloc[0])
    return above([row], theirs), f"{gain_text(best, row)} against {signed(theirs)}"
