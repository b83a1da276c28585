"""Every random number of a run comes from a stream of its own."""

from zlib import crc32

import numpy as np


def stream(seed: int, site: str) -> np.random.Generator:
    """Return the generator of run ``seed`` for one place of use, such as ``"encoder.0.dropout"``.

    A stream depends on nothing but the seed and the name. So run k draws the same numbers alone or in
    company, and a network with an auxiliary task starts from the same encoder as the network without.
    """
    return np.random.Generator(np.random.SFC64([seed, crc32(site.encode())]))
