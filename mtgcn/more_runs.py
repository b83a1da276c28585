"""What ten runs on one split cannot say: the same comparison with a hundred runs, and on random splits."""

import numpy as np
import pandas as pd

from mtgcn import over_splits, statistics, wording
from mtgcn.comparison import BASELINE, CELL, cells_of, compare, in_order, of_cell, paired_gains
from mtgcn.errors import MtgcnError
from mtgcn.over_splits import SPLIT
from mtgcn.rendering import Table
from mtgcn.tables import CELLS

PICKED = 10  # as many runs as the paper has


def best_network(results: pd.DataFrame) -> str:
    """Return the network with auxiliary tasks that has the highest mean validation accuracy in one cell.

    By the validation nodes: a network that was chosen by its test accuracy would be flattered by it.
    """
    tried = results[results["network"] != BASELINE]
    if tried.empty or len(results.drop_duplicates(CELL)) != 1:
        raise MtgcnError("the best network is chosen among the networks with tasks of one data set at one depth.")
    means = tried.groupby("network")["validation_accuracy"].mean()
    return str(means.reindex(in_order(tried["network"].tolist())).idxmax())  # of equal ones the paper's first


def on_one_split(results: pd.DataFrame) -> pd.DataFrame:
    """Return the runs on the data set's own split."""
    return results[results[SPLIT].isna()] if SPLIT in results else results


def on_random_splits(results: pd.DataFrame) -> pd.DataFrame:
    """Return the runs on random splits."""
    return results[results[SPLIT].notna()] if SPLIT in results else results.iloc[:0]


def hundred(results: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each cell of Tables 1 and 2: GCN and the best network over all runs on the one split.

    Columns beside those of `mtgcn.comparison.compare`: ``gcn_mean, gcn_sem`` and ``wrong_sign``, how often ten of the
    runs picked at random would have given the gain another sign. NaN where nothing was measured.
    """
    runs = on_one_split(results)
    parts = [compare(pd.DataFrame()).assign(gcn_mean=np.nan, gcn_sem=np.nan, wrong_sign=np.nan)]
    for cell in cells_of(runs):
        here = of_cell(runs, cell)
        if BASELINE not in set(here["network"]) or here["network"].nunique() < 2:
            continue
        best = best_network(here)
        compared = compare(here[here["network"].isin([BASELINE, best])])
        plain = compared[compared["network"] == BASELINE].iloc[0]
        own = paired_gains(here[here["network"].isin([BASELINE, best])])["gain"]
        more = {"gcn_mean": plain["mean"], "gcn_sem": plain["sem"], "wrong_sign": statistics.wrong_sign(own, PICKED)}
        parts.append(compared[compared["network"] == best].assign(**more))
    table = pd.concat([part for part in parts[1:] if len(part)] or parts, ignore_index=True)
    table["p_holm"] = statistics.holm(table["p"])
    return _every_cell(table)


def hundred_table(results: pd.DataFrame) -> Table:
    """Return what many runs on the one split say."""
    data = hundred(results)
    text = {
        "runs": [wording.DASH if np.isnan(runs) else f"{runs:.0f}" for runs in data["runs"]],
        "GCN": [wording.with_error(*pair) for pair in zip(data["gcn_mean"], data["gcn_sem"], strict=True)],
        "best network": [_named(row) for _, row in data.iterrows()],
        "gain [95 %]": over_splits.gain_texts(data),
        "p": [wording.p_value(p) for p in data["p_holm"]],
        f"{PICKED} runs mislead": [_percent(share) for share in data["wrong_sign"]],
    }
    return _table("hundred", data, text)


def splits_table(results: pd.DataFrame) -> Table:
    """Return what random splits say about GCN and the other network of each cell."""
    data = over_splits.summary(on_random_splits(results))
    data = _every_cell(data[data["network"] != BASELINE])
    text = {
        "splits": [wording.DASH if np.isnan(splits) else f"{splits:.0f}" for splits in data["splits"]],
        "network": data["network"].fillna(wording.DASH).tolist(),
        "gain [95 %]": over_splits.gain_texts(data),
        "p": [wording.p_value(p) for p in data["p_holm"]],
    }
    return _table("random-splits", data, text)


def _every_cell(table: pd.DataFrame) -> pd.DataFrame:
    """Return ``table`` with the cells of Tables 1 and 2 first, in their order, and a row for each that is missing."""
    order = pd.DataFrame(CELLS, columns=CELL).assign(place=range(len(CELLS)))
    merged = order.merge(table, on=CELL, how="outer").sort_values("place", kind="stable", ignore_index=True)
    return merged.drop(columns="place")


def _table(name: str, data: pd.DataFrame, text: dict[str, list[str]]) -> Table:
    places = [wording.cell(*place) for place in zip(data["dataset"], data["hidden_layers"], strict=True)]
    shown = pd.DataFrame(text, index=places)
    return Table(name, data, shown, pd.DataFrame(False, index=shown.index, columns=shown.columns))


def _named(row: pd.Series) -> str:
    if pd.isna(row["network"]):
        return wording.DASH
    return f"{wording.with_error(row['mean'], row['sem'])} ({row['network']})"


def _percent(share: float) -> str:
    return wording.DASH if np.isnan(share) else "<0.1 %" if share < 0.0005 else f"{100 * share:.1f} %"
