"""Graph neural networks with self-supervised auxiliary tasks, after Manessi & Rozza (2021).

What a user types first is here, and loaded when it is first used: ``mtgcn.load("cora")`` gives a data set,
``mtgcn.run(parameters)`` trains what `mtgcn.Parameters` describes.
"""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mtgcn.data.datasets import load
    from mtgcn.experiments.parameters import Parameters
    from mtgcn.experiments.running import run

    __version__: str

# Before torch asks for memory: arrays of 2 MiB and more then lie in large pages, where the kernel has them (Linux).
os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")

__all__ = ["Parameters", "__version__", "load", "run"]

HOMES = {
    "load": "mtgcn.data.datasets",
    "run": "mtgcn.experiments.running",
    "Parameters": "mtgcn.experiments.parameters",
}


def __getattr__(name: str) -> Any:
    """Load what is offered here from its room, when it is asked for."""
    if name == "__version__":
        from importlib.metadata import version  # not at the top: it takes longer than all else here

        return version("mtgcn")
    if name not in HOMES:
        raise AttributeError(f"module 'mtgcn' has no attribute '{name}'")
    return getattr(import_module(HOMES[name]), name)


def __dir__() -> list[str]:
    """List what is offered, for completion."""
    return sorted({*globals(), *__all__})
