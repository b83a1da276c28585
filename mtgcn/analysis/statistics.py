"""What a handful of runs can say: errors, intervals, paired tests. Pure functions of arrays.

A run that diverged is NaN and is left out; who shows a mean also shows how many runs it rests on.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from mtgcn.errors import MtgcnError

Floats = NDArray[np.float64]

# 2^13 sign patterns are counted one by one; with more than 13 pairs this many are drawn.
RESAMPLES = 9_999


def mean_and_sem(values: ArrayLike) -> tuple[float, float]:
    """Return mean and standard error of the mean of ``values`` (runs,).

    The mean of no run and the standard error of fewer than two are NaN.
    """
    finite = _finite(values)
    if finite.size == 0:
        return np.nan, np.nan
    sem = float(stats.sem(finite)) if finite.size > 1 else np.nan
    return float(finite.mean()), sem


def interval(values: ArrayLike, level: float = 0.95) -> tuple[float, float]:
    """Return Student's t interval for the mean of ``values`` (runs,); NaN for fewer than two runs.

    Not a bootstrap: with ten runs the percentiles of resampled means are known to be too narrow.
    """
    finite = _finite(values)
    if finite.size < 2:
        return np.nan, np.nan
    half = stats.t.ppf((1 + level) / 2, finite.size - 1) * stats.sem(finite)
    return float(finite.mean() - half), float(finite.mean() + half)


def paired_permutation(values: ArrayLike, baseline: ArrayLike) -> float:
    """Return the two-sided p that paired ``values`` and ``baseline`` (runs,) have the same mean.

    If the network made no difference, either member of a pair could have come from either side: every swap is
    equally likely. Up to 13 pairs all swaps are counted (1,024 for ten, so p is never below 0.002); beyond,
    9,999 are drawn with a fixed seed. Pairs with a NaN are left out; fewer than two pairs give NaN.
    """
    first, second = np.asarray(values, float), np.asarray(baseline, float)
    if first.shape != second.shape:
        raise MtgcnError(f"A paired test needs as many runs on both sides, not {first.size} and {second.size}.")
    differences = _finite(first - second)
    if differences.size < 2:
        return np.nan

    def mean(sample: Floats, axis: int) -> Floats:
        # Accuracies are tenths of a percent, which binary numbers miss: unrounded, noise would break ties.
        return np.asarray(sample.mean(axis=axis)).round(9)

    test = stats.permutation_test(
        (differences,),
        mean,
        permutation_type="samples",
        vectorized=True,
        n_resamples=RESAMPLES,
        rng=np.random.default_rng(0),
    )
    return float(test.pvalue)


def holm(pvalues: ArrayLike) -> Floats:
    """Return Holm's adjusted p values of ``pvalues`` (comparisons,).

    The chance of a single false alarm among all comparisons stays below the level at which they are read.
    A NaN is a comparison that was not made: it stays NaN and does not count.
    """
    given = np.asarray(pvalues, float)
    adjusted = np.full(given.shape, np.nan)
    made = np.flatnonzero(~np.isnan(given))
    order = made[np.argsort(given[made], kind="stable")]
    factors = np.arange(order.size, 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(given[order] * factors))
    return adjusted


def agrees(mean: float, sem: float, other_mean: float, other_sem: float) -> bool | None:
    """Say whether two means lie within two standard errors of their difference, sqrt(sem² + other_sem²).

    None where that cannot be said, because a mean or an error is missing.
    """
    difference, error = mean - other_mean, np.hypot(sem, other_sem)
    if np.isnan(difference) or np.isnan(error):
        return None
    return bool(abs(difference) <= 2 * error)


def _finite(values: ArrayLike) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    return array[~np.isnan(array)]
