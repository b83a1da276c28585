"""Run one notebook with papermill: a job goes in, the executed notebook and the files it kept come out.

Nothing here writes to the project; a notebook reads the results in the folder that the job's environment names.
"""

import asyncio
import logging
import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
import papermill
from jupyter_core.utils import ensure_event_loop
from nbclient.exceptions import DeadKernelError
from papermill.clientwrap import PapermillNotebookClient
from papermill.engines import NBClientEngine, NotebookExecutionManager, papermill_engines
from papermill.exceptions import PapermillExecutionError
from traitlets.config import Config

from mtgcn.experiments.stored import OUTBOX
from mtgcn.files import temporary_folder
from mtgcn.pipeline.trainings import Failure

HEADING = re.compile(r"^#+[ \t]+(.+?)[ \t]*$", re.MULTILINE)

# The same page from the same inputs: figures carry no date and no random ids, sets have one order, and neither
# settings of the user nor the debugger's remarks get into a kernel.
FIXED = {
    "SOURCE_DATE_EPOCH": "0",
    "PYTHONHASHSEED": "0",
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    "TQDM_DISABLE": "1",  # nobody sees the bars, and every stroke of them is a message to be taken down
}
MATPLOTLIBRC = "svg.hashsalt: mtgcn\n"


class Step(NamedTuple):
    """The cell that starts, how many there are, and the heading it stands under."""

    cell: int
    cells: int
    heading: str


@dataclass(frozen=True)
class Job:
    """A notebook (its JSON) and the parameters to run it with; ``environment`` is added to the kernel's."""

    name: str
    notebook: str
    parameters: Mapping[str, Any]
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Product:
    """An executed notebook (its JSON), the files that it kept by name, and what failed, if anything."""

    name: str
    notebook: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    failure: Failure | None = None


class _Client(PapermillNotebookClient):
    """papermill's client, which an interrupt ends without a word, whenever it comes."""

    def execute(self, **kernel_options: Any) -> nbformat.NotebookNode:
        """Run all cells in a kernel of their own."""
        try:
            return super().execute(**kernel_options)
        except KeyboardInterrupt:
            if self.km is not None:  # interrupted before the first cell, or while the kernel was being ended
                self._cleanup_kernel()
            raise

    def _cleanup_kernel(self) -> None:
        """End the kernel, but first what waits for it: an interrupted cell would complain that its kernel died."""
        loop = ensure_event_loop()
        loop.set_exception_handler(lambda loop, context: None)  # whatever fails from here on, nobody waits for it
        while not loop.is_running() and (waiting := asyncio.all_tasks(loop)):
            for task in waiting:
                task.cancel()
            with suppress(KeyboardInterrupt):  # raised again by the task in which the interrupt came
                loop.run_until_complete(asyncio.wait(waiting))
        super()._cleanup_kernel()


class _Engine(NBClientEngine):
    """papermill's own engine, which starts the kernel with options instead of as this process was started."""

    @classmethod
    def execute_managed_notebook(
        cls,
        nb_man: NotebookExecutionManager,
        kernel_name: str,
        on_cell_start: Callable[..., None] | None = None,
        kernel_options: Mapping[str, Any] | None = None,
        connection_file: str = "",
        **_: Any,
    ) -> None:
        """Run all cells; papermill calls this."""
        config = Config(KernelManager={"connection_file": connection_file})
        client = _Client(
            nb_man,
            kernel_name=kernel_name,
            timeout=None,
            startup_timeout=120,
            on_cell_start=on_cell_start,
            config=config,
        )
        client.execute(**(kernel_options or {}))


papermill_engines.register("mtgcn", _Engine)
# It warns of every parameter that the parameters cell does not name; names are checked before, against the model too.
logging.getLogger("papermill").setLevel(logging.ERROR)


def execute(job: Job, report: Callable[[Step], None] = lambda step: None) -> Product:
    """Run ``job`` in a kernel of its own; a cell that fails is told in the product, not raised."""
    notebook = nbformat.reads(job.notebook, as_version=4)
    cells = len(notebook.cells) + bool(job.parameters)  # papermill puts them into a cell of their own
    heading = ""

    def started(cell: nbformat.NotebookNode, cell_index: int) -> None:
        nonlocal heading
        if cell.cell_type == "code":
            report(Step(cell_index + 1, cells, heading))
        else:
            heading = next(reversed(HEADING.findall(cell.source)), heading)

    failure = None
    with temporary_folder() as folder:
        outbox, output, log = Path(folder, "outbox"), Path(folder, f"{job.name}.ipynb"), Path(folder, "kernel.log")
        outbox.mkdir()
        environment = {**os.environ, **FIXED, **job.environment}
        environment |= {OUTBOX: str(outbox), "IPYTHONDIR": str(Path(folder, "ipython")), "MATPLOTLIBRC": str(folder)}
        Path(folder, "matplotlibrc").write_text(MATPLOTLIBRC)
        try:
            with log.open("w") as remarks:
                papermill.execute_notebook(
                    notebook,
                    str(output),
                    dict(job.parameters),
                    engine_name="mtgcn",
                    kernel_name="python3",
                    progress_bar=False,
                    on_cell_start=started,
                    kernel_options={"env": environment, "stdout": remarks, "stderr": remarks},
                    connection_file=str(Path(folder, "kernel.json")),  # goes with the folder, also after a kill
                )
        except PapermillExecutionError as error:
            trace = "\n".join(error.traceback)
            failure = Failure(f"{error.ename}: {error.evalue}", error.cell_index + 1, error.source, trace)
        except DeadKernelError:
            said = log.read_text(errors="replace").strip()[-1000:]
            failure = Failure(f"the kernel died, perhaps for want of memory. {said}".strip())
        except Exception as error:  # such as a kernel that does not start in time: other pages go on
            failure = Failure(f"{type(error).__name__}: {error}")
        kept = [path for path in sorted(outbox.rglob("*")) if path.is_file()]
        files = {path.relative_to(outbox).as_posix(): path.read_bytes() for path in kept}
        text = output.read_text(encoding="utf-8") if output.exists() else job.notebook
    return Product(job.name, text, files, failure)
