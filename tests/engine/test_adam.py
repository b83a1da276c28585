import numpy as np
import pytest
import torch
from support.small import CPU

from mtgcn.engine.adam import Adam
from mtgcn.engine.weights import Weights

SHAPES = {"encoder.0.B": (6, 4), "main.B": (4, 3), "AE.1.B": (4, 9)}
SEEDS, STEPS = [0, 1, 2], 60
# Learning rates that fall at another step in every run.
RATES = np.where(np.arange(STEPS)[:, None] < [20, 35, 50], [0.01, 0.1, 0.003], [0.001, 0.01, 0.0003])


def gradients(step: int, name: str) -> torch.Tensor:
    generator = torch.Generator().manual_seed(1000 * step + len(name))
    size = 10.0 ** -(step % 7)  # large and small ones
    return size * torch.randn(len(SEEDS), *SHAPES[name], generator=generator, dtype=torch.float64)


def by_torch(run: int, l2: dict[str, float], epsilon: float) -> dict[str, torch.Tensor]:
    start = Weights(SHAPES, SEEDS, CPU, torch.float64)
    own = {name: start[name][run].detach().clone().requires_grad_() for name in SHAPES}
    groups = [{"params": [own[name]], "weight_decay": l2.get(name, 0.0)} for name in SHAPES]
    adam = torch.optim.Adam(groups, eps=epsilon)
    for step in range(STEPS):
        for group in adam.param_groups:
            group["lr"] = RATES[step, run]
        for name in SHAPES:
            own[name].grad = gradients(step, name)[run]
        adam.step()
    return own


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-13), (torch.float32, 1e-5)])
@pytest.mark.parametrize("l2", [{}, {"encoder.0.B": 0.05}, {"encoder.0.B": 0.05, "main.B": 0.4}])
@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("epsilon", [1e-8, 1e-3])
def test_steps_are_those_of_torch_with_a_learning_rate_for_each_run(dtype, tolerance, l2, compiled, epsilon):
    weights = Weights(SHAPES, SEEDS, CPU, dtype)
    adam = Adam(weights, l2, epsilon, compiled)
    for step in range(STEPS):
        for name in SHAPES:
            weights[name].grad += gradients(step, name)
        adam.step(RATES[step].tolist())
        assert not weights.grad.any()  # cleared for the next epoch
    for run in range(len(SEEDS)):
        for name, expected in by_torch(run, l2, epsilon).items():
            torch.testing.assert_close(
                weights[name][run].detach().double(), expected.detach(), rtol=tolerance, atol=tolerance
            )


def test_the_penalty_is_that_of_the_formula():
    weights = Weights(SHAPES, SEEDS, CPU, torch.float64)
    told = Adam(weights, {"encoder.0.B": 0.05, "main.B": 0.4}).penalty()
    for run in range(len(SEEDS)):
        first, last = (weights[name][run].detach().square().sum() for name in ("encoder.0.B", "main.B"))
        assert told[run].item() == pytest.approx((0.05 * first + 0.4 * last).item() / 2, rel=1e-12)


def test_without_l2_nothing_decays():
    weights = Weights(SHAPES, SEEDS, CPU, torch.float64)
    before = weights.flat.clone()
    Adam(weights, dict.fromkeys(SHAPES, 0.0)).step([0.01] * 3)
    assert torch.equal(weights.flat, before)


def test_remaining_runs_go_on_as_before():
    whole, kept = (Weights(SHAPES, SEEDS, CPU, torch.float64) for _ in range(2))
    adam, other = (Adam(own, {"encoder.0.B": 0.05}) for own in (whole, kept))
    runs = np.array([0, 2])
    for step in range(STEPS):
        for name in SHAPES:
            whole[name].grad += gradients(step, name)
            kept[name].grad += gradients(step, name) if step < 30 else gradients(step, name)[runs]
        adam.step(RATES[step].tolist())
        other.step(RATES[step].tolist() if step < 30 else RATES[step, runs].tolist())
        if step == 29:
            fewer = Weights(SHAPES, [SEEDS[run] for run in runs], CPU, torch.float64)
            for name in SHAPES:
                fewer[name].data.copy_(kept[name].data[runs])
            kept, other = fewer, other.keep(runs, fewer)
    for name in SHAPES:
        assert torch.equal(whole[name][runs], kept[name])
