"""Trainings on many machines: each goes to a Dask worker and its tables come back as bytes.

Workers share no disk with the client. They need `mtgcn` with the extra ``cluster``, and get data sets
where every machine gets them.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from uuid import uuid4

from distributed import CancelledError, Client, KilledWorker, LocalCluster, Nanny, as_completed, get_worker

from mtgcn.errors import MtgcnError, short
from mtgcn.pipeline.reach import connect_seconds, scheduler_problem
from mtgcn.pipeline.trainings import Failure, Tables, Training, train


@contextmanager
def connect(scheduler: str | None, workers: int | None) -> Iterator[Client]:
    """Give a client of the ``scheduler`` at an address, or of so many ``workers`` started on this machine."""
    for name in ("client", "batched"):  # what is lost is told once, by its run
        logging.getLogger(f"distributed.{name}").setLevel(logging.CRITICAL)
    if scheduler is not None:
        seconds = connect_seconds()
        if problem := scheduler_problem(scheduler, seconds):
            raise MtgcnError(
                f"no Dask scheduler answers at '{short(scheduler)}' ({problem}): start one with 'dask scheduler', and"
                " workers with 'dask worker ADDRESS --nthreads 1' on each machine."
            )
        with Client(scheduler, timeout=seconds, set_as_default=False) as client:
            yield client
        return
    quiet = logging.ERROR  # an interrupt kills workers at their work, which is as meant and no warning
    settings = {
        "dashboard_address": None,
        "scheduler_kwargs": {"dashboard_address": "127.0.0.1:0"},  # any free port: another program may have Dask's own
    }
    with LocalCluster(n_workers=workers, threads_per_worker=1, silence_logs=quiet, **settings) as cluster:
        with Client(cluster, set_as_default=False) as client:
            yield client
        cluster.sync(_close, list(cluster.workers.values()))


async def _close(workers: Sequence[Nanny]) -> None:
    """Give workers that have nothing to do a minute to end: with torch loaded, a busy machine needs it."""
    await asyncio.gather(*(worker.close(timeout=60) for worker in workers))


def executor(client: Client) -> Callable[..., Iterator[Tables]]:
    """Return an executor for `pages.run` that hands trainings to the workers."""
    return partial(_run, client)


def _run(client: Client, jobs: Sequence[Training], report: Callable[[str, str], None]) -> Iterator[Tables]:
    topic = f"mtgcn-{uuid4().hex}"
    client.subscribe_topic(topic, lambda event: report(*event[1]))
    futures = {
        # Not retried when it raises, only when its worker is lost: that the scheduler does by itself.
        client.submit(on_worker, job, topic, key=f"{topic}-{job.name}", pure=False): job
        for job in jobs
    }
    try:
        for future in as_completed(futures, loop=client.loop):
            try:
                yield future.result()
            except (Exception, CancelledError) as error:
                yield Tables(futures[future].name, failure=Failure(reason(error)))
    finally:
        client.unsubscribe_topic(topic)
        client.cancel(list(futures))


def reason(error: BaseException) -> str:
    """Say why a job came to nothing."""
    if isinstance(error, MtgcnError):
        return str(error)
    if isinstance(error, CancelledError):
        return "the connection to the scheduler was lost"
    if isinstance(error, KilledWorker):
        return "every worker that tried it died, perhaps for want of memory"
    return f"{type(error).__name__}: {error}"


def on_worker(job: Training, topic: str) -> Tables:
    """Train a job on a worker, telling the client where it stands through the scheduler."""
    worker = get_worker()
    tables = train(job, lambda text: worker.log_event(topic, [job.name, text]))
    if tables.failure is not None:
        return replace(tables, failure=replace(tables.failure, error=f"{worker.address}: {tables.failure.error}"))
    return tables
