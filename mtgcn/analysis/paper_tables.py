"""The layout of the paper's Tables 1, 2 and 3, as it prints them and with our figures beside its own.

``numbers`` are rows with the columns of `comparison.compare`. What nobody has measured yet is a dash, so that a page
shows what is there.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from mtgcn.analysis import literature, wording
from mtgcn.analysis.comparison import BASELINE, NEEDED, Cell, cells_of, compare, of_cell, p_head
from mtgcn.analysis.table import Table
from mtgcn.analysis.wording import DASH, signed, with_error

TABLE_1: tuple[Cell, ...] = (("citeseer", 1), ("cora", 1), ("pubmed", 1))
TABLE_2: tuple[Cell, ...] = (("cora", 1), ("cora", 2), ("cora", 5))
CELLS = list(dict.fromkeys([*TABLE_1, *TABLE_2]))  # of both tables, each once
OURS, RIVALS = "the paper's tasks, measured here", "You et al.'s tasks, measured here"
YOU = ("NC", "GP", "GCo")  # the tasks of You et al.
PUBLISHED = f"{BASELINE}, {literature.KIPF}"


class Column(NamedTuple):
    """A column of a wide table: its head, the text of a row, and the number of which the largest is bold."""

    head: str
    text: Callable[[pd.Series], str]
    compared: str | None = None


def table1(numbers: pd.DataFrame) -> Table:
    """Table 1: one hidden layer on the three data sets, ours ± SEM, the paper's ± SEM and the difference.

    ≈ marks a difference within two standard errors of it, ≠ a larger one.
    """
    quoted = literature.published_gcn().rename(columns={"mean": "paper_mean"}).assign(network=PUBLISHED)
    return _wide("table-1", pd.concat([quoted, numbers], ignore_index=True)[numbers.columns], [OUR, THEIR, DIFFERENCE])


def table2(numbers: pd.DataFrame) -> Table:
    """Table 2: one, two and five hidden layers on Cora, in the form of Table 1."""
    return _wide("table-2", numbers, [OUR, THEIR, DIFFERENCE], by_depth=True)


def gain_table(name: str, numbers: pd.DataFrame, by_depth: bool = False) -> Table:
    """The gains over our GCN with their 95 % intervals, their p and the paper's gains, for each data set or depth."""
    return _wide(name, numbers[numbers["network"] != BASELINE], [GAIN, _p(numbers), THEIR_GAIN], by_depth)


def table3(ours: pd.DataFrame, rivals: pd.DataFrame) -> Table:
    """Table 3: the best gain over the plain GCN on each data set, measured and quoted.

    The best is that with the highest mean test accuracy among ``ours`` with tasks of the paper, and among ``rivals``
    with tasks of You et al.
    """
    columns = ["source", "dataset", "network", "gain", "gain_low", "gain_high", "p_holm"]
    best = [_best(ours, literature.NETWORKS).assign(source=OURS), _best(rivals, YOU).assign(source=RIVALS)]
    data = pd.concat([*best, literature.gains()], ignore_index=True).reindex(columns=columns)
    sources = [OURS, literature.PAPER, RIVALS, literature.YOU]
    texts, bolds = {}, {}
    for dataset, _ in TABLE_1:
        part = data[data["dataset"] == dataset].set_index("source").reindex(sources)
        texts[dataset.capitalize()] = part.apply(_best_gain_text, axis=1)
        bolds[dataset.capitalize()] = _largest(part["gain"])
    text = pd.DataFrame(texts).rename_axis(index=None, columns="gain over GCN")
    return Table("table-3", data, text, pd.DataFrame(bolds).set_axis(text.index, axis=0))


def _best(numbers: pd.DataFrame, networks: Sequence[str]) -> pd.DataFrame:
    own = numbers[numbers["network"].isin(networks)].dropna(subset="gain")
    return own.loc[own.groupby("dataset")["mean"].idxmax()]


def one_cell(results: pd.DataFrame) -> Table:
    """The networks that were run on one data set at one depth: Table 1's columns, our gain over our GCN and its p."""
    data = compare(results)
    data = data[data["runs"] + data["diverged"] > 0]
    return _one_head(_wide("one-cell", data, [OUR, THEIR, DIFFERENCE, GAIN, _p(data)]), drop=0)


def printed(number: int) -> Table:
    """Table 1, 2 or 3 as the paper prints it."""
    if number == 3:
        data = literature.gains()
        wide = data.pivot_table("gain", "source", "dataset").loc[[literature.PAPER, literature.YOU]]
        wide = wide[[dataset for dataset, _ in TABLE_1]].rename(columns=str.capitalize)
        text = wide.map("{:.2f}".format).rename_axis(index=None, columns="gain over the plain network")
        return Table("printed-3", data, text, wide.apply(_largest))
    data = compare(pd.DataFrame(), TABLE_1 if number == 1 else TABLE_2)
    return _one_head(_wide(f"printed-{number}", data, [THEIR], by_depth=number == 2), drop=1)


def measured(runs: pd.DataFrame, dataset: str | None = None) -> Table:
    """Our accuracies beside the paper's, where it has any: with one hidden layer on each data set, as in Table 1.

    With ``dataset`` at each depth on that data set.
    """
    there = cells_of(runs)
    cells = [cell for cell in TABLE_1 if cell in there] if dataset is None else [c for c in there if c[0] == dataset]
    table = _wide("measured", compare(runs, sorted(cells)), [OUR, THEIR], by_depth=dataset is not None)
    ours = table.text.columns.get_level_values(1) == OUR.head
    shown = ours | (table.text != DASH).any()
    return Table(table.name, table.data, table.text.loc[:, shown], table.bold.loc[:, shown])


def runs_in(folder: Path, protocol: str = "text") -> pd.DataFrame:
    """Return the runs of every page ``<data set of the paper>-<hidden layers>.csv`` in ``folder`` in one table.

    Under another ``protocol`` than the paper's text, its name and a hyphen stand before that.
    """
    before = "" if protocol == "text" else f"{protocol}-"
    found = {
        path: path.stem.removeprefix(before)
        for dataset, _ in TABLE_1
        for path in folder.glob(f"{before}{dataset}-*.csv")
    }
    paths = sorted(path for path, name in found.items() if name.split("-", 1)[1].isdigit())
    return pd.concat(map(pd.read_csv, paths), ignore_index=True) if paths else pd.DataFrame(columns=NEEDED)


def _wide(name: str, data: pd.DataFrame, columns: list[Column], by_depth: bool = False) -> Table:
    """Lay ``data`` out with a row for each network and all ``columns`` for each data set, or each depth of one."""
    networks = list(dict.fromkeys(data["network"]))
    texts, bolds = {}, {}
    for dataset, depth in cells_of(data):
        part = of_cell(data, (dataset, depth)).set_index("network").reindex(networks)
        for column in columns:
            head = (wording.layers(depth) if by_depth else dataset.capitalize(), column.head)
            texts[head] = part.apply(column.text, axis=1)
            bolds[head] = _largest(part[column.compared]) if column.compared else pd.Series(False, networks)
    heads = pd.MultiIndex.from_tuples(list(texts), names=["", "network"])
    text = pd.DataFrame(texts, index=networks, columns=heads)
    return Table(name, data, text, pd.DataFrame(bolds, index=networks, columns=heads))


def _one_head(table: Table, drop: int) -> Table:
    """Return ``table`` without the level ``drop`` of its two rows of heads."""
    text, bold = (frame.droplevel(drop, axis=1).rename_axis(columns="network") for frame in (table.text, table.bold))
    return Table(table.name, table.data, text, bold)


def _largest(values: pd.Series) -> pd.Series:
    shown = values.astype(float).round(2)  # what looks equal is equally bold
    return shown.eq(shown.max()) & shown.notna()


def _ours_text(row: pd.Series) -> str:
    if row["diverged"] > 0 and row["runs"] == 0:
        return "diverged"
    part = f" ({row['runs']:.0f} of {row['runs'] + row['diverged']:.0f} runs)" if row["diverged"] > 0 else ""
    return with_error(row["mean"], row["sem"], unknown=f" ± {DASH}") + part


def _gain_text(row: pd.Series) -> str:
    return wording.interval(row["gain"], row["gain_low"], row["gain_high"])


def _best_gain_text(row: pd.Series) -> str:
    return _gain_text(row) + ("" if pd.isna(row["network"]) else f" ({row['network']})")


OUR = Column("ours", _ours_text, "mean")
THEIR = Column("paper", lambda row: with_error(row["paper_mean"], row["paper_sem"]), "paper_mean")
DIFFERENCE = Column("Δ", lambda row: signed(row["difference"]) + wording.mark(row["agrees"]))
GAIN = Column("gain [95 %]", _gain_text, "gain")
THEIR_GAIN = Column("paper", lambda row: signed(row["paper_gain"]), "paper_gain")


def _p(numbers: pd.DataFrame) -> Column:
    return Column(p_head(numbers), lambda row: wording.p_value(row["p_holm"]))
