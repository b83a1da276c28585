"""PairNorm's scaling of all embeddings of a run, to the same bits alone or in company."""

from typing import Any

import torch
from torch import Tensor

EPSILON = 1e-6  # as in the authors' code: what keeps equal embeddings from a division by zero


def pair_norm(x: Tensor, scale: float) -> Tensor:
    """Centre x (runs, n, c) over the nodes and scale it so that the mean of ‖x_i‖² is scale², in each run."""
    return _PairNorm.apply(x, scale)


def node_sum(x: Tensor) -> Tensor:
    """Return the sum over nodes, (runs, n, c) to (runs, 1, c).

    The second half is added to the first until one row is left. That takes nothing but sums of two values, whose
    order no library can choose by the number of threads or of runs.
    """
    while x.shape[1] > 1:
        half = x.shape[1] // 2
        folded = x[:, :half] + x[:, half : 2 * half]
        x = torch.cat([folded, x[:, 2 * half :]], dim=1) if x.shape[1] % 2 else folded
    return x


def total(x: Tensor) -> Tensor:
    """Return the sum over nodes and channels, (runs, n, c) to (runs, 1, 1), in the way of `node_sum`."""
    return node_sum(x.reshape(len(x), -1, 1))


class _PairNorm(torch.autograd.Function):
    """y = s c / r with c = x − mean(x) and r² = mean ‖c_i‖² + ε; autograd would sum in an order of its own."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, scale: float) -> Tensor:
        nodes = x.shape[1]
        centred = x - node_sum(x) / nodes
        factor = scale / (total(centred.square()) / nodes + EPSILON).sqrt()
        ctx.save_for_backward(centred, factor)
        ctx.scale = scale
        return centred * factor

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        centred, factor = ctx.saved_tensors
        nodes = centred.shape[1]
        # ∂y/∂c = s / r − s c cᵀ / (n r³), and s / r³ = factor³ / s².
        along = total(grads[0] * centred) * factor**3 / (ctx.scale**2 * nodes)
        inner = grads[0] * factor - centred * along
        return inner - node_sum(inner) / nodes, None
