"""What is wrong with the parameters of an experiment, each problem with its place."""

from collections.abc import Iterable, Mapping
from os.path import isfile
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError

from mtgcn import datasets, splits
from mtgcn.errors import MtgcnError, nearest
from mtgcn.parameters import Parameters, tasks_of
from mtgcn.tasks import TASKS
from mtgcn.yamlfile import Location


class Problem(NamedTuple):
    """A place among the parameters, and a sentence about it."""

    location: Location
    message: str


def experiment_problems(given: Mapping[str, Any], model: type[Parameters] = Parameters) -> list[Problem]:
    """Return everything that ``model`` (the parameters of an experiment) refuses, and data sets that do not exist."""
    networks = given.get("networks")
    inner = list(_network_problems(networks)) if isinstance(networks, Mapping) else []
    # The model tells of the first bad network only, and not where: those are looked at one by one above.
    outer = {name: value for name, value in given.items() if not (inner and name == "networks")}
    problems = list(_problems(model, outer, ())) + inner
    name = given.get("dataset")
    if isinstance(name, str) and name not in datasets.NAMES:
        if not name.endswith(".npz"):
            hint = nearest(name, datasets.NAMES)
            problems.append(Problem(("dataset",), f"there is no data set '{name}', nor is it a .npz file{hint}"))
        elif not isfile(name):  # also a name that is too long for a file
            problems.append(Problem(("dataset",), f"there is no file {name}."))
    return problems


def data_problems(parameters: Parameters, dataset: datasets.Dataset) -> Iterable[Problem]:
    """Return which tasks cannot work with the data set, and whether it is too small for a random split."""
    if parameters.split_seed is not None:
        try:
            splits.drawn(dataset, parameters.split_seed)
        except MtgcnError as error:
            yield Problem(("split_seed",), str(error))
    for network, tasks in parameters.networks.items():
        for name, task in tasks.items():
            if problem := TASKS[name].check(task, dataset.features.shape[1], parameters.hidden_units):
                yield Problem(("networks", network, name), f"{problem}.")


def _network_problems(networks: Mapping[str, Any]) -> Iterable[Problem]:
    for network, tasks in networks.items():
        place = ("networks", network)
        try:
            tasks_of(network)
        except ValueError as error:
            yield Problem(place, str(error))
            continue
        if not isinstance(tasks, Mapping):
            yield Problem(place, f"'{network}' has to name the parameters of its tasks; {{}} takes the defaults.")
            continue
        for task, parameters in tasks.items():
            if task not in TASKS or task not in network.split("+"):
                hint = nearest(task, [name for name in TASKS if name in network.split("+")] or ["GCN"])
                yield Problem((*place, task), f"the network '{network}' has no task '{task}'{hint}")
            else:
                yield from _problems(TASKS[task].Parameters, parameters, (*place, task))


def _problems(model: type[BaseModel], given: Any, place: Location) -> Iterable[Problem]:
    """Return what ``model`` refuses in ``given``, which stands at ``place``."""
    try:
        model.model_validate(given)
    except ValidationError as refused:
        for error in refused.errors():
            yield Problem((*place, *error["loc"]), _sentence(model, error))


def _sentence(model: type[BaseModel], error: Any) -> str:
    name = str(error["loc"][-1]) if error["loc"] else "the value"
    match error["type"]:
        case "extra_forbidden":
            return f"there is no parameter '{name}'{nearest(name, model.model_fields)}"
        case "missing":
            return f"the parameter '{name}' is missing."
        case "value_error":
            return str(error["ctx"]["error"])
        case _:
            reason = error["msg"][0].lower() + error["msg"][1:]
            return f"{name} is {error['input']!r}: {reason}."
