"""Readings of the paper compared: each against the default, and how near they come to the paper's collapse."""

import numpy as np
import pandas as pd

from mtgcn import paper, statistics, wording
from mtgcn.comparison import BASELINE, cells_of, describe, in_order, of_cell
from mtgcn.datasets import Dataset, one_answer
from mtgcn.readings import DEFAULT, LABELS, READING
from mtgcn.rendering import Table

COLUMNS = [READING, "network", "runs", "mean", "sem", "difference", "low", "high", "lowest"]


def summary(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each reading and network: mean and standard error, difference to the default, lowest run.

    The difference is paired by seed and has a 95 % interval, ``low`` to ``high``; of the default it is NaN.
    """
    rows: list[tuple[object, ...]] = []
    for name in [name for name in LABELS if name in set(runs[READING])]:
        here = runs[runs[READING] == name]
        for network in in_order(here["network"].tolist()):
            own = here[here["network"] == network]
            accuracy = own["test_accuracy"].to_numpy(float)
            difference: tuple[float, ...] = (np.nan,) * 3
            usual = runs[(runs[READING] == DEFAULT.name) & (runs["network"] == network)]
            if name != DEFAULT.name and len(usual):
                pair = own["seed"].tolist(), accuracy, usual["seed"].tolist(), usual["test_accuracy"]
                ours, theirs = statistics.pair_by_seed(*pair, f"{network}, {LABELS[name]}")
                difference = statistics.mean_and_sem(ours - theirs)[0], *statistics.interval(ours - theirs)
            known = int(np.isfinite(accuracy).sum())
            lowest = np.nanmin(accuracy) if known else np.nan
            rows.append((name, network, known, *statistics.mean_and_sem(accuracy), *difference, lowest))
    return pd.DataFrame(rows, columns=COLUMNS)


def table(runs: pd.DataFrame) -> Table:
    """Return accuracies and differences, a row a reading; a dash where a reading does not concern a network."""
    data = summary(runs)
    networks, texts = in_order(data["network"].tolist()), {}
    names = list(dict.fromkeys(data[READING]))
    for network in networks:
        rows = data[data["network"] == network].set_index(READING).reindex(names)
        texts[network, "accuracy"] = [wording.with_error(*pair) for pair in zip(rows["mean"], rows["sem"], strict=True)]
        changes = zip(rows["difference"], rows["low"], rows["high"], strict=True)
        texts[network, "difference [95 %]"] = [wording.interval(*change) for change in changes]
    text = pd.DataFrame(texts, index=[LABELS[name] for name in names])
    clear = (data["low"] > 0) | (data["high"] < 0)
    bold = pd.DataFrame(False, index=text.index, columns=text.columns)
    for row in data[clear].to_dict("records"):
        bold.loc[LABELS[row[READING]], (row["network"], "difference [95 %]")] = True
    return Table("readings", data, text, bold)


def collapse(runs: pd.DataFrame, data: Dataset) -> Table:
    """Return how many runs of each reading and network end no better than one answer for all, beside the paper's mean.

    ≈ marks a mean within two standard errors of the difference from the paper's, ≠ one that is not.
    """
    rows = summary(runs)
    (cell,) = cells_of(runs)
    bound, printed = one_answer(data), of_cell(paper.accuracies(), cell).set_index("network")
    known = runs.dropna(subset="test_accuracy")
    below = known.assign(below=known["test_accuracy"] <= bound).groupby([READING, "network"])["below"].sum()
    places = list(zip(rows[READING], rows["network"], strict=True))
    rows["collapsed"] = below.reindex(pd.MultiIndex.from_tuples(places)).fillna(0).astype(int).to_numpy()
    rows = rows.join(printed[["mean", "sem"]].add_prefix("paper_"), on="network")
    values = rows[["mean", "sem", "paper_mean", "paper_sem"]].itertuples(index=False, name=None)
    rows["agrees"] = pd.array([statistics.agrees(*value) for value in values], dtype="boolean")
    text = pd.DataFrame(
        {
            "mean": [wording.with_error(*pair) for pair in zip(rows["mean"], rows["sem"], strict=True)],
            "lowest run": [wording.DASH if np.isnan(value) else f"{value:.1f}" for value in rows["lowest"]],
            "no better than one answer": [f"{row['collapsed']} of {row['runs']}" for row in rows.to_dict("records")],
            "paper": [_paper(row) for row in rows.to_dict("records")],
        },
        index=[f"{network}, {LABELS[name].removeprefix(f'{network}: ')}" for name, network in places],
    )
    return Table("collapse", rows, text, pd.DataFrame(False, index=text.index, columns=text.columns))


def finding(rows: pd.DataFrame, runs: pd.DataFrame, network: str = BASELINE) -> str:
    """Say which readings reach the paper's mean of ``network``; ``rows`` are the numbers of `collapse`."""
    ((dataset, depth),) = cells_of(runs)
    what = describe(network, dataset, depth)
    own = rows[(rows["network"] == network) & rows["mean"].notna()]
    if own.empty or own["paper_mean"].isna().all():
        return f"The paper has no mean of {what} to compare with."
    printed = own["paper_mean"].iloc[0]
    near = [LABELS[name] for name in own.loc[own["agrees"].fillna(False).astype(bool), READING]]
    lowest = own.sort_values("mean").iloc[0]
    reached = (
        f"is reached, within two standard errors, by: {'; '.join(near)}" if near else "is reached by no reading here"
    )
    return (
        f"The paper's {printed:.2f} % of {what} {reached}. "
        f"The lowest mean of a reading is {lowest['mean']:.2f} % ({LABELS[lowest[READING]]})."
    )


def _paper(row: dict) -> str:
    return wording.with_error(row["paper_mean"], row["paper_sem"]) + wording.mark(row["agrees"])
