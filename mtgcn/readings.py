"""What the paper leaves open: each other reading of it, switched alone, as data; and the runs that it takes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from mtgcn import experiment
from mtgcn.parameters import Parameters

READING = "reading"


@dataclass(frozen=True)
class Reading:
    """A name for tables, a label for readers, and the settings that differ, a task's with its name before a dot."""

    name: str
    label: str
    changes: Mapping[str, Any]

    @property
    def tasks(self) -> set[str]:
        """The tasks whose settings it changes."""
        return {task for task, dot, _ in (name.partition(".") for name in self.changes) if dot}


DEFAULT = Reading("default", "our default", {})
READINGS = (
    DEFAULT,
    Reading("size-kept", "FR: keep k features", {"FR.size_means": "kept"}),
    Reading("l2-all", "L2 on all layers", {"l2_layers": "all"}),
    Reading("risks-all", "validation risks over all nodes", {"validation_risk_nodes": "all"}),
    Reading("epoch-loss", "best epoch by loss", {"best_epoch_by": "loss"}),
    Reading("er-detached", "ER: target held fixed", {"ER.detach_target": True}),
    Reading("tolerance-0", "any decrease improves", {"plateau_tolerance": 0.0}),
    Reading("tolerance-1e-3", "improvement from 0.001", {"plateau_tolerance": 1e-3}),
    Reading("raw-features", "features not normalised", {"normalise_features": False}),
    Reading("l2-all-epoch-loss", "L2 on all, epoch by loss", {"l2_layers": "all", "best_epoch_by": "loss"}),
)
LABELS = {reading.name: reading.label for reading in READINGS}


def concerns(reading: Reading, network: str, parameters: Parameters) -> bool:
    """Tell whether ``network`` is trained in this reading, beside the default.

    A network for which a reading of one of its own tasks is known has that one only; the other networks have the
    readings of the whole. What makes no difference to a network is not trained.
    """
    tasks = set(parameters.networks[network])
    has_its_own = any(other.tasks & tasks for other in READINGS)
    if reading.tasks - tasks or (has_its_own and not reading.tasks):
        return False
    return _effect(changed(parameters, network, reading)) != _effect(changed(parameters, network, DEFAULT))


def changed(parameters: Parameters, network: str, reading: Reading) -> Parameters:
    """Return ``parameters`` with ``network`` alone, in this reading."""
    tasks = {name: task.model_dump() for name, task in parameters.networks[network].items()}
    values = parameters.model_dump()
    for name, value in reading.changes.items():
        task, dot, setting = name.partition(".")
        if dot:
            tasks[task][setting] = value
        else:
            values[name] = value
    return Parameters.model_validate({**values, "networks": {network: tasks}})


def run(parameters: Parameters, progress: bool = True) -> pd.DataFrame:
    """Train the networks of ``parameters`` in every reading that concerns them, with the same seeds in each.

    Returns the table of `mtgcn.experiment.run` with the column ``reading`` in front.
    """
    tables = []
    for reading in READINGS:
        for network in parameters.networks:
            if reading is DEFAULT or concerns(reading, network, parameters):
                table = experiment.run(changed(parameters, network, reading), progress=progress).table
                table.insert(0, READING, reading.name)
                tables.append(table)
    return pd.concat(tables, ignore_index=True)


def _effect(parameters: Parameters) -> dict[str, Any]:
    """Return what decides a network's outcome: without tasks there are no risks to take over any nodes."""
    values = parameters.model_dump()
    if not any(parameters.networks.values()):
        values.pop("validation_risk_nodes")
    return values
