"""Runs by reading of the paper's open points."""

import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from mtgcn.analysis import literature
from mtgcn.analysis.comparison import cells_of, in_order
from mtgcn.analysis.figures import style
from mtgcn.analysis.figures.dots import runs_and_mean
from mtgcn.analysis.figures.style import GREY, Figure, styled
from mtgcn.experiments.readings import DEFAULT, LABELS, READING


@styled
def runs_by_reading(runs: pd.DataFrame) -> Figure:
    """Draw test accuracies of one cell, a row a reading, a panel a network.

    ``runs`` is what `open_points.run` gives. Points are runs, the marker is their mean ± standard error; the line
    through all rows is the default's mean, the dotted one the paper's.
    """
    networks = in_order(runs["network"].tolist())
    names = [name for name in LABELS if name in set(runs[READING])]
    alt = f"Test accuracy of {', '.join(networks)} in {len(names)} readings of the paper: every run and the means."
    figure, axes = style.panels(len(networks), 2.2, 0.6 + 0.34 * len(names), alt, sharey=True, sharex=False)
    printed = literature.accuracies().set_index(["dataset", "hidden_layers", "network"])["mean"].to_dict()
    for network, ax in zip(networks, axes, strict=True):
        look, own = style.of(network), runs[runs["network"] == network]
        for height, name in enumerate(names):
            values = own.loc[own[READING] == name].sort_values("seed")["test_accuracy"]
            if len(values):
                runs_and_mean(ax, values, height, look)
        usual = own.loc[own[READING] == DEFAULT.name, "test_accuracy"].mean()
        ax.axvline(usual, color=look.colour, linewidth=1, alpha=0.6)
        for cell in cells_of(own):
            if (theirs := printed.get((*cell, network))) is not None:
                ax.axvline(theirs, color=GREY, linewidth=1.2, linestyle=":")
        ax.set_title(network)
        ax.grid(visible=False, axis="y")
        ax.tick_params(axis="y", length=0)
        ax.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    axes[0].set_yticks(range(len(names)), [LABELS[name] for name in names])
    axes[0].set_ylim(len(names) - 0.5, -0.5)
    figure.supxlabel("test accuracy, %", fontsize=10)
    figure.legend(handles=_legend(), loc="outside upper center", ncols=2)
    return figure


def _legend() -> list[Line2D]:
    return [
        Line2D([], [], color=GREY, linestyle="none", marker="o", ms=4, alpha=0.5, label="a run"),
        Line2D([], [], color=GREY, linestyle="none", marker="o", ms=7, label="mean ± standard error"),
        Line2D([], [], color=GREY, linewidth=1, label="mean of our default"),
        Line2D([], [], color=GREY, linewidth=1.2, linestyle=":", label="the paper's mean"),
    ]
