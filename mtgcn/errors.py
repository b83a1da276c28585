"""What a user did wrong, in one sentence."""

from collections.abc import Iterable
from difflib import get_close_matches


class MtgcnError(Exception):
    """A user's mistake: what is wrong, where, and what would be right; shown without a traceback."""


def nearest(name: str, choices: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` for the choice closest to ``name``, or the list of choices."""
    choices = list(choices)
    by_fold = {choice.casefold(): choice for choice in choices}
    close = get_close_matches(name.casefold(), by_fold, n=1, cutoff=0.5)
    if close:
        return f"; did you mean '{by_fold[close[0]]}'?"
    return f"; choose one of {', '.join(choices)}."
