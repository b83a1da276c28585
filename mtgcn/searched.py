"""What the searches found, from the tables that ``mtgcn search`` writes: chosen values, and readings compared.

The columns of such a table are described in `mtgcn.search.outcome`; values of tasks are called as in ``FR.size``.
"""

import re
from typing import Any

import pandas as pd

from mtgcn import wording
from mtgcn.comparison import in_order
from mtgcn.rendering import Table

FOLDER = "search/"  # before the name of a search among the results
SCORE = ("network", "stage", "runs", "first_seed", "validation_accuracy", "sem", "chosen", "results")
READINGS = "readings"  # the only stage of a search that compares readings


def grids(scores: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the tables of the grid searches by their names, without columns that say nothing."""
    return _by_name(scores, readings=False)


def readings(scores: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the tables of the searches that compare readings by their names."""
    return _by_name(scores, readings=True)


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


def compared(name: str, scores: pd.DataFrame) -> Table:
    """Return each reading of a search of readings beside the network as it is: accuracy and difference."""
    rows = []
    for network in in_order(scores["network"].tolist()):
        own = scores[scores["network"] == network]
        points: list[dict[Any, Any]] = own.astype(object).to_dict("records")
        base = points[0]  # the values as they are come first
        for row in points:
            other = [name for name in own if name not in SCORE and pd.isna(base[name]) and pd.notna(row[name])]
            reading = ", ".join(f"{column}: {number(row[column])}" for column in other) or "as it is"
            difference = row["validation_accuracy"] - base["validation_accuracy"] if other else float("nan")
            rows.append((network, reading, row["runs"], row["validation_accuracy"], row["sem"], difference))
    data = pd.DataFrame(rows, columns=["network", "reading", "runs", "validation_accuracy", "sem", "difference"])
    errors = zip(data["validation_accuracy"], data["sem"], strict=True)
    text = pd.DataFrame(
        {
            "validation": [wording.with_error(*pair) for pair in errors],
            "difference": [wording.signed(value) for value in data["difference"]],
            "runs": data["runs"].astype(str).tolist(),
        },
        index=pd.MultiIndex.from_frame(data[["network", "reading"]]),
    )
    return Table(f"readings-{name}", data, text, pd.DataFrame(False, index=text.index, columns=text.columns))


def number(value: Any) -> str:
    """Return a value as a parameter file has it: 400 and not 400.0, true and not True."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _by_name(scores: pd.DataFrame, readings: bool) -> dict[str, pd.DataFrame]:
    if scores.empty:
        return {}
    named = {str(name).removeprefix(FOLDER): part for name, part in scores.groupby("results", sort=False)}
    chosen = {name: part for name, part in named.items() if (part["stage"] == READINGS).all() == readings}
    return {
        name: part[[column for column in part if column in SCORE or part[column].notna().any()]]
        for name, part in chosen.items()
    }
