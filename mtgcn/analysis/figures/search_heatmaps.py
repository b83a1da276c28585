"""A grid search as heat maps: validation accuracy of every point, the chosen one framed."""

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.patches import Rectangle

from mtgcn.analysis import searches
from mtgcn.analysis.comparison import in_order
from mtgcn.analysis.figures.heatmaps import COLOURS
from mtgcn.analysis.figures.style import Figure, styled

ROW = 0.22  # inches
HEAD = 3.2  # rows that a map's title and its axis take


@styled
def search_maps(title: str, scores: pd.DataFrame) -> Figure:
    """Draw the mean validation accuracy over the grid of one search, a map for each network with tasks.

    The first task's weight goes across, all other values down; networks of one task stand on the left, combined ones
    on the right. All maps have one scale, which begins at the lower quartile, so that the good points can be told
    apart. A point that was not tried stays empty.
    """
    networks = [name for name in in_order(scores["network"].tolist()) if searches.values(name, scores)]
    maps = {network: _grid(network, scores) for network in networks}
    columns = [side for side in (_side(networks, combined=False), _side(networks, combined=True)) if side]
    units = [[len(maps[network]) + HEAD for network in side] for side in columns]
    most = max(map(sum, units), default=1)
    best = float(scores["validation_accuracy"].max())
    alt = f"Heat maps of validation accuracy over the grids of {', '.join(networks)}, {title}, best {best:.1f} %."
    figure = Figure(1.0 + 4.4 * max(1, len(columns)), 0.7 + ROW * most, alt)
    outer = figure.add_gridspec(2, max(1, len(columns)), height_ratios=[ROW * most, 0.12])
    scale = Normalize(float(scores["validation_accuracy"].quantile(0.25)), best)
    for place, (side, heights) in enumerate(zip(columns, units, strict=True)):
        # The shorter side ends with nothing, so that all cells are of one height.
        inner = outer[0, place].subgridspec(len(side) + 1, 1, height_ratios=[*heights, most - sum(heights) + 0.01])
        for row, network in enumerate(side):
            _map(figure.add_subplot(inner[row, 0]), network, maps[network], scores, scale)
    below = figure.add_subplot(outer[1, :])
    bar = figure.colorbar(
        ScalarMappable(scale, COLOURS), cax=below, orientation="horizontal", extend="min", extendfrac=0.02
    )
    bar.set_label("mean validation accuracy, %")
    bar.outline.set_visible(False)
    figure.settle()
    return figure


def _side(networks: list[str], combined: bool) -> list[str]:
    return [name for name in networks if ("+" in name) == combined]


def _grid(network: str, scores: pd.DataFrame) -> pd.DataFrame:
    """Return the means of ``network``, its other values (down) by its first task's weight (across)."""
    own = scores[scores["network"] == network]
    across, *down = searches.varying(network, scores)
    rows = own[down].map(searches.number).agg(", ".join, axis=1) if down else pd.Series("", own.index)
    order = list(dict.fromkeys(rows))
    return own.assign(row=rows).pivot_table("validation_accuracy", "row", across).reindex(order)


def _map(ax: Axes, network: str, grid: pd.DataFrame, scores: pd.DataFrame, scale: Normalize) -> None:
    weights = [f"{weight:g}" for weight in grid]
    sns.heatmap(grid, ax=ax, norm=scale, cmap=COLOURS, cbar=False, xticklabels=weights, yticklabels=list(grid.index))
    across, *down = searches.varying(network, scores)
    ax.set_title(network, fontsize=10)
    ax.set_xlabel(across, fontsize=8)
    ax.set_ylabel("\n".join(down), fontsize=8)
    ax.tick_params(length=0, labelsize=7, labelrotation=0)
    ax.grid(visible=False)
    best = scores[(scores["network"] == network) & scores["chosen"].astype(bool)]
    for _, point in best.iterrows():
        row = ", ".join(searches.number(point[name]) for name in down)
        place = list(grid.columns).index(point[across]), list(grid.index).index(row)
        ax.add_patch(Rectangle(place, 1, 1, fill=False, edgecolor="#d55e00", linewidth=2.5, clip_on=False))
