"""From parameter files to the book: results that are not up to date are trained, pages that are not are rendered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING

from mtgcn import files
from mtgcn.errors import MtgcnError
from mtgcn.experiments import stored
from mtgcn.pipeline import parameter_file
from mtgcn.pipeline.display import Display
from mtgcn.pipeline.project import Project
from mtgcn.pipeline.states import Page
from mtgcn.pipeline.store import Store
from mtgcn.pipeline.trainings import Failure, Tables, Training, train

if TYPE_CHECKING:
    from mtgcn.pipeline.execute import Step

# Trains jobs, tells where each stands, and gives the tables of each as soon as they are there.
Executor = Callable[[Sequence[Training], Callable[[str, str], None]], Iterator[Tables]]


def here(jobs: Sequence[Training], report: Callable[[str, str], None]) -> Iterator[Tables]:
    """Train in this process, one after the other: training uses all cores anyway."""
    for job in jobs:
        yield train(job, partial(report, job.name))


def plan(
    project: Project,
    chosen: Sequence[Path | str],
    overrides: parameter_file.Overrides | None = None,
    output: Path | None = None,
) -> list[Page]:
    """Return the pages of the chosen parameter files, those that gather results after those that make them.

    They are stored in the book, or in the folder ``output`` laid out like it; with ``overrides`` and no ``output``
    each that they change is a trial in a folder of its own.
    """
    loaded = [parameter_file.load(path, project.notebooks, overrides) for path in project.parameter_files(chosen)]
    if overrides:
        parameter_file.check_overrides(overrides, {file.notebook for file in loaded})
    base = project.book if output is None else Store.book(output)
    if overrides and output is None:
        pages = {file.name: Page(file, project.trial(file.name), base.results) for file in loaded if file.overrides}
    else:
        pages = {file.name: Page(file, base, base.results) for file in loaded}
    return [pages[name] for name in _ordered(pages)]


def _ordered(pages: Mapping[str, Page]) -> list[str]:
    """Order names so that a page comes after those whose results it reads."""
    needs = {
        name: [other for other in pages if other != name and stored.match(other, page.file.gathers)]
        for name, page in pages.items()
    }
    try:
        order = list(TopologicalSorter(needs).static_order())
    except CycleError as error:
        raise MtgcnError(f"these pages read each other's results: {', '.join(error.args[1])}.") from error
    return sorted(order, key=lambda name: bool(pages[name].file.gathers))


class _Book:
    """The pages on their way, what is shown of them, and what failed."""

    def __init__(self, display: Display, force: bool, failed: Path | None) -> None:
        self.display, self.force, self.failed = display, force, failed
        self.failures: dict[str, Failure] = {}

    def fail(self, name: str, failure: Failure) -> None:
        """Take a failure down; the traceback of a training is left for reading."""
        self.failures[name] = failure
        self.display.failed(name, failure)
        if self.failed is not None and failure.traceback and not failure.cell:
            files.write_text(self.failed / f"{name}.log", failure.traceback)

    def train(self, pages: Sequence[Page], executor: Executor) -> None:
        """Train the results of these pages; each is rendered as soon as they are there."""
        by_name = {page.name: page for page in pages}
        for page in pages:
            page.file.check_data()
        for tables in executor([page.training() for page in pages], self.display.running):
            if tables.failure is not None:
                self.fail(tables.name, tables.failure)
                continue
            by_name[tables.name].put_results(tables)
            self.render(by_name[tables.name])

    def render(self, page: Page) -> None:
        """Render a page if it is not up to date, on this machine, where the results are."""
        from mtgcn.pipeline.execute import execute  # not at the top: papermill's start takes longer than a status

        lost = [name for name in self.failures if stored.match(name, page.file.gathers)]
        if lost:
            self.fail(page.name, Failure(f"not run, because it reads the results of {', '.join(lost)}"))
            return
        try:
            if not (self.force or page.page_reasons()):
                self.display.fresh(page.name)
                return
            before = page.fingerprint()  # what changes in the meantime makes the outcome stale, not wrong
        except MtgcnError as error:  # results that it names are not there
            self.fail(page.name, Failure(str(error)))
            return
        product = execute(page.job(), lambda step: self.display.running(page.name, _words(step)))
        if product.failure is None:
            page.put_page(product, before)
            self.display.done(page.name)
            return
        if self.failed is not None:
            files.write_text(self.failed / f"{page.name}.ipynb", product.notebook)
        self.fail(page.name, product.failure)


def run(
    pages: Sequence[Page], display: Display, executor: Executor = here, force: bool = False, failed: Path | None = None
) -> dict[str, Failure]:
    """Train and render whatever is not up to date (everything with ``force``), and return the failures by name.

    What is to be trained goes to ``executor`` together; pages are rendered one by one, on this machine. What fails
    leaves its notebook, or its traceback, in the folder ``failed``.
    """
    book = _Book(display, force, failed)
    with ExitStack() as locks:
        for store in {page.store for page in pages}:
            locks.enter_context(store.locked())
        due = [page for page in pages if page.trains and (force or page.training_reasons())]
        book.train(due, executor)
        for page in pages:
            if page not in due:
                book.render(page)
    return book.failures


def _words(step: Step) -> str:
    return f"page, cell {step.cell} of {step.cells}: {step.heading}".removesuffix(": ")
