"""Time and memory a edge on generated graphs of growing size; each size in a process of its own."""

import json
import resource
import subprocess
import sys
from collections.abc import Iterator

NODES = (10_000, 100_000, 1_000_000)
DEGREE, FEATURES = 10, 1_000


def growth() -> Iterator[dict[str, object]]:
    """Yield a row for each size: microseconds an edge and epoch, bytes an edge at the peak of training."""
    for nodes in NODES:
        command = [sys.executable, "-c", f"from mtgcn.bench import growth; growth.measure({nodes})"]
        result = subprocess.run(command, capture_output=True, text=True, check=True)
        yield json.loads(result.stdout)


def measure(nodes: int) -> None:
    """Train one run of GCN on a graph of this size and print the row as JSON."""
    from mtgcn import toy
    from mtgcn.bench.speed import engine_seconds
    from mtgcn.datasets import from_arrays

    arrays = toy.generate(nodes, features=FEATURES, average_degree=DEGREE, words=20)
    dataset = from_arrays(arrays, "generated", "generated")
    before = _peak_bytes()
    seconds = engine_seconds(dataset, "GCN", seconds=3, runs=1)
    edges = dataset.edges.shape[1]
    row = {
        "nodes": nodes,
        "edges": edges,
        "ms_an_epoch": round(seconds * 1e3, 2),
        "ns_an_edge": round(seconds * 1e9 / edges, 1),
        "bytes_an_edge": round((_peak_bytes() - before) / edges),
    }
    print(json.dumps(row))


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
