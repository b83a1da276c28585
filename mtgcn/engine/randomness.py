"""Every random number of a run comes from a stream of its own."""

from collections.abc import Sequence
from typing import Any
from zlib import crc32

import numpy as np

State = list[list[int]]  # of some streams, each as numbers that JSON can hold


def stream(seed: int, site: str) -> np.random.Generator:
    """Return the generator of run ``seed`` for one place of use, such as ``"encoder.0.dropout"``.

    A stream depends on nothing but the seed and the name. So run k draws the same numbers alone or in
    company, and a network with an auxiliary task starts from the same encoder as the network without.
    """
    return np.random.Generator(np.random.SFC64([seed, crc32(site.encode())]))


def states(streams: Sequence[np.random.Generator]) -> State:
    """Return where streams are."""
    found: list[Any] = [numbers.bit_generator.state for numbers in streams]
    return [[*map(int, one["state"]["state"]), int(one["has_uint32"]), int(one["uinteger"])] for one in found]


def set_states(streams: Sequence[np.random.Generator], known: State) -> None:
    """Bring streams to where others were."""
    for numbers, (*state, has_half, half) in zip(streams, known, strict=True):
        numbers.bit_generator.state = {
            "bit_generator": "SFC64",
            "state": {"state": np.array(state, np.uint64)},
            "has_uint32": has_half,
            "uinteger": half,
        }
