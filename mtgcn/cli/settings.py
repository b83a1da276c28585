"""Options that several commands take: ``--set NAME=VALUE``, and where to train."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from mtgcn.errors import MtgcnError

Scheduler = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Run on the cluster of this Dask scheduler, tcp://host:8786.")
]


def setting(text: str) -> tuple[tuple[str, ...], Any]:
    """Read ``name=value``; the value as YAML, the name perhaps with dots: ``networks.AE.AE.weight=10``."""
    from mtgcn.pipeline import yaml_file

    name, equals, value = text.partition("=")
    if not equals or not all(name.split(".")):
        raise MtgcnError(f"--set {text}: expected NAME=VALUE, such as --set epochs=200.")
    return tuple(name.split(".")), yaml_file.value(value, f"--set {name}")


def outlive_terminal() -> None:
    """Let a long command go on when its terminal is closed; there is nothing left to write to then."""

    def closed(*_: object) -> None:
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nowhere, stream)

    if hasattr(signal, "SIGHUP"):  # not on Windows
        signal.signal(signal.SIGHUP, closed)


def one_of(scheduler: str | None, workers: int | None) -> None:
    """Refuse to train in two places."""
    if scheduler is not None and workers is not None:
        raise MtgcnError("--scheduler and --workers exclude each other: a scheduler has its own workers.")


@contextmanager
def client(scheduler: str | None, workers: int | None) -> Iterator[Any]:
    """Give a client of Dask workers, those of a scheduler or so many of this machine; None where neither is named."""
    if scheduler is None and workers is None:
        yield None
        return
    try:
        from mtgcn.pipeline import cluster
    except ImportError as error:
        raise MtgcnError(f"several workers need Dask ({error}): pip install 'mtgcn[cluster]'.") from error
    with cluster.connect(scheduler, workers) as connected:
        yield connected
