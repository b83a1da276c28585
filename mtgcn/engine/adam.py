"""Adam with a learning rate of its own for each run."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from mtgcn.engine import kernels
from mtgcn.engine.weights import Weights

BETA_1, BETA_2 = 0.9, 0.999  # Kingma & Ba's values


class Adam:
    """Adam over the flat buffer of all runs; torch's own takes one learning rate for a whole tensor.

    Args:
        weights: of all runs.
        l2: coefficient λ of λ/2 ‖B‖² by the name of each weight that has one, added to the gradient as
            Kipf & Welling do.
        epsilon: what keeps the step finite where the gradient is 0.
        compiled: whether the kernels in C take the step; the numbers are the same.
    """

    def __init__(
        self, weights: Weights, l2: Mapping[str, float], epsilon: float = 1e-8, compiled: bool = False
    ) -> None:
        self.weights, self.l2, self.epsilon, self.compiled = weights, l2, epsilon, compiled
        self._decays = [(weights.offsets[name], coefficient) for name, coefficient in l2.items() if coefficient]
        self.mean = torch.zeros_like(weights.flat)
        self.square = torch.zeros_like(weights.flat)
        self._roots = torch.empty_like(weights.flat)
        arrays = weights.flat, weights.grad, self.mean, self.square, self._roots
        self._parts = [(l2.get(name, 0.0), [array[part] for array in arrays]) for name, part in weights.offsets.items()]
        self.steps = 0
        self._rates: Tensor | None = None
        self._given: tuple[float, ...] = ()

    @torch.no_grad()
    def step(self, learning_rates: Sequence[float]) -> None:
        """Move each run by its gradient and its learning rate, then clear the gradients."""
        if self._given != tuple(learning_rates):
            self._given = tuple(learning_rates)
            flat = self.weights.flat
            self._rates = flat.new_tensor(self._given) if self.compiled else self.weights.per_run(self._given)
        assert self._rates is not None
        self.steps += 1
        bias_1, bias_2 = 1 - BETA_1**self.steps, (1 - BETA_2**self.steps) ** 0.5
        if self.compiled:
            for l2, (weights, grad, mean, square, _) in self._parts:
                kernels.moments(weights, grad, mean, square, l2, BETA_1, BETA_2)
            torch.sqrt(self.square, out=self._roots)
            for _, (weights, _, mean, _, root) in self._parts:
                kernels.step(self._rates, weights, mean, root, bias_1, bias_2, self.epsilon)
            return
        flat, grad = self.weights.flat, self.weights.grad
        for part, coefficient in self._decays:
            grad[part].add_(flat[part], alpha=coefficient)
        self.mean.lerp_(grad, 1 - BETA_1)
        self.square.mul_(BETA_2).addcmul_(grad, grad, value=1 - BETA_2)
        scale = self.square.sqrt().div_(bias_2).add_(self.epsilon)
        flat.addcdiv_(self._rates * self.mean, scale, value=-1 / bias_1)
        grad.zero_()

    @torch.no_grad()
    def penalty(self) -> Tensor:
        """Return Σ λ/2 ‖B‖² over the weights that have a λ, (runs,) in float64."""
        total = torch.zeros(self.weights.runs, device=self.weights.flat.device, dtype=torch.float64)
        for part, coefficient in self._decays:
            squares = self.weights.flat[part].view(self.weights.runs, -1).square().sum(1, dtype=torch.float64)
            total.add_(squares, alpha=coefficient / 2)
        return total

    def keep(self, runs: np.ndarray, weights: Weights) -> "Adam":
        """Return the optimiser of these runs only, whose weights are given; its moments go on."""
        l2 = {name: coefficient for name, coefficient in self.l2.items() if name in weights}
        kept = Adam(weights, l2, self.epsilon, self.compiled)
        kept.steps = self.steps
        chosen = torch.from_numpy(runs)
        for moment, old in ((kept.mean, self.mean), (kept.square, self.square)):
            for name, part in weights.offsets.items():
                moment[part] = old[self.weights.offsets[name]].view(self.weights.runs, -1)[chosen].flatten()
        return kept
