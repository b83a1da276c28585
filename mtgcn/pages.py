"""What a page says about itself: set-up, parameters, data, and what it was computed with."""

import html
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd
import torch

from mtgcn.datasets import Dataset
from mtgcn.experiment import RESULTS_VERSION, parameters_of
from mtgcn.machine import choose_device
from mtgcn.parameters import Parameters

PACKAGES = ("mtgcn", "torch", "dgl", "numpy", "scipy", "pandas")


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


def ready() -> str:
    """Say in one line what a notebook is about to run on."""
    device = choose_device("auto")
    where = torch.cuda.get_device_name(device) if device.type == "cuda" else "the CPU"
    return f"mtgcn {version('mtgcn')} with torch {torch.__version__} and dgl {version('dgl')}, on {where}."


def parameters_in(namespace: Mapping[str, Any]) -> Parameters:
    """Return the parameters of an experiment among the names of a notebook, ``globals()``."""
    return parameters_of(**{name: namespace[name] for name in Parameters.model_fields if name in namespace})


def networks_table(parameters: Parameters) -> pd.DataFrame:
    """Return a row for each network and task with the task's parameters."""
    rows = [
        {"network": network, "task": name, **task.model_dump(mode="json")}
        for network, tasks in parameters.networks.items()
        for name, task in tasks.items()
    ]
    return pd.DataFrame(rows, columns=None if rows else ["network"], dtype=object).fillna("").set_index("network")


def data_facts(data: Dataset) -> Facts:
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


def computed_with(parameters: Parameters, data: Dataset, table: pd.DataFrame) -> Facts:
    """Return everything that is needed to compute a page again, and how long that took."""
    settings = parameters.model_dump(mode="json", exclude={"dataset", "networks", "runs", "first_seed"})
    seconds = table["seconds"].sum()  # runs that train together share the time
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return Facts(
        {
            "data set": f"{data.name}, digest {data.digest[:16]}",
            "seeds": f"{parameters.seeds[0]} to {parameters.seeds[-1]}",
            **({"splits": f"seeds {table['split'].min()} to {table['split'].max()}"} if "split" in table else {}),
            "parameters": ", ".join(f"{name} {value}" for name, value in settings.items()),
            "versions": f"Python {platform.python_version()}, {packages}; results version {RESULTS_VERSION}",
            "training took": f"{seconds:.1f} s",
        }
    )


def thinned(curves: pd.DataFrame, epochs: int = 40) -> pd.DataFrame:
    """Return learning curves at about so many epochs, evenly spaced in the logarithm, and at each run's end."""
    last = curves["epoch"].max()
    kept = np.unique(np.geomspace(1, last, epochs).round().astype(int))
    ends = curves.groupby(["network", "seed"])["epoch"].transform("max")
    shown = curves[curves["epoch"].isin(kept) | (curves["epoch"] == ends)].reset_index(drop=True)
    for name in ("training_loss", "validation_loss", "validation_accuracy"):
        shown[name] = [float(f"{value:.6g}") for value in shown[name]]  # what single precision can say
    return shown
