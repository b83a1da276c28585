"""The weights of the risks in the objective: as given, all equal, or learned along with the network, run by run.

What is learned stands among the weights of the network, as ``weighting.…``: it is kept with the best epoch, goes on
when other runs have ended, and Adam moves it with the learning rate of the run, without L2. With learned weights the
validation loss, which steers the plateau and may choose the best epoch, has the weights of its own epoch. Under
uncertainty the losses of all epochs are one function of all that is learned, and can be compared. Under GradNorm they
can as far as the weights, whose sum stays, have settled; the best epoch by accuracy or main loss does not depend on it.
"""

from collections.abc import Iterable, Mapping

import torch
from torch import Tensor

from mtgcn.engine.weights import Weights
from mtgcn.model.tasks.base import Likelihood

MAIN = "main"
Risks = Iterable[tuple[str, Tensor]]  # names and (runs,) values, the main risk first


class Static:
    """w_main R_main + Σ w_k R_k with the weights given (equation 1 of the paper).

    Args:
        main_weight: w_main.
        task_weights: w_k of each run, (runs,) by the name of the task.
        likelihoods: what each task's risk is the logarithm of.
        alpha: for `GradNorm`.
    """

    def __init__(
        self,
        main_weight: float,
        task_weights: Mapping[str, Tensor],
        likelihoods: Mapping[str, Likelihood],
        alpha: float,
    ) -> None:
        self.main_weight, self.task_weights, self.alpha = main_weight, task_weights, alpha
        self.likelihoods = {MAIN: "softmax", **likelihoods}

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of what is learned in one run, by name; it starts at 0."""
        return {}

    def objective(self, risks: Risks, weights: Weights) -> Tensor:
        """Return the objective of each run, (runs,)."""
        loss: Tensor | None = None
        for name, risk in risks:
            loss = self.main_weight * risk if loss is None else loss + self.task_weights[name] * risk
        assert loss is not None
        return loss

    def descend(self, risks: Risks, weights: Weights, encoder_layers: int) -> Tensor:
        """Add the gradients of the objective to those of all weights, and return it, (runs,)."""
        loss = self.objective(risks, weights)
        loss.sum().backward()
        return loss.detach()

    def after_step(self, weights: Weights) -> None:
        """Bring what is learned back to where it has to be after a step of the optimiser."""


class Equal(Static):
    """Every weight is 1, but for a task whose weight is 0, which takes no part."""

    def __init__(
        self,
        main_weight: float,
        task_weights: Mapping[str, Tensor],
        likelihoods: Mapping[str, Likelihood],
        alpha: float,
    ) -> None:
        takes_part = {name: (values > 0).to(values.dtype) for name, values in task_weights.items()}
        super().__init__(1.0, takes_part, likelihoods, alpha)


class Uncertainty(Equal):
    """Every risk is weighted by a learned uncertainty σ of its task (Kendall et al. 2018, equations 7 and 10).

    R / (2 σ²) + log σ for squared errors, R / σ² + log σ for cross-entropy; for absolute errors R / σ + log σ, which
    the same argument gives for Laplace's distribution. What is learned is log σ.
    """

    FACTORS: Mapping[str, tuple[float, int]] = {"gaussian": (0.5, 2), "softmax": (1.0, 2), "laplace": (1.0, 1)}

    def shapes(self) -> dict[str, tuple[int, ...]]:  # noqa: D102  (see Static)
        return {"log_sigma": (len(self.likelihoods),)}

    def objective(self, risks: Risks, weights: Weights) -> Tensor:  # noqa: D102
        log_sigma = weights["weighting.log_sigma"].double()
        parts = []
        for number, (name, risk) in enumerate(risks):
            factor, power = self.FACTORS[self.likelihoods[name]]
            part = factor * torch.exp(-power * log_sigma[:, number]) * risk + log_sigma[:, number]
            parts.append(part if name == MAIN else self.task_weights[name] * part)
        return torch.stack(parts).sum(0)


class GradNorm(Equal):
    """Weights under which all risks pull alike at the last layer of the encoder (Chen et al. 2018, algorithm 1).

    G_k is the norm of the gradient of w_k R_k by the weights of that layer, and r_k the ratio of R_k to its first value
    over the mean of these ratios. The weights descend Σ |G_k − mean(G) r_k^α|, whose second term is held fixed; they
    stay positive and sum up to the number of risks. Since G_k = w_k ‖∇R_k‖, the derivative by w_k is ‖∇R_k‖, and
    no gradient of a gradient is needed. Each risk is differentiated once, and the gradient of the objective is the
    weighted sum of what comes out: a head is passed once, and the encoder once for every risk.
    """

    def shapes(self) -> dict[str, tuple[int, ...]]:  # noqa: D102
        return {"beyond_one": (len(self.likelihoods),), "first_risks": (len(self.likelihoods),)}

    def _current(self, weights: Weights) -> tuple[Tensor, Tensor]:
        """Return the weights and which of them take part, (runs, risks) each in float64."""
        ones = torch.ones(weights.runs, device=weights.flat.device, dtype=torch.float64)
        takes_part = torch.stack([ones, *self.task_weights.values()], dim=1)
        return (1 + weights["weighting.beyond_one"].detach().double()) * takes_part, takes_part

    def objective(self, risks: Risks, weights: Weights) -> Tensor:  # noqa: D102
        current, _ = self._current(weights)
        return (torch.stack([risk for _, risk in risks], dim=1) * current).sum(1)

    def descend(self, risks: Risks, weights: Weights, encoder_layers: int) -> Tensor:  # noqa: D102
        current, takes_part = self._current(weights)
        names = [name for name in weights if not name.startswith("weighting.")]
        shared = f"encoder.{encoder_layers - 1}."
        values, norms = [], []
        for number, risk in enumerate([risk for _, risk in risks]):
            found = torch.autograd.grad(
                risk.sum(), [weights[name] for name in names], retain_graph=True, allow_unused=True
            )
            square = torch.zeros_like(risk)
            for name, gradient in zip(names, found, strict=True):
                if gradient is None:
                    continue
                if name.startswith(shared):
                    square += gradient.flatten(1).double().square().sum(1)
                scale = current[:, number].to(gradient.dtype).view(-1, *[1] * (gradient.ndim - 1))
                weights.gradient(name).add_(scale * gradient)
            values.append(risk.detach())
            norms.append(square.sqrt())
        self._pull(torch.stack(values, dim=1), torch.stack(norms, dim=1), current, takes_part, weights)
        return (torch.stack(values, dim=1) * current).sum(1)

    @torch.no_grad()
    def _pull(self, risks: Tensor, norms: Tensor, current: Tensor, takes_part: Tensor, weights: Weights) -> None:
        """Set the gradients of the weights from risks and norms of their gradients, (runs, risks) each."""
        first = weights["weighting.first_risks"]
        first.copy_(torch.where(first == 0, risks.to(first.dtype), first))
        number = takes_part.sum(1, keepdim=True)
        ratios = takes_part * risks / first.double().clamp_min(1e-12)
        pace = ratios / (ratios.sum(1, keepdim=True) / number).clamp_min(1e-12)
        target = (current * norms).sum(1, keepdim=True) / number * pace**self.alpha
        pull = torch.sign(current * norms - target) * norms * takes_part
        weights.gradient("weighting.beyond_one").copy_(pull)

    @torch.no_grad()
    def after_step(self, weights: Weights) -> None:  # noqa: D102
        current, takes_part = self._current(weights)
        positive = current.clamp_min(1e-3) * takes_part
        scaled = positive * (takes_part.sum(1, keepdim=True) / positive.sum(1, keepdim=True))
        learned = weights["weighting.beyond_one"]
        learned.copy_(scaled.to(learned.dtype) - 1)


WEIGHTINGS: dict[str, type[Static]] = {
    "static": Static,
    "equal": Equal,
    "uncertainty": Uncertainty,
    "gradnorm": GradNorm,
}
