"""Where executed notebooks and their results lie, and how both change in one step.

A kill can come between two renames. So a finished run is first written whole under ``.pending/``, and
renaming its folder there is the moment from which it counts: the next call moves what is not yet in place.
"""

import csv
import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mtgcn import cleaning
from mtgcn.errors import MtgcnError
from mtgcn.files import make_folder, writing
from mtgcn.results import MAIN

SECONDS = "seconds"  # the column of a table that differs between two equal runs


def digest(content: bytes) -> str:
    """Return the SHA-256 of ``content`` in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def result_digest(name: str, content: bytes) -> str:
    """Return the digest of a file that a run kept; of a table without how many seconds each row took.

    So a run that is done again to the same end counts as the same, and nothing that reads it has to follow.
    """
    if name.endswith(".csv"):
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
        """Return the path of a file that the run ``name`` kept as ``kept``."""
        return self.results / f"{name}.csv" if kept == MAIN else self.results / name / kept

    def record(self, name: str) -> dict[str, Any] | None:
        """Return the record of a stored run, or None when there is no readable notebook."""
        try:
            return cleaning.record(self.notebook(name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def damaged(self, name: str) -> list[Path]:
        """Return the files of a stored run that are missing or not the ones that belong to its notebook."""
        files: dict[str, str] = (self.record(name) or {}).get("files", {})
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

    def put(self, name: str, notebook: str, files: Mapping[str, bytes]) -> None:
        """Replace all that is stored for ``name``; only within `locked`."""
        with self._writing():
            try:
                self._put(name, notebook, files)
            finally:
                shutil.rmtree(self._draft(name), ignore_errors=True)  # there only when it was not completed

    def _put(self, name: str, notebook: str, files: Mapping[str, bytes]) -> None:
        contents = {self.notebook(name): notebook.encode()}
        contents |= {self.file(name, kept): content for kept, content in files.items()}
        draft = self._draft(name)
        draft.mkdir(parents=True)
        targets = {}
        for number, (path, content) in enumerate(contents.items()):
            (draft / str(number)).write_bytes(content)
            targets[str(number)] = path.relative_to(self.root).as_posix()
        (draft / "targets.json").write_text(json.dumps({"name": name, "targets": targets}))
        complete = self._pending / name
        draft.rename(complete)
        self._move(complete)
        self._pending.rmdir()

    def _writing(self) -> AbstractContextManager[None]:
        """Say in one sentence when the folder cannot be written."""
        return writing(self.root, "name a folder that can be written, with enough space")

    @property
    def _pending(self) -> Path:
        return self.root / ".pending"

    def _draft(self, name: str) -> Path:
        return self._pending / f"{name}.draft"

    def _recover(self) -> None:
        """Drop drafts, move what is complete."""
        for folder in sorted(self._pending.iterdir()):
            if folder.suffix == ".draft":
                shutil.rmtree(folder)
            else:
                self._move(folder)
        self._pending.rmdir()

    def _move(self, complete: Path) -> None:
        """Put every file of a complete run in its place and take away those of the run it replaces."""
        plan = json.loads((complete / "targets.json").read_text())
        wanted = {self.root / target for target in plan["targets"].values()}
        for number, target in plan["targets"].items():
            path = self.root / target
            path.parent.mkdir(parents=True, exist_ok=True)
            if (complete / number).exists():
                os.replace(complete / number, path)
        extra = self.results / plan["name"]
        for path in [self.file(plan["name"], MAIN), *extra.rglob("*")]:
            if path.is_file() and path not in wanted:
                path.unlink()
        # Removing a folder is not one step either: as a draft, what a kill leaves of it is dropped.
        complete.rename(self._draft(plan["name"]))
        shutil.rmtree(self._draft(plan["name"]))
