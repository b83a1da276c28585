"""What has been computed, in an Optuna journal: one file a search, one study a network, one trial a point and stage.

A trial is written complete, with its parameters, scores and value, in one line. So a search can be killed at any
moment; and any tool that reads Optuna's journals, such as its dashboard, can look into it. Optuna's grid sampler
would hand out single points, while here a line of the grid is trained in one piece; so the grid is laid out by
`search.stages`, and the trials are added to the studies.
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from glob import escape
from pathlib import Path
from statistics import fmean
from typing import Any

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution
from optuna.storages.journal import JournalFileBackend, JournalStorage
from optuna.trial import TrialState, create_trial

from mtgcn.errors import MtgcnError
from mtgcn.experiments.records import RESULTS_VERSION
from mtgcn.model.tasks import TASKS
from mtgcn.pipeline.search.space import BASE, Point, Space
from mtgcn.pipeline.search.stages import Want

optuna.logging.set_verbosity(optuna.logging.WARNING)
WHERE = ("device", "backend", "runs", "first_seed", "networks")  # what leaves the score of a run as it is


class Journal:
    """The journal at ``path`` of a search; scores made under other settings, on other data or by another version of
    the program are left where they are and not read.

    ``scores`` holds what it knows: validation accuracy in percent by point and seed.
    """  # fmt: skip

    def __init__(self, path: Path, space: Space, data: str) -> None:
        self.scores: dict[Point, dict[int, float]] = {}
        self._space = space
        self._mark = _mark(space, data)
        self._storage = JournalStorage(JournalFileBackend(str(path)))
        names = [study.study_name for study in optuna.get_all_study_summaries(self._storage)]
        for network in space.networks:
            if self._name(network) in names:
                study = optuna.load_study(study_name=self._name(network), storage=self._storage)
                for trial in study.get_trials(deepcopy=False, states=[TrialState.COMPLETE]):
                    values = tuple((name, value) for name, value in trial.user_attrs["point"])
                    self._add(Point(network, values), trial.user_attrs["scores"])

    def record(self, want: Want, scores: Mapping[int, float]) -> None:
        """Write the scores of a point by seed; they count from the moment at which their line is complete."""
        study = optuna.create_study(
            study_name=self._name(want.point.network), storage=self._storage, direction="maximize", load_if_exists=True
        )
        by_seed = {str(seed): score for seed, score in scores.items()}
        study.add_trial(
            create_trial(
                params=dict(want.point.values),
                distributions={name: self._distribution(name, value) for name, value in want.point.values},
                value=fmean(scores.values()),
                user_attrs={"point": want.point.values, "stage": want.stage, "scores": by_seed},
            )
        )
        self._add(want.point, by_seed)

    def _add(self, point: Point, scores: Mapping[str, float]) -> None:
        self.scores.setdefault(point, {}).update({int(seed): score for seed, score in scores.items()})

    def _name(self, network: str) -> str:
        return f"{network} {self._mark}"

    def _distribution(self, name: str, value: Any) -> BaseDistribution:
        """Return what Optuna shall know about a parameter: weights lie on a logarithmic scale."""
        task, _, parameter = name.partition(".")
        choices = self._space.grid[task][parameter]
        if parameter == "weight":
            return FloatDistribution(min(choices), max(choices), log=True)
        return CategoricalDistribution(choices)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep other searches out of the journal at ``path``, and clear away what a killed one may have left."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise MtgcnError(f"another mtgcn search is writing to {path}; wait until it ends.") from error
        for lock in path.parent.glob(f"{escape(path.name)}.lock*"):  # Optuna's own, which outlive their process
            lock.unlink(missing_ok=True)
        file.seek(0)
        complete = file.read().rfind(b"\n") + 1
        if complete < file.seek(0, os.SEEK_END):
            file.truncate(complete)  # a line of which only the beginning was written
        yield


def _mark(space: Space, data: str) -> str:
    """Return eight digits that stand for everything, but the point and the seed, that decides about a score."""
    said = space.parameters(Point(BASE)).model_dump(mode="json", exclude=set(WHERE))
    defaults = {name: task.Parameters.model_validate({}).model_dump(mode="json") for name, task in TASKS.items()}
    splits = ["split of its own"] if space.split_each_run else []
    everything = json.dumps([RESULTS_VERSION, data, said, defaults, *splits], sort_keys=True)
    return hashlib.sha256(everything.encode()).hexdigest()[:8]
