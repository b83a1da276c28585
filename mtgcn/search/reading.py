"""Reading a search file: what is wrong with it is told by file and line, before anything is computed."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from mtgcn import checking, experiment, yamlfile
from mtgcn.building import split_of
from mtgcn.checking import Problem, experiment_problems
from mtgcn.errors import MtgcnError, nearest
from mtgcn.parameters import tasks_of
from mtgcn.search import lines, plan
from mtgcn.search.space import BASE, OWN, Point, Space
from mtgcn.tasks import TASKS


def read(path: Path) -> Space:
    """Read a search file; a mistake in it is told with its line."""
    file = yamlfile.read(path)
    try:
        space = Space.model_validate(file.data)
    except ValidationError as refused:
        raise MtgcnError(_told(file, map(_problem, refused.errors()))) from None
    # Values can only be looked at once all names are known ones, and single values once the settings of all are right.
    for problems in (_name_problems, _settings_problems, _value_problems):
        if told := _told(file, problems(space)):
            raise MtgcnError(told)
    return space


def check_data(path: Path, space: Space) -> None:
    """Refuse what cannot work with the data set, by the lines of the search file ``path``."""
    if told := _told(yamlfile.read(path), _data_problems(space)):
        raise MtgcnError(told)
    parameters = space.parameters(Point(BASE))
    experiment.check(parameters, split_of(parameters, lines.load(space.dataset, parameters.normalise_features)))


def _told(file: yamlfile.YamlFile, problems: Iterable[Problem]) -> str:
    """Return a sentence a problem, just one for a wrong name, which is found at each of its values."""
    return "\n".join(dict.fromkeys(f"{file.where(problem.location)}: {problem.message}" for problem in problems))


def _problem(error: Any) -> Problem:
    """Return what `Space` refuses in a key."""
    name = next(str(part) for part in reversed(error["loc"]) if isinstance(part, str))
    match error["type"]:
        case "extra_forbidden":
            message = f"there is no key '{name}'{nearest(name, Space.model_fields)}"
        case "missing":
            message = f"the key '{name}' is missing."
        case "dict_type":
            message = f"{name} is {error['input']!r}: it has to hold lines of the form 'name: value'."
        case _:
            message = f"{name} is {error['input']!r}: {error['msg'][0].lower()}{error['msg'][1:]}."
    return Problem(tuple(error["loc"]), message)


def _name_problems(space: Space) -> Iterator[Problem]:
    """Yield what does not fit together, so that no point could be made or no best one be found."""
    for task, values in space.grid.items():
        yield from _grid_problems(task, values)
    for task, weights in space.screening.items():
        if task not in space.grid:
            yield Problem(("screening", task), f"the grid has no task '{task}'{nearest(task, space.grid)}")
        elif not weights or not set(weights) <= set(space.grid[task].get("weight", [])):
            yield Problem(("screening", task), f"the weights of '{task}' have to be some of those in its grid.")
    for network, steps in space.combined.items():
        yield from _combined_problems(space, network, steps)
    if space.best_runs < space.runs:
        key = "best_runs" if "best_runs" in space.model_fields_set else "runs"
        message = f"best_runs is {space.best_runs}: it has to be at least as large as runs, {space.runs}."
        yield Problem((key,), message)
    for name in space.settings:
        if name in OWN:
            yield Problem(("settings", name), f"'{name}' has a place of its own in a search file.")
    for name, choices in space.readings.items():
        yield from _reading_problems(space, name, choices)


def _grid_problems(task: str, values: dict[str, list[Any]]) -> Iterator[Problem]:
    if task not in TASKS:
        yield Problem(("grid", task), f"there is no task '{task}'{nearest(task, TASKS)}")
    if "weight" not in values:
        yield Problem(("grid", task), f"the task '{task}' needs weights, such as 'weight: [1, 10, 100]'.")
    for name, choices in values.items():
        if not choices:
            yield Problem(("grid", task, name), f"{task}.{name} is []: it needs a value at least.")
    yield from _weight_problems(("grid", task, "weight"), values.get("weight", []))


def _weight_problems(place: yamlfile.Location, weights: list[Any]) -> Iterator[Problem]:
    name = ".".join(map(str, place[1:]))
    for index, weight in enumerate(weights):
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not weight > 0:
            message = f"{name} is {weight!r}: it has to be a number above 0, or a list of such."
            yield Problem((*place, index), message)


def _combined_problems(space: Space, network: str, steps: list[int]) -> Iterator[Problem]:
    place = ("combined", network)
    try:
        tasks = list(tasks_of(network))
    except ValueError as error:
        yield Problem(place, str(error))
        return
    if len(tasks) < 2:
        yield Problem(place, f"'{network}' has not several tasks: it is searched without being named here.")
    if not steps:
        yield Problem(place, f"{network} is []: it needs steps on the grids of weights, such as [-1, 0, 1].")
        return
    if space.readings:
        yield Problem(place, "readings are compared for GCN and single tasks only: leave out 'combined'.")
    for task in tasks:
        if task not in space.grid:
            yield Problem(place, f"'{network}' needs a grid of the task '{task}'.")
            return
        # Whichever weight will be the single task's best, a step has to lead to a weight from there.
        places = range(len(space.grid[task].get("weight", [])))
        if not all(any(at + step in places for step in steps) for at in places):
            message = f"from some weight of '{task}' the steps {steps} all leave its grid: let 0 be one of them."
            yield Problem(place, message)
            return


def _reading_problems(space: Space, name: str, values: list[Any]) -> Iterator[Problem]:
    task, dot, parameter = name.partition(".")
    place = ("readings", name)
    if name in OWN:
        yield Problem(place, f"'{name}' has a place of its own in a search file.")
    if dot and task not in TASKS:
        yield Problem(place, f"there is no task '{task}'{nearest(task, TASKS)}")
    elif dot and task not in space.grid:
        yield Problem(place, f"'{name}' needs a grid of the task '{task}'.")
    if not values:
        yield Problem(place, f"{name} is []: it needs a value at least.")
    for index, value in enumerate(values):
        if isinstance(value, list | dict):
            yield Problem((*place, index), f"{name} is {value!r}: it has to be one number or word, or a list of such.")
    if parameter == "weight":
        yield from _weight_problems(place, values)


def _settings_problems(space: Space) -> Iterator[Problem]:
    for location, message in experiment_problems(space.given(Point(BASE))):
        yield Problem(location if location[0] in OWN else ("settings", *location), message)


def _value_problems(space: Space) -> Iterator[Problem]:
    for place, point in space.each():
        for problem in experiment_problems(space.given(point)):
            yield Problem(place, problem.message)


def _data_problems(space: Space) -> Iterator[Problem]:
    """Yield what cannot work with the data set, at the first value that has it."""
    told = set()
    for point in plan.structures(space):
        parameters = space.parameters(point)
        data = lines.load(space.dataset, parameters.normalise_features)
        for problem in checking.data_problems(parameters, data):
            if problem.message not in told:
                told.add(problem.message)
                yield Problem(_place(space, point, problem), problem.message)


def _place(space: Space, point: Point, problem: Problem) -> yamlfile.Location:
    """Return where the search file has what is wrong with the parameters of ``point``."""
    if len(point.values) > len(space.grid.get(point.network, {})):  # the network as it is comes before its readings
        name, value = point.values[-1]
        return ("readings", name, space.readings[name].index(value))
    if problem.location[0] != "networks":
        return ("settings", *problem.location)
    task, name = str(problem.location[-1]), problem.message.partition(" ")[0]  # of "size 400 does not fit"
    choices, value = space.grid[task].get(name, []), point.tasks[task].get(name)
    return ("grid", task, name, choices.index(value) if value in choices else 0)
