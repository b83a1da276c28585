"""Learning curves: how each run came to its result."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from mtgcn.analysis.comparison import BASELINE, in_order
from mtgcn.analysis.figures import style
from mtgcn.analysis.figures.style import GREY, Figure, styled
from mtgcn.errors import MtgcnError

# What a curve can show: its label and whether its axis is logarithmic.
QUANTITIES = {
    "validation_accuracy": ("validation accuracy, %", False),
    "validation_loss": ("validation loss", True),
    "training_loss": ("training loss", True),
    "learning_rate": ("learning rate", True),
}

# As many points as a screen can show; 5,000 epochs of 70 runs would make a file of many megabytes.
POINTS = 200
# As many lines as can be told apart; of more runs the span is drawn, and within it that of the middle half.
LINES = 20


@styled
def learning_curves(curves: pd.DataFrame, quantity: str = "validation_accuracy") -> Figure:
    """Draw ``quantity`` against the epoch, one panel a network, one light line a run (or a band), the mean bold.

    ``curves`` has the columns ``network, seed, epoch`` and ``quantity``. A run that stopped early keeps its last
    value, since runs stop where nothing moves any more. The mean of the GCN is repeated in the other panels.
    """
    if quantity not in QUANTITIES:
        raise MtgcnError(f"'{quantity}' is no learning curve; choose one of {', '.join(QUANTITIES)}.")
    label, logarithmic = QUANTITIES[quantity]
    networks = in_order(curves["network"].tolist())
    epochs = _epochs(curves)
    wide = {network: _wide(curves[curves["network"] == network], quantity, epochs) for network in networks}
    alt = f"{label} against epoch for {', '.join(networks)}: each run and their mean."
    # The risks of different tasks have different scales, accuracies do not.
    accuracy = quantity == "validation_accuracy"
    figure, axes = style.panels(len(networks), 2.3, 2.0, alt[0].upper() + alt[1:], sharey=accuracy)
    for network, ax in zip(networks, axes, strict=True):
        look = style.of(network)
        if wide[network].shape[1] <= LINES:
            ax.plot(epochs, wide[network], color=look.colour, linewidth=0.7, alpha=0.35)
        else:
            for part in (0.0, 0.25):
                low, high = wide[network].quantile(part, axis=1), wide[network].quantile(1 - part, axis=1)
                ax.fill_between(epochs, low, high, color=look.colour, alpha=0.2, linewidth=0)
        if network != BASELINE and BASELINE in wide and accuracy:
            ax.plot(epochs, wide[BASELINE].mean(axis=1), color=style.of(BASELINE).colour, linewidth=1.2)
        ax.plot(epochs, wide[network].mean(axis=1), color=look.colour, linewidth=2.2)
        ax.set(title=network, xscale="log", yscale="log" if logarithmic else "linear")
        if logarithmic:
            plain_numbers(ax)
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    figure.supxlabel("epoch", fontsize=10)
    figure.supylabel(label, fontsize=10)
    crowded = any(runs.shape[1] > LINES for runs in wide.values())
    figure.legend(handles=_legend(accuracy, crowded), loc="outside upper center", ncols=3)
    return figure


def plain_numbers(ax: Axes) -> None:
    """Write 0.5 and not 5 × 10⁻¹ on a logarithmic axis that is too short for powers of ten."""
    low, high = ax.get_ylim()
    if high < 100 * low:
        ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)) if high > 3 * low else MaxNLocator(4))
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        ax.yaxis.set_minor_formatter(NullFormatter())


def _legend(accuracy: bool, crowded: bool) -> list[Line2D]:
    run = Line2D([], [], color=GREY, linewidth=0.7, alpha=0.6, label="a run")
    if crowded:
        run = Line2D([], [], color=GREY, linewidth=6, alpha=0.3, label="all runs, the middle half")
    mean = Line2D([], [], color=GREY, linewidth=2.2, label="mean")
    baseline = Line2D([], [], color=GREY, linewidth=1.2, label=f"mean of {BASELINE}")
    return [run, mean, baseline] if accuracy else [run, mean]


def _epochs(curves: pd.DataFrame) -> np.ndarray:
    """Return the epochs to draw: all of a short training, evenly spaced in the logarithm of a long one."""
    there = np.unique(curves["epoch"])
    there = there[there > 0]
    if len(there) <= POINTS:
        return there
    wanted = np.geomspace(there[0], there[-1], POINTS)
    return np.unique(there[np.minimum(np.searchsorted(there, wanted - 1e-6), len(there) - 1)])


def _wide(curves: pd.DataFrame, quantity: str, epochs: np.ndarray) -> pd.DataFrame:
    """Return ``quantity`` (epochs, runs), the last value carried on."""
    wide = curves.pivot_table(quantity, "epoch", "seed", dropna=False).sort_index()
    return wide.reindex(np.union1d(wide.index, epochs)).ffill().loc[epochs]
