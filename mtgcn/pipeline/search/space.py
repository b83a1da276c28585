"""A search file: data set and depth, the values that each task may take, and how many runs they get."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from mtgcn.experiments.network_names import tasks_of
from mtgcn.experiments.parameters import Parameters

FIRST_SEED = 1000  # reported runs have the seeds below, a search those from here on
BASE = "GCN"
OWN = ("dataset", "hidden_layers", "networks", "runs", "first_seed")  # not for `settings` to say


@dataclass(frozen=True)
class Point:
    """A network with values of its tasks, by names such as ``FR.size``."""

    network: str
    values: tuple[tuple[str, Any], ...] = ()

    @property
    def tasks(self) -> dict[str, dict[str, Any]]:
        """The values of each task, as a parameter file has them."""
        tasks: dict[str, dict[str, Any]] = {name: {} for name in tasks_of(self.network)}
        for name, value in self.values:
            task, _, parameter = name.partition(".")
            tasks[task][parameter] = value
        return tasks

    @property
    def structure(self) -> "Point":
        """The point without the weights: points of one structure can be trained together."""
        return Point(self.network, tuple(item for item in self.values if not item[0].endswith(".weight")))


class Space(BaseModel):
    """What a search file says, each key in itself; `search.search_file` looks at how they fit together."""

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
    runs: int = Field(2, ge=1, description="runs of every point")
    best_runs: int = Field(8, ge=1, description="runs of the best points, the first ones included")
    finalists: int = Field(3, ge=1, description="how many of the best points go into the final")
    final_runs: int = Field(
        0, ge=0, description="runs of the finalists, the former ones included, whose mean decides; 0: no final"
    )
    share: float = Field(0.25, gt=0, le=1, description="the share of points that counts as the best")
    first_seed: int = Field(FIRST_SEED, ge=FIRST_SEED, description="the first seed, none that is ever reported")
    split_each_run: bool = Field(
        False, description="whether a run has a split of its own, drawn from its seed; those that are reported are not"
    )
    batch: int = Field(16, ge=1, description="runs that are trained together, as far as memory and cache like it")

    @property
    def networks(self) -> list[str]:
        """The networks: without tasks, with one, with several."""
        return [BASE, *self.grid, *self.combined]

    @property
    def most_runs(self) -> int:
        """The runs of the points that are compared last."""
        return self.final_runs or self.best_runs

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
        return Parameters.model_validate(self.given(point))

    def given(self, point: Point) -> dict[str, Any]:
        """Return what a parameter file would say of a point."""
        own = self.dataset, self.hidden_layers, {point.network: point.tasks}, self.most_runs, self.first_seed
        return {**self.settings, **dict(zip(OWN, own, strict=True))}

    @field_validator("grid", mode="before")
    @classmethod
    def _lists_of_tasks(cls, given: Any) -> Any:
        return {task: _lists(values) for task, values in given.items()} if isinstance(given, Mapping) else given


def _lists(given: Any) -> Any:
    """Return values by name, of which one that stands alone is a list of one; weights are numbers with a point."""
    if not isinstance(given, Mapping):
        return given
    lists = {name: value if isinstance(value, list) else [value] for name, value in given.items()}
    return {name: list(map(_number, values)) if name == "weight" else values for name, values in lists.items()}


def _number(value: Any) -> Any:
    return float(value) if type(value) is int and abs(value) < 1e300 else value
