"""A Dask worker that executes this project's two functions and no others.

``dask worker ADDRESS --preload mtgcn.pipeline.guard --preload-nanny mtgcn.pipeline.guard`` loads it. Whoever reaches a
scheduler can otherwise have its workers execute anything, since functions come as pickles.
"""

import dataclasses
import io
import pickle
from collections.abc import Iterable
from typing import Any, NoReturn

from distributed.protocol import pickle as received
from pydantic import BaseModel

FUNCTIONS = {("mtgcn.pipeline.cluster", "on_worker"), ("mtgcn.pipeline.search.batches", "score")}
# What Dask itself sends: a call, and a plugin that every scheduler gives to its workers.
DASK = {("dask._task_spec", "Task"), ("distributed.shuffle._worker_plugin", "ShuffleWorkerPlugin")}
# Requests that bring code, or that change what is there.
REFUSED = ("run", "run_coroutine", "upload_file", "actor_execute", "actor_attribute", "update_data")


def refuse(*_: Any, **__: Any) -> NoReturn:
    """Stand in for every other function and request: it fails, and the worker goes on."""
    raise pickle.UnpicklingError("this worker executes jobs of mtgcn only")


class _Unpickler(pickle.Unpickler):
    """Makes nothing but what a job of this project consists of."""

    def find_class(self, module: str, name: str) -> Any:
        """Return a name of a module, where it is one of the few above or describes a job."""
        if "." not in name:  # no attribute of what is allowed
            if (module, name) in FUNCTIONS | DASK:
                return super().find_class(module, name)
            if module.split(".")[0] == "mtgcn" and _describes(found := super().find_class(module, name)):
                return found
        return refuse


def _describes(found: Any) -> bool:
    return isinstance(found, type) and (dataclasses.is_dataclass(found) or issubclass(found, BaseModel))


def loads(content: bytes, *, buffers: Iterable[Any] = ()) -> Any:
    """Read a pickle of a job; nothing else that one names is called, neither now nor later."""
    return _Unpickler(io.BytesIO(content), buffers=buffers).load()


def dask_setup(server: Any) -> None:
    """Guard a worker or a nanny; Dask calls this before it listens to anybody."""
    received.loads = loads
    for request in set(REFUSED) & set(server.handlers):
        server.handlers[request] = refuse  # one that is not there would never be answered
