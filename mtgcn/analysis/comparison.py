"""Ours beside the paper's: means, errors, gains and tests, one row for each data set, depth and network."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from mtgcn.analysis import literature, statistics
from mtgcn.analysis.wording import layers
from mtgcn.errors import MtgcnError

Cell = tuple[str, int]

CELL = ["dataset", "hidden_layers"]
NEEDED = [*CELL, "network", "seed", "test_accuracy"]
BASELINE = "GCN"
PLAIN = "none"  # the remedy of an encoder without one
WHOSE = ", "  # stands between a remedy and whose settings it has, where they are not this project's


def compare(results: pd.DataFrame, cells: Sequence[Cell] | None = None) -> pd.DataFrame:
    """Compare runs (one row each, as ``experiment.run`` gives them) with the paper and with the plain GCN.

    ``cells`` are the pairs (data set, hidden layers) to show, in order; by default those that have runs. The
    networks of a cell are the paper's and any other that was run. Columns, in percent or percentage points:

    - ``dataset, hidden_layers, network``;
    - ``runs`` with a test accuracy, ``diverged`` without, ``mean`` and ``sem`` of the former;
    - ``paper_mean, paper_sem``; ``difference`` of the means; ``agrees``: within two standard errors of it;
    - ``gain`` over our GCN, paired by seed, ``gain_low, gain_high`` (95 %); ``paper_gain`` over the paper's GCN;
    - ``p`` of the paired permutation test of the gain; ``p_holm`` corrected for all gains in the result.

    What is not there is NaN.
    """
    results = checked(results)
    if cells is None:
        cells = cells_of(results)
    rows = [row for cell in cells for row in _cell(results, *cell)]
    table = pd.DataFrame(rows, columns=[*CELL, "network", *_NUMBERS])
    table = table.merge(_printed(), on=[*CELL, "network"], how="left", validate="one_to_one")
    table["difference"] = table["mean"] - table["paper_mean"]
    values = table[["mean", "sem", "paper_mean", "paper_sem"]].itertuples(index=False, name=None)
    table["agrees"] = pd.array([statistics.agrees(*value) for value in values], dtype="boolean")
    table["p_holm"] = statistics.holm(table["p"])
    return table[_ORDER]


def checked(results: pd.DataFrame) -> pd.DataFrame:
    """Return ``results`` if it has the needed columns and each run once; an empty table needs no columns."""
    if results.empty:
        return pd.DataFrame(columns=NEEDED)
    missing = [name for name in NEEDED if name not in results.columns]
    if missing:
        raise MtgcnError(f"A table of results lacks the column '{missing[0]}'; it needs {', '.join(NEEDED)}.")
    repeated = results[results.duplicated(NEEDED[:4])]
    if len(repeated):
        first = repeated.iloc[0]
        raise MtgcnError(
            f"{describe(first['network'], first['dataset'], first['hidden_layers'])} has seed {first['seed']} "
            "more than once; choose one table of results for each data set and depth."
        )
    return results


def cells_of(results: pd.DataFrame) -> list[Cell]:
    """Return the cells that have runs, in the order of these; none for an empty table."""
    return list(results[CELL].drop_duplicates().itertuples(index=False, name=None)) if len(results) else []


def of_cell(results: pd.DataFrame, cell: Cell) -> pd.DataFrame:
    """Return the rows of one cell."""
    return results[(results["dataset"] == cell[0]) & (results["hidden_layers"] == cell[1])]


def p_head(table: pd.DataFrame) -> str:
    """Return the heading above the ``p_holm`` of ``table``: "p" for a single gain, where nothing is to be corrected."""
    return "p" if table["p"].notna().sum() <= 1 else "p (Holm)"


def in_order(networks: Sequence[str]) -> list[str]:
    """Return ``networks``, each once: the paper's in the paper's order, then the others as they come."""
    unique = list(dict.fromkeys(networks))
    known = [name for name in literature.NETWORKS if name in unique]
    return known + [name for name in unique if name not in known]


def describe(network: str, dataset: str, hidden_layers: int) -> str:
    """Return e.g. "AE on cora with 2 hidden layers"."""
    return f"{network} on {dataset} with {layers(hidden_layers)}"


_NUMBERS = ["runs", "diverged", "mean", "sem", "gain", "gain_low", "gain_high", "p"]
_ORDER = [
    *[*CELL, "network", "runs", "diverged", "mean", "sem", "paper_mean", "paper_sem", "difference", "agrees"],
    *["gain", "gain_low", "gain_high", "paper_gain", "p", "p_holm"],
]


def _cell(results: pd.DataFrame, dataset: str, depth: int) -> list[tuple[object, ...]]:
    here = of_cell(results, (dataset, depth))
    runs = {str(name): group for name, group in here.groupby("network", sort=False)}
    rows: list[tuple[object, ...]] = []
    for network in in_order([*literature.NETWORKS, *runs]):
        own = runs.get(network, here.iloc[:0])
        accuracy = own["test_accuracy"].to_numpy(float)
        diverged = int(np.isnan(accuracy).sum())
        gain: tuple[float, ...] = (np.nan,) * 4
        if network != BASELINE and network in runs and BASELINE in runs:
            gain = _gain(own, runs[BASELINE], describe(network, dataset, depth))
        rows.append((dataset, depth, network, len(own) - diverged, diverged, *statistics.mean_and_sem(accuracy), *gain))
    return rows


def _gain(own: pd.DataFrame, baseline: pd.DataFrame, what: str) -> tuple[float, float, float, float]:
    pairs = own.merge(baseline, on="seed", how="outer", suffixes=("", "_baseline"), indicator="side")
    alone = pairs.loc[pairs["side"] != "both", "seed"]
    if len(alone):
        raise MtgcnError(
            f"{what} against {BASELINE}: a paired test needs the same seeds on both sides, "
            f"but seed {alone.min()} is on one side only."
        )
    ours, theirs = pairs["test_accuracy"], pairs["test_accuracy_baseline"]
    gains = ours - theirs
    return statistics.mean_and_sem(gains)[0], *statistics.interval(gains), statistics.paired_permutation(ours, theirs)


def _printed() -> pd.DataFrame:
    printed = literature.accuracies().rename(columns={"mean": "paper_mean", "sem": "paper_sem"})
    baseline = printed[printed["network"] == BASELINE].set_index(CELL)["paper_mean"]
    gains = printed["paper_mean"] - printed.set_index(CELL).index.map(baseline.to_dict()).to_numpy()
    # Two decimals are printed, and a difference of such numbers has no more.
    printed["paper_gain"] = gains.round(2).where(printed["network"] != BASELINE)
    return printed
