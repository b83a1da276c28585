"""Gains over GCN against the number of labels, a panel for each data set."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from mtgcn.analysis import wording
from mtgcn.analysis.comparison import BASELINE, in_order
from mtgcn.analysis.figures import style


@style.styled
def gain_bands(numbers: pd.DataFrame, title: str = "", lowest: float | None = None) -> style.Figure:
    """Draw the gains of `label_gains.summary` with bands of their 95 % intervals; the labels are on a logarithmic axis.

    ``title`` says in the description what the panels have in common. Panels end at ``lowest`` if it is given; a network
    that goes on below is told there, with how far down it goes.
    """
    datasets = list(dict.fromkeys(numbers["dataset"]))
    tried = [name for name in in_order(numbers["network"].tolist()) if name != BASELINE]
    alt = f"Gains over GCN in points against labels a class{title} on {', '.join(datasets)}: {', '.join(tried)}."
    figure, axes = style.panels(len(datasets), 4.4 if len(datasets) == 1 else 3.0, 2.7, alt, sharey=True)
    for dataset, ax in zip(datasets, axes, strict=True):
        here = numbers[numbers["dataset"] == dataset].sort_values("labels")
        for network in tried:
            own, look = here[here["network"] == network], style.of(network)
            ax.fill_between(own["labels"], own["low"], own["high"], color=look.colour, alpha=0.15, linewidth=0)
            ax.plot(own["labels"], own["gain"], color=look.colour, marker=look.marker, ls=look.dashes, ms=5)
        ax.axhline(0, color=style.GREY, linewidth=1)
        _tell_what_lies_below(ax, here, lowest)
        sizes = sorted(here["labels"].unique())
        ax.set_xscale("log")
        ax.set_xticks(sizes, [str(size) for size in sizes])
        ax.minorticks_off()
        ax.set(title=dataset.capitalize(), xlabel="labels a class")
    for ax in axes:
        ax.set_ylim(bottom=lowest)
    figure.supylabel("gain over GCN, points", fontsize=10)
    if tried:
        figure.legend(handles=[style.handle(network) for network in tried], loc="outside upper center", ncols=4)
    return figure


def _tell_what_lies_below(ax: Axes, here: pd.DataFrame, lowest: float | None) -> None:
    deepest = here.groupby("network", sort=False)["gain"].min()
    below = deepest[deepest < (-np.inf if lowest is None else lowest)]
    for row, (network, gain) in enumerate(below.items()):
        said, look = f"{network} down to {wording.signed(gain, 0)}", style.of(str(network))
        ax.text(0.98, 0.04 + 0.08 * row, said, transform=ax.transAxes, ha="right", color=look.colour, fontsize=9)
