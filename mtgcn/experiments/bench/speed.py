"""Time a run and epoch of the engine and of its peers, in one go on the same cores."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from typing import Any, NamedTuple

import numpy as np
import torch

from mtgcn.data.datasets import Dataset, load
from mtgcn.engine.machine import keep_large_blocks
from mtgcn.experiments import build, experiment
from mtgcn.experiments.bench import peers, sparse_peers
from mtgcn.experiments.training import train

DATASETS = ("cora", "citeseer", "pubmed")
RUNS, CORES = 10, 2
TWICE = "1 + 1"  # two processes of a thread each
Make = Callable[[Dataset, list[str]], peers.Peer]


class Kind(NamedTuple):
    """A peer, the networks that it is measured with, and whether ten runs of it share two cores."""

    make: Make
    networks: tuple[str, ...]
    two_processes: bool = False


PEERS = {
    "DGL, dense": Kind(peers.plain_dgl, ("GCN", "AE")),
    "PyG, dense": Kind(peers.plain_pyg, ("GCN",)),
    "torch, COO": Kind(peers.plain_sparse, ("AE+FR+ER",)),
    "torch, CSR": Kind(sparse_peers.one_sparse_run, ("GCN", "AE")),
    "PyG, CSR": Kind(sparse_peers.one_sparse_pyg_run, ("GCN",)),
    "torch, CSR, twice": Kind(sparse_peers.one_sparse_run, ("GCN", "AE"), two_processes=True),
}


def ratios(datasets: tuple[str, ...] = DATASETS, seconds: float = 4.0) -> Iterator[dict[str, object]]:
    """Yield a row for each peer, data set and network: milliseconds a run and epoch of both, and their ratio.

    A single run of a peer has one thread or two, whichever is faster. The engine has ten runs on two cores: in one
    process of two threads, or in two processes of five runs and a thread each, again whichever is faster, and that for
    all peers. All of them reuse large blocks of memory.

    Args:
        seconds: time spent on each measurement.
    """
    keep_large_blocks()
    engine: dict[tuple[str, str], tuple[float, str]] = {}
    for peer, kind in PEERS.items():
        for name in datasets:
            for network in kind.networks:
                if (name, network) not in engine:
                    engine[name, network] = _engine(name, network, seconds)
                engine_taken, engine_threads = engine[name, network]
                peer_taken, threads = _peer(peer, name, network, seconds)
                yield {
                    "peer": peer,
                    "dataset": name,
                    "network": network,
                    "ratio": round(peer_taken / engine_taken, 1),
                    "peer_ms": round(peer_taken * 1e3, 3),
                    "engine_ms": round(engine_taken * 1e3, 3),
                    "threads": threads,
                    "engine_threads": engine_threads,
                }


def _engine(name: str, network: str, seconds: float) -> tuple[float, str]:
    """Return the seconds of a run and epoch, and the threads that gave them."""
    torch.set_num_threads(CORES)
    taken = {
        str(CORES): engine_seconds(load(name), network, seconds),
        TWICE: _in_two_processes(_engine_alone, name, network, seconds) / CORES,
    }
    return _fastest(taken)


def _peer(peer: str, name: str, network: str, seconds: float) -> tuple[float, str]:
    """Return the seconds of a run and epoch, and the threads that gave them."""
    if PEERS[peer].two_processes:
        return _in_two_processes(_peer_alone, peer, name, network, seconds) / CORES, TWICE
    taken = {}
    for threads in range(1, CORES + 1):
        torch.set_num_threads(threads)
        taken[str(threads)] = _peer_alone(peer, name, network, seconds / CORES)
    return _fastest(taken)


def _fastest(taken: dict[str, float]) -> tuple[float, str]:
    """Return the least of the seconds by threads, and its threads."""
    threads = min(taken, key=taken.__getitem__)
    return taken[threads], threads


def _peer_alone(peer: str, name: str, network: str, seconds: float) -> float:
    """Return the median seconds of an epoch."""
    epoch = PEERS[peer].make(load(name), [] if network == "GCN" else network.split("+")).epochs()
    epoch()
    taken: list[float] = []
    while sum(taken) < seconds or len(taken) < 5:
        start = time.perf_counter()
        epoch()
        taken.append(time.perf_counter() - start)
    return float(np.median(taken))


def _engine_alone(name: str, network: str, seconds: float) -> float:
    return engine_seconds(load(name), network, seconds, RUNS // CORES)


def _in_two_processes(measure: Callable[..., float], *arguments: Any) -> float:
    """Return what ``measure`` gives in two processes of one thread at the same time, on average."""
    context = get_context("spawn")
    together = context.Barrier(CORES)
    with ProcessPoolExecutor(CORES, context, _start_together, (together,)) as pool:
        return float(np.mean(list(pool.map(measure, *[[one] * CORES for one in arguments]))))


def _start_together(together: Any) -> None:
    torch.set_num_threads(1)
    keep_large_blocks()
    together.wait()


class _Enough(Exception):
    """The training that is measured has gone on for long enough."""


def engine_seconds(dataset: Dataset, network: str, seconds: float, runs: int = RUNS) -> float:
    """Return the seconds that the engine takes for a run and epoch, the whole of training included."""
    parameters = experiment.parameters_of(
        dataset="toy", networks={network: {}}, runs=runs, epochs=1_000_000, stop_below=0
    )
    stamps = [time.perf_counter()]

    def stop(_: object) -> None:
        stamps.append(time.perf_counter())
        if stamps[-1] - stamps[0] > seconds and len(stamps) > 24:
            raise _Enough

    with suppress(_Enough):
        train(build.build(parameters, network, dataset), parameters, stop)
    # Dropout masks are drawn every eighth epoch: a median over single epochs would leave that out.
    octets = np.diff(stamps[1::8])
    return float(np.median(octets)) / 8 / runs


def accuracies(datasets: tuple[str, ...] = DATASETS) -> Iterator[dict[str, object]]:
    """Yield the test accuracy of the plain GCN with one hidden layer by the whole protocol, ten runs."""
    for name in datasets:
        parameters = experiment.parameters_of(dataset=name, epochs=2500 if name == "pubmed" else 5000)
        start = time.perf_counter()
        row = experiment.summary(experiment.run(parameters, progress=False).table).iloc[0]
        yield {
            "dataset": name,
            "runs": int(row["runs"]),
            "mean": round(row["mean"], 2),
            "sem": round(row["sem"], 2),
            "seconds": round(time.perf_counter() - start, 1),
        }
