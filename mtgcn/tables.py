"""The paper's Tables 1, 2 and 3 with our figures beside its own.

Cells that nobody has measured yet hold a dash, so that a page shows what is there.
"""

from collections.abc import Callable
from typing import NamedTuple

import pandas as pd

from mtgcn import paper, wording
from mtgcn.comparison import BASELINE, Cell, compare, of_cell
from mtgcn.rendering import Table
from mtgcn.wording import DASH, signed, with_error

TABLE_1: tuple[Cell, ...] = (("citeseer", 1), ("cora", 1), ("pubmed", 1))
TABLE_2: tuple[Cell, ...] = (("cora", 1), ("cora", 2), ("cora", 5))
CELLS = list(dict.fromkeys([*TABLE_1, *TABLE_2]))  # of both tables, each once
OURS = "measured here"
PUBLISHED = f"{BASELINE}, {paper.KIPF}"


def table1(results: pd.DataFrame) -> Table:
    """Table 1: one hidden layer on the three data sets, ours ± SEM, the paper's ± SEM and the difference.

    ≈ marks a difference within two standard errors of it, ≠ a larger one.
    """
    data = compare(results, TABLE_1)
    quoted = paper.published_gcn().rename(columns={"mean": "paper_mean"}).assign(network=PUBLISHED)
    return _accuracy_table("table-1", pd.concat([quoted, data], ignore_index=True)[data.columns], TABLE_1)


def table2(results: pd.DataFrame) -> Table:
    """Table 2: one, two and five hidden layers on Cora, in the form of Table 1."""
    return _accuracy_table("table-2", compare(results, TABLE_2), TABLE_2)


def table1_gains(results: pd.DataFrame) -> Table:
    """Gains of Table 1's networks over our GCN with 95 % intervals, the paper's gains, and Holm's p."""
    return _gain_table("table-1-gains", compare(results, TABLE_1), TABLE_1)


def table2_gains(results: pd.DataFrame) -> Table:
    """Gains of Table 2's networks over our GCN, in the form of ``table1_gains``."""
    return _gain_table("table-2-gains", compare(results, TABLE_2), TABLE_2)


def table3(results: pd.DataFrame) -> Table:
    """Table 3: the best gain over the plain GCN on each data set, ours, the paper's and You et al.'s.

    As in the paper, the best network is the one with the highest mean test accuracy of Table 1.
    """
    measured = compare(results, TABLE_1).dropna(subset="gain")
    best = measured.loc[measured.groupby("dataset")["mean"].idxmax()].assign(source=OURS)
    columns = ["source", "dataset", "network", "gain", "gain_low", "gain_high", "p_holm"]
    data = pd.concat([best, paper.gains()], ignore_index=True).reindex(columns=columns)
    texts, bolds = {}, {}
    for dataset, _ in TABLE_1:
        part = data[data["dataset"] == dataset].set_index("source").reindex([OURS, paper.PAPER, paper.YOU])
        texts[dataset.capitalize()] = part.apply(_best_gain_text, axis=1)
        bolds[dataset.capitalize()] = _largest(part["gain"])
    text = pd.DataFrame(texts).rename_axis(index=None, columns="gain over GCN")
    return Table("table-3", data, text, pd.DataFrame(bolds).set_axis(text.index, axis=0))


def one_cell(results: pd.DataFrame) -> Table:
    """The networks that were run on one data set at one depth: Table 1's columns, our gain over our GCN and its p."""
    data = compare(results)
    data = data[data["runs"] + data["diverged"] > 0]
    cells = tuple(dict.fromkeys(zip(data["dataset"], data["hidden_layers"], strict=True)))
    gain, p, _ = _gain_columns()
    table = _wide("one-cell", data, cells, [*_accuracy_columns(), gain, p])
    text = table.text.droplevel(0, axis=1).rename_axis(columns="network")
    return Table(table.name, data, text, table.bold.set_axis(text.columns, axis=1))


class Column(NamedTuple):
    """A column of a wide table: its head, the text of a row, and the number of which the largest is bold."""

    head: str
    text: Callable[[pd.Series], str]
    compared: str | None = None


def _accuracy_table(name: str, data: pd.DataFrame, cells: tuple[Cell, ...]) -> Table:
    return _wide(name, data, cells, _accuracy_columns())


def _gain_table(name: str, data: pd.DataFrame, cells: tuple[Cell, ...]) -> Table:
    return _wide(name, data[data["network"] != BASELINE], cells, _gain_columns())


def _accuracy_columns() -> list[Column]:
    ours = Column("ours", _ours_text, "mean")
    theirs = Column("paper", lambda row: with_error(row["paper_mean"], row["paper_sem"]), "paper_mean")
    return [ours, theirs, Column("Δ", _difference_text)]


def _gain_columns() -> list[Column]:
    ours = Column("gain [95 %]", _gain_text, "gain")
    theirs = Column("paper", lambda row: signed(row["paper_gain"]), "paper_gain")
    return [ours, Column("p", lambda row: wording.p_value(row["p_holm"])), theirs]


def _wide(name: str, data: pd.DataFrame, cells: tuple[Cell, ...], columns: list[Column]) -> Table:
    """Lay ``data`` out with a row for each network and all ``columns`` for each cell."""
    networks = list(dict.fromkeys(data["network"]))
    one_depth = len({depth for _, depth in cells}) == 1
    texts, bolds = {}, {}
    for dataset, depth in cells:
        here = of_cell(data, (dataset, depth))
        part = here.set_index("network").reindex(networks)
        for column in columns:
            head = (dataset.capitalize() if one_depth else wording.layers(depth), column.head)
            texts[head] = part.apply(column.text, axis=1)
            bolds[head] = _largest(part[column.compared]) if column.compared else pd.Series(False, networks)
    text = pd.DataFrame(texts).rename_axis(index=None, columns=["", "network"])
    return Table(name, data, text, pd.DataFrame(bolds).set_axis(text.columns, axis=1))


def _largest(values: pd.Series) -> pd.Series:
    shown = values.astype(float).round(2)  # what looks equal is equally bold
    return shown.eq(shown.max()) & shown.notna()


def _ours_text(row: pd.Series) -> str:
    if row["diverged"] > 0 and row["runs"] == 0:
        return "diverged"
    part = f" ({row['runs']:.0f} of {row['runs'] + row['diverged']:.0f} runs)" if row["diverged"] > 0 else ""
    return with_error(row["mean"], row["sem"], unknown=f" ± {DASH}") + part


def _difference_text(row: pd.Series) -> str:
    return signed(row["difference"]) + wording.mark(row["agrees"])


def _gain_text(row: pd.Series) -> str:
    return wording.interval(row["gain"], row["gain_low"], row["gain_high"])


def _best_gain_text(row: pd.Series) -> str:
    return _gain_text(row) + ("" if pd.isna(row["network"]) else f" ({row['network']})")
