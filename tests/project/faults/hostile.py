"""Hostile inputs on the real commands, and what became of each: a row of the table for each kind."""

import os
import random
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from project.faults.bounded import Ended, many
from project.faults.inputs import MARKER, inputs
from project.faults.stand_in import cut_off
from support import tiny_project as tiny

from mtgcn.data import datasets
from mtgcn.experiments import checkpoint, experiment

BATCH = 50  # inputs that one process reads; a process that dies costs its own only
Tell = Callable[[str], None]


def hostile(number: int, seed: int, tell: Tell) -> Iterator[dict[str, object]]:
    """Try about so many hostile inputs, as many of each kind, and give a row for each kind."""
    makers = inputs(good_state())
    for kind, make in makers.items():
        rng = random.Random(f"{seed} {kind}")
        counts = {"tried": 0, "refused": 0, "accepted": 0, "failed": 0}
        left = -(-number // len(makers))
        while left > 0:
            with tempfile.TemporaryDirectory(prefix="drill-") as place:
                folder, outside = Path(place, "project"), Path(place, "outside.txt")
                outside.write_text("precious")
                folder.mkdir()
                tiny.make(folder)
                lines = [make(rng, folder) for _ in range(min(BATCH, left))]
                before = sorted(Path(place).iterdir())
                ended = list(many(folder, lines, prepare=_alone_in_the_world))
                stays = sorted(Path(place).iterdir()) == before and outside.read_text() == "precious"
                if not stays or list(Path(place).rglob(MARKER)):
                    tell(f"{kind}: something was written outside, or data was executed")
                    counts["failed"] += len(lines)
                    ended = []
            for line, end in zip(lines, ended, strict=False):
                counts[_word(end)] += 1
                if _word(end) == "failed":
                    tell(f"{kind}: {line[:4]} ended with {end.code}: {end.said[-300:]}")
            counts["tried"] += len(lines)
            left -= len(lines)
        yield {"what": kind, **counts}


def _word(end: Ended) -> str:
    return "accepted" if end.accepted else "refused" if end.refused else "failed"


def _alone_in_the_world() -> None:
    """Let a fork reach neither the internet nor the user's cache."""
    cut_off()
    os.environ["MTGCN_CACHE"] = os.path.join(tempfile.gettempdir(), "drill-no-cache")


def good_state() -> bytes:
    """Return a state that is as it should be."""
    data = datasets.load("toy")
    parameters = experiment.parameters_of(dataset="toy", runs=2, epochs=2, networks={"AE": {}})
    with tempfile.TemporaryDirectory(prefix="drill-") as folder:
        path = Path(folder, "state.safetensors")
        trained = experiment.run(parameters, data, progress=False).trained["AE"]
        checkpoint.save(path, checkpoint.State.of(parameters, "AE", data, trained))
        return path.read_bytes()
