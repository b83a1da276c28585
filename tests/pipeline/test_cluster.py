"""Runs on a Dask cluster: a real scheduler and real workers over TCP, one of which is killed."""

import asyncio
import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest
from distributed import Client
from support import tiny_project as tiny
from support.dask_cluster import running

from mtgcn.errors import MtgcnError
from mtgcn.pipeline import cluster, trainings
from mtgcn.pipeline.store import Store

TOY = "notebook: train\ndataset: toy\nhidden_layers: {}\nruns: 2\nepochs: {}\nnetworks: {{GCN: {{}}, AE+ER: {{}}}}\n"
LONG = TOY.format(1, 6000) + "stop_below: 0\n"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running(tmp_path_factory.mktemp("cluster"), workers=2) as (found, _):
        yield found


def run_on(address: str, project: tiny.Project) -> tuple[dict[str, trainings.Failure], str]:
    with cluster.connect(address, None) as client:
        return tiny.run(project, cluster.executor(client))


def test_a_cluster_gives_what_this_machine_gives(tmp_path: Path, address: str) -> None:
    project = tiny.make(
        tmp_path, one=TOY.format(1, 60), two=TOY.format(2, 20), all="notebook: gather\nresults: ['*']\n"
    )
    failures, shown = run_on(address, project)
    assert failures == {}
    assert "one: running, GCN, epoch 1, validation" in shown
    project.book.root.rename(tmp_path / "remote")
    assert tiny.run(project)[0] == {}

    remote = Store.book(tmp_path / "remote")
    for name in ("one", "two"):
        here, there = (pd.read_csv(store.file(name, "results.csv")) for store in (project.book, remote))
        assert len(here) == 4
        pd.testing.assert_frame_equal(here.drop(columns="seconds"), there.drop(columns="seconds"), check_exact=True)
        here, there = (store.record(name) for store in (project.book, remote))
        assert here is not None
        assert here.model_copy(update={"seconds": 0}) == there.model_copy(update={"seconds": 0})
        assert remote.notebook(name).read_bytes() == project.book.notebook(name).read_bytes()
    assert remote.file("all", "results.csv").read_text() == project.book.file("all", "results.csv").read_text()


def test_a_scheduler_that_goes_while_it_is_written_to_leaves_no_traceback(
    address: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Dask logs the error where the client's messages are sent, with all of its frames."""
    logger = logging.getLogger("distributed.batched")
    logger.addHandler(caplog.handler)
    try:
        with cluster.connect(address, None) as client:
            client.sync(_write_to_nobody, client)
    finally:
        logger.removeHandler(caplog.handler)
    assert caplog.messages == []


async def _write_to_nobody(client: Client) -> None:
    stream = client.scheduler_comm
    assert stream is not None
    stream.comm.abort()
    stream.buffer.append({"op": "none"})
    stream.waker.set()
    await asyncio.sleep(0.2)


def test_a_training_that_fails_comes_back_with_its_worker(tmp_path: Path, address: str) -> None:
    job = trainings.Training("a", {"dataset": "toy", "epochs": 2}, data="another digest")
    with cluster.connect(address, None) as client:
        (tables,) = cluster.executor(client)([job], lambda name, text: None)
    assert tables.failure is not None
    assert tables.failure.error.startswith("tcp://127.0.0.1:")
    assert "has other data in toy than the machine that asks" in tables.failure.error


def test_workers_started_here(tmp_path: Path) -> None:
    project = tiny.make(tmp_path, a=TOY.format(1, 3), b=TOY.format(2, 3))
    output = tiny.output_of(project, "run", "--workers", "2")
    assert "a: done" in output
    assert "b: done" in output
    assert tiny.status(project) == {"a": [], "b": []}


@contextmanager
def listener() -> Iterator[str]:
    """Accept connections and never say a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"


ADDRESSES = ["tcp://127.0.0.1:9", "bogus", "http://127.0.0.1:9", "", "tls://127.0.0.1:9", "tcp://[::1", "silent"]


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_scheduler_there(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence, and an end: Dask itself waits for minutes for one that is silent."""
    monkeypatch.setenv("MTGCN_CONNECT_SECONDS", "2")
    with listener() as silent:
        asked = address.replace("silent", silent)
        with pytest.raises(MtgcnError, match="no Dask scheduler answers at"), cluster.connect(asked, None):
            pass


def test_a_deadline_that_is_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong in ("soon", "-1", "nan", "inf", "0"):
        monkeypatch.setenv("MTGCN_CONNECT_SECONDS", wrong)
        with pytest.raises(MtgcnError, match="a number of seconds"), cluster.connect("tcp://127.0.0.1:9", None):
            pass


def test_a_worker_with_other_sources_is_refused(address: str) -> None:
    job = trainings.Training("a", {"dataset": "toy"}, data="", engine="0" * 64)
    with cluster.connect(address, None) as client:
        (tables,) = cluster.executor(client)([job], lambda name, text: None)
    assert tables.failure is not None
    assert "install the same mtgcn on both" in tables.failure.error


def busy_worker(address: str) -> int:
    """Return the process of the worker that trains, 0 while there is none."""
    with cluster.connect(address, None) as client:
        busy = [worker for worker, keys in client.processing().items() if keys]
        return client.run(os.getpid, workers=busy[:1])[busy[0]] if busy else 0


def test_a_worker_that_is_killed_is_replaced(tmp_path: Path, address: str) -> None:
    project = tiny.make(tmp_path, a=LONG)
    with tiny.started(project, "run", "--scheduler", address) as program:
        tiny.wait_for(lambda: busy_worker(address) > 0, "worker that trains", program)
        tiny.kill(busy_worker(address))
        output, _ = program.communicate(timeout=500)
    assert program.returncode == 0, output
    assert "a: done" in output
    assert tiny.status(project) == {"a": []}


def test_a_scheduler_that_goes_away_is_told(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    project = tiny.make(tmp_path, a=LONG)
    with (
        running(tmp_path_factory.mktemp("short-lived"), workers=1) as (address, scheduler),
        tiny.started(project, "run", "--scheduler", address) as program,
    ):
        tiny.wait_for(lambda: busy_worker(address) > 0, "worker that trains", program)
        scheduler.kill()
        output, _ = program.communicate(timeout=300)
    assert program.returncode == 1
    assert "a failed: the connection to the scheduler was lost" in output
    assert "Traceback" not in output
    assert tiny.tree(project.book.root) == {}
