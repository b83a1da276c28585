"""Two runs side by side: one that collapses, one that does not."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from mtgcn.analysis.figures import style
from mtgcn.analysis.figures.curves import plain_numbers
from mtgcn.analysis.figures.style import Figure, styled
from mtgcn.analysis.wording import layers

PANELS = (
    ("validation_accuracy", "validation accuracy, %", False),
    ("training_loss", "training loss", True),
    ("effective_rank", "effective rank, last layer", False),
    ("gradient_norm", "gradient of the first layer", True),
)
DASHES = {"learns": "-", "collapses": (0, (3, 1.5))}


@styled
def two_runs(curves: pd.DataFrame, measures: pd.DataFrame) -> Figure:
    """Draw how two runs went: accuracy and loss from ``curves``, rank and gradient from ``measures``.

    Both have ``network, hidden_layers, seed, epoch`` and ``run``, which says of a run that it collapses or learns.
    """
    runs = curves[["run", "network", "hidden_layers", "seed"]].drop_duplicates().to_dict("records")
    alt = "Two runs along training: " + " and ".join(_name(run) for run in runs) + "; accuracy, loss, rank, gradient."
    figure = Figure(9.6, 3.2, alt)
    axes = figure.subplots(1, len(PANELS))
    for (column, label, logarithmic), ax in zip(PANELS, axes, strict=True):
        for run in runs:
            _line(ax, curves if column in curves else measures, column, run)
        ax.set_title(label, fontsize=10)
        ax.set(xscale="log", yscale="log" if logarithmic else "linear", xlabel="epoch")
        if logarithmic:
            plain_numbers(ax)
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    if runs:
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, handlelength=3.5)
    return figure


def _line(ax: Axes, table: pd.DataFrame, column: str, run: dict) -> None:
    if column not in table:
        return
    own = table[table["run"] == run["run"]].sort_values("epoch")
    look = style.of(run["network"])
    few = len(own) < 40
    ax.plot(
        own["epoch"],
        own[column],
        color=look.colour,
        linestyle=DASHES[run["run"]],
        marker=look.marker if few else None,
        ms=3.5,
        label=_name(run),
    )


def _name(run: dict) -> str:
    return f"{run['network']}, {layers(run['hidden_layers'])}, seed {run['seed']}: {run['run']}"
