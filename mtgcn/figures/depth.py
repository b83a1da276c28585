"""Accuracy against depth."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from mtgcn.comparison import checked, in_order
from mtgcn.figures import style
from mtgcn.figures.style import GREY, Figure, styled
from mtgcn.paper import accuracies
from mtgcn.statistics import interval, mean_and_sem


@styled
def accuracy_against_depth(results: pd.DataFrame) -> Figure:
    """Draw mean test accuracy against hidden layers with 95 % intervals, one panel a data set, one line a network.

    Open markers are the paper's means at the depths it has.
    """
    results = checked(results)
    datasets = list(dict.fromkeys(results["dataset"]))
    networks = in_order(results["network"].tolist())
    alt = f"Test accuracy of {', '.join(networks)} against hidden layers on {' and '.join(datasets)}, 95 % intervals."
    figure = Figure(1 + 4.2 * max(1, len(datasets)), 4.4, alt)
    axes = figure.subplots(1, max(1, len(datasets)), sharey=True, squeeze=False)[0]
    for dataset, ax in zip(datasets, axes, strict=False):
        here = results[results["dataset"] == dataset]
        for position, network in enumerate(networks):
            # A little to the left and right, so that the intervals of one depth do not hide each other.
            shift = 2 ** (0.03 * (position - (len(networks) - 1) / 2))
            mean_line(ax, here[here["network"] == network], network, shift)
            _paper(ax, dataset, network, shift)
        depths = sorted(here["hidden_layers"].unique())
        ax.set(title=dataset.capitalize(), xscale="log", xlabel="hidden layers")
        ax.set_xticks(depths, [str(depth) for depth in depths])
        ax.xaxis.set_minor_locator(NullLocator())
    within_per_cent(axes[0])
    axes[0].set_ylabel("test accuracy, %")
    handles = [style.handle(network) for network in networks]
    handles.append(Line2D([], [], color=GREY, marker="o", mfc="none", linestyle="none", label="the paper's"))
    figure.legend(handles=handles, loc="outside lower center", ncols=4, handlelength=3.5)
    return figure


def mean_line(ax: Axes, runs: pd.DataFrame, network: str, shift: float = 1.0, thin: bool = False) -> None:
    """Draw means by depth in the look of ``network``, with 95 % intervals unless the line is ``thin``."""
    look = style.of(network)
    groups = runs.groupby("hidden_layers")["test_accuracy"]
    if not groups.ngroups:
        return
    depths = np.array(list(groups.groups), dtype=float) * shift
    means = np.array([mean_and_sem(values)[0] for _, values in groups])
    if thin:
        ax.plot(depths, means, color=look.colour, linestyle=look.dashes, linewidth=0.9, alpha=0.8)
        return
    low, high = np.array([interval(values) for _, values in groups]).T
    ax.plot(depths, means, color=look.colour, linestyle=look.dashes, marker=look.marker, ms=6)
    ax.vlines(depths, low, high, color=look.colour, linewidth=1, alpha=0.7)


def within_per_cent(ax: Axes) -> None:
    """Keep the intervals of a few runs from stretching the axis beyond what an accuracy can be.

    Panels that share the axis must all have been drawn: from here on it does not follow the data.
    """
    low, high = ax.get_ylim()
    ax.set_ylim(max(low, -2), min(high, 102))


def _paper(ax: Axes, dataset: str, network: str, shift: float) -> None:
    printed = accuracies().query("dataset == @dataset and network == @network")
    look = style.of(network)
    ax.plot(printed["hidden_layers"] * shift, printed["mean"], look.marker, color=look.colour, mfc="none", ms=8)
