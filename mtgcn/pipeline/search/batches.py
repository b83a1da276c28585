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
from mtgcn.pipeline.search.space import Space
from mtgcn.pipeline.search.stages import Want

if TYPE_CHECKING:
    from distributed import Client


@dataclass(frozen=True)
class Line:
    """Points of one structure, to be trained together; with what a worker elsewhere needs to know."""

    wants: tuple[Want, ...]
    parameters: Parameters
    data: str  # digest of the data set
    results_version: int = RESULTS_VERSION

    @property
    def network(self) -> str:
        """The network of all its points."""
        return self.wants[0].point.network

    @property
    def runs(self) -> int:
        """How many runs the batch has."""
        return sum(len(want.seeds) for want in self.wants)


Scored = tuple[Line, list[list[float]]]  # for each point of the line, the scores in the order of its seeds
Executor = Callable[[Sequence[Line]], Iterator[Scored]]


def lay_out(space: Space, wants: Sequence[Want], data: str) -> list[Line]:
    """Put points into lines of about ``space.batch`` runs; a point is never divided."""
    groups: dict[Any, list[Want]] = {}
    for want in wants:
        groups.setdefault((want.point.structure, len(want.seeds)), []).append(want)
    lines = []
    for (_, runs), group in groups.items():
        size = max(1, space.batch // runs)
        pieces = [group[start : start + size] for start in range(0, len(group), size)]
        lines += [Line(tuple(piece), space.parameters(piece[0].point), data) for piece in pieces]
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
    seeds = [seed for want in line.wants for seed in want.seeds]
    weights = {}
    for task in line.wants[0].point.tasks:
        by_point = [(want.point.tasks[task]["weight"], len(want.seeds)) for want in line.wants]
        weights[task] = [weight for weight, runs in by_point for _ in range(runs)]
    trained = train(build(line.parameters, line.network, dataset, seeds, weights), line.parameters)
    # A run that diverged before it had any best epoch is the worst there is, not an unknown one.
    accuracies = iter(np.nan_to_num(trained.validation_accuracy).round(4).tolist())
    return [[next(accuracies) for _ in want.seeds] for want in line.wants]


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
