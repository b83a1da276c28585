"""A checkout with notebooks that need a second, for tests of the pipeline."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

from rich.console import Console

from mtgcn.pipeline import pages, states
from mtgcn.pipeline.display import Display
from mtgcn.pipeline.project import Project
from mtgcn.pipeline.trainings import Failure, Tables, Training

HEADER = """\
# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

"""
COUNT = """\
# %% [markdown]
# # Count
# As many rows as asked for.

# %% tags=["parameters"]
rows = 3
dataset = ""

# %%
import sys, warnings
import pandas as pd
from mtgcn.experiments import stored

print("to stdout")
print("to stderr", file=sys.stderr)
warnings.warn("never on a page")
table = pd.DataFrame({"row": range(rows), "share": 1 / 3})
stored.keep(table)
stored.keep(table.describe(), "extra/numbers.csv")
"""
DRAW = """\
# %% [markdown]
# # Draw

# %%
import matplotlib.pyplot as plt
%config InlineBackend.figure_formats = ["svg"]
plt.plot(range(3));
"""
GATHER = """\
# %% [markdown]
# # Gather

# %% tags=["parameters"]
results = []

# %%
from mtgcn.experiments import stored

stored.keep(stored.read(*results).groupby("results", as_index=False).size())
"""
BROKEN = """\
# %% [markdown]
# # Broken

# %% tags=["parameters"]
divisor = 0

# %%
from mtgcn.experiments import stored
stored.keep("half", "half.txt")

# %%
1 / divisor
"""
TRAIN = """\
# %% [markdown]
# # Train

# %% tags=["parameters"]
retrain = False
dataset = "toy"
runs = 2
epochs = 5
networks = {"GCN": {}}

# %%
import mtgcn
from mtgcn.experiments.problems import parameters_in

outcome = mtgcn.run(parameters_in(globals()), retrain=retrain)
print(len(outcome.table), "rows,", "no" if outcome.stored is None else "some", "others")
"""
# Says that it has started, with the kernel's process id, and goes on when the file "go" is there.
WAIT = """\
# %% [markdown]
# # Wait

# %% tags=["parameters"]
folder = ""

# %%
import os, time
from pathlib import Path
from mtgcn.experiments import stored

with Path(folder, "started").open("a") as file:
    print(os.getpid(), file=file)
while not Path(folder, "go").exists():
    time.sleep(0.05)
stored.keep("x\\n1\\n", "results.csv")
"""


def make(root: Path, **params: str) -> Project:
    """Make a checkout in ``root`` with these parameter files, ``name="text"``."""
    for folder in ("params", "notebooks", "book"):
        (root / folder).mkdir()
    sources = {"count": COUNT, "draw": DRAW, "gather": GATHER, "broken": BROKEN, "wait": WAIT, "train": TRAIN}
    for name, source in sources.items():
        (root / "notebooks" / f"{name}.py").write_text(HEADER + source)
    for name, text in params.items():
        write(root, name, text)
    return Project(root)


def write(root: Path, name: str, text: str) -> None:
    """Write a parameter file."""
    (root / "params" / f"{name}.yaml").write_text(text)


def run(
    project: Project,
    executor: pages.Executor = pages.here,
    force: bool = False,
    overrides: dict[tuple[str, ...], object] | None = None,
) -> tuple[dict[str, Failure], str]:
    """Run all parameter files; return the failures and what was shown."""
    planned = pages.plan(project, [project.root / "params"], overrides)
    shown = StringIO()
    with Display([page.name for page in planned], Console(file=shown)) as display:
        failures = pages.run(planned, display, executor, force, project.failed)
    return failures, shown.getvalue()


def status(project: Project) -> dict[str, list[str]]:
    """Return why each page is not fresh: the reasons, or the word itself where it has none."""
    found = states.states(pages.plan(project, [project.root / "params"]))
    return {name: [] if one.word == states.FRESH else list(one.reasons) or [one.word] for name, one in found.items()}


def no_training(jobs: Sequence[Training], report: object) -> Iterator[Tables]:
    """Stand for an executor where nothing should have to be trained."""
    assert not jobs, f"training would start for {[job.name for job in jobs]}"
    yield from ()


def command(*arguments: str) -> list[str]:
    """Return the command line of ``mtgcn`` with this interpreter."""
    return [sys.executable, "-c", "from mtgcn.cli import main; main()", *arguments]


def heeding_interrupts() -> None:
    """Undo what tests in the background of a shell inherit, that Ctrl-C is ignored; for a process about to start."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def started(project: Project, *arguments: str) -> "Iterator[subprocess.Popen[str]]":
    """Start ``mtgcn`` in the checkout; at the end of the block it is ended too."""
    program = subprocess.Popen(
        command(*arguments),
        cwd=project.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=heeding_interrupts,
    )
    try:
        yield program
    finally:
        program.kill()
        program.communicate()


def output_of(project: Project, *arguments: str) -> str:
    """Run ``mtgcn`` in the checkout and return what it printed."""
    with started(project, *arguments) as program:
        return program.communicate(timeout=300)[0]


def wait_for(
    condition: Callable[[], bool], what: str, program: "subprocess.Popen[str] | None" = None, seconds: float = 300
) -> None:
    """Wait until ``condition`` holds, as long as ``program`` runs."""
    end = time.monotonic() + seconds
    while not condition():
        assert program is None or program.poll() is None, f"the program ended: {program.communicate()[0]}"
        assert time.monotonic() < end, f"no {what} after {seconds} s"
        time.sleep(0.05)


def alive(pid: int) -> bool:
    """Tell whether a process is there and not just waiting to be collected."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def kill(pid: int) -> None:
    """End a process as the kernel does, with no chance to clean up."""
    os.kill(pid, signal.SIGKILL)


def tree(folder: Path) -> dict[str, bytes]:
    """Return every file below ``folder`` with its content."""
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
