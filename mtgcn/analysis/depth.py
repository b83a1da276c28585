"""The study of depth: its pages as one table, runs with what was measured of them, and tables by depth."""

from typing import Any

import pandas as pd

from mtgcn.analysis import statistics, wording
from mtgcn.analysis.comparison import BASELINE, NEEDED, PLAIN, WHOSE, in_order
from mtgcn.analysis.table import Table
from mtgcn.experiments import stored
from mtgcn.experiments.columns import MAPPED, MEASURED

# What tells the runs of one page from those of another.
MARKS = ["dataset", "protocol", "remedy", "tuned_for"]
RUN = [*MARKS, "network", "hidden_layers", "seed"]
CURVES = ["network", "hidden_layers", "seed", "run", "epoch", "validation_accuracy"]
# What a table has at the least, for a page that is made before there is anything to gather.
COLUMNS = {
    stored.MAIN: [*NEEDED, *MARKS[1:], "chance", "seconds"],
    "measures.csv": [*MEASURED, "hidden_layers"],
    "course.csv": [*MEASURED, "hidden_layers"],
    "curves.csv": CURVES,
    "examples.csv": CURVES[:-1],
    "maps.csv": MAPPED,
}
TEXT = "text"  # the protocol that results have which do not say one
DIGITS = 1  # what ten runs of deep networks can tell


def gather(*patterns: str, kept: str = stored.MAIN) -> pd.DataFrame:
    """Return the runs of the pages that match ``patterns``, or the table that these have ``kept``, with `MARKS`.

    A remedy with somebody else's settings is one of its own, as in "gcnii, authors' settings". Runs have a column more,
    ``variant``: "ER, GCNII, tuned for 8 layers", in the order in which a table shows them.
    """
    runs = stored.read(*patterns)
    if runs.empty:
        runs = pd.DataFrame(columns=[*COLUMNS[stored.MAIN], "results"])
    runs["protocol"] = runs["protocol"].fillna(TEXT) if "protocol" in runs else TEXT  # before there were two
    if "settings" in runs:  # results from before there was that mark have the project's own
        whose = runs.pop("settings")
        runs["remedy"] = runs["remedy"].where(whose.isna(), runs["remedy"] + WHOSE + whose.astype(str))
    if kept == stored.MAIN:
        return runs.assign(variant=_variants(runs))
    table = stored.read(*patterns, kept=kept)
    if table.empty:
        table = pd.DataFrame(columns=[*COLUMNS[kept], "results"])
    return table.join(runs.drop_duplicates("results").set_index("results")[MARKS], on="results")


def place(dataset: str, protocol: str) -> str:
    """Return what runs of a data set under a protocol are headed with: "Cora", "Cora, matched protocol"."""
    return dataset.capitalize() + ("" if protocol == TEXT else f", {protocol} protocol")


def _variants(runs: pd.DataFrame) -> pd.Categorical:
    """Return what to call each run: by remedy as they come, then by network, then by the depth it was tuned for."""
    remedy = runs["remedy"].map(wording.remedy)
    names = runs["network"].where(runs["remedy"] == PLAIN, runs["network"] + ", " + remedy)
    tuned = names + ", tuned for " + runs["tuned_for"].astype(str) + " layers"
    names = names.where(runs["tuned_for"] == 1, tuned)
    remedies, networks = list(dict.fromkeys(runs["remedy"])), in_order(runs["network"].tolist())
    kinds = set(zip(names, runs["remedy"], runs["network"], runs["tuned_for"], strict=True))
    ordered = sorted(kinds, key=lambda kind: (remedies.index(kind[1]), networks.index(kind[2]), kind[3]))
    return pd.Categorical(names, [name for name, *_ in ordered], ordered=True)


def measured(runs: pd.DataFrame, measures: pd.DataFrame) -> pd.DataFrame:
    """Return ``runs`` with the measures of their last hidden layer at the best epoch, and ``most_dead_units``.

    The latter is the largest share of dead units in any layer. ``measures`` has a row for each run and layer. A run
    that diverged before it had a best epoch has no measures and stays; any other without measures is left out.
    """
    keys = [name for name in RUN if name in measures]
    last = measures[measures["layer"] == measures["hidden_layers"]].drop(columns=["layer", "results"], errors="ignore")
    most = measures.groupby(keys)["dead_units"].max().rename("most_dead_units").reset_index()
    found = runs.merge(last.merge(most, on=keys), on=keys, how="left", indicator="found")
    return found[(found.pop("found") == "both") | found["test_accuracy"].isna()].reset_index(drop=True)


def gains(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what tasks gain over the plain GCN: ``mean, low, high`` (95 %) for each of `MARKS`, variant and depth.

    A gain is the accuracy of a run minus that of the GCN with the same seed, depth, remedy and protocol; the GCN has no
    weights, so one GCN serves tasks that were tuned for whatever depth. ``runs`` are those of `gather`.
    """
    keys = ["dataset", "protocol", "remedy", "hidden_layers", "seed"]
    gcn = runs.loc[runs["network"] == BASELINE, [*keys, "test_accuracy"]]
    pairs = runs[runs["network"] != BASELINE].merge(gcn, on=keys, suffixes=("", "_gcn"), validate="many_to_one")
    pairs["gain"] = pairs["test_accuracy"] - pairs["test_accuracy_gcn"]
    rows = {
        key: (own.mean(), *statistics.interval(own))
        for key, own in pairs.groupby([*MARKS, "variant", "hidden_layers"], observed=True)["gain"]
    }
    index = pd.MultiIndex.from_tuples(rows, names=[*MARKS, "variant", "hidden_layers"]) if rows else _NO_GAINS
    return pd.DataFrame(list(rows.values()), index, ["mean", "low", "high"])


_NO_GAINS = pd.MultiIndex.from_arrays([[]] * (len(MARKS) + 2), names=[*MARKS, "variant", "hidden_layers"])


def by_depth(numbers: pd.DataFrame, dataset: str = "") -> Table:
    """Lay out numbers that are indexed by name and hidden layers: names down, hidden layers across.

    With the columns ``mean, sem`` a cell is "81.7 ± 0.3", and the best of a depth is bold. With ``mean, low, high``
    it is "+1.2 [+0.7, +1.7]", and bold where ``low`` is above zero.
    """
    if "low" in numbers:
        rows = zip(numbers["mean"], numbers["low"], numbers["high"], strict=True)
        cells = [wording.interval(*row, digits=DIGITS) for row in rows]
        marked = numbers["low"] > 0
    else:
        cells = [wording.with_error(*row, digits=DIGITS) for row in zip(numbers["mean"], numbers["sem"], strict=True)]
        means = numbers["mean"].round(2)
        marked = means == means.groupby(level=1).transform("max")
    depths = sorted(numbers.index.get_level_values(1).unique())
    head = f"{dataset.capitalize()}, hidden layers" if dataset else "hidden layers"
    text = _wide(dict(zip(numbers.index, cells, strict=True)), depths, wording.DASH, head)
    bold = _wide(dict(zip(numbers.index, marked, strict=True)), depths, False, head)
    return Table("by-depth", numbers.reset_index(), text, bold)


def _wide(cells: dict[tuple[str, int], Any], columns: list[int], empty: object, head: str) -> pd.DataFrame:
    """Return cells that are keyed by row and column as a table, rows as they come."""
    names = list(dict.fromkeys(name for name, _ in cells))
    rows = [[cells.get((name, column), empty) for column in columns] for name in names]
    return pd.DataFrame(rows, names, [str(column) for column in columns]).rename_axis(columns=head)
