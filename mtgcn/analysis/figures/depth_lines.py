"""Accuracy against depth: with a remedy or without, beside what others have."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from mtgcn.analysis import literature
from mtgcn.analysis.comparison import PLAIN, WHOSE, in_order
from mtgcn.analysis.figures import style
from mtgcn.analysis.figures.style import GREY, Figure, styled
from mtgcn.analysis.statistics import interval, mean_and_sem


@styled
def accuracy_against_depth(table: pd.DataFrame) -> Figure:
    """Draw mean test accuracy on one data set against depth, one panel a remedy, one line a network, 95 % intervals.

    ``table`` has ``dataset, remedy, network, hidden_layers, test_accuracy``, one row a run. Where there are remedies, a
    thin line is the same network without, left out where a remedy has settings of its own (see `depth`), and open
    diamonds are the means that others have published for the remedy without tasks. Where there are none, open marks
    are the paper's means.
    """
    datasets = list(dict.fromkeys(table["dataset"]))
    there = list(dict.fromkeys(table["remedy"]))
    remedies = [name for name in there if name != PLAIN] or there
    shown = table[table["remedy"].isin(remedies)]
    networks, depths = in_order(shown["network"].tolist()), sorted(set(shown["hidden_layers"]))
    with_remedy = f" with {', '.join(remedies)}" if remedies != [PLAIN] else ""
    alt = (
        f"Test accuracy on {' and '.join(datasets)} against hidden layers{with_remedy} for {', '.join(networks)}, "
        f"95 % intervals, beside {'figures that others have published' if with_remedy else 'the figures of the paper'}."
    )
    size = (2.5, 2.7) if len(remedies) > 1 else (5.0, 3.6)
    figure, axes = style.panels(len(remedies), *size, alt, sharey=True)
    for remedy, ax in zip(remedies, axes, strict=True):
        for position, network in enumerate(networks):
            # A little to the left and right, so that the intervals of one depth do not hide each other.
            shift = 2 ** (0.03 * (position - (len(networks) - 1) / 2))
            own = table[table["network"] == network]
            if remedy != PLAIN and WHOSE not in remedy:
                _line(ax, own[own["remedy"] == PLAIN], network, shift, thin=True)
            _line(ax, own[own["remedy"] == remedy], network, shift)
            if remedy == PLAIN:
                printed = literature.accuracies().query("dataset in @datasets and network == @network")
                look, at = style.of(network), printed["hidden_layers"] * shift
                ax.plot(at, printed["mean"], look.marker, color=look.colour, mfc="none", ms=8)
        if remedy != PLAIN:
            theirs = literature.remedies()
            theirs = theirs[theirs["dataset"].isin(datasets) & (theirs["remedy"] == remedy.split(WHOSE)[0])]
            ax.plot(theirs["hidden_layers"], theirs["accuracy"], "D", color=GREY, mfc="none", ms=5)
        ax.set(title="" if remedy == PLAIN else remedy, xscale="log")
        ax.set_xticks(depths, [str(depth) for depth in depths])
        ax.xaxis.set_minor_locator(NullLocator())
    if axes:  # intervals of a few runs must not stretch the axis beyond what an accuracy can be
        low, high = axes[0].get_ylim()
        axes[0].set_ylim(max(low, -2), min(high, 102))
    figure.supxlabel("hidden layers", fontsize=10)
    figure.supylabel("test accuracy, %", fontsize=10)
    handles = [*map(style.handle, networks), *_others(bool(with_remedy))]
    figure.legend(handles=handles, loc="outside upper center", ncols=4, handlelength=3.5)
    return figure


def _line(ax: Axes, runs: pd.DataFrame, network: str, shift: float, thin: bool = False) -> None:
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


def _others(remedies: bool) -> list[Line2D]:
    open_mark: dict[str, Any] = {"color": GREY, "mfc": "none", "linestyle": "none"}
    if not remedies:
        return [Line2D([], [], marker="o", label="the paper's", **open_mark)]
    thin = Line2D([], [], color=GREY, linewidth=0.9, label="without remedy")
    return [thin, Line2D([], [], marker="D", ms=5, label="published", **open_mark)]
