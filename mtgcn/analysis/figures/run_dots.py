"""Accuracy by network: every run as a point, our mean and the paper's."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from mtgcn.analysis.comparison import Cell, checked, compare, of_cell
from mtgcn.analysis.figures import style
from mtgcn.analysis.figures.style import GREY, Figure, styled
from mtgcn.analysis.statistics import Floats, mean_and_sem
from mtgcn.analysis.wording import cell

FEW = 20  # more points than these are drawn smaller and lighter, so that a crowd stays a crowd of points


@styled
def runs_by_network(results: pd.DataFrame, cells: Sequence[Cell] | None = None) -> Figure:
    """Draw test accuracies, one panel for each of ``cells`` (data set, hidden layers), by default all with runs.

    Points are runs, a filled marker is our mean and an open diamond the paper's, both with their standard error.
    """
    results = checked(results)
    summary = compare(results, cells)
    shown = summary.dropna(subset=["mean", "paper_mean"], how="all")
    panels = list(dict.fromkeys(zip(shown["dataset"], shown["hidden_layers"], strict=True)))
    networks = list(dict.fromkeys(shown["network"]))
    alt = (
        f"Test accuracy of {', '.join(networks)} on {', '.join(cell(*panel) for panel in panels)}: "
        "every run, our mean and the paper's mean with standard errors."
    )
    figure = Figure(1.2 + 2.6 * max(2, len(panels)), 1.5 + 0.46 * len(networks), alt)
    axes = figure.subplots(1, max(1, len(panels)), sharey=True, squeeze=False)[0]
    for panel, ax in zip(panels, axes, strict=False):
        _panel(ax, of_cell(shown, panel), networks, of_cell(results, panel))
        ax.set_title(cell(*panel))
        ax.set_xlabel("test accuracy, %")
        ax.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    axes[0].set_yticks(range(len(networks)), networks)
    axes[0].set_ylim(len(networks) - 0.4, -0.6)  # the first network on top, as in the paper's tables
    figure.legend(handles=_legend(), loc="outside lower center", ncols=3)
    return figure


def _panel(ax: Axes, summary: pd.DataFrame, networks: list[str], results: pd.DataFrame) -> None:
    ax.grid(visible=False, axis="y")
    ax.tick_params(axis="y", length=0)
    for row in summary.to_dict("records"):
        look, height = style.of(row["network"]), networks.index(row["network"])
        if row["runs"]:
            own = results[results["network"] == row["network"]].sort_values("seed")["test_accuracy"]
            _runs_and_mean(ax, own.to_numpy(float), height - 0.05, look)
        if not np.isnan(row["paper_mean"]):
            ax.errorbar(
                row["paper_mean"], height + 0.3, xerr=row["paper_sem"], color=GREY, marker="D", ms=5, mfc="none"
            )


def _runs_and_mean(ax: Axes, points: Floats, height: float, look: style.Style) -> None:
    """Draw ``points`` (runs,) at ``height``, and their mean ± standard error on top."""
    few = len(points) <= FEW
    # Equal values are kept apart by the golden ratio, evenly and without chance.
    places = height + (np.arange(len(points)) * 0.618034 % 1 - 0.5) * (0.32 if few else 0.48)
    ax.scatter(points, places, s=14 if few else 7, color=look.colour, alpha=0.5 if few else 0.35, linewidths=0)
    mean, sem = mean_and_sem(points)
    if not np.isnan(mean):
        error = None if np.isnan(sem) else sem
        ax.errorbar(mean, height, xerr=error, color=look.colour, marker=look.marker, ms=7, capsize=3)


def _legend() -> list[Line2D]:
    common: dict[str, Any] = {"color": GREY, "linestyle": "none"}
    return [
        Line2D([], [], marker="o", ms=4, alpha=0.5, label="a run", **common),
        Line2D([], [], marker="o", ms=7, label="our mean ± standard error", **common),
        Line2D([], [], marker="D", ms=5, mfc="none", label="the paper's mean ± standard error", **common),
    ]
