"""Maps of embeddings: one picture for each network and depth."""

import pandas as pd
from matplotlib.lines import Line2D

from mtgcn.analysis.comparison import in_order
from mtgcn.analysis.figures.style import Figure, styled
from mtgcn.analysis.wording import layers

# Okabe and Ito's colours as in the style of networks; each class has a marker of its own too.
CLASSES = tuple(
    zip(("#0072b2", "#d55e00", "#009e73", "#c770a3", "#7b7b7b", "#c48000", "#3399cc"), "os^DvPX", strict=True)
)


@styled
def embedding_maps(maps: pd.DataFrame) -> Figure:
    """Draw the nodes of ``maps`` (`columns.MAPPED`) in a grid: networks down, hidden layers across."""
    networks, depths = in_order(maps["network"].tolist()), sorted(maps["hidden_layers"].unique())
    labels = sorted(maps["label"].unique())
    alt = (
        f"Maps (t-SNE) of the embeddings of {', '.join(networks)} with {', '.join(map(str, depths))} hidden layers: "
        "nodes as points, classes as colours and markers."
    )
    rows, columns = max(1, len(networks)), max(1, len(depths))
    figure = Figure(0.5 + 2.2 * columns, 0.8 + 2.2 * rows, alt)
    axes = figure.subplots(rows, columns, squeeze=False)
    for ax in axes.flat:
        ax.set(xticks=[], yticks=[], xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), aspect="equal")
    for row, network in enumerate(networks):
        axes[row, 0].set_ylabel(network)
        for column, depth in enumerate(depths):
            ax = axes[row, column]
            here = maps[(maps["network"] == network) & (maps["hidden_layers"] == depth)]
            if row == 0:
                ax.set_title(layers(depth), fontsize=10)
            for label in labels:
                colour, marker = CLASSES[label % len(CLASSES)]
                own = here[here["label"] == label]
                ax.plot(own["x"], own["y"], marker, color=colour, ms=3, alpha=0.7, mew=0)
    if labels:
        figure.legend(handles=[_handle(label) for label in labels], loc="outside lower center", ncols=7)
    return figure


def _handle(label: int) -> Line2D:
    colour, marker = CLASSES[label % len(CLASSES)]
    return Line2D([], [], color=colour, linestyle="none", marker=marker, ms=5, label=f"class {label}")
