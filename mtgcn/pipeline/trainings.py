"""Train one parameter file: a job goes in, the tables and their record come out as files.

Nothing here reads or writes the project, so that a job can run on any machine that has `mtgcn` installed.
"""

import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mtgcn.data import datasets
from mtgcn.errors import MtgcnError
from mtgcn.experiments.engine_digest import engine_digest
from mtgcn.pipeline.store import result_digest

Report = Callable[[str], None]  # told, in a few words, where a job stands
RECORD = "record.json"  # the name of the record among the files of a training


@dataclass(frozen=True)
class Training:
    """The parameters to train with, the digest of the data set, and that of the engine that is to train."""

    name: str
    parameters: Mapping[str, Any]
    data: str
    engine: str = field(default_factory=engine_digest)


@dataclass(frozen=True)
class Failure:
    """What went wrong, with a notebook in which cell (0 when it was not a cell)."""

    error: str
    cell: int = 0
    source: str = ""
    traceback: str = ""


@dataclass(frozen=True)
class Tables:
    """The files that a training gives by name, and what failed, if anything."""

    name: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    failure: Failure | None = None


class Pace:
    """How many of so many ``runs`` are done, how fast they come, and how long the rest will take."""

    def __init__(self, runs: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.runs, self.clock = runs, clock
        self._begin, self._done, self._at_work, self._known = clock(), 0, 0, 0

    def batch(self, runs: int) -> None:
        """Take down that so many runs begin to train together: those before them are done."""
        self._done, self._at_work = self._done + self._at_work, runs

    def known(self, runs: int) -> None:
        """Take down that so many runs were there already: they are done, and say nothing about the speed."""
        self._known += runs

    def text(self) -> str:
        """Return "20 of 70 runs, 1.3 a second, 38 s left", without speed and time as long as none is done."""
        done = self._done + self._known
        if self._done == 0:
            return f"{done} of {self.runs} runs"
        speed = self._done / max(self.clock() - self._begin, 1e-9)
        left = (self.runs - done) / speed
        time_left = f"{left:.0f} s" if left < 100 else f"{left / 60:.0f} min"
        return f"{done} of {self.runs} runs, {speed:.2g} a second, {time_left} left"


def train(job: Training, report: Report = lambda text: None) -> Tables:
    """Train ``job`` in this process; what fails is told in the outcome, not raised."""
    try:
        return Tables(job.name, _files(job, report))
    except MtgcnError as error:
        return Tables(job.name, failure=Failure(str(error)))
    except MemoryError:
        return Tables(job.name, failure=Failure("there was not enough memory: train fewer units, layers or runs"))
    except Exception as error:  # other trainings go on
        return Tables(job.name, failure=Failure(f"{type(error).__name__}: {error}", traceback=traceback.format_exc()))


def _files(job: Training, report: Report) -> dict[str, bytes]:
    from mtgcn.experiments import running, stored
    from mtgcn.experiments.parameters import Parameters
    from mtgcn.experiments.training import Progress

    if job.engine != engine_digest():
        raise MtgcnError("the sources of mtgcn are not the same on this worker: install the same mtgcn on both.")
    parameters = Parameters.model_validate(job.parameters)
    if datasets.digest_of(parameters.dataset) != job.data:
        raise MtgcnError(f"a worker has other data in {parameters.dataset} than the machine that asks.")

    pace = Pace(running.planned(parameters))

    def told(label: str, progress: Progress) -> None:
        if progress.epoch == 0:
            pace.known(progress.begins)
            report(f"{label}, trained before; {pace.text()}")
            return
        if progress.begins:
            pace.batch(progress.begins)
        if progress.begins or progress.epoch % 50 == 1:
            where = f"{label}, epoch {progress.epoch}, validation {progress.validation_accuracy:.1f} %"
            report(f"{where}; {pace.text()}")

    runs = running.train(parameters, told)
    tables = {stored.MAIN: runs.table, **{f"{name}.csv": table for name, table in runs.kept.items()}}
    files = {name: stored.as_csv(table).encode() for name, table in tables.items()}
    digests = {name: result_digest(name, content) for name, content in files.items()}
    return {**files, RECORD: runs.record.model_copy(update={"files": digests}).text().encode()}
