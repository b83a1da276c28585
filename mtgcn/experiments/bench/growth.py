"""Time and memory an edge on generated graphs of growing size; each size in a process of its own, three times."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import psutil

NODES = (10_000, 100_000, 1_000_000)
DEGREE, FEATURES = 10, 1_000
NETWORKS = ("GCN", "AE")  # the latter with a risk over all nodes, so that every one takes part in training
LARGEST = "AE+FR+ER"  # at the largest size only, once
ROUNDS = 3


def growth() -> Iterator[dict[str, Any]]:
    """Yield a row for each network and size: time of an epoch, memory at the peak of training, and both an edge.

    Sizes take turns, and of each the fastest round counts: large arrays live in a cache and behind a memory bus that
    other programs use too, so that a single measurement says as much about these.
    """
    for network in NETWORKS:
        rounds = [[_measured(network, nodes) for nodes in NODES] for _ in range(ROUNDS)]
        for same_size in zip(*rounds, strict=True):
            yield min(same_size, key=lambda row: row["ns_an_edge"])
    yield _measured(LARGEST, NODES[-1])


def _measured(network: str, nodes: int) -> dict[str, Any]:
    command = [
        sys.executable,
        "-c",
        f"from mtgcn.experiments.bench import growth; growth.measure('{network}', {nodes})",
    ]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def measure(network: str, nodes: int) -> None:
    """Train one run of a network on a graph of this size and print the row as JSON."""
    from mtgcn.data import toy
    from mtgcn.data.datasets import from_arrays, load
    from mtgcn.engine.machine import give_back
    from mtgcn.experiments import build, experiment
    from mtgcn.experiments.bench.speed import engine_seconds

    loaded = build.build(experiment.parameters_of(dataset="toy", networks={network: {}}, runs=1), network, load("toy"))
    loaded.training_loss().sum().backward()  # loads what has nothing to do with the size
    arrays = toy.generate(nodes, features=FEATURES, average_degree=DEGREE, words=20)
    dataset = from_arrays(arrays, "generated", "generated")
    give_back()  # what generating the graph has freed would otherwise be used again, unseen
    with _Peak() as peak:
        seconds = engine_seconds(dataset, network, seconds=3, runs=1)
    edges = dataset.edges.shape[1]
    row = {
        "network": network,
        "nodes": nodes,
        "edges": edges,
        "ms_an_epoch": round(seconds * 1e3, 2),
        "ns_an_edge": round(seconds * 1e9 / edges, 1),
        "bytes_an_edge": round(peak.bytes / edges),
        "peak_gb": round(peak.bytes / 1e9, 2),
    }
    print(json.dumps(row))


class _Peak:
    """How much the resident memory of this process grows at most within a block, by looking every 2 ms."""

    def __enter__(self) -> "_Peak":
        self._process = psutil.Process()
        self._before, self.bytes = self._process.memory_info().rss, 0
        self._done = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()
        return self

    def _watch(self) -> None:
        while not self._done.wait(0.002):
            self.bytes = max(self.bytes, self._process.memory_info().rss - self._before)

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._watcher.join()
