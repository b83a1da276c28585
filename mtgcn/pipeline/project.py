"""The checkout: where parameter files, notebooks and the book lie."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mtgcn.errors import MtgcnError, nearest, short
from mtgcn.pipeline.store import DRAFT, Store

NAME = re.compile(r"\w[\w.+-]*")
LONGEST = 100  # bytes of a name; the files made of it get a few more


def check_name(path: Path) -> None:
    """Refuse a file whose name cannot be that of results: such names lead out of a folder, or are too long for it."""
    name = path.stem
    if not NAME.fullmatch(name) or name.endswith((".", DRAFT)) or len(name.encode()) > LONGEST:
        raise MtgcnError(
            f"{short(path)}: results go by the name of the file, so it begins with a letter or digit, goes on with"
            f" these or . _ + -, does not end in {DRAFT} or a dot, and has at most {LONGEST} bytes."
        )


@dataclass(frozen=True)
class Project:
    """The folders of a checkout at ``root``."""

    root: Path

    @classmethod
    def find(cls, start: Path | None = None) -> "Project":
        """Return the checkout that ``start`` (the working directory) lies in."""
        start = (start or Path.cwd()).resolve()
        for folder in (start, *start.parents):
            if (folder / "params").is_dir() and (folder / "notebooks").is_dir():
                return cls(folder)
        raise MtgcnError(f"{start} is not inside a checkout: no folder above it has params/ and notebooks/.")

    @property
    def notebooks(self) -> Path:
        """The sources of the notebooks."""
        return self.root / "notebooks"

    @property
    def book(self) -> Store:
        """What the book shows."""
        return Store.book(self.root / "book")

    def trial(self, name: str) -> Store:
        """Where a run with other parameters than its file's goes."""
        return Store.trial(self.root / "trials" / name)

    @property
    def failed(self) -> Path:
        """Where notebooks that failed are left for reading."""
        return self.root / "failed"

    def parameter_files(self, chosen: Sequence[Path | str]) -> list[Path]:
        """Return the parameter files among ``chosen`` files, folders and names; all of params/ when none is chosen."""
        found: dict[str, Path] = {}
        for path in map(self._named, chosen or [self.root / "params"]):
            inside = sorted(path.glob("*.yaml")) if path.is_dir() else [path]
            if not inside:
                raise MtgcnError(f"{path} holds no parameter file (*.yaml).")
            for file in map(_short, inside):
                if file.suffix != ".yaml":
                    raise MtgcnError(f"{file} is no parameter file: its name has to end in .yaml.")
                if found.setdefault(file.stem, file) != file:
                    raise MtgcnError(f"{found[file.stem]} and {file} have the same name; results go by the name.")
        return list(found.values())

    def _named(self, chosen: Path | str) -> Path:
        """Return the file in params/ that ``chosen`` names, or ``chosen`` itself where it is a path."""
        path = Path(chosen)
        if path.exists() or path.suffix or len(path.parts) != 1:
            return path
        known = {file.stem: file for file in (self.root / "params").glob("*.yaml")}
        if str(chosen) not in known:
            raise MtgcnError(f"there is no parameter file '{chosen}' in params/{nearest(chosen, sorted(known))}")
        return known[str(chosen)]


def _short(path: Path) -> Path:
    """Return ``path`` as it is shown: from the working directory when it lies inside."""
    path, here = path.resolve(), Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
