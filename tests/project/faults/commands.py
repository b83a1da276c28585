"""The real commands that faults befall: what each needs, how it is called, and what must come of it."""

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from project.faults.bounded import MEMORY
from support import tiny_project as tiny

TRAINING = "notebook: page\ndataset: toy\nruns: 1\nepochs: 4\nnetworks: {GCN: {}, AE: {}}\n"
# A page with a result and without anything that takes long to import.
PAGE = """\
# %% [markdown]
# # Page

# %% tags=["parameters"]
dataset = "toy"
runs = 2
epochs = 5
networks = {"GCN": {}}

# %%
print("a page about", dataset, "with", runs, "runs")
"""
SEARCH = """
dataset: toy
settings: {epochs: 3}
grid:
  AE: {weight: [1, 10], nodes: [labelled, all]}
  ER: {weight: [1, 10], size: [2, 4]}
combined: {AE+ER: [0]}
runs: 1
best_runs: 2
batch: 3
"""
OLD = "0" * 64  # the digest of no engine


@dataclass(frozen=True, eq=False)
class Command:
    """A command line for a project; ``before`` are the lines that have to have run before it."""

    name: str
    line: Callable[[Path], list[str]]
    make: Callable[[Path], None]
    before: tuple[list[str], ...] = ()
    then: Callable[[Path], None] = lambda project: None  # done to the project after these
    writes: tuple[str, ...] = ("project",)  # where it writes: the project, the cache
    memory: int = MEMORY  # bytes of address space that it may take
    stores: bool = True  # whether a second call finds what the first one has done


def _training(project: Path) -> None:
    tiny.make(project, one=TRAINING)
    (project / "notebooks" / "page.py").write_text(tiny.HEADER + PAGE)


def _searches(project: Path) -> None:
    tiny.make(project)
    (project / "params" / "search").mkdir()
    (project / "params" / "search" / "toy.yaml").write_text(SEARCH)


def _another_engine(project: Path) -> None:
    """Make stored results look as if another engine had made them, so that there is something to verify."""
    path = project / "book" / "results" / "one.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"engine": OLD}, indent=1) + "\n")


def _train(project: Path) -> list[str]:
    out = ["--table", str(project / "runs.csv"), "--state", str(project / "best.safetensors")]
    return ["train", "toy", "--network", "AE+FR+ER", "--runs", "2", "--set", "epochs=20", *out]


FETCH = Command("data --fetch", lambda project: ["data", "--fetch"], lambda project: None, writes=("cache",))
TRAIN = Command("train", _train, lambda project: None, writes=("project", "cache"), stores=False)
RUN = Command("run", lambda project: ["run"], _training)
SEARCHED = Command("search", lambda project: ["search", "--workers", "1"], _searches)
VERIFY = Command("verify", lambda project: ["verify", "--processes", "1"], _training, (["run"],), _another_engine)
ALL = (FETCH, TRAIN, RUN, SEARCHED, VERIFY)


def content(path: Path) -> str:
    """Return what a file says, without what differs between two equal calls: seconds, and times in a journal."""
    raw = path.read_bytes()
    if path.suffix == ".csv":
        rows = list(csv.reader(io.StringIO(raw.decode())))
        keep = [at for at, name in enumerate(rows[0]) if name != "seconds"] if rows else []
        return json.dumps([[row[at] for at in keep if at < len(row)] for row in rows])
    if path.suffix == ".json":
        return re.sub(r'"seconds": [\d.]+', '"seconds": 0', raw.decode())
    if path.suffix == ".journal":
        return "\n".join(sorted(map(json.dumps, trials(raw))))
    return raw.hex()


def trials(journal: bytes) -> list[dict[str, Any]]:
    """Return what a search has computed, line by line as its journal has it; a line without end does not count."""
    records = [json.loads(line) for line in journal[: journal.rfind(b"\n") + 1].splitlines()]
    # Optuna asks for a study whenever it adds to it, and passes over all times but the first.
    made = list(dict.fromkeys(record["study_name"] for record in records if "study_name" in record))
    own = [record for record in records if "params" in record]
    return [{"study": made[one["study_id"]], **one["user_attrs"]} for one in own]
