"""What a user did wrong, in one sentence."""

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

LONGEST = 100  # letters of a name that are compared with others; the time for it grows with their square


class MtgcnError(Exception):
    """A user's mistake: what is wrong, where, and what would be right; shown without a traceback."""


class Unwritable(MtgcnError, OSError):
    """A file or folder that cannot be written; an `OSError` still, for what can go on without it, as a cache can."""

    def __init__(self, path: Path | str, error: OSError, right: str) -> None:
        reason = error.strerror or str(error)
        super().__init__(f"{path} cannot be written ({reason}); {right}.")
        self.strerror = reason


def short(text: object, most: int = 60) -> str:
    """Return ``text`` as a sentence can hold it: in one line, and cut where it is long."""
    line = " ".join(str(text).split())
    return line if len(line) <= most else f"{line[:most]}…"


def nearest(name: object, choices: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` for the choice closest to ``name``, or the list of choices."""
    choices = list(choices)
    by_fold = {choice.casefold(): choice for choice in choices}
    close = get_close_matches(str(name)[:LONGEST].casefold(), by_fold, n=1, cutoff=0.5)
    if close:
        return f"; did you mean '{by_fold[close[0]]}'?"
    return f"; choose one of {', '.join(choices)}."
