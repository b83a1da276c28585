"""Statistics against formulas written out, brute force and worked examples."""

from itertools import product

import numpy as np
import pytest

from mtgcn.analysis import statistics
from mtgcn.errors import MtgcnError

RUNS = np.array([81.3, 81.9, 80.7, 82.0, 81.1, 81.4, 81.8, 80.9, 81.5, 81.6])


def test_mean_and_standard_error_follow_their_definition() -> None:
    mean, sem = statistics.mean_and_sem(RUNS)
    assert mean == pytest.approx(sum(RUNS) / 10)
    assert sem == pytest.approx((sum((RUNS - mean) ** 2) / 9 / 10) ** 0.5)


@pytest.mark.parametrize("values", [[81.3], [81.3, np.nan]])
def test_one_run_has_a_mean_and_no_error(values: list[float]) -> None:
    mean, sem = statistics.mean_and_sem(values)
    assert mean == 81.3
    assert np.isnan(sem)
    assert np.isnan(statistics.interval(values)).all()


def test_no_run_has_neither() -> None:
    assert np.isnan(statistics.mean_and_sem([])).all()
    assert np.isnan(statistics.mean_and_sem([np.nan, np.nan])).all()


def test_diverged_runs_are_left_out() -> None:
    with_nan = np.append(RUNS, [np.nan, np.nan])
    assert statistics.mean_and_sem(with_nan) == statistics.mean_and_sem(RUNS)
    assert statistics.interval(with_nan) == statistics.interval(RUNS)


def test_interval_uses_student_s_quantile() -> None:
    low, high = statistics.interval(RUNS)
    mean, sem = statistics.mean_and_sem(RUNS)
    # 2.262157 is the 97.5 % quantile with 9 degrees of freedom of any printed table.
    assert (low, high) == pytest.approx((mean - 2.262157 * sem, mean + 2.262157 * sem), rel=1e-6)


def test_interval_covers_the_mean_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    hits = [low < 5 < high for low, high in (statistics.interval(rng.normal(5, 2, 10)) for _ in range(2000))]
    assert 0.93 < np.mean(hits) < 0.97


def test_permutation_test_counts_every_swap() -> None:
    other = RUNS + np.array([0.5, 0.3, 0.9, -0.4, 0.0, 0.6, -0.1, 0.8, 0.2, -0.3])
    differences = np.round((other - RUNS) * 10).astype(int)  # tenths of a percent: exact in integers
    sums = [abs(np.dot(signs, differences)) for signs in product([1, -1], repeat=10)]
    assert len(sums) == 1024
    expected = np.mean([total >= abs(differences.sum()) for total in sums])
    assert statistics.paired_permutation(other, RUNS) == pytest.approx(expected)
    assert statistics.paired_permutation(RUNS, other) == pytest.approx(expected)


def test_permutation_test_reaches_its_smallest_value_and_one() -> None:
    assert statistics.paired_permutation(RUNS + 0.4, RUNS) == pytest.approx(2 / 1024)
    assert statistics.paired_permutation(RUNS, RUNS) == pytest.approx(1.0)


def test_permutation_test_with_many_pairs_is_drawn_and_repeatable() -> None:
    rng = np.random.default_rng(2)
    noise = rng.normal(0, 1, (2, 100))
    first = statistics.paired_permutation(noise[0] + 5, noise[1])
    assert first == statistics.paired_permutation(noise[0] + 5, noise[1])
    assert first == pytest.approx(2 / 10_000)
    assert statistics.paired_permutation(noise[0], noise[1]) > 0.01


def test_permutation_test_leaves_out_pairs_with_a_diverged_run() -> None:
    with_nan, other = np.append(RUNS, np.nan), np.append(RUNS + 0.4, 50.0)
    assert statistics.paired_permutation(other, with_nan) == pytest.approx(2 / 1024)
    assert np.isnan(statistics.paired_permutation([81.0, np.nan], [80.0, 80.0]))


def test_permutation_test_rejects_unequal_lengths() -> None:
    with pytest.raises(MtgcnError, match="not 10 and 9"):
        statistics.paired_permutation(RUNS, RUNS[:9])


def test_holm_worked_example() -> None:
    # 0.01·4, 0.02·3 → 0.06, 0.03·2 → 0.06, 0.04·1 raised to 0.06; order does not matter.
    assert statistics.holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])


def test_holm_stops_at_one_and_skips_what_was_not_compared() -> None:
    adjusted = statistics.holm([0.9, np.nan, 0.02, 0.8])
    assert adjusted == pytest.approx([1.0, np.nan, 0.06, 1.0], nan_ok=True)
    assert statistics.holm([]).shape == (0,)


@pytest.mark.parametrize(
    ("ours", "paper", "expected"),
    [
        ((81.0, 0.3), (82.0, 0.4), True),  # 1.0 apart, error 0.5: exactly two
        ((80.99, 0.3), (82.0, 0.4), False),
        ((82.0, 0.4), (81.0, 0.3), True),
        ((81.0, np.nan), (81.0, 0.1), None),
        ((np.nan, np.nan), (81.0, 0.1), None),
    ],
)
def test_agreement_is_two_errors_of_the_difference(
    ours: tuple[float, float], paper: tuple[float, float], expected: bool | None
) -> None:
    assert statistics.agrees(*ours, *paper) is expected
