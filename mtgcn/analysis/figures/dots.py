"""Runs as points and their mean on top, the same way in every figure."""

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from mtgcn.analysis.figures.style import Style
from mtgcn.analysis.statistics import mean_and_sem

FEW = 20  # more points than these are drawn smaller and lighter, so that a crowd stays a crowd of points


def runs_and_mean(ax: Axes, values: ArrayLike, height: float, look: Style, size: float = 7) -> None:
    """Draw ``values`` (runs,) as points at ``height``, and their mean ± standard error with a marker of ``size``."""
    points = np.asarray(values, float)
    few = len(points) <= FEW
    places = height + spread(len(points)) * (1 if few else 1.5)
    ax.scatter(points, places, s=14 if few else 7, color=look.colour, alpha=0.5 if few else 0.35, linewidths=0)
    mean, sem = mean_and_sem(points)
    if not np.isnan(mean):
        error = None if np.isnan(sem) else sem
        ax.errorbar(mean, height, xerr=error, color=look.colour, marker=look.marker, ms=size, capsize=3)


def spread(runs: int) -> np.ndarray:
    """Heights (runs,) that keep equal values apart: by the golden ratio, evenly and without chance."""
    return (np.arange(runs) * 0.618034 % 1 - 0.5) * 0.32
