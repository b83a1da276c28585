import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.optim.lr_scheduler import ReduceLROnPlateau

from mtgcn.experiments.plateau import Plateau

ANY_LOSS = st.floats(0, 10, allow_nan=False) | st.sampled_from([float("inf"), float("nan"), 0.0, 1.0])
# Losses that fall or rise by little, where the tolerance decides.
DRIFT = st.lists(st.sampled_from([1.0, 0.9999, 0.99985, 0.99995, 0.999, 0.9, 1.001]), min_size=1, max_size=80)


def torch_rates(losses: list[float], patience: int, factor: float, tolerance: float, mode: str = "rel") -> list[float]:
    """The learning rates after each epoch by torch's own rule."""
    optimiser = torch.optim.SGD([torch.zeros(1)], lr=0.01)
    # torch cuts at the first bad epoch beyond its patience, and by default ignores cuts below 1e-8.
    rule = ReduceLROnPlateau(
        optimiser, factor=factor, patience=patience - 1, threshold=tolerance, eps=0, threshold_mode=mode
    )
    rates = []
    for loss in losses:
        rule.step(loss)
        rates.append(optimiser.param_groups[0]["lr"])
    return rates


def our_rates(
    sequences: np.ndarray, patience: int, factor: float, tolerance: float, absolute: bool = False
) -> np.ndarray:
    """The same by ours, (runs, epochs) losses to (runs, epochs) rates."""
    plateau = Plateau(len(sequences), 0.01, patience, factor, tolerance, absolute)
    rates = []
    for losses in sequences.T:
        plateau.update(losses)
        rates.append(plateau.learning_rates.copy())
    return np.array(rates).T


@settings(deadline=None)
@given(
    runs=st.integers(1, 60).flatmap(
        lambda epochs: st.lists(st.lists(ANY_LOSS, min_size=epochs, max_size=epochs), min_size=1, max_size=4)
    ),
    patience=st.integers(1, 6),
    factor=st.sampled_from([0.1, 0.5]),
    tolerance=st.sampled_from([0.0, 1e-4, 0.1]),
)
def test_rates_are_those_of_torch_for_every_run(runs, patience, factor, tolerance):
    ours = our_rates(np.array(runs), patience, factor, tolerance)
    for mine, losses in zip(ours, runs, strict=True):
        assert mine.tolist() == torch_rates(losses, patience, factor, tolerance)


@settings(deadline=None)
@given(steps=DRIFT, patience=st.integers(1, 4), tolerance=st.sampled_from([0.0, 1e-4, 1e-3]), absolute=st.booleans())
def test_small_improvements_count_as_torch_counts_them(steps, patience, tolerance, absolute):
    losses = np.cumprod(steps)
    ours = our_rates(losses[None], patience, 0.1, tolerance, absolute)[0]
    assert ours.tolist() == torch_rates(losses.tolist(), patience, 0.1, tolerance, "abs" if absolute else "rel")


def test_the_fortieth_bad_epoch_in_a_row_cuts():
    losses = np.ones((1, 1 + 40 + 40))
    rates = our_rates(losses, 40, 0.1, 1e-4)[0]
    assert rates[39] == 0.01
    assert rates[40] == 0.01 * 0.1
    assert rates[79] == 0.01 * 0.1
    assert rates[80] == 0.01 * 0.1 * 0.1


def test_remaining_runs_go_on_as_before():
    losses = np.random.default_rng(0).random((4, 60))
    expected = our_rates(losses, 3, 0.1, 1e-4)
    plateau = Plateau(4, 0.01, 3, 0.1, 1e-4)
    for epoch in range(60):
        plateau.update(losses[:, epoch] if epoch <= 20 else losses[[1, 3], epoch])
        if epoch == 20:
            plateau.keep(np.array([1, 3]))
        if epoch >= 20:
            assert plateau.learning_rates.tolist() == expected[[1, 3], epoch].tolist()
