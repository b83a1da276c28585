"""Accuracy against what is measured of the embeddings."""

from typing import NamedTuple

import pandas as pd

from mtgcn.analysis import wording
from mtgcn.analysis.comparison import in_order
from mtgcn.analysis.figures import style
from mtgcn.analysis.figures.style import Figure, styled
from mtgcn.analysis.statistics import rank_correlation


class Measure(NamedTuple):
    """A column of measures, what it is called on an axis, and whether the axis is logarithmic."""

    column: str
    label: str
    logarithmic: bool


SHOWN = (
    Measure("relative_energy", "relative energy", True),
    Measure("mad_neighbours", "MAD, neighbours", True),
    Measure("mad_remote", "MAD, remote pairs", True),
    Measure("effective_rank", "effective rank", False),
    Measure("dead_units", "share of dead units", False),
    Measure("gradient_norm", "gradient of the first layer", True),
)


@styled
def accuracy_against_measures(runs: pd.DataFrame) -> Figure:
    """Draw test accuracy against each measure of the last hidden layer, a point a run, one panel a measure.

    ``runs`` has ``network, test_accuracy`` and the columns of `SHOWN`. Above a panel stands Spearman's rank
    correlation ρ over all runs. On a logarithmic axis values that are not positive are left out.
    """
    networks = in_order(runs["network"].tolist())
    alt = f"Test accuracy of {', '.join(networks)} against {', '.join(one.label for one in SHOWN)}, every run a point."
    figure = Figure(9.4, 6.0, alt)
    axes = figure.subplots(2, 3, sharey=True)
    for measure, ax in zip(SHOWN, axes.flat, strict=True):
        values = runs[measure.column].astype(float)
        shown = runs[values.notna() & ((values > 0) | (not measure.logarithmic))]
        for network in networks:
            look, own = style.of(network), shown[shown["network"] == network]
            ax.plot(own[measure.column], own["test_accuracy"], look.marker, color=look.colour, ms=4.5, alpha=0.6, mew=0)
        ax.set(xlabel=measure.label, xscale="log" if measure.logarithmic else "linear")
        ax.set_title(_correlation(shown[measure.column], shown["test_accuracy"]), fontsize=10)
    for ax in axes[:, 0]:
        ax.set_ylabel("test accuracy, %")
    handles = [style.handle(network, line=False) for network in networks]
    if handles:
        figure.legend(handles=handles, loc="outside lower center", ncols=7)
    return figure


def _correlation(measured: pd.Series, accuracy: pd.Series) -> str:
    rho = rank_correlation(measured, accuracy)
    return f"ρ {wording.signed(rho)}"
