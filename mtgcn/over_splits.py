"""One experiment on several random splits: training, and what the gains say when a split is what is repeated."""

import numpy as np
import pandas as pd

from mtgcn import experiment, statistics, wording
from mtgcn.comparison import BASELINE, CELL, cells_of, in_order, of_cell, paired_gains
from mtgcn.datasets import load
from mtgcn.parameters import Parameters
from mtgcn.rendering import Table

SPLIT = "split"
COLUMNS = [*CELL, "network", "splits", "runs", "mean", "sem", "gain", "gain_low", "gain_high", "above", "p", "p_holm"]


def run(parameters: Parameters, splits: int, progress: bool = True) -> pd.DataFrame:
    """Train all networks of ``parameters`` on ``splits`` random splits, each with the same seeds.

    Returns the table of `mtgcn.experiment.run` with the column ``split`` in front: the seed it was drawn from.
    """
    dataset = load(parameters.dataset, normalise=parameters.normalise_features)
    first = parameters.split_seed or 0
    tables = []
    for seed in range(first, first + splits):
        here = parameters.model_copy(update={"split_seed": seed})
        table = experiment.run(here, dataset, progress).table
        table.insert(0, SPLIT, seed)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def gains(runs: pd.DataFrame) -> pd.DataFrame:
    """Return each run's gain over the GCN on the same split with the same seed; none from an empty table."""
    columns = [*CELL, SPLIT, "network", "seed", "gain"]
    return paired_gains(runs, [*CELL, SPLIT]) if len(runs) else pd.DataFrame(columns=columns)


def summary(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each cell and network, where a split is the unit: the mean over its runs is one value.

    ``mean`` and ``sem`` are of the test accuracy over splits, ``gain`` with its 95 % interval is over the GCN on the
    same split, ``above`` counts the splits with a gain above zero, ``p`` is of the paired permutation test over splits
    and ``p_holm`` corrected for all rows.
    """
    rows = []
    for cell in cells_of(runs):
        here = of_cell(runs, cell)
        every = gains(here)
        for network in in_order(here["network"].tolist()):
            own = here[here["network"] == network]
            accuracies = own.groupby(SPLIT)["test_accuracy"].mean()
            mine = every[every["network"] == network].groupby(SPLIT)["gain"].mean().to_numpy(float)
            mean, low, high = statistics.mean_and_sem(mine)[0], *statistics.interval(mine)
            p = statistics.paired_permutation(mine, np.zeros_like(mine))
            count = own.groupby(SPLIT)["seed"].nunique().max()
            above = int((mine > 0).sum())
            numbers = len(accuracies), count, *statistics.mean_and_sem(accuracies), mean, low, high, above, p
            rows.append((*cell, network, *numbers))
    table = pd.DataFrame(rows, columns=COLUMNS[:-1])
    table["p_holm"] = statistics.holm(table["p"])
    return table


def table(runs: pd.DataFrame) -> Table:
    """Return the summary as a table to show: a row a network, of one cell."""
    data = summary(runs)
    text = pd.DataFrame(
        {
            "mean over splits": [wording.with_error(*pair) for pair in zip(data["mean"], data["sem"], strict=True)],
            "gain [95 %]": gain_texts(data),
            "above zero": [_above(row) for row in data.to_dict("records")],
            "p": [wording.p_value(p) for p in data["p_holm"]],
        },
        index=pd.Index(data["network"], name=None),
    ).rename_axis(columns="network")
    return Table("over-splits", data, text, pd.DataFrame(False, index=text.index, columns=text.columns))


def gain_texts(data: pd.DataFrame) -> list[str]:
    """Return the gains of ``data`` with their intervals as text."""
    columns = zip(data["gain"], data["gain_low"], data["gain_high"], strict=True)
    return [wording.interval(*gain) for gain in columns]


def _above(row: dict) -> str:
    return wording.DASH if row["network"] == BASELINE else f"{row['above']} of {row['splits']} splits"
