"""Results as notebooks see them: tables of earlier runs to read, files of a page to keep."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from mtgcn.errors import MtgcnError, nearest

if TYPE_CHECKING:
    import pandas as pd

# Set by the pipeline for a notebook's kernel: where files to keep are collected, where results lie, and which of
# these are the notebook's own, from when it ran before.
OUTBOX = "MTGCN_OUTBOX"
RESULTS = "MTGCN_RESULTS"
OWN = "MTGCN_OWN_RESULTS"
MAIN = "results.csv"


def keep(content: pd.DataFrame | str | bytes, name: str = MAIN) -> None:
    """Keep a table (as CSV), a text or bytes with the run that this notebook is.

    The pipeline stores ``results.csv`` of the run ``cora-1`` as ``book/results/cora-1.csv`` and any other
    ``name`` as ``book/results/cora-1/<name>``. In a notebook that the pipeline does not run nothing is kept.
    """
    outbox = os.environ.get(OUTBOX)
    if outbox is None:
        return
    text = content if isinstance(content, str | bytes) else as_csv(content)
    target = Path(outbox, name)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(text if isinstance(text, bytes) else text.encode())


def as_csv(table: pd.DataFrame) -> str:
    """Return a table as CSV with ten digits: more than any figure here carries, and no 81.89999999999999."""
    return table.to_csv(index=False, float_format="%.10g", lineterminator="\n")


def folder() -> Path:
    """Return the folder of results: the one the pipeline says, or ``book/results`` of this checkout."""
    return Path(os.environ.get(RESULTS) or Path(__file__).parents[2] / "book" / "results")


def path(name: str, kept: str = MAIN, where: Path | None = None) -> Path:
    """Return where the results ``name`` keep a file: the table of runs is NAME.csv, any other file is in NAME/."""
    where = where or folder()
    return where / f"{name}.csv" if kept == MAIN else where / name / kept


def names(patterns: list[str], where: Path | None = None, own: str | None = None) -> list[str]:
    """Return the names of the results that match ``patterns``, in the order of these, each once.

    A pattern with ``*`` matches what is there, perhaps nothing; a plain name has to be there. A name may lead into a
    folder, as in ``search/*``; ``*`` alone does not. The reader's ``own`` results do not count.
    """
    where, own = where or folder(), own or os.environ.get(OWN)
    found: dict[str, None] = {}
    for pattern in patterns:
        if problem := pattern_problem(pattern):
            raise MtgcnError(problem)
        tables = [table.relative_to(where).with_suffix("").as_posix() for table in where.glob(f"{pattern}.csv")]
        matching = sorted(name for name in tables if name != own)
        if not matching and "*" not in pattern:
            there = sorted(path.stem for path in where.glob("*.csv") if path.stem != own)
            hint = nearest(pattern, there) if there else "; there are none at all."
            raise MtgcnError(f"there are no results called '{pattern}' in {where}{hint}")
        found |= dict.fromkeys(matching)
    return list(found)


def pattern_problem(pattern: object) -> str | None:
    """Say what is wrong with something that should be the name of results or a pattern, None when nothing is."""
    parts = pattern.split("/") if isinstance(pattern, str) and "\0" not in pattern else [""]
    if any(part in ("", ".", "..") or "**" in part for part in parts):
        return f"{pattern!r} is no name of results and no pattern such as 'cora-*' or 'search/*'."
    return None


def match(name: str, patterns: list[str]) -> bool:
    """Tell whether one of ``patterns`` means the results called ``name``, or a table in its folder."""
    return any(fnmatchcase(name, pattern.split("/")[0]) for pattern in patterns)


def read(*patterns: str, kept: str = MAIN) -> pd.DataFrame:
    """Return the results that match ``patterns`` as one table, with the column ``results`` naming each row's run.

    With ``kept`` it is the table that they kept under this name, where they did.
    """
    import pandas as pd

    paths = {name: path(name, kept) for name in names(list(patterns))}
    there = {name: table for name, table in paths.items() if kept == MAIN or table.is_file()}
    tables = [pd.read_csv(table).assign(results=name) for name, table in there.items()]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()
