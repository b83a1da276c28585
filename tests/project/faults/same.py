"""The same numbers whatever the order of sets, the threads and the processes: what a training gives under each."""

import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from project.faults.bounded import Ended
from project.faults.commands import VERIFY, content
from project.faults.scene import Scene, Told
from support import tiny_project as tiny

from mtgcn.data import datasets, toy

NODES = 15_000  # enough that a second thread is worth it
HASH_SEEDS, THREADS, PROCESSES = ("0", "1", "2026", "random"), ("1", "2", "3"), ("1", "2", "3")
LINE = ["train", "graph.npz", "--network", "AE+FR+ER", "--runs", "2", "--set", "epochs=6"]
OUT = ["--table", "runs.csv", "--state", "best.safetensors"]


def conditions() -> Iterator[tuple[str, list[Told]]]:
    """Train under each condition, and give what differs from the first."""
    with tempfile.TemporaryDirectory(prefix="drill-") as folder:
        place = Path(folder)
        arrays = toy.generate(NODES, features=500, average_degree=6, words=12)
        datasets.save(place / "graph.npz", datasets.from_arrays(arrays, "graph", "generated", normalise=False))
        for what, name, values in (
            ("another hash seed", "PYTHONHASHSEED", HASH_SEEDS),
            ("another number of threads", "OMP_NUM_THREADS", THREADS),
        ):
            first, *others = [_trained(place, {name: value}) for value in values]
            yield what, [_told(other == first) for other in others]
    scene = Scene(VERIFY)
    ends = [_called(scene.project, "verify", "one", "--all", "--processes", number) for number in PROCESSES]
    scene.remove()
    yield "verify in 1, 2 and 3 processes", [_told("2 equal" in said, said) for said in ends]


def _trained(place: Path, environment: Mapping[str, str]) -> tuple[str, str]:
    _called(place, *LINE, *OUT, **environment)
    return content(place / "runs.csv"), content(place / "best.safetensors")


def _called(folder: Path, *line: str, **environment: str) -> str:
    own = os.environ | {"MTGCN_CHECKPOINT_SECONDS": "0"} | environment
    done = subprocess.run(tiny.command(*line), cwd=folder, env=own, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _told(equal: bool, said: str = "") -> Told:
    return Told(True, [] if equal else [f"another outcome {said}"], Ended(0, said))
