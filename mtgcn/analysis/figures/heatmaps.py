"""Heat maps: a measure by depth or epoch and layer."""

import numpy as np
import pandas as pd
from matplotlib.collections import PolyCollection
from matplotlib.colors import LogNorm, Normalize

from mtgcn.analysis.comparison import in_order
from mtgcn.analysis.figures import style
from mtgcn.analysis.figures.style import Figure, styled

# From dark to light in grey as in colour, and told apart by colour-blind readers.
COLOURS = "viridis"
MOST_NAMES = 11
SQUARE = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])


@styled
def depth_by_layer(measures: pd.DataFrame, value: str, label: str, logarithmic: bool = False) -> Figure:
    """Draw the mean over runs of column ``value`` by depth (down) and layer (across), one panel a network.

    ``measures`` has the columns ``network, hidden_layers, layer`` and ``value``, one row a run and layer; ``label``
    says on the colour bar what is drawn. A network of k hidden layers has layers 1 to k, the rest stays empty.
    On a logarithmic scale means that are not positive stay empty too.
    """
    alt = f"{label} by number of hidden layers and layer for {{networks}}, mean over runs."
    return _by_layer(measures, "hidden_layers", "hidden layers", value, label, logarithmic, alt)


@styled
def epoch_by_layer(course: pd.DataFrame, depth: int, value: str, label: str, logarithmic: bool = False) -> Figure:
    """Draw column ``value`` of the networks with ``depth`` hidden layers by epoch (down) and layer (across).

    ``course`` has the columns ``network, hidden_layers, epoch, layer`` and ``value``.
    """
    alt = f"{label} by epoch and layer for {{networks}} with {depth} hidden layers, mean over runs."
    here = course[course["hidden_layers"] == depth]
    return _by_layer(here, "epoch", "epoch", value, label, logarithmic, alt)


def _by_layer(
    measures: pd.DataFrame, down: str, down_label: str, value: str, label: str, logarithmic: bool, alt: str
) -> Figure:
    """Draw the means of ``value`` with the column ``down`` down and layers across, one panel a network."""
    networks = in_order(measures["network"].tolist())
    means = measures.pivot_table(value, ["network", down], "layer")
    if logarithmic:
        means = means.where(means > 0)
    scale = (LogNorm if logarithmic else Normalize)(*_range(means))
    figure, axes = style.panels(len(networks), 2.3, 2.2, alt.format(networks=", ".join(networks)), sharey=True)
    rows, layers = sorted(measures[down].unique()), list(means.columns)
    # Every row is named as long as there is room for it.
    named = range(0, len(rows), -(-len(rows) // MOST_NAMES) if rows else 1)
    for network, ax in zip(networks, axes, strict=True):
        grid = means.loc[network].reindex(rows).to_numpy(float)
        # Only cells that have a value: in a file, pcolormesh's empty ones would take as much room as the others.
        filled = np.argwhere(~np.isnan(grid))
        squares = PolyCollection([SQUARE + cell[::-1] for cell in filled], norm=scale, cmap=COLOURS, linewidth=0)
        squares.set_array(grid[*filled.T])
        ax.add_collection(squares)
        ax.set(title=network, xlim=(0, len(layers)), ylim=(len(rows), 0))
        ax.set_yticks([row + 0.5 for row in named], [f"{rows[row]:,}" for row in named])
        # Four to eight ticks, the first layer always among them.
        every = max(1, len(layers) // 4)
        ticks = [0, *range(every - 1, len(layers), every)]
        ax.set_xticks([tick + 0.5 for tick in ticks], [str(layers[tick]) for tick in ticks])
        ax.grid(visible=False)
    if networks:
        bar = figure.colorbar(squares, ax=axes, label=label, fraction=0.05, aspect=30)
        bar.outline.set_visible(False)
    figure.supxlabel("layer", fontsize=10)
    figure.supylabel(down_label, fontsize=10)
    return figure


def _range(values: pd.DataFrame) -> tuple[float, float]:
    finite = values.to_numpy(float)[values.notna()]
    return (float(finite.min()), float(finite.max())) if finite.size else (1.0, 1.0)
