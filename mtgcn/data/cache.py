"""Folders of raw files: the user's cache, which this program fills, and the folder a user names."""

import logging
import os
from collections.abc import Mapping
from pathlib import Path

import platformdirs

from mtgcn.data import planetoid
from mtgcn.files import replacing


class Unavailable(Exception):
    """A source cannot give a data set; the message is the reason."""


def folder() -> Path:
    """Return where raw files are kept: ``MTGCN_CACHE``, or else the cache directory of this user."""
    named = os.environ.get("MTGCN_CACHE")
    return Path(named) if named else Path(platformdirs.user_cache_dir("mtgcn", appauthor=False))


def read(path: Path, name: str) -> dict[str, bytes]:
    """Return the checked raw files of the data set ``name`` from the folder ``path``, by file name."""
    for files in planetoid.file_sets(name):
        if all((path / file).is_file() for file in files):
            try:
                content = {file: (path / file).read_bytes() for file in files}
            except OSError as error:
                raise Unavailable(f"{path} cannot be read ({error.strerror})") from None
            for file in files:
                planetoid.check(file, content[file], str(path))
            return content
    missing = [file for file in planetoid.file_sets(name)[0] if not (path / file).is_file()]
    raise Unavailable(f"{path} {f'lacks {missing[0]}' if path.is_dir() else 'does not exist'}")


def store(files: Mapping[str, bytes]) -> None:
    """Put checked raw files into the cache, each whole or not at all; a refusing cache is only reported."""
    try:
        for file, content in files.items():
            with replacing(folder() / file) as temporary:
                temporary.write_bytes(content)
    except OSError as error:
        logging.getLogger("mtgcn").warning(
            "mtgcn: the cache %s cannot be written (%s); MTGCN_CACHE may name another folder",
            folder(),
            error.strerror,
        )
