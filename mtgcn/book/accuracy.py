"""The paper's tables and ours beside them, as rows of text for the book."""

from pathlib import Path

import pandas as pd

from mtgcn import paper, wording
from mtgcn.comparison import compare, of_cell

NAMES = {"citeseer": "Citeseer", "cora": "Cora", "pubmed": "Pubmed"}
Table = tuple[list[str], list[list[str]]]  # header, rows; a cell between double asterisks is bold


def paper_table(number: int) -> Table:
    """Return Table 1, 2 or 3 as the paper prints it."""
    if number == 3:
        gains = paper.gains().rename(columns={"source": "network", "gain": "mean"}).assign(sem=float("nan"))
        columns = [_column(gains[gains["dataset"] == name], [paper.PAPER, paper.YOU]) for name in NAMES]
        return ["gain over the plain network", *NAMES.values()], _rows([paper.PAPER, paper.YOU], columns)
    cells = paper.accuracies()
    if number == 1:
        flat = cells[cells["hidden_layers"] == 1]
        groups = {title: flat[flat["dataset"] == name] for name, title in NAMES.items()}
    else:
        cora = cells[cells["dataset"] == "cora"]
        groups = {
            wording.layers(depth): cora[cora["hidden_layers"] == depth] for depth in cora["hidden_layers"].unique()
        }
    networks = list(paper.NETWORKS)
    return ["network", *groups], _rows(networks, [_column(group, networks) for group in groups.values()])


def by_dataset(results: Path) -> Table:
    """Return Table 1 as measured here beside the paper's: networks down, data sets across, one hidden layer.

    ``results`` is the folder of the tidy tables. Data sets without results are left out; without any, all is empty.
    """
    runs = measured(results)
    runs = runs[runs["hidden_layers"] == 1]
    return _beside(runs, {(name, 1): title for name, title in NAMES.items() if name in set(runs["dataset"])})


def by_depth(results: Path, dataset: str) -> Table:
    """Return what was measured on one data set: networks down, numbers of hidden layers across."""
    runs = measured(results)
    runs = runs[runs["dataset"] == dataset]
    return _beside(runs, {(dataset, depth): wording.layers(depth) for depth in sorted(runs["hidden_layers"].unique())})


def measured(results: Path) -> pd.DataFrame:
    """Return the runs of every page ``<data set>-<hidden layers>.csv`` in one table."""
    paths = sorted(path for name in NAMES for path in results.glob(f"{name}-*.csv") if _is_depth(path))
    columns = ["dataset", "network", "hidden_layers", "seed", "test_accuracy"]
    frames = [pd.read_csv(path) for path in paths]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=columns)


def _is_depth(path: Path) -> bool:
    return path.stem.split("-", 1)[1].isdigit()


def _beside(runs: pd.DataFrame, cells: dict[tuple[str, int], str]) -> Table:
    """Return our means ± SEM, with the paper's to the right of each cell that the paper has."""
    if not cells:
        return [], []
    table = compare(runs, list(cells))
    networks = list(dict.fromkeys(table["network"]))
    header, columns = ["network"], []
    for place, name in cells.items():
        cell = of_cell(table, place)
        header.append(name)
        columns.append(_column(cell, networks))
        if cell["paper_mean"].notna().any():
            header.append("paper")
            columns.append(_column(cell, networks, "paper_"))
    return header, _rows(networks, columns)


def _column(cell: pd.DataFrame, networks: list[str], prefix: str = "") -> list[str]:
    """Return ``"mean ± sem"`` of each network, the best in bold, a dash for one that is not there."""
    values = cell.set_index("network")[[f"{prefix}mean", f"{prefix}sem"]].astype(float).reindex(networks)
    best = values[f"{prefix}mean"].max()
    texts = []
    for mean, sem in values.itertuples(index=False, name=None):
        text = wording.with_error(mean, sem)
        texts.append(f"**{text}**" if mean == best else text)
    return texts


def _rows(names: list[str], columns: list[list[str]]) -> list[list[str]]:
    return [[name, *cells] for name, *cells in zip(names, *columns, strict=True)]
