"""Grid search by validation accuracy: few runs for every point, more for the best, nothing computed twice."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mtgcn.data import datasets
from mtgcn.experiments.network_names import tasks_of
from mtgcn.pipeline.project import check_name
from mtgcn.pipeline.search import outcome, stages
from mtgcn.pipeline.search.batches import Executor, here, lay_out
from mtgcn.pipeline.search.journal import Journal, locked
from mtgcn.pipeline.search.search_file import check_data, read
from mtgcn.pipeline.search.space import Space

# What a run costs in runs of GCN, measured on Cora; only for guessing the time left.
COST = {"AE": 0.7, "FR": 1.2, "ER": 0.6}
Report = Callable[[dict[str, int]], None]  # told how many runs each network has had, at the start and after each batch


@dataclass(frozen=True)
class Search:
    """A search file, and where its journal, its table and the parameter file that it tunes lie."""

    source: Path
    space: Space
    root: Path

    @classmethod
    def of(cls, source: Path, root: Path) -> "Search":
        """Return the search of the file ``source`` in the checkout ``root``."""
        check_name(source)
        return cls(source, read(source), root)

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.source.stem

    @property
    def journal(self) -> Path:
        """Where every score is written as soon as it is there; not committed."""
        return self.root / "trials" / "search" / f"{self.name}.journal"

    @property
    def table(self) -> Path:
        """Where the outcome goes."""
        return self.root / "book" / "results" / "search" / f"{self.name}.csv"

    @property
    def parameters(self) -> Path:
        """The parameter file that the chosen values are for; it may be one that nobody has run yet."""
        planned = self.root / "params" / "planned" / f"{self.name}.yaml"
        return planned if planned.exists() else self.root / "params" / f"{self.name}.yaml"

    @cached_property
    def data(self) -> str:
        """The digest of the data set."""
        return datasets.digest_of(self.space.dataset)

    def open(self) -> Journal:
        """Return what the journal holds."""
        self.journal.parent.mkdir(parents=True, exist_ok=True)
        return Journal(self.journal, self.space, self.data)

    def done(self, journal: Journal) -> dict[str, int]:
        """Return how many runs each network has had of those that this search asks for."""
        return stages.done(self.space, journal.scores)


def run(search: Search, executor: Executor = here, report: Report = lambda done: None) -> None:
    """Compute what is missing of a search and write its table; what is there already is not computed again."""
    with locked(search.journal):
        journal = search.open()
        if stages.todo(search.space, journal.scores):  # a complete search needs no data
            check_data(search.source, search.space)
        report(search.done(journal))
        while wants := stages.todo(search.space, journal.scores):
            lines = lay_out(search.space, wants, search.data)
            lines.sort(key=lambda line: cost({line.network: line.runs}), reverse=True)  # no long one at the end
            for line, scores in executor(lines):
                for want, values in zip(line.wants, scores, strict=True):
                    journal.record(want, dict(zip(want.seeds, values, strict=True)))
                report(search.done(journal))
        outcome.write(search.table, outcome.table(search.space, journal.scores))


def apply(search: Search) -> None:
    """Put the chosen values into the parameter file."""
    outcome.apply(
        search.parameters,
        Path(os.path.relpath(search.source, search.root)).as_posix(),
        search.space,
        outcome.table(search.space, search.open().scores),
    )


def cost(runs: dict[str, int]) -> float:
    """Return what these runs of networks cost, in runs of GCN."""
    return sum(number * (1 + sum(COST.get(task, 1.0) for task in tasks_of(name))) for name, number in runs.items())
