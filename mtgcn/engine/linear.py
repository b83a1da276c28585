"""A linear map and its transpose: what autograd has to be told about sparse products and propagation."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

Map = Callable[[Tensor], Tensor]  # (runs, n_in, c) to (runs, n_out, c)


@dataclass(eq=False)
class Linear:
    """A matrix M for each run that only ever multiplies: ``linear @ x`` is M x, (runs, n_in, c) to (runs, n_out, c).

    Attributes:
        forward: x to M x.
        transposed: y to Mᵀ y, (runs, n_out, c) to (runs, n_in, c); the gradient takes this way.
    """

    forward: Map
    transposed: Map

    @property
    def T(self) -> "Linear":
        """The transpose Mᵀ."""
        return Linear(self.transposed, self.forward)

    def __matmul__(self, x: Tensor) -> Tensor:
        if not torch.is_grad_enabled():  # nothing to tell autograd
            return self.forward(x)
        return _Product.apply(x, self.forward, self.transposed)


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, forward: Map, transposed: Map) -> Tensor:
        ctx.transposed = transposed
        return forward(x)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        return ctx.transposed(grads[0]), None, None
