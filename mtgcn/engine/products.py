"""Products of stacked matrices in which a run comes out the same, to the last bit, alone or in company."""

from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad

from mtgcn.engine import kernels
from mtgcn.engine.compiled import available

SPAN = 192  # so many values are summed at a time, by math libraries and by the kernels in C
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
    wide = _Product.apply(x_wide, w_wide) if compiled(x_wide) else torch.bmm(x_wide, w_wide)
    return wide[:, : x.shape[1], : w.shape[2]]


def gram(x: Tensor) -> Tensor:
    """Return xᵀx of each run: (runs, n, c) to (runs, c, c), c a multiple of 16."""
    return _across(x, x) if compiled(x) else x.transpose(1, 2) @ x


def compiled(x: Tensor) -> bool:
    """Tell whether the kernels in C multiply such matrices, which gives what torch gives, to the last bit."""
    return x.dtype == torch.float32 and available(x.device, x.dtype)


def product_less(x: Tensor, w: Tensor, less: Tensor) -> Tensor:
    """Return x w − ``less`` in the place of ``less``."""
    if compiled(x) and w.shape[1] <= SPAN:
        return kernels.dense(x, w, less)
    return less.baddbmm_(x, w, beta=-1)


def _dense(x: Tensor, w: Tensor) -> Tensor:
    return kernels.dense(x, w) if w.shape[1] <= SPAN else torch.bmm(x, w)


def _across(x: Tensor, y: Tensor) -> Tensor:
    # Between one span and two a library cuts the sum in halves.
    halves = SPAN < x.shape[1] < 2 * SPAN
    return x.transpose(1, 2) @ y if halves else kernels.across(x, y)


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        ctx.save_for_backward(x, w)
        return _dense(x, w)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, Tensor | None]:
        x, w = ctx.saved_tensors
        (grad,) = grads
        wanted = ctx.needs_input_grad
        return _dense(grad, w.transpose(1, 2)) if wanted[0] else None, _across(x, grad) if wanted[1] else None
