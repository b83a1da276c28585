"""Training the points of a search: those that differ in weights and seeds only are one batch."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from mtgcn.data import datasets
from mtgcn.errors import MtgcnError
from mtgcn.experiments.build import build
from mtgcn.experiments.parameters import Parameters
from mtgcn.experiments.records import RESULTS_VERSION
from mtgcn.experiments.training import train
from mtgcn.pipeline.search.space import Point, Space
from mtgcn.pipeline.search.stages import Want

if TYPE_CHECKING:
    from distributed import Client


@dataclass(frozen=True)
class Line:
    """Points of one structure, to be trained together; with what a worker elsewhere needs to know."""

    wants: tuple[Want, ...]
    parameters: Parameters
    data: str  # digest of the data set
    split_each_run: bool = False
    results_version: int = RESULTS_VERSION

    @property
    def network(self) -> str:
        """The network of all its points."""
        return self.wants[0].point.network

    @property
    def runs(self) -> int:
        """How many runs the line has."""
        return sum(len(want.seeds) for want in self.wants)


Scored = tuple[Line, list[list[float]]]  # for each point of the line, the scores in the order of its seeds
Executor = Callable[[Sequence[Line]], Iterator[Scored]]


def lay_out(space: Space, wants: Sequence[Want], data: str) -> list[Line]:
    """Put points into lines of about ``space.batch`` runs that train together; a point is never divided."""
    groups: dict[Any, list[Want]] = {}
    for want in wants:
        alike = want.seeds if space.split_each_run else len(want.seeds)
        groups.setdefault((want.point.structure, alike), []).append(want)
    lines = []
    for group in groups.values():
        together = 1 if space.split_each_run else len(group[0].seeds)
        size = max(1, space.batch // together)
        pieces = [group[start : start + size] for start in range(0, len(group), size)]
        lines += [Line(tuple(piece), space.parameters(piece[0].point), data, space.split_each_run) for piece in pieces]
    return lines


def score(line: Line) -> list[list[float]]:
    """Train a line on one thread and return the validation accuracies, in percent.

    One thread each and several processes are faster than one process of several threads: the arrays are small.
    """
    if line.results_version != RESULTS_VERSION:
        raise MtgcnError(
            f"a worker has results version {RESULTS_VERSION}, this machine has {line.results_version}:"
            " install the same mtgcn on both."
        )
    torch.set_num_threads(1)
    kept = line.parameters.self_loops == "kept"
    dataset = load(line.parameters.dataset, line.parameters.normalise_features, kept)
    if dataset.digest != line.data:
        raise MtgcnError(f"a worker has other data in {line.parameters.dataset} than this machine.")
    if not line.split_each_run:
        accuracies = iter(_trained(line.parameters, dataset, [(w.point, seed) for w in line.wants for seed in w.seeds]))
        return [[next(accuracies) for _ in want.seeds] for want in line.wants]
    by_seed = []  # all points of a seed train together, on its split
    for seed in line.wants[0].seeds:
        parameters = line.parameters.at(split_seed=seed)
        by_seed.append(_trained(parameters, dataset, [(want.point, seed) for want in line.wants]))
    return [list(scores) for scores in zip(*by_seed, strict=True)]


def _trained(parameters: Parameters, dataset: datasets.Dataset, runs: Sequence[tuple[Point, int]]) -> list[float]:
    """Train points of one structure, each with a seed, as one batch, and return their validation accuracies."""
    weights = {task: [point.tasks[task]["weight"] for point, _ in runs] for task in runs[0][0].tasks}
    seeds = [seed for _, seed in runs]
    trained = train(build(parameters, runs[0][0].network, dataset, seeds, weights), parameters)
    # A run that diverged before it had any best epoch is the worst there is, not an unknown one.
    return [float(value) for value in np.nan_to_num(trained.validation_accuracy).round(4)]


load = lru_cache(maxsize=1)(datasets.load)


def here(lines: Sequence[Line]) -> Iterator[Scored]:
    """Train lines in this process, one after the other."""
    for line in lines:
        yield line, score(line)


def on(client: "Client") -> Executor:
    """Return an executor that hands the lines to Dask workers; the line of a worker that dies goes to another."""
    return partial(_on, client)


def _on(client: "Client", lines: Sequence[Line]) -> Iterator[Scored]:
    from distributed import CancelledError, KilledWorker, as_completed

    from mtgcn.pipeline.cluster import reason

    futures = {client.submit(score, line, pure=False): line for line in lines}
    try:
        for future in as_completed(futures, loop=client.loop):
            line = futures[future]
            try:
                scores = future.result()
            except (CancelledError, KilledWorker) as error:
                raise MtgcnError(
                    f"a line of '{line.network}' on {line.parameters.dataset} came to nothing,"
                    f" {reason(error)}: the others are in the journal, and the next call goes on from there."
                ) from error
            yield line, scores
    finally:
        client.cancel(list(futures))
