"""What is wrong with the parameters of an experiment, each problem with its place."""

from collections.abc import Iterable, Mapping
from os.path import isfile
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError

from mtgcn.data import datasets, label_splits, random_splits
from mtgcn.errors import MtgcnError, nearest, short
from mtgcn.experiments.network_names import BASELINE, tasks_of
from mtgcn.experiments.parameters import Parameters
from mtgcn.model.tasks import TASKS

Location = tuple[str | int, ...]  # keys and places in lists, from the outside in


class Problem(NamedTuple):
    """A place among the parameters, and a sentence about it."""

    location: Location
    message: str


class Refused(MtgcnError):
    """Parameters that cannot be; the message is the first of the ``problems``."""

    def __init__(self, problems: list[Problem]) -> None:
        location, message = problems[0]
        super().__init__(f"{'.'.join(map(str, location))}: {message}")
        self.problems = problems


def checked(given: Mapping[str, Any]) -> Parameters:
    """Return the parameters; what the model refuses, and a data set that does not exist, are told in `Refused`."""
    problems = _dataset_problems(given.get("dataset"))
    try:
        parameters = Parameters.model_validate(given)
    except ValidationError as refused:
        # The model tells of the first bad network only, and not where: those are looked at one by one.
        networks = given.get("networks")
        inner = list(_network_problems(networks)) if isinstance(networks, Mapping) else []
        outer = [told for told in _told(Parameters, refused, ()) if not (inner and told.location[:1] == ("networks",))]
        raise Refused([*outer, *inner, *problems]) from None
    if problems:
        raise Refused(problems)
    return parameters


def parameters_in(namespace: Mapping[str, Any]) -> Parameters:
    """Return the parameters among the names of a notebook, ``globals()``."""
    return checked({name: namespace[name] for name in Parameters.model_fields if name in namespace})


def experiment_problems(given: Mapping[str, Any]) -> list[Problem]:
    """Return everything that `checked` refuses."""
    try:
        checked(given)
    except Refused as refused:
        return refused.problems
    return []


def data_problems(parameters: Parameters, dataset: datasets.Dataset) -> Iterable[Problem]:
    """Return which tasks cannot work with the data set, and whether it is too small for a random split."""
    seed = parameters.split_seed or 0
    try:
        if parameters.labels:
            label_splits.drawn(dataset, seed, parameters.labels[0])
        elif parameters.split_seed is not None or parameters.splits:
            random_splits.drawn(dataset, seed)
    except MtgcnError as error:
        asked = "split_seed" if parameters.split_seed is not None else "splits"
        yield Problem(("labels" if parameters.labels else asked,), str(error))
    for network, tasks in parameters.networks.items():
        for name, task in tasks.items():
            if problem := TASKS[name].check(task, dataset, parameters.hidden_units):
                yield Problem(("networks", network, name), f"{problem}.")


def _dataset_problems(name: object) -> list[Problem]:
    if not isinstance(name, str) or name in datasets.NAMES:
        return []
    if not name.endswith(".npz"):
        hint = nearest(name, datasets.NAMES)
        return [Problem(("dataset",), f"there is no data set '{short(name)}', nor is it a .npz file{hint}")]
    # Also a name that is too long for a file.
    return [] if isfile(name) else [Problem(("dataset",), f"there is no file {short(name)}.")]


def _network_problems(networks: Mapping[str, Any]) -> Iterable[Problem]:
    for network, tasks in networks.items():
        place = ("networks", network)
        try:
            tasks_of(network, tasks if not isinstance(tasks, Mapping) else None)
        except ValueError as error:
            yield Problem(place, str(error))
            continue
        for task, parameters in tasks.items() if isinstance(tasks, Mapping) else ():
            if task not in TASKS or task not in network.split("+"):
                hint = nearest(task, [name for name in TASKS if name in network.split("+")] or [BASELINE])
                yield Problem((*place, task), f"the network '{network}' has no task '{task}'{hint}")
            else:
                yield from model_problems(TASKS[task].Parameters, parameters, (*place, task))


def model_problems(model: type[BaseModel], given: Any, place: Location) -> Iterable[Problem]:
    """Return what ``model`` refuses in ``given``, which stands at ``place``."""
    try:
        model.model_validate(given)
    except ValidationError as refused:
        yield from _told(model, refused, place)


def _told(model: type[BaseModel], refused: ValidationError, place: Location) -> Iterable[Problem]:
    """Return what ``model`` has refused in what stands at ``place``."""
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
            return f"{name} is {short(repr(error['input']))}: {reason}."
