"""Arrays that take seconds to compute, once a data set: kept in the user's cache by what they were computed from."""

import hashlib
import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mtgcn.data.cache import folder
from mtgcn.files import replacing


def kept(name: str, made_from: Mapping[str, np.ndarray | str | int], compute: Callable[[], np.ndarray]) -> np.ndarray:
    """Return ``compute()``, or what it gave the last time.

    Args:
        name: what the array is, the beginning of the file's name.
        made_from: all that the array depends on, by name; its digest is the rest of the file's name.
    """
    path = folder() / f"{name}-{digest_of(made_from)[:24]}.npy"
    try:
        return np.load(path)
    except (OSError, ValueError, EOFError):  # not there, or not readable: computed again
        array = compute()
    try:
        with replacing(path) as temporary, temporary.open("wb") as file:
            np.save(file, array)
    except OSError as error:
        logging.getLogger("mtgcn").warning("mtgcn: %s cannot be kept in the cache (%s)", name, error.strerror)
    return array


def digest_of(made_from: Mapping[str, Any]) -> str:
    """Return one SHA-256 (hex) over arrays and plain values, the same on every machine."""
    total = hashlib.sha256()
    for name, value in made_from.items():
        if isinstance(value, np.ndarray):
            total.update(f"{name} {value.dtype.str} {value.shape}\n".encode())
            total.update(np.ascontiguousarray(value).tobytes())
        else:
            total.update(f"{name} {json.dumps(value)}\n".encode())
    return total.hexdigest()
