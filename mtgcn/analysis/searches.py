"""What the searches found, from the tables that ``mtgcn search`` writes: every point, and the chosen ones.

The columns of such a table are described in `search.outcome`; values of tasks are called as in ``FR.size``.
"""

import re
from typing import Any

import pandas as pd

from mtgcn.analysis import wording
from mtgcn.analysis.comparison import in_order
from mtgcn.analysis.table import Table

FOLDER = "search/"  # before the name of a search among the results
SCORE = ("network", "stage", "runs", "first_seed", "validation_accuracy", "sem", "chosen", "results")


def grids(scores: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the tables of the grid searches by their names, without columns that say nothing."""
    if scores.empty:
        return {}
    return {
        str(name).removeprefix(FOLDER): part.loc[:, part.columns.isin(SCORE) | part.notna().any()]
        for name, part in scores.groupby("results", sort=False)
    }


def title(name: str) -> str:
    """Return "Cora, 1 hidden layer" for the search ``cora-1``, with a remedy before it "Cora with gcnii, …".

    Any other name is returned as it is.
    """
    found = re.fullmatch(r"(?:([a-z]+)-)?([a-z]+)-(\d+)", name)
    if found is None:
        return name
    remedy, dataset, depth = found.groups()
    return wording.cell(f"{dataset} with {remedy}" if remedy else dataset, int(depth))


def values(network: str, scores: pd.DataFrame) -> list[str]:
    """Return the columns of the values that ``network`` has, the first weight first."""
    own = scores[scores["network"] == network]
    tasks = network.split("+")
    names = [name for name in scores.columns if name not in SCORE and name.split(".")[0] in tasks]
    names = [name for name in names if own[name].notna().any()]
    return sorted(names, key=lambda name: not name.endswith(".weight"))


def varying(network: str, scores: pd.DataFrame) -> list[str]:
    """Return those of `values` of which more than one was tried; the first weight always."""
    first, *others = values(network, scores)
    own = scores[scores["network"] == network]
    return [first, *(name for name in others if len(own[name].unique()) > 1)]


def chosen(name: str, scores: pd.DataFrame) -> Table:
    """Return the chosen point of each network: validation accuracy ± SEM, its runs, what was tried, and its values."""
    networks = in_order(scores["network"].tolist())
    columns = [column for column in scores.columns if column not in SCORE]
    rows: list[dict[Any, Any]] = []
    texts: list[dict[str, str]] = []
    for network in networks:
        own = scores[scores["network"] == network]
        tried = {"points": len(own), "runs in all": int(own["runs"].sum())}
        best = own[own["chosen"].astype(bool)]
        row: dict[Any, Any] = best.iloc[0].to_dict() if len(best) else {}
        accuracy = wording.with_error(row["validation_accuracy"], row["sem"]) if row else "not chosen yet"
        cells = {column: number(row[column]) if column in row and pd.notna(row[column]) else "" for column in columns}
        counts = {"runs": str(row.get("runs", wording.DASH)), **{name: str(count) for name, count in tried.items()}}
        texts.append({"validation": accuracy, **counts, **cells})
        rows.append({"search": name, "network": network, **row, **tried})
    shown = pd.DataFrame(texts, index=networks).rename_axis(columns="network")
    bold = pd.DataFrame(False, index=shown.index, columns=shown.columns)
    return Table(f"chosen-{name}", pd.DataFrame(rows).drop(columns="results", errors="ignore"), shown, bold)


def number(value: Any) -> str:
    """Return a value as a parameter file has it: 400 and not 400.0, true and not True."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)
