"""Products of stacked matrices in which a run comes out the same, to the last bit, alone or in company."""

import torch
from torch import Tensor
from torch.nn.functional import pad

ALIGNED = 16  # float32 values in 64 bytes, a cache line


def aligned(x: Tensor) -> Tensor:
    """Pad (runs, n, c) with zeros to a multiple of 16 columns; where it is one already nothing is copied.

    Math libraries choose the order of a sum by where in a cache line a matrix starts, which for the k-th of
    several runs is elsewhere than for a run alone. The zeros put every run at the start of a line and change
    no sum.
    """
    missing = -x.shape[2] % ALIGNED
    return pad(x, (0, missing)) if missing else x


def product(x: Tensor, w: Tensor) -> Tensor:
    """Return x w: (runs, n, a) times (runs, a, b)."""
    missing = -w.shape[1] % ALIGNED
    few = max(0, ALIGNED - x.shape[1])  # a product of fewer rows may be split among threads, alone only
    x_wide = pad(aligned(x), (0, 0, 0, few)) if few else aligned(x)
    w_wide = pad(aligned(w), (0, 0, 0, missing)) if missing else aligned(w)
    return torch.bmm(x_wide, w_wide)[:, : x.shape[1], : w.shape[2]]
