"""A real Dask scheduler and real workers over TCP, with nothing to bring a dead worker back."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from mtgcn.pipeline import cluster
from support import tiny_project as tiny

Process = subprocess.Popen[bytes]


@contextmanager
def running(
    folder: Path, workers: int, options: Sequence[str] = (), worker_options: Sequence[str] = ()
) -> Iterator[tuple[str, Process]]:
    """Start a scheduler and workers in a folder of their own; give the address and the scheduler."""
    with processes(folder, workers, options, worker_options) as (address, scheduler, _):
        yield address, scheduler


@contextmanager
def processes(
    folder: Path, workers: int, options: Sequence[str] = (), worker_options: Sequence[str] = ()
) -> Iterator[tuple[str, Process, list[Process]]]:
    """Do the same, and give the workers, too; ``options`` are for all."""
    dask = str(Path(sys.executable).with_name("dask"))
    told = folder / "scheduler.json"
    place = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(told)]
    with (folder / "log").open("w") as log:
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        common = {"cwd": folder, "env": environment, "stdout": log, "stderr": log}
        scheduler = subprocess.Popen([dask, "scheduler", *place, *options], **common)
        started: list[Process] = []
        try:
            tiny.wait_for(lambda: told.exists() and told.read_text().strip().endswith("}"), "scheduler")
            found = json.loads(told.read_text())["address"]
            worker = [
                dask,
                "worker",
                found,
                "--nthreads",
                "1",
                "--no-nanny",
                "--no-dashboard",
                *options,
                *worker_options,
            ]
            started += [subprocess.Popen(worker, **common) for _ in range(workers)]
            with cluster.connect(found, None) as client:
                client.wait_for_workers(workers, timeout=300)
            yield found, scheduler, started
        finally:
            for process in (scheduler, *started):
                process.kill()
                process.wait()
