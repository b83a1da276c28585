"""Reading a search file: what is wrong with it is told by file and line, before anything is computed."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from mtgcn.errors import MtgcnError, nearest
from mtgcn.experiments import experiment
from mtgcn.experiments.build import split_of
from mtgcn.experiments.network_names import tasks_of
from mtgcn.experiments.problems import Location, Problem, data_problems, experiment_problems, model_problems
from mtgcn.model.tasks import TASKS
from mtgcn.pipeline import yaml_file
from mtgcn.pipeline.search import batches, stages
from mtgcn.pipeline.search.space import BASE, OWN, Point, Space


def read(path: Path) -> Space:
    """Read a search file; a mistake in it is told with its line."""
    file = yaml_file.read(path)
    try:
        space = Space.model_validate(file.data)
    except ValidationError as refused:
        raise MtgcnError(_told(file, map(_problem, refused.errors()))) from None
    if told := _told(file, _problems(space)):
        raise MtgcnError(told)
    return space


def check_data(path: Path, space: Space) -> None:
    """Refuse what cannot work with the data set, by the lines of the search file ``path``."""
    if told := _told(yaml_file.read(path), _data_problems(space)):
        raise MtgcnError(told)
    parameters = space.parameters(Point(BASE))
    experiment.check(parameters, split_of(parameters, batches.load(space.dataset, parameters.normalise_features)))


def _told(file: yaml_file.YamlFile, problems: Iterable[Problem]) -> str:
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


def _problems(space: Space) -> Iterator[Problem]:
    """Yield what no experiment could have, and what does not fit together."""
    for name in space.settings:
        if name in OWN:
            yield Problem(("settings", name), f"'{name}' has a place of its own in a search file.")
    if space.split_each_run and "split_seed" in space.settings:
        yield Problem(("settings", "split_seed"), "with split_each_run a split is drawn from the seed of its run.")
    for location, message in experiment_problems(space.given(Point(BASE))):
        yield Problem(location if location[0] in OWN else ("settings", *location), message)
    for task, values in space.grid.items():
        yield from _grid_problems(task, values)
    for task, weights in space.screening.items():
        if task not in space.grid:
            yield Problem(("screening", task), f"the grid has no task '{task}'{nearest(task, space.grid)}")
        elif not weights or any(weight not in space.grid[task].get("weight", []) for weight in weights):
            yield Problem(("screening", task), f"the weights of '{task}' have to be some of those in its grid.")
    for network, steps in space.combined.items():
        yield from _combined_problems(space, network, steps)
    if space.best_runs < space.runs:
        key = "best_runs" if "best_runs" in space.model_fields_set else "runs"
        message = f"best_runs is {space.best_runs}: it has to be at least as large as runs, {space.runs}."
        yield Problem((key,), message)
    if space.final_runs and space.final_runs < space.best_runs:
        message = f"final_runs is {space.final_runs}: it has to be at least as large as best_runs, {space.best_runs}."
        yield Problem(("final_runs",), message)


def _grid_problems(task: str, values: dict[str, list[Any]]) -> Iterator[Problem]:
    if task not in TASKS:
        yield Problem(("grid", task), f"there is no task '{task}'{nearest(task, TASKS)}")
        return
    if "weight" not in values:
        yield Problem(("grid", task), f"the task '{task}' needs weights, such as 'weight: [1, 10, 100]'.")
    for name, choices in values.items():
        if not choices:
            yield Problem(("grid", task, name), f"{task}.{name} is []: it needs a value at least.")
        for index, value in enumerate(choices):
            place = ("grid", task, name, index)
            if name == "weight" and not (isinstance(value, float) and value > 0):
                yield Problem(place, f"{task}.weight is {value!r}: it has to be a number above 0, or a list of such.")
                continue
            for problem in model_problems(TASKS[task].Parameters, {name: value}, place):
                yield Problem(place, problem.message)


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


def _data_problems(space: Space) -> Iterator[Problem]:
    """Yield what cannot work with the data set, at the first value that has it."""
    told = set()
    for point in stages.structures(space):
        parameters = space.parameters(point)
        data = batches.load(space.dataset, parameters.normalise_features)
        for problem in data_problems(parameters, data):
            if problem.message not in told:
                told.add(problem.message)
                yield Problem(_place(space, point, problem), problem.message)


def _place(space: Space, point: Point, problem: Problem) -> Location:
    """Return where the search file has what is wrong with the parameters of ``point``."""
    if problem.location[0] != "networks":
        return ("settings", *problem.location)
    task, name = str(problem.location[-1]), problem.message.partition(" ")[0]  # of "size 400 does not fit"
    choices, value = space.grid[task].get(name, []), point.tasks[task].get(name)
    return ("grid", task, name, choices.index(value) if value in choices else 0)
