"""Gains over the plain GCN by number of labels: runs of a label study in, means and intervals over splits out."""

from collections.abc import Mapping

import pandas as pd

from mtgcn.analysis import statistics, wording
from mtgcn.analysis.comparison import BASELINE, in_order
from mtgcn.analysis.table import Table

CELL = ["dataset", "labels", "network"]
SUMMARY = ["splits", "mean", "sem", "gain", "low", "high", "above", "p"]


def by_split(runs: pd.DataFrame) -> pd.DataFrame:
    """Return ``dataset, labels, network, split, accuracy, gain``: runs of one split share its nodes and are averaged.

    A gain is the accuracy less that of GCN with the same labels on the same split.
    """
    wanted = [*CELL, "split", "test_accuracy"]
    means = runs.reindex(columns=wanted).groupby([*CELL, "split"], sort=False)["test_accuracy"].mean()
    table = means.rename("accuracy").reset_index().astype({"accuracy": float})
    plain = table.loc[table["network"] == BASELINE, ["dataset", "labels", "split", "accuracy"]]
    table = table.merge(plain, on=["dataset", "labels", "split"], how="left", suffixes=("", "_plain"))
    table["gain"] = table["accuracy"] - table.pop("accuracy_plain")
    return table


def summary(splits: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each data set, number of labels and network, over the rows of `by_split`, where a split is one.

    ``mean, sem`` of the accuracy; ``gain`` with its 95 % interval ``low, high``; on how many of ``splits`` it is
    ``above`` zero; ``p`` of the paired permutation test. GCN has no gain.
    """
    rows = []
    for cell, own in splits.groupby(CELL, sort=False):
        accuracy, gain = own["accuracy"], own["gain"]
        row = dict(zip(CELL, cell, strict=True)) | {"splits": int(accuracy.notna().sum())}
        row |= dict(zip(("mean", "sem"), statistics.mean_and_sem(accuracy), strict=True))
        if row["network"] != BASELINE:
            row |= {"gain": gain.mean(), "above": int((gain.round(9) > 0).sum())}
            row |= dict(zip(("low", "high"), statistics.interval(gain), strict=True))
            row["p"] = statistics.paired_permutation(accuracy, accuracy - gain)
        rows.append(row)
    return pd.DataFrame(rows, columns=[*CELL, *SUMMARY])


def side_by_side(ways: Mapping[str, pd.DataFrame], labels: int) -> pd.DataFrame:
    """Return the gains of several `summary` with so many labels: (data set, network) down, a column for each of them.

    A gain is a text with its interval, "" where there is none.
    """
    columns = {}
    for way, numbers in ways.items():
        own = numbers[(numbers["labels"] == labels) & (numbers["network"] != BASELINE)]
        rows = zip(own["dataset"], own["network"], own["gain"], own["low"], own["high"], strict=True)
        columns[way] = {
            (dataset, network): wording.interval(gain, low, high, digits=1)
            for dataset, network, gain, low, high in rows
        }
    index = list(dict.fromkeys(cell for column in columns.values() for cell in column))
    text = {way: [column.get(cell, "") for cell in index] for way, column in columns.items()}
    return pd.DataFrame(text, pd.MultiIndex.from_tuples(index, names=["data set", "network"]))


def table(numbers: pd.DataFrame, dataset: str) -> Table:
    """Lay out the `summary` of a data set: labels down; GCN's accuracy, and each network's gain with its interval.

    A gain whose interval lies above zero is bold.
    """
    own = numbers[numbers["dataset"] == dataset].set_index(["labels", "network"])
    labels = sorted(own.index.get_level_values("labels").unique())
    text, bold = pd.DataFrame(index=labels), pd.DataFrame(index=labels)
    for network in in_order(own.index.get_level_values("network").tolist()):
        cells = own.xs(network, level="network").reindex(labels)
        if network == BASELINE:
            pairs = zip(cells["mean"], cells["sem"], strict=True)
            text[network] = [wording.with_error(mean, sem, digits=1) for mean, sem in pairs]
        else:
            rows = zip(cells["gain"], cells["low"], cells["high"], strict=True)
            text[network] = [wording.interval(gain, low, high, digits=1) for gain, low, high in rows]
        bold[network] = (cells["low"] > 0).to_numpy()
    head = f"{dataset.capitalize()}, labels a class"
    return Table(f"labels-{dataset}", own.reset_index(), text.rename_axis(columns=head), bold.rename_axis(columns=head))
