"""How near an epoch is to the kernels that it cannot do without, and how long these take by themselves.

One epoch is trained while every call of a sparse product, a propagation, a dense product and a draw of random bits is
taken down with its arrays. Then just these calls are made again, one after the other, and timed.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from mtgcn.data.datasets import Dataset, load
from mtgcn.engine import kernels
from mtgcn.engine.dropout import EPOCHS_A_BYTE, Dropout
from mtgcn.engine.machine import keep_large_blocks
from mtgcn.experiments import build, experiment
from mtgcn.experiments.bench.speed import DATASETS, RUNS, engine_seconds
from mtgcn.model.network import Network

IN_C = ("product", "propagate", "dense", "across", "residual")  # the last is a dense product, too
IN_TORCH = {torch.ops.aten.bmm.default, torch.ops.aten.baddbmm.default, torch.ops.aten.baddbmm_.default}
NETWORKS = ("GCN", "AE")


def distances(datasets: tuple[str, ...] = DATASETS, seconds: float = 4.0) -> Iterator[dict[str, object]]:
    """Yield a row for each data set and network: milliseconds of an epoch of ten runs, of its bare kernels, the ratio.

    All with one thread, as in a process of several.
    """
    keep_large_blocks()
    torch.set_num_threads(1)
    for name in datasets:
        dataset = load(name)
        for network in NETWORKS:
            epoch = engine_seconds(dataset, network, seconds) * RUNS
            bare = bare_seconds(dataset, network, seconds)
            milliseconds = {"epoch_ms": round(epoch * 1e3, 2), "kernels_ms": round(bare * 1e3, 2)}
            yield {"dataset": name, "network": network, **milliseconds, "ratio": round(epoch / bare, 2)}


def bare_seconds(dataset: Dataset, network: str, seconds: float, runs: int = RUNS) -> float:
    """Return the median seconds of the bare kernels of an epoch."""
    parameters = experiment.parameters_of(dataset="toy", networks={network: {}}, runs=runs, backend="compiled")
    calls, held = _calls(build.build(parameters, network, dataset))
    draws = [dropout for dropout in held if isinstance(dropout, Dropout)]
    taken: list[float] = []
    while sum(taken) < seconds or len(taken) < 5:
        start = time.perf_counter()
        for call in calls:
            call()
        bits = time.perf_counter()
        if len(taken) % EPOCHS_A_BYTE == 0:
            for dropout in draws:
                dropout._draw()
            drawn = (time.perf_counter() - bits) / EPOCHS_A_BYTE
        taken.append(bits - start + drawn)
    return float(np.median(taken))


def _calls(network: Network) -> tuple[list[Callable[[], Any]], list[Any]]:
    """Train an epoch, and return the calls of its kernels and whatever has to stay in memory for them."""
    network.dropouts  # noqa: B018  (built here, so that no array of theirs counts)
    with _Watch(network) as watch:
        network.training_loss().sum().backward()
        network.validate(network.batch.validation)
    return watch.calls, [*watch.held, *network.dropouts.values()]


class _Watch(TorchDispatchMode):
    """Takes down calls of kernels, and keeps all arrays that they may read or write."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.calls: list[Callable[[], Any]] = []
        self.held: list[Any] = [network]
        self._library = kernels.library

    def __enter__(self) -> "_Watch":
        kernels.library = lambda dtype: _Taken(self._library(dtype), self.calls)  # type: ignore[assignment]
        return super().__enter__()

    def __exit__(self, *error: Any) -> None:
        kernels.library = self._library
        super().__exit__(*error)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        self.held += [args, result]
        if func in IN_TORCH:
            self.calls.append(partial(func, *args, **(kwargs or {})))
        return result


class _Taken:
    """The kernels, of which the calls of products are taken down."""

    def __init__(self, library: Any, calls: list[Callable[[], Any]]) -> None:
        self._library, self._calls = library, calls

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function = getattr(self._library, name)

        def call(*arguments: Any) -> None:
            if name in IN_C:
                self._calls.append(partial(function, *arguments))
            function(*arguments)

        return call
