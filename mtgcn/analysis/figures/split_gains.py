"""Gains over the plain GCN, split by split."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from mtgcn.analysis.comparison import CELL, cells_of, in_order, of_cell, paired_gains
from mtgcn.analysis.figures import style
from mtgcn.analysis.figures.dots import runs_and_mean
from mtgcn.analysis.figures.style import GREY, Figure, styled
from mtgcn.analysis.statistics import interval, mean_and_sem
from mtgcn.analysis.wording import cell


@styled
def gains_by_split(runs: pd.DataFrame) -> Figure:
    """Draw gains over the GCN of the same split and seed, a row a split, a panel for each cell and network.

    ``runs`` is what `split_study.run` gives, of one cell or of several. Points are runs, markers means of
    splits; the line is the mean over splits and the band its 95 % interval, with a split as the unit.
    """
    gains = paired_gains(runs, [*CELL, "split"]) if len(runs) else runs
    panels = []
    for place in cells_of(gains):
        here = of_cell(gains, place)
        panels += [(name, place, here[here["network"] == name]) for name in in_order(here["network"].tolist())]
    names = [f"{network} on {cell(*place)}" for network, place, _ in panels]
    alt = f"Gain in test accuracy over GCN of {', '.join(names) or 'no network'} on each random split: runs and means."
    rows = max((part["split"].nunique() for _, _, part in panels), default=1)
    width = 2.5 if len(panels) > 1 else 5.0  # as wide as the legend at least
    figure, axes = style.panels(len(panels), width, 0.8 + 0.24 * rows, alt, sharey=False, sharex=False)
    for (network, place, part), ax in zip(panels, axes, strict=True):
        _panel(ax, part, style.of(network))
        ax.set_title(f"{network}, {cell(*place)}", fontsize=10)
    figure.supxlabel("gain over GCN, percentage points", fontsize=10)
    figure.supylabel("split", fontsize=10)
    figure.legend(handles=_legend(), loc="outside upper center", ncols=2)
    return figure


def _panel(ax: Axes, gains: pd.DataFrame, look: style.Style) -> None:
    splits = sorted(gains["split"].unique())
    for height, split in enumerate(splits):
        runs_and_mean(ax, gains.loc[gains["split"] == split, "gain"], height, look, size=6)
    means = gains.groupby("split")["gain"].mean()
    ax.axvline(0, color=GREY, linewidth=1)
    ax.axvline(mean_and_sem(means)[0], color=look.colour, linewidth=1.4)
    ax.axvspan(*interval(means), color=look.colour, alpha=0.15, linewidth=0)
    ax.grid(visible=False, axis="y")
    ax.set_yticks(range(len(splits)), [f"{split:g}" for split in splits])
    ax.set_ylim(len(splits) - 0.5, -0.5)


def _legend() -> list[Line2D | Patch]:
    return [
        Line2D([], [], color=GREY, linestyle="none", marker="o", ms=4, alpha=0.5, label="a run"),
        Line2D([], [], color=GREY, linestyle="none", marker="s", ms=6, label="mean of a split ± standard error"),
        Line2D([], [], color=GREY, linewidth=1.4, label="mean over splits"),
        Patch(color=GREY, alpha=0.15, label="its 95 % interval"),
    ]
