"""What a page says about itself: its networks, its data, and what its results were computed with."""

import html
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:  # looking at results loads no engine
    from mtgcn.data.datasets import Dataset
    from mtgcn.experiments.parameters import Parameters
    from mtgcn.experiments.records import Record
    from mtgcn.experiments.running import Runs

# Parameters that a page shows elsewhere.
SHOWN = ("dataset", "networks", "runs", "first_seed")


@dataclass(frozen=True)
class Facts:
    """Names and values, shown as a table of two columns."""

    facts: Mapping[str, str]

    def _repr_html_(self) -> str:
        left = 'style="text-align: left; vertical-align: top"'
        rows = [
            f"<tr><th {left}>{html.escape(name)}</th><td {left}>{html.escape(value)}</td></tr>"
            for name, value in self.facts.items()
        ]
        return "\n".join(['<table class="facts">', "<tbody>", *rows, "</tbody>", "</table>"])

    def __repr__(self) -> str:
        width = max(map(len, self.facts), default=0)
        return "\n".join(f"{name:{width}}  {value}" for name, value in self.facts.items())


def networks_table(parameters: "Parameters") -> pd.DataFrame:
    """Return a row for each network and task with the task's parameters."""
    rows = [
        {"network": network, "task": name, **task.model_dump(mode="json")}
        for network, tasks in parameters.networks.items()
        for name, task in tasks.items()
    ]
    return pd.DataFrame(rows, columns=None if rows else ["network"], dtype=object).fillna("").set_index("network")


def data_facts(data: "Dataset") -> Facts:
    """Return the data set at a glance."""
    edges = data.edges.shape[1]
    within = np.mean(data.labels[data.edges[0]] == data.labels[data.edges[1]]) if edges else np.nan
    words = data.features.nnz / data.nodes
    split = [f"{len(nodes):,}" for nodes in (data.train, data.validation, data.test)]
    return Facts(
        {
            "nodes": f"{data.nodes:,}",
            "edges": f"{edges:,}, {within:.0%} of them within a class",
            "neighbours of a node": f"{2 * edges / data.nodes:.1f} on average",
            "features": f"{data.features.shape[1]:,}, of which a node has {words:.0f} on average",
            "classes": f"{data.classes}",
            "nodes for training, validation, testing": ", ".join(split),
        }
    )


def computed_with(record: "Record") -> Facts:
    """Return everything that is needed to compute results again, and how long that took."""
    settings = {name: value for name, value in record.parameters.items() if name not in SHOWN}
    versions = ", ".join(f"{name} {version}" for name, version in record.versions.items())
    return Facts(
        {
            "data set": f"{record.parameters['dataset']}, digest {record.data[:16]}",
            "seeds": f"{record.seeds[0]} to {record.seeds[-1]}",
            "parameters": ", ".join(f"{name} {value}" for name, value in settings.items()),
            "versions": f"{versions}; results version {record.results_version}",
            "training took": f"{record.seconds:.1f} s",
        }
    )


def beside_stored(runs: "Runs") -> pd.DataFrame:
    """Return the mean test accuracy of runs that were just trained, and beside it that of the stored ones."""
    keys = [name for name in ("reading", "variant", "labels", "hidden_layers", "network") if name in runs.table]
    columns = {"trained here": runs.table} | ({} if runs.stored is None else {"stored": runs.stored.table})
    means = {title: table.groupby(keys, sort=False)["test_accuracy"].mean() for title, table in columns.items()}
    return pd.DataFrame(means).round(2)
