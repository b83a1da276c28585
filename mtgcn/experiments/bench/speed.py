"""Time a run and epoch of the engine and of its peers, with the same threads in the same process."""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import numpy as np

from mtgcn.data.datasets import Dataset, load
from mtgcn.experiments import build, experiment
from mtgcn.experiments.bench import peers
from mtgcn.experiments.training import train

DATASETS = ("cora", "citeseer", "pubmed")
PEERS: dict[str, tuple[Callable[[Dataset, list[str]], peers.Peer], tuple[str, ...]]] = {
    "DGL GraphConv, dense": (peers.plain_dgl, ("GCN", "AE")),
    "PyG GCNConv, dense": (peers.plain_pyg, ("GCN",)),
    "one sparse run, dense reconstruction": (peers.one_sparse_run, ("AE+FR+ER",)),
}
RUNS = 10


def ratios(datasets: tuple[str, ...] = DATASETS, seconds: float = 4.0) -> Iterator[dict[str, object]]:
    """Yield a row for each peer, data set and network: milliseconds a run and epoch of both, and their ratio.

    The peers come first: the engine tells the C library to keep large blocks, which would help them too.

    Args:
        seconds: time spent on each measurement.
    """
    loaded = {name: load(name) for name in datasets}
    measured = []
    for peer, (make, networks) in PEERS.items():
        for name, dataset in loaded.items():
            for network in networks:
                tasks = [] if network == "GCN" else network.split("+")
                measured.append((peer, name, network, _median_seconds(make(dataset, tasks), seconds)))
    ours = {
        (name, network): engine_seconds(loaded[name], network, seconds)
        for name, network in dict.fromkeys(row[1:3] for row in measured)
    }
    for peer, name, network, peer_seconds in measured:
        engine = ours[name, network]
        yield {
            "peer": peer,
            "dataset": name,
            "network": network,
            "peer_ms": round(peer_seconds * 1e3, 2),
            "engine_ms": round(engine * 1e3, 3),
            "ratio": round(peer_seconds / engine, 1),
        }


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


def _median_seconds(peer: peers.Peer, seconds: float) -> float:
    epoch = peer.epochs()
    epoch()
    taken: list[float] = []
    while sum(taken) < seconds or len(taken) < 5:
        start = time.perf_counter()
        epoch()
        taken.append(time.perf_counter() - start)
    return float(np.median(taken))
