"""Runs on a Dask cluster: a real scheduler and real workers over TCP, one of which is killed."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest
import tiny_project as tiny

from mtgcn import cluster, pipeline
from mtgcn.errors import MtgcnError
from mtgcn.store import Store

ROOT = Path(__file__).parents[1]
TOY = "dataset: toy\nhidden_layers: {}\nruns: 2\nepochs: 20\nnetworks: {{GCN: {{}}, AE+ER: {{}}}}\n"


@contextmanager
def running(folder: Path, workers: int) -> "Iterator[tuple[str, subprocess.Popen[bytes]]]":
    """Start a scheduler and workers in a folder of their own, with nothing to bring a dead worker back."""
    dask = str(Path(sys.executable).with_name("dask"))
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    common = {"cwd": folder, "env": environment, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    told = folder / "scheduler.json"
    options = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(told)]
    processes = [subprocess.Popen([dask, "scheduler", *options], **common)]
    try:
        tiny.wait_for(told.exists, "scheduler")
        found = json.loads(told.read_text())["address"]
        worker = [dask, "worker", found, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        processes += [subprocess.Popen(worker, **common) for _ in range(workers)]
        with cluster.connect(found, None) as client:
            client.wait_for_workers(workers, timeout=300)
        yield found, processes[0]
    finally:
        for process in processes:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running(tmp_path_factory.mktemp("cluster"), workers=2) as (found, _):
        yield found


def run_on(address: str, project: tiny.Project) -> tuple[dict[str, pipeline.Failure], str]:
    with cluster.connect(address, None) as client:
        return tiny.run(project, cluster.executor(client, None))


def test_a_cluster_gives_what_this_machine_gives(tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    project = tiny.make(tmp_path, one=TOY.format(1), two=TOY.format(2), all="notebook: gather\nresults: ['*']\n")
    (tmp_path / "notebooks" / "experiment.py").write_text((ROOT / "notebooks" / "experiment.py").read_text())
    failures, shown = run_on(address, project)
    assert failures == {}
    assert "one: running, cell 10 of 16: Training" in shown
    project.book.root.rename(tmp_path / "remote")
    assert tiny.run(project)[0] == {}

    remote = Store.book(tmp_path / "remote")
    for name in ("one", "two"):
        here, there = (pd.read_csv(store.file(name, "results.csv")) for store in (project.book, remote))
        assert len(here) == 4
        pd.testing.assert_frame_equal(here.drop(columns="seconds"), there.drop(columns="seconds"), check_exact=True)
        pages = [store.notebook(name).read_text() for store in (project.book, remote)]
        seconds = re.compile(r"(training took\D+)[\d.]+ s")
        assert len(seconds.findall(pages[0])) == 2  # as HTML and as text
        assert seconds.sub(r"\1", pages[0]) == seconds.sub(r"\1", pages[1])
    assert remote.file("all", "results.csv").read_text() == project.book.file("all", "results.csv").read_text()


def test_a_failing_cell_comes_back_as_it_does_here(tmp_path: Path, address: str) -> None:
    project = tiny.make(tmp_path, a="notebook: broken\n", b="notebook: count\n")
    failures, shown = run_on(address, project)
    assert list(failures) == ["a"]
    assert failures["a"].error == "ZeroDivisionError: division by zero"
    assert (project.failed / "a.ipynb").exists()
    assert "b: done" in shown


def test_workers_started_here(tmp_path: Path) -> None:
    project = tiny.make(tmp_path, a="notebook: count\n", b="notebook: count\nrows: 2\n")
    output = tiny.output_of(project, "run", "--workers", "2")
    assert "a: done" in output
    assert "b: done" in output
    assert tiny.status(project) == {"a": [], "b": []}


def test_no_scheduler_there() -> None:
    with (
        pytest.raises(MtgcnError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"),
        cluster.connect("tcp://127.0.0.1:9", None),
    ):
        pass


def test_a_worker_with_another_version_is_refused(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tiny.make(tmp_path, a="notebook: count\n")
    monkeypatch.setattr(cluster, "RESULTS_VERSION", 99)
    failures, _ = run_on(address, project)
    assert re.search(r"has results version \d+, this machine has 99", failures["a"].error)


def test_a_worker_that_is_killed_is_replaced(tmp_path: Path, address: str) -> None:
    project = tiny.make(tmp_path, a=f"notebook: wait\nfolder: {tmp_path}\n", b="notebook: count\n")
    started = tmp_path / "started"
    with tiny.started(project, "run", "--scheduler", address) as program:
        tiny.wait_for(lambda: started.exists() and started.read_text().count("\n") == 1, "first attempt", program)
        kernel = int(started.read_text())
        worker = int(Path(f"/proc/{kernel}/stat").read_text().rsplit(")", 1)[1].split()[1])
        tiny.kill(worker)
        tiny.wait_for(lambda: started.read_text().count("\n") == 2, "second attempt", program)
        tiny.wait_for(lambda: not tiny.alive(kernel), "end of the first kernel")
        (tmp_path / "go").touch()
        output, _ = program.communicate(timeout=300)
    assert program.returncode == 0, output
    assert "a: done" in output
    assert "b: done" in output
    assert project.book.file("a", "results.csv").read_text() == "x\n1\n"
    assert tiny.status(project) == {"a": [], "b": []}


def test_a_scheduler_that_goes_away_is_told(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    project = tiny.make(tmp_path, a=f"notebook: wait\nfolder: {tmp_path}\n")
    with (
        running(tmp_path_factory.mktemp("short-lived"), workers=1) as (address, scheduler),
        tiny.started(project, "run", "--scheduler", address) as program,
    ):
        tiny.wait_for((tmp_path / "started").exists, "start", program)
        scheduler.kill()
        output, _ = program.communicate(timeout=300)
    assert program.returncode == 1
    assert "a failed: the connection to the scheduler was lost" in output
    assert "Traceback" not in output
    assert tiny.tree(project.book.root) == {}
