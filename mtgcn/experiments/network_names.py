"""A network's name lists its tasks: GCN has none, AE+FR has two."""

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from mtgcn.errors import nearest
from mtgcn.model.tasks import TASKS, TaskParameters

BASELINE = "GCN"  # the network without tasks


def right_name(network: str) -> str:
    """Return ``"; did you mean 'x'?"`` for a network that does not exist, or how the name of one is made."""
    known = (BASELINE, *TASKS)
    meant = {_closest(part.strip().casefold(), known) for part in network.split("+")}
    if None not in meant and (meant == {BASELINE} or BASELINE not in meant):
        return f"; did you mean '{'+'.join(name for name in known if name in meant)}'?"
    return f"; it is {BASELINE}, or some of {', '.join(TASKS)} in this order with a + between them."


def _closest(part: str, known: Sequence[str]) -> str | None:
    """Return the name that is most like ``part``, of equals the first; None where none is like it."""
    best = max(known, key=lambda name: SequenceMatcher(None, name.casefold(), part).ratio())
    return best if SequenceMatcher(None, best.casefold(), part).ratio() >= 0.5 else None


def tasks_of(network: str, given: Any = None) -> dict[str, TaskParameters]:
    """Return the tasks that a network's name lists, in order, with the parameters given or their defaults."""
    names = [] if network == BASELINE else str(network).split("+")
    ordered = [name for name in TASKS if name in names]
    if names != ordered:
        raise ValueError(f"there is no network '{network}'{right_name(str(network))}")
    given = {} if given is None else given
    if not isinstance(given, Mapping):
        raise ValueError(f"'{network}' has to name the parameters of its tasks; {{}} takes the defaults.")
    for name in given:
        if name not in names:
            raise ValueError(f"network '{network}' has no task '{name}'{nearest(str(name), names or ['GCN'])}")
    return {name: _task_parameters(name, given.get(name) or {}) for name in names}


def _task_parameters(name: str, given: Any) -> TaskParameters:
    model = TASKS[name].Parameters
    return given if isinstance(given, model) else model.model_validate(given)
