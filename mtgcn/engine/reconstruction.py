"""The reconstruction risk without the n × d matrix that it compares."""

from typing import Any

import torch
from torch import Tensor

from mtgcn.engine import kernels
from mtgcn.engine.products import SPAN, aligned, gram, product_less
from mtgcn.engine.sparse import BlockSparse


def reconstruction_risk(z: Tensor, b: Tensor, target: BlockSparse) -> Tensor:
    """Return the mean over nodes of ‖x_i − (ZB)_i‖², one value a run, in float64.

    With ‖X − ZB‖² = ‖X‖² − 2⟨XᵀZ, Bᵀ⟩ + ⟨ZᵀZ B, B⟩ the work is nnz · c + (n + d) · c² instead of n · d · c,
    and nothing of size n × d exists. The three terms cancel when the reconstruction is nearly perfect: the
    absolute error is about 1e-7 ‖X‖² / n in float32, which matters only when the risk itself is that small;
    the value is never negative.

    Args:
        z: (runs, n, c), what the last weight matrix multiplies.
        b: (runs, c, d), the last weight matrix.
        target: the sparse (n, d) matrix of each run.
    """
    return _Risk.apply(aligned(z), aligned(b.transpose(1, 2)).transpose(1, 2), target, torch.is_grad_enabled())


class _Risk(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, z: Tensor, b: Tensor, target: BlockSparse, wanted: bool) -> Tensor:
        b_t = b.transpose(1, 2).contiguous()  # (runs, d, c), as the sparse products want it
        cross = target.T @ z  # XᵀZ
        if target.compiled and z.shape[2] <= SPAN:
            inner, residual = kernels.residual(cross, b_t, gram(z), wanted)
        else:
            fitted = b_t @ gram(z)  # Bᵀ ZᵀZ
            inner = ((fitted - 2 * cross) * b_t).sum((1, 2), dtype=torch.float64)
            residual = fitted.sub_(cross)
        ctx.save_for_backward(z, b_t, residual)
        ctx.target = target
        return (target.squared_norms + inner).clamp_min(0) / target.rows

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, None, None]:
        z, b_t, residual = ctx.saved_tensors
        scale = (2 / ctx.target.rows * grads[0]).to(z.dtype)[:, None, None]
        grad_z = product_less(z, gram(b_t), ctx.target @ b_t)
        return grad_z.mul_(scale), residual.mul_(scale).transpose(1, 2), None, None
