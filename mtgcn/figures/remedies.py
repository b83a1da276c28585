"""Remedies against depth: alone, with an auxiliary task, and as published."""

import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from mtgcn.comparison import PLAIN, WHOSE, in_order
from mtgcn.figures import style
from mtgcn.figures.depth import mean_line, within_per_cent
from mtgcn.figures.style import GREY, Figure, styled
from mtgcn.published import accuracies


@styled
def remedies_against_depth(table: pd.DataFrame) -> Figure:
    """Draw accuracy against depth on one data set, one panel a remedy, one line a network, with 95 % intervals.

    ``table`` has ``dataset, remedy, network, hidden_layers, test_accuracy``, one row a run. A thin line is the same
    network without remedy, left out where a remedy has settings of its own (see `mtgcn.gathering`); open diamonds
    are the means that others have published for the remedy without tasks.
    """
    datasets = list(dict.fromkeys(table["dataset"]))
    there = list(dict.fromkeys(table["remedy"]))
    remedies = [name for name in there if name != PLAIN] or there
    shown = table[table["remedy"].isin(remedies)]
    networks, depths = in_order(shown["network"].tolist()), sorted(set(shown["hidden_layers"]))
    alt = (
        f"Test accuracy on {' and '.join(datasets)} against hidden layers with {', '.join(remedies)} for "
        f"{', '.join(networks)}, beside the same networks without remedy and published figures."
    )
    figure, axes = style.panels(len(remedies), 2.5, 2.7, alt, sharey=True)
    for remedy, ax in zip(remedies, axes, strict=False):
        for network in networks:
            own = table[table["network"] == network]
            if remedy != PLAIN and WHOSE not in remedy:
                mean_line(ax, own[own["remedy"] == PLAIN], network, thin=True)
            mean_line(ax, own[own["remedy"] == remedy], network)
        theirs = accuracies()
        theirs = theirs[theirs["dataset"].isin(datasets) & (theirs["remedy"] == remedy.split(WHOSE)[0])]
        ax.plot(theirs["hidden_layers"], theirs["accuracy"], "D", color=GREY, mfc="none", ms=5)
        ax.set(title=remedy, xscale="log")
        ax.set_xticks(depths, [str(depth) for depth in depths])
        ax.xaxis.set_minor_locator(NullLocator())
    if axes:
        within_per_cent(axes[0])
    figure.supxlabel("hidden layers", fontsize=10)
    figure.supylabel("test accuracy, %", fontsize=10)
    figure.legend(handles=_legend(networks), loc="outside upper center", ncols=4, handlelength=3.5)
    return figure


def _legend(networks: list[str]) -> list[Line2D]:
    lines = [style.handle(network, suffix=" with remedy") for network in networks]
    thin = Line2D([], [], color=GREY, linewidth=0.9, label="without remedy")
    return [*lines, thin, Line2D([], [], color=GREY, marker="D", mfc="none", ms=5, linestyle="none", label="published")]
