"""The order of a search, in the paper's: single tasks first, then their combinations at the values found.

Which points are wanted next follows from the scores alone. So a search that was stopped goes on where it was, and
ends with the same outcome, whoever computed what in which order.

A single task has three stages, or four. Screening compares all its other values at a few weights; the best share of
them goes on to the whole grid of weights; the best share of all points gets more runs. Where there is a final, the few
best of these get more runs still. The mean over the runs of the last stage decides. A combined network takes everything
but the weights from the single tasks' best points and has no screening.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import ceil, prod
from statistics import fmean
from typing import TypeVar

from mtgcn.experiments.network_names import tasks_of
from mtgcn.pipeline.search.space import BASE, Point, Space

Scores = Mapping[Point, Mapping[int, float]]  # validation accuracy in percent, by point and seed
T = TypeVar("T")


@dataclass(frozen=True)
class Stage:
    """Points of one network, each of which shall have so many runs."""

    name: str
    points: list[Point]
    runs: int


@dataclass(frozen=True)
class Want:
    """A point and the seeds that it still has to be trained with."""

    point: Point
    stage: str
    seeds: tuple[int, ...]


def todo(space: Space, scores: Scores) -> list[Want]:
    """Return what has to be trained next; nothing when the search is complete."""
    wants: list[Want] = []
    for network in space.networks:
        for stage in stages(space, network, scores):
            missing = [Want(p, stage.name, _missing(space, scores, p, stage.runs)) for p in stage.points]
            wants += [want for want in missing if want.seeds]
            if any(want.seeds for want in missing):
                break
    return wants


def stages(space: Space, network: str, scores: Scores) -> Iterator[Stage]:
    """Yield the stages of a network; ask for the next one only when ``scores`` hold all of the former."""
    if network in space.grid:
        weights = space.grid[network]["weight"]
        points = space.points(network, space.screening.get(network, weights))
        yield Stage("screening", points, space.runs)
        structures = _best_structures(space, points, scores)
        whole = [point for point in space.points(network, weights) if point.structure in structures]
        yield Stage("grid", whole, space.runs)
        points += [point for point in whole if point not in points]
    else:
        singles = [chosen(space, task, scores) for task in tasks_of(network)]
        if None in singles:
            return
        points = _around(space, network, [single for single in singles if single])  # of GCN, the one without values
        yield Stage("grid", points, space.runs)
    most = best(points, space.share, lambda point: mean(space, scores, point, space.runs))
    yield Stage("best", most, space.best_runs)
    if space.final_runs:
        ranked = sorted(most, key=lambda point: mean(space, scores, point, space.best_runs), reverse=True)  # stable
        yield Stage("final", ranked[: space.finalists], space.final_runs)


def chosen(space: Space, network: str, scores: Scores) -> Point | None:
    """Return the best point of a network, None while its last stage is not complete."""
    last = None
    for last in stages(space, network, scores):
        if any(_missing(space, scores, point, last.runs) for point in last.points):
            return None
    if last is None:
        return None
    return max(last.points, key=lambda point: mean(space, scores, point, last.runs))


def at_the_edge(space: Space, scores: Scores) -> dict[str, float]:
    """Return the chosen weight of each single task for which it is the smallest or largest of several in the grid.

    A better one may lie beyond: the grid should go further.
    """
    found = {}
    for task, values in space.grid.items():
        best, weights = chosen(space, task, scores), sorted(values["weight"])
        if best is not None and len(weights) > 1 and best.tasks[task]["weight"] in (weights[0], weights[-1]):
            found[task] = best.tasks[task]["weight"]
    return found


def mean(space: Space, scores: Scores, point: Point, runs: int) -> float:
    """Return the mean score of the first ``runs`` runs, the same however many more there are."""
    return fmean(scores[point][seed] for seed in space.seeds(runs))


def best(items: Iterable[T], share: float, score: Callable[[T], float]) -> list[T]:
    """Return the best ``share`` of the items, at least one; of equal ones the first."""
    ranked = sorted(items, key=score, reverse=True)  # stable
    return ranked[: ceil(share * len(ranked))]


def expected(space: Space) -> dict[str, int]:
    """Return how many runs each network will have had in the end, at the most."""
    counts = {BASE: space.most_runs}

    def runs(points: int) -> int:
        most = ceil(space.share * points)
        last = min(most, space.finalists) * (space.most_runs - space.best_runs)
        return points * space.runs + most * (space.best_runs - space.runs) + last

    for task, values in space.grid.items():
        weights = len(values["weight"])
        screened = len(space.screening.get(task, values["weight"]))
        structures = prod(len(choices) for choices in values.values()) // weights
        points = structures * screened + ceil(space.share * structures) * (weights - screened)
        counts[task] = runs(points)
    for network, steps in space.combined.items():
        counts[network] = runs(len(steps) ** len(tasks_of(network)))
    return counts


def done(space: Space, scores: Scores) -> dict[str, int]:
    """Return how many runs each network has had of those that its stages ask for, and no others.

    A journal can hold more: points that have left the grid, and seeds from the time when there were more runs.
    """
    counts = {}
    for network in space.networks:
        had: set[tuple[Point, int]] = set()
        for stage in stages(space, network, scores):
            wanted = {(point, seed) for point in stage.points for seed in space.seeds(stage.runs)}
            known = {(point, seed) for point, seed in wanted if seed in scores.get(point, {})}
            had |= known
            if known < wanted:
                break
        counts[network] = len(had)
    return counts


def structures(space: Space) -> list[Point]:
    """Return the points that may be asked for of GCN and single tasks, of those that differ in weights only one.

    A combined network has no other values than these.
    """
    singles = [point for task, values in space.grid.items() for point in space.points(task, values["weight"][:1])]
    return [Point(BASE), *singles]


def _missing(space: Space, scores: Scores, point: Point, runs: int) -> tuple[int, ...]:
    return tuple(seed for seed in space.seeds(runs) if seed not in scores.get(point, {}))


def _best_structures(space: Space, points: list[Point], scores: Scores) -> list[Point]:
    """Return the best share of the structures, each judged by its best point."""
    judged: dict[Point, float] = {}
    for point in points:
        score = mean(space, scores, point, space.runs)
        judged[point.structure] = max(score, judged.get(point.structure, score))
    return best(judged, space.share, judged.__getitem__)


def _around(space: Space, network: str, singles: list[Point]) -> list[Point]:
    """Return the grid of a combined network: the single tasks' best points, their weights moved by some steps."""
    lines = []
    for single in singles:
        *others, (name, weight) = single.values
        weights = space.grid[single.network]["weight"]
        places = sorted({weights.index(weight) + step for step in space.combined[network]} & set(range(len(weights))))
        lines.append([(*others, (name, weights[place])) for place in places])
    return [Point(network, sum(values, ())) for values in product(*lines)]
