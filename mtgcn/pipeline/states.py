"""A parameter file and what is stored for it: is it fresh, stale, unverified or missing, and why?"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from mtgcn.data import datasets
from mtgcn.errors import MtgcnError
from mtgcn.experiments import stored
from mtgcn.experiments.engine_digest import engine_digest
from mtgcn.pipeline import paired, stored_notebook
from mtgcn.pipeline.fingerprint import Fingerprint
from mtgcn.pipeline.parameter_file import ParameterFile
from mtgcn.pipeline.store import Store, digest, result_digest, results_digest
from mtgcn.pipeline.trainings import RECORD, Tables, Training

if TYPE_CHECKING:
    from mtgcn.pipeline.execute import Job, Product

FRESH, STALE, UNVERIFIED, MISSING = "fresh", "stale", "unverified", "missing"


@dataclass(frozen=True)
class State:
    """One of the four words above, and the reasons for it."""

    word: str
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class Page:
    """A parameter file, where its results and its page are stored, and from where it reads the results of others."""

    file: ParameterFile
    store: Store
    reads: Path

    @property
    def name(self) -> str:
        """The name of the parameter file."""
        return self.file.name

    @property
    def trains(self) -> bool:
        """Whether results of its own belong to it."""
        return self.file.experiment is not None

    @cached_property
    def data(self) -> str:
        """The digest of the data set that it trains on."""
        assert self.file.experiment is not None
        return datasets.digest_of(self.file.experiment.dataset)

    def training_reasons(self) -> list[str]:
        """Say why its results have to be trained; nothing when those stored are the right ones."""
        if self.file.experiment is None:
            return []
        record = self.store.record(self.name)
        if record is None:
            return [MISSING]
        damaged = self.store.damaged(self.name, record.files)
        changes = record.changes(self.file.experiment)
        return changes + [f"{path.name} is not the one that was trained" for path in damaged]

    def unverified(self) -> bool:
        """Tell whether the engine has changed since the results were trained or verified."""
        record = self.store.record(self.name) if self.trains else None
        return record is not None and not record.trusted

    def page_reasons(self) -> list[str]:
        """Say why the page has to be rendered; nothing when the one that is stored is up to date."""
        known = self.store.page(self.name)
        if known is None:
            return [MISSING]
        changes = self.fingerprint().changes(known.get("fingerprint", {}))
        damaged = self.store.damaged(self.name, known.get("files", {}))
        return changes + [f"{path.name} is not the one of the page" for path in damaged]

    def fingerprint(self) -> Fingerprint:
        """Return what the page would be made from now."""
        results = {name: results_digest(self.reads, name) for name in self._read_names()}
        if self.trains:
            results[self.name] = results_digest(self.store.results, self.name)
        return Fingerprint(
            notebook=digest(self.file.notebook.read_bytes()),
            title=self.file.title,
            answer=self.file.answer,
            parameters=dict(self.file.parameters),
            results=results,
            engine="" if results or self.file.gathers else engine_digest(),
        )

    def training(self) -> Training:
        """Return what is needed to train its results."""
        assert self.file.experiment is not None
        return Training(self.name, self.file.experiment.model_dump(mode="json"), self.data)

    def job(self) -> Job:
        """Return what is needed to render the page."""
        folder = self.store.results if self.trains else self.reads
        environment = {stored.RESULTS: str(folder.resolve()), stored.OWN: self.name}
        import nbformat

        from mtgcn.pipeline.execute import Job  # not at the top: papermill's start takes longer than a status

        notebook = nbformat.writes(paired.read(self.file.notebook))
        return Job(self.name, notebook, dict(self.file.parameters), environment)

    def put_results(self, tables: Tables) -> None:
        """Store what was trained."""
        files = {name: content for name, content in tables.files.items() if name != RECORD}
        self.store.put_results(self.name, files, tables.files[RECORD])

    def put_page(self, product: Product, fingerprint: Fingerprint) -> None:
        """Store what was rendered."""
        record = {
            "fingerprint": fingerprint.record(),
            "files": {name: result_digest(name, content) for name, content in product.files.items()},
        }
        text = stored_notebook.clean(
            product.notebook, self.file.parameters, self.file.origin, self.file.title, self.file.answer, record
        )
        self.store.put_page(self.name, text, product.files)

    def _read_names(self) -> list[str]:
        return stored.names(self.file.gathers, self.reads, self.name) if self.file.gathers else []


def states(pages: Sequence[Page]) -> dict[str, State]:
    """Return the state of each page, in order; one that reads results which are to be trained is stale, too."""
    for store in {page.store for page in pages}:
        with suppress(MtgcnError), store.locked():  # a killed run may have left something to finish
            pass
    found: dict[str, State] = {}
    due: list[str] = []
    for page in pages:
        training = page.training_reasons()
        try:
            reasons = training or page.page_reasons()
        except MtgcnError as error:  # results that it names are not there
            reasons = [str(error)]
        reads = [name for name in due if stored.match(name, page.file.gathers)]
        if training or (reasons and not page.trains):  # a page that trains nothing may keep tables for others
            due.append(page.name)
        found[page.name] = _state(page, reasons, [f"reads {name}, which has to be run" for name in reads])
    return found


def _state(page: Page, reasons: list[str], waits: list[str]) -> State:
    if MISSING in reasons:
        return State(MISSING)
    if reasons or waits:
        return State(STALE, (*reasons, *waits))
    if page.unverified():
        return State(UNVERIFIED, ("the engine has changed since: mtgcn verify compares",))
    return State(FRESH)
