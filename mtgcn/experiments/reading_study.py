"""Train what the paper leaves open: the networks of an experiment in every reading that concerns them."""

from typing import Any

import pandas as pd

from mtgcn.experiments import experiment
from mtgcn.experiments.parameters import Parameters
from mtgcn.experiments.progress import Shown
from mtgcn.experiments.readings import DEFAULT, READING, READINGS, Reading


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
    values = parameters.at().model_dump()
    for name, value in reading.changes.items():
        task, dot, setting = name.partition(".")
        if dot:
            tasks[task][setting] = value
        else:
            values[name] = value
    return Parameters.model_validate({**values, "networks": {network: tasks}})


def run(parameters: Parameters, progress: Shown = True) -> pd.DataFrame:
    """Train the networks of ``parameters`` in every reading that concerns them, with the same seeds in each.

    Returns the table of `experiment.run` with the column ``reading`` in front.
    """
    tables = []
    for reading, network in planned(parameters):
        table = experiment.run(changed(parameters, network, reading), progress=progress).table
        table.insert(0, READING, reading.name)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def planned(parameters: Parameters) -> list[tuple[Reading, str]]:
    """Return the readings in which networks are trained: the default for all, the others where they concern them."""
    pairs = [(reading, network) for reading in READINGS for network in parameters.networks]
    return [pair for pair in pairs if pair[0] is DEFAULT or concerns(*pair, parameters)]


def _effect(parameters: Parameters) -> dict[str, Any]:
    """Return what decides a network's outcome: without tasks there are no risks to take over any nodes."""
    values = parameters.model_dump()
    if not any(parameters.networks.values()):
        values.pop("validation_risk_nodes")
    return values
