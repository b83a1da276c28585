"""A search file: data set and depth, the values that each task may take, and how many runs they get."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from mtgcn import yamlfile
from mtgcn.errors import MtgcnError, nearest
from mtgcn.parameters import Parameters, tasks_of
from mtgcn.tasks import TASKS

FIRST_SEED = 1000  # reported runs have the seeds below, a search those from here on
BASE = "GCN"
OWN = ("dataset", "hidden_layers", "networks", "runs", "first_seed")  # not for `settings` or `readings` to say


@dataclass(frozen=True)
class Point:
    """A network with values: of its tasks by names such as ``FR.size``, of the whole by plain names."""

    network: str
    values: tuple[tuple[str, Any], ...] = ()

    @property
    def tasks(self) -> dict[str, dict[str, Any]]:
        """The values of each task, as a parameter file has them."""
        tasks: dict[str, dict[str, Any]] = {name: {} for name in tasks_of(self.network)}
        for name, value in self.values:
            task, dot, parameter = name.partition(".")
            if dot:
                tasks[task][parameter] = value
        return tasks

    @property
    def settings(self) -> dict[str, Any]:
        """The values that are no task's."""
        return {name: value for name, value in self.values if "." not in name}

    @property
    def structure(self) -> "Point":
        """The point without the weights: points of one structure can be trained together."""
        return Point(self.network, tuple(item for item in self.values if not item[0].endswith(".weight")))


class Space(BaseModel):
    """What a search file says."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    dataset: str = Field(description="as in a parameter file")
    hidden_layers: int = Field(1, ge=1, description="hidden layers of the encoder")
    settings: dict[str, Any] = Field({}, description="other parameters of all networks")
    grid: dict[str, dict[str, list[Any]]] = Field(min_length=1, description="the values of each task's parameters")
    screening: dict[str, list[float]] = Field(
        {}, description="weights at which the other values of a task are compared first; all when not given"
    )
    combined: dict[str, list[int]] = Field(
        {}, description="networks of several tasks, and the steps on the weights' grid around the single tasks' best"
    )
    readings: dict[str, list[Any]] = Field(
        {}, description="parameters of which each other value is tried alone; then nothing else is searched"
    )
    runs: int = Field(2, ge=1, description="runs of every point")
    best_runs: int = Field(8, ge=1, description="runs of the best points, the first ones included")
    share: float = Field(0.25, gt=0, le=1, description="the share of points that counts as the best")
    first_seed: int = Field(FIRST_SEED, ge=FIRST_SEED, description="the first seed, none that is ever reported")
    batch: int = Field(16, ge=1, description="runs that are trained together, as far as memory and cache like it")

    @property
    def networks(self) -> list[str]:
        """The networks: without tasks, with one, with several."""
        return [BASE, *self.grid, *self.combined]

    def seeds(self, runs: int) -> list[int]:
        """Return the seeds of the first ``runs`` runs of any point."""
        return list(range(self.first_seed, self.first_seed + runs))

    def points(self, task: str, weights: list[float]) -> list[Point]:
        """Return the grid of a single task at these weights, the weights running fastest."""
        others = {name: values for name, values in self.grid[task].items() if name != "weight"}
        names = [f"{task}.{name}" for name in (*others, "weight")]
        return [Point(task, tuple(zip(names, values, strict=True))) for values in product(*others.values(), weights)]

    def parameters(self, point: Point) -> Parameters:
        """Return the parameters of a point, with the seeds of all its runs."""
        own = self.dataset, self.hidden_layers, {point.network: point.tasks}, self.best_runs, self.first_seed
        return Parameters.model_validate({**self.settings, **point.settings, **dict(zip(OWN, own, strict=True))})

    @field_validator("grid", "readings", mode="before")
    @classmethod
    def _lists(cls, given: Any) -> Any:
        """A value that stands alone is a list of one; weights are numbers with a point."""
        if not isinstance(given, Mapping):
            return given
        if all(isinstance(values, Mapping) for values in given.values()):
            return {task: cls._lists(values) for task, values in given.items()}
        lists = {name: value if isinstance(value, list) else [value] for name, value in given.items()}
        return {
            name: [float(v) if name == "weight" and isinstance(v, int) else v for v in values]
            for name, values in lists.items()
        }

    @model_validator(mode="after")
    def _consistent(self) -> "Space":
        for task, values in self.grid.items():
            if task not in TASKS:
                raise ValueError(f"grid: there is no task '{task}'{nearest(task, TASKS)}")
            if not values.get("weight") or min(values["weight"]) <= 0:
                raise ValueError(f"grid: the task '{task}' needs weights, all above 0")
            if any(not choices for choices in values.values()):
                raise ValueError(f"grid: every parameter of the task '{task}' needs a value")
        for task, weights in self.screening.items():
            if task not in self.grid or not weights or not set(weights) <= set(self.grid[task]["weight"]):
                raise ValueError(f"screening: the weights of '{task}' have to be some of those in the grid")
        for network in self.combined:
            if missing := [task for task in tasks_of(network) if task not in self.grid]:
                raise ValueError(f"combined: '{network}' needs a grid of the task '{missing[0]}'")
        if self.best_runs < self.runs:
            raise ValueError("best_runs: has to be at least as large as runs")
        for name in (*self.settings, *self.readings):
            if name in OWN:
                raise ValueError(f"settings: '{name}' has a place of its own in a search file")
        for point in self._extremes():
            self.parameters(point)
        return self

    def _extremes(self) -> Iterator[Point]:
        """Yield points that together have every value once, so that `Parameters` can look at each."""
        for task, values in self.grid.items():
            for name, choices in values.items():
                yield from (Point(task, ((f"{task}.{name}", value),)) for value in choices)
        for name, choices in self.readings.items():
            network = name.partition(".")[0] if "." in name else BASE
            yield from (Point(network, ((name, value),)) for value in choices)


def read(path: Path) -> Space:
    """Read a search file; a mistake in it is told with its line."""
    file = yamlfile.read(path)
    try:
        return Space(**file.data)
    except ValidationError as refused:
        raise MtgcnError("\n".join(_sentence(file, error) for error in refused.errors())) from None


def _sentence(file: yamlfile.YamlFile, error: Any) -> str:
    location = tuple(error["loc"])
    message = error["msg"].removeprefix("Value error, ")
    if error["type"] == "extra_forbidden":
        message = f"there is no key '{location[-1]}'{nearest(str(location[-1]), Space.model_fields)}"
    elif location:
        message = f"{location[-1]} is {error['input']!r}: {message}"
    else:  # our own check of the whole, which names the key first
        location = (message.partition(":")[0],)
    return f"{file.where(location)}: {message.rstrip('.?')}{'?' if message.endswith('?') else '.'}"
