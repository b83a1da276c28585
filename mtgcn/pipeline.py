"""From parameter files to the book: what is not up to date is run, checked, cleaned and stored."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import nbformat

from mtgcn import cleaning, files, notebooks, results, runfile
from mtgcn.display import Display
from mtgcn.errors import MtgcnError
from mtgcn.execute import Failure, Job, Product, Step, execute
from mtgcn.experiment import RESULTS_VERSION
from mtgcn.fingerprint import Fingerprint
from mtgcn.project import Project
from mtgcn.runfile import RunFile
from mtgcn.store import Store, digest, result_digest, results_digest

MISSING = "missing"  # the only reason of a run that is not stored at all
# Runs jobs, tells which cell of which starts, and gives each product as soon as it is there.
Executor = Callable[[Sequence[Job], Callable[[str, Step], None]], Iterator[Product]]


def here(jobs: Sequence[Job], report: Callable[[str, Step], None]) -> Iterator[Product]:
    """Run jobs on this machine, one after the other: training uses all its cores anyway."""
    for job in jobs:
        yield execute(job, partial(report, job.name))


@dataclass(frozen=True)
class Run:
    """A parameter file, where its outcome is stored, and from where it reads the results of others."""

    file: RunFile
    store: Store
    reads: Path

    @property
    def name(self) -> str:
        """The name of the parameter file."""
        return self.file.name

    def fingerprint(self) -> Fingerprint:
        """Return what the run would be made from now."""
        read = results.names(self.file.gathers, self.reads, self.name) if self.file.gathers else []
        return Fingerprint(
            notebook=digest(self.file.notebook.read_bytes()),
            title=self.file.title,
            parameters=self.file.complete,
            data=self.file.data,
            results_version=RESULTS_VERSION,
            results={name: results_digest(self.reads, name) for name in read},
        )

    def reasons(self) -> list[str]:
        """Say why the run has to be done; nothing when what is stored is up to date."""
        stored = self.store.record(self.name)
        if stored is None:
            return [MISSING]
        changes = self.fingerprint().changes(stored.get("fingerprint", {}), self.file.model)
        return changes + [f"{path.name} is not the one of the page" for path in self.store.damaged(self.name)]

    def job(self) -> Job:
        """Return what an executor needs."""
        environment = {}
        if self.file.gathers:
            environment = {results.RESULTS: str(self.reads.resolve()), results.OWN: self.name}
        notebook = nbformat.writes(notebooks.read(self.file.notebook))
        return Job(self.name, notebook, dict(self.file.parameters), self.file.data, environment)

    def put(self, product: Product, fingerprint: Fingerprint) -> None:
        """Store what came out."""
        record = {
            "fingerprint": fingerprint.record(),
            "files": {name: result_digest(name, content) for name, content in product.files.items()},
        }
        text = cleaning.clean(product.notebook, self.file.parameters, self.file.origin, self.file.title, record)
        self.store.put(self.name, text, product.files)


def plan(
    project: Project,
    chosen: list[Path],
    overrides: runfile.Overrides | None = None,
    output: Path | None = None,
) -> list[Run]:
    """Return the runs of the chosen parameter files, those that gather results after those that make them.

    They are stored in the book, or in the folder ``output`` laid out like it; with ``overrides`` and no ``output``
    each that they change is a trial in a folder of its own.
    """
    loaded = [runfile.load(path, project.notebooks, overrides) for path in project.parameter_files(chosen)]
    if overrides:
        runfile.check_overrides(overrides, {file.notebook for file in loaded})
    base = project.book if output is None else Store.book(output)
    if overrides and output is None:
        runs = {f.name: Run(f, project.trial(f.name), base.results) for f in loaded if f.overrides}
    else:
        runs = {f.name: Run(f, base, base.results) for f in loaded}
    return [runs[name] for name in _ordered(runs)]


def _ordered(runs: Mapping[str, Run]) -> list[str]:
    """Order names so that a run comes after those whose results it reads."""
    needs = {
        name: [other for other in runs if other != name and results.match(other, run.file.gathers)]
        for name, run in runs.items()
    }
    try:
        order = list(TopologicalSorter(needs).static_order())
    except CycleError as error:
        raise MtgcnError(f"these runs read each other's results: {', '.join(error.args[1])}.") from error
    return sorted(order, key=lambda name: bool(runs[name].file.gathers))


def status(runs: Sequence[Run]) -> dict[str, list[str]]:
    """Return why each of the runs has to be done, in order; nothing for those that are up to date."""
    for store in {one.store for one in runs}:
        with suppress(MtgcnError), store.locked():  # a killed run may have left something to finish
            pass
    due: dict[str, list[str]] = {}
    for one in runs:
        try:
            reasons = one.reasons()
        except MtgcnError as error:  # results that it names are not there
            reasons = [str(error)]
        if reasons != [MISSING]:
            waiting = [name for name in due if due[name] and results.match(name, one.file.gathers)]
            reasons += [f"reads {name}, which has to be run" for name in waiting]
        due[one.name] = reasons
    return due


def run(
    runs: Sequence[Run], display: Display, executor: Executor = here, force: bool = False, failed: Path | None = None
) -> dict[str, Failure]:
    """Do every run that is not up to date (all with ``force``), and return the failures by name.

    Runs that read no results go to ``executor`` together; then those that gather, one by one, on this machine,
    where the results are. Notebooks that fail go to the folder ``failed``.
    """
    failures: dict[str, Failure] = {}

    def fail(name: str, failure: Failure) -> None:
        failures[name] = failure
        display.failed(name, failure)

    def due(one: Run) -> bool:
        if force or one.reasons():
            return True
        display.fresh(one.name)
        return False

    def perform(some: Sequence[Run], executor: Executor) -> None:
        by_name = {one.name: one for one in some}
        # Taken before the kernels start: what changes in the meantime makes the outcome stale, not wrong.
        before = {name: one.fingerprint() for name, one in by_name.items()}
        for product in executor([one.job() for one in some], display.running):
            if product.failure is None:
                by_name[product.name].put(product, before[product.name])
                display.done(product.name)
            else:
                if failed is not None:
                    files.write_text(failed / f"{product.name}.ipynb", product.notebook)
                fail(product.name, product.failure)

    with ExitStack() as locks:
        for store in {one.store for one in runs}:
            locks.enter_context(store.locked())
        makers = [one for one in runs if not one.file.gathers and due(one)]
        for one in makers:
            one.file.check_data()
        perform(makers, executor)
        for one in runs:
            if not one.file.gathers:
                continue
            if lost := [name for name in failures if results.match(name, one.file.gathers)]:
                fail(one.name, Failure(f"not run, because it reads the results of {', '.join(lost)}"))
                continue
            try:
                if due(one):
                    perform([one], here)
            except MtgcnError as error:  # results that it names are not there
                fail(one.name, Failure(str(error)))
    return failures
