"""Mean accuracy by network under two readings of the protocol, beside the paper's."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from mtgcn.analysis import literature, wording
from mtgcn.analysis.comparison import CELL, Cell, of_cell
from mtgcn.analysis.figures import style
from mtgcn.analysis.figures.style import GREY, Figure, styled

LOWER = 0.25  # of a row, from one mark to the next


@styled
def means_by_protocol(runs: pd.DataFrame, cells: Sequence[Cell]) -> Figure:
    """Draw the mean and standard error of each network, a panel for each of ``cells`` (data set, hidden layers).

    ``runs`` has the columns ``protocol, dataset, hidden_layers, network, test_accuracy``. Filled marks are ours, one
    for each protocol; the open diamond is the paper's. A panel without runs shows the paper alone.
    """
    protocols = [name for name in wording.PROTOCOLS if name in set(runs["protocol"])]
    ours = runs.groupby(["protocol", *CELL, "network"])["test_accuracy"].agg(["mean", "sem"]).reset_index()
    theirs = literature.accuracies().assign(protocol="paper")
    means = pd.concat([ours, theirs], ignore_index=True)
    where = ", ".join(wording.cell(*cell) for cell in cells)
    alt = f"Mean test accuracy of seven networks on {where}: the paper's beside ours, trained {_and(protocols)}."
    figure, axes = style.panels(len(cells), 2.6, 3.2, alt, sharey=True, sharex=False)
    for cell, ax in zip(cells, axes, strict=True):
        here = of_cell(means, cell)
        for number, name in enumerate([*protocols, "paper"]):
            _marks(ax, here[here["protocol"] == name].set_index("network"), number, _look(name))
        ax.set(title=wording.cell(*cell), xlabel="test accuracy, %")
        ax.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
        ax.grid(visible=False, axis="y")
        ax.tick_params(axis="y", length=0)
    axes[0].set_yticks([row + LOWER for row in range(len(literature.NETWORKS))], literature.NETWORKS)
    axes[0].set_ylim(len(literature.NETWORKS) - 0.1, -0.4)  # the plain network on top, as in the paper's tables
    names = {**{name: f"ours, {wording.PROTOCOLS[name]}" for name in protocols}, "paper": "the paper's"}
    handles = [Line2D([], [], linestyle="none", label=text, **_look(name)) for name, text in names.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure


def _marks(ax: Axes, means: pd.DataFrame, number: int, look: dict[str, Any]) -> None:
    """Draw the means of one source; ``number`` says in which line of a network's row."""
    for row, network in enumerate(literature.NETWORKS):
        if network in means.index:
            mean, sem = means.loc[network, ["mean", "sem"]].to_numpy(float)
            ax.errorbar(mean, row + LOWER * number, xerr=sem, capsize=2, **look)


def _look(name: str) -> dict[str, Any]:
    if name == "paper":
        return {"color": GREY, "marker": "D", "markersize": 5, "markerfacecolor": "none"}
    return {"color": style.PROTOCOLS[name].colour, "marker": style.PROTOCOLS[name].marker, "markersize": 6}


def _and(protocols: Sequence[str]) -> str:
    return " and ".join(wording.PROTOCOLS[name] for name in protocols)
