"""Where results and executed notebooks lie, and how the files of one of them change in one step.

A kill can come between two renames. So what is to be stored is first written whole under ``.pending/``, and
renaming its folder there is the moment from which it counts: the next call moves what is not yet in place.
"""

import csv
import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mtgcn.errors import MtgcnError, short
from mtgcn.experiments import records, stored
from mtgcn.files import make_folder, writing
from mtgcn.pipeline import stored_notebook

DRAFT = ".draft"  # ends the name of what is not yet complete
SECONDS = "seconds"  # the column of a table that differs between two equal runs


def digest(content: bytes) -> str:
    """Return the SHA-256 of ``content`` in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def result_digest(name: str, content: bytes) -> str:
    """Return the digest of a file; of a table without how many seconds each row took.

    So a training that is done again to the same end counts as the same, and no page has to follow.
    """
    if name.endswith(".csv") and SECONDS.encode() in content.partition(b"\n")[0]:
        rows = list(csv.reader(content.decode().splitlines()))
        if rows and SECONDS in rows[0]:
            column = rows[0].index(SECONDS)
            content = repr([row[:column] + row[column + 1 :] for row in rows]).encode()
    return digest(content)


def results_digest(folder: Path, name: str) -> str:
    """Return one digest of all results called ``name`` in ``folder``: the table and the files beside it."""
    paths = [folder / f"{name}.csv", *sorted(path for path in (folder / name).rglob("*") if path.is_file())]
    parts = [f"{path.relative_to(folder)} {result_digest(path.name, path.read_bytes())}" for path in paths]
    return digest("\n".join(parts).encode())


@dataclass(frozen=True)
class Store:
    """A folder with the executed notebooks in ``runs`` and the results in ``results``, both within ``root``."""

    root: Path
    runs: Path
    results: Path

    @classmethod
    def book(cls, root: Path) -> "Store":
        """Return the store laid out as the book reads it: notebooks in runs/, tables in results/."""
        return cls(root, root / "runs", root / "results")

    @classmethod
    def trial(cls, root: Path) -> "Store":
        """Return the store of a single trial, with its few files side by side."""
        return cls(root, root, root)

    def notebook(self, name: str) -> Path:
        """Return the path of an executed notebook."""
        return self.runs / f"{name}.ipynb"

    def file(self, name: str, kept: str) -> Path:
        """Return the path of a file that is kept as ``kept`` with the results or the page ``name``."""
        return stored.path(name, kept, self.results)

    def record_file(self, name: str) -> Path:
        """Return the path of the record of a training."""
        return self.results / f"{name}.json"

    def record(self, name: str) -> records.Record | None:
        """Return the record of a training, None where there is none that can be read."""
        return records.read(self.record_file(name))

    def page(self, name: str) -> dict[str, Any] | None:
        """Return what is known of a rendered page, None when there is no readable notebook."""
        try:
            return stored_notebook.record(self.notebook(name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def damaged(self, name: str, files: Mapping[str, str]) -> list[Path]:
        """Return the files of ``name`` that are missing or have another digest than ``files`` says."""
        paths = {self.file(name, kept): expected for kept, expected in files.items()}
        return [
            path
            for path, expected in paths.items()
            if not path.is_file() or result_digest(path.name, path.read_bytes()) != expected
        ]

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other writers out of this folder, and finish what a killed one had completed."""
        with self._writing():
            make_folder(self.root)
            handle = os.open(self.root, os.O_RDONLY)
        try:
            with self._writing():
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError as error:
                    raise MtgcnError(f"another mtgcn run is writing to {self.root}; wait until it ends.") from error
                self._pending.mkdir(exist_ok=True)  # tells before any work whether its outcome can be stored
                self._recover()
            yield
        finally:
            os.close(handle)  # releases the lock, as the end of the process does

    def put_results(self, name: str, files: Mapping[str, bytes], record: bytes) -> None:
        """Replace the tables and the record of a training; only within `locked`."""
        before = self.record(name)
        contents = {self.record_file(name): record} | {self.file(name, kept): files[kept] for kept in files}
        self._put(name, contents, [self.file(name, kept) for kept in (before.files if before else {})])

    def put_page(self, name: str, notebook: str, files: Mapping[str, bytes]) -> None:
        """Replace an executed notebook and the files that it kept; only within `locked`."""
        before = (self.page(name) or {}).get("files", {})
        contents = {self.notebook(name): notebook.encode()} | {self.file(name, kept): files[kept] for kept in files}
        self._put(name, contents, [self.file(name, kept) for kept in before])

    def _put(self, name: str, contents: Mapping[Path, bytes], before: Iterable[Path]) -> None:
        """Write all ``contents`` in one step, and take away what was there ``before`` and is not among them."""
        for path in contents:
            if path not in (self.record_file(name), self.notebook(name)) and not self._belongs(path, name):
                raise MtgcnError(f"{short(path)} is not among the results of {name}, and is not written.")
        with self._writing():
            try:
                draft = self._draft(name)
                draft.mkdir(parents=True)
                targets = {}
                for number, (path, content) in enumerate(contents.items()):
                    (draft / str(number)).write_bytes(content)
                    targets[str(number)] = path.relative_to(self.root).as_posix()
                own = [path for path in before if path not in contents and self._belongs(path, name)]
                gone = [path.relative_to(self.root).as_posix() for path in own]
                (draft / "targets.json").write_text(json.dumps({"targets": targets, "gone": gone}))
                complete = self._pending / name
                draft.rename(complete)
                self._move(complete)
                self._pending.rmdir()
            finally:
                shutil.rmtree(self._draft(name), ignore_errors=True)  # there only when it was not completed

    def _writing(self) -> AbstractContextManager[None]:
        """Say in one sentence when the folder cannot be written."""
        return writing(self.root, "name a folder that can be written, with enough space")

    def _belongs(self, path: Path, name: str) -> bool:
        """Tell whether a file is among the results ``name``; a record or a notebook may name others."""
        place, results = path.parent.resolve(), self.results.resolve()
        return place.is_relative_to(results / name) or path == self.file(name, stored.MAIN)

    @property
    def _pending(self) -> Path:
        return self.root / ".pending"

    def _draft(self, name: str) -> Path:
        return self._pending / f"{name}{DRAFT}"

    def _recover(self) -> None:
        """Drop drafts, move what is complete."""
        for folder in sorted(self._pending.iterdir()):
            if folder.suffix == DRAFT:
                shutil.rmtree(folder)
            else:
                self._move(folder)
        self._pending.rmdir()

    def _plan(self, path: Path) -> dict[str, Any]:
        """Read what is to be moved where; nothing of it lies outside this folder."""
        try:
            plan = json.loads(path.read_text())
            targets = [*plan["targets"].values(), *plan["gone"]]
            if all((self.root / target).parent.resolve().is_relative_to(self.root.resolve()) for target in targets):
                return plan
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            pass
        raise MtgcnError(f"{path} is not what mtgcn writes there: look at the folder it lies in, and remove that.")

    def _move(self, complete: Path) -> None:
        """Put every file in its place and take away those that are gone."""
        plan = self._plan(complete / "targets.json")
        for number, target in plan["targets"].items():
            path = self.root / target
            path.parent.mkdir(parents=True, exist_ok=True)
            if (complete / number).exists():
                os.replace(complete / number, path)
        for target in plan["gone"]:
            (self.root / target).unlink(missing_ok=True)
        # Removing a folder is not one step either: as a draft, what a kill leaves of it is dropped.
        draft = self._draft(complete.name)
        complete.rename(draft)
        shutil.rmtree(draft)
