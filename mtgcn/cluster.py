"""Runs on many machines: each job goes to a Dask worker and its product comes back as bytes.

Workers share no disk with the client. They need `mtgcn` with the extras ``book`` and ``cluster``, and get data sets
where every machine gets them.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from uuid import uuid4

from distributed import CancelledError, Client, KilledWorker, LocalCluster, as_completed, get_worker

from mtgcn import datasets
from mtgcn.errors import MtgcnError
from mtgcn.execute import Failure, Job, Product, Step, execute
from mtgcn.experiment import RESULTS_VERSION


@contextmanager
def connect(scheduler: str | None, workers: int | None) -> Iterator[Client]:
    """Give a client of the ``scheduler`` at an address, or of so many ``workers`` started on this machine."""
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # what is lost is told once, by its run
    if scheduler is not None:
        try:
            client = Client(scheduler, timeout=10, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise MtgcnError(
                f"no Dask scheduler answers at {scheduler}: start one with 'dask scheduler', and workers with"
                " 'dask worker ADDRESS --nthreads 1' on each machine."
            ) from error
        with client:
            yield client
        return
    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


def executor(client: Client, threads: int | None) -> Callable[..., Iterator[Product]]:
    """Return an executor for `mtgcn.pipeline.run`; ``threads`` is how many each kernel may use, None as it is."""
    return partial(_run, client, {} if threads is None else {"OMP_NUM_THREADS": str(threads)})


def _run(
    client: Client, environment: dict[str, str], jobs: Sequence[Job], report: Callable[[str, Step], None]
) -> Iterator[Product]:
    jobs = [replace(job, environment={**job.environment, **environment}) for job in jobs]
    topic = f"mtgcn-{uuid4().hex}"
    client.subscribe_topic(topic, lambda event: report(event[1][0], Step(*event[1][1:])))
    futures = {
        # Not retried when it raises, only when its worker is lost: that the scheduler does by itself.
        client.submit(on_worker, job, topic, RESULTS_VERSION, key=f"{topic}-{job.name}", pure=False): job
        for job in jobs
    }
    try:
        for future in as_completed(futures, loop=client.loop):
            job = futures[future]
            try:
                yield future.result()
            except (Exception, CancelledError) as error:
                yield Product(job.name, job.notebook, {}, Failure(reason(error)))
    finally:
        client.unsubscribe_topic(topic)
        client.cancel(list(futures))


def reason(error: BaseException) -> str:
    """Say why a job came to nothing though no cell failed."""
    if isinstance(error, MtgcnError):
        return str(error)
    if isinstance(error, CancelledError):
        return "the connection to the scheduler was lost"
    if isinstance(error, KilledWorker):
        return "every worker that tried it died, perhaps for want of memory"
    return f"{type(error).__name__}: {error}"


def on_worker(job: Job, topic: str, results_version: int) -> Product:
    """Run a job on a worker, telling the client of each cell through the scheduler."""
    worker = get_worker()
    if results_version != RESULTS_VERSION:
        raise MtgcnError(
            f"worker {worker.address} has results version {RESULTS_VERSION}, this machine has {results_version}:"
            " install the same mtgcn on both."
        )
    dataset = str(job.parameters.get("dataset"))
    if job.data and datasets.digest_of(dataset) != job.data:
        raise MtgcnError(f"worker {worker.address} has other data in {dataset} than this machine.")
    return execute(job, lambda step: worker.log_event(topic, [job.name, *step]))
