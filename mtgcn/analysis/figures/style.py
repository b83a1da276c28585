"""One look for all figures: readable on white and on dark pages, in grey, and by colour-blind readers."""

from collections.abc import Callable
from functools import wraps
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple, ParamSpec
from zlib import crc32

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D

from mtgcn.files import write_text

# On white (#ffffff) and on the book's dark page (#14181e) this grey has the same contrast, 4.2; none has more on both.
GREY = "#7b7b7b"

LOOK: dict[Any, Any] = {
    "svg.hashsalt": "mtgcn",  # identifiers from the content, not from chance: the same figure is the same file
    "svg.fonttype": "path",  # looks the same whatever fonts the reader has
    "savefig.dpi": 144,  # of what a figure has as pixels: clouds of points, which would be megabytes as shapes
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "legend.frameon": False,
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.alpha": 0.3,
    "grid.linewidth": 0.7,
    "lines.linewidth": 1.8,
    **dict.fromkeys(["text.color", "axes.labelcolor", "axes.edgecolor", "axes.titlecolor"], GREY),
    **dict.fromkeys(["xtick.color", "ytick.color", "grid.color"], GREY),
}


class Style(NamedTuple):
    """How a network is drawn, everywhere: colour, marker and dashes say the same."""

    colour: str
    marker: str
    dashes: Any


# Okabe and Ito's colours, orange and sky blue a little darker: each has a contrast of 3 on white and on dark.
_STYLES = {
    "GCN": Style(GREY, "o", "-"),
    "AE": Style("#0072b2", "s", (0, (6, 1.5))),
    "FR": Style("#d55e00", "^", (0, (4, 1.5, 1, 1.5))),
    "ER": Style("#009e73", "v", (0, (1, 1))),
    "AE+FR": Style("#c770a3", "D", (0, (8, 2, 1, 2, 1, 2))),
    "AE+ER": Style("#3399cc", "P", (0, (3, 3))),
    "AE+FR+ER": Style("#c48000", "X", (0, (10, 2))),
}
_OTHERS = [
    Style("#8a6fd1", "<", (0, (5, 1, 2, 1))),
    Style("#808000", ">", (0, (2, 2))),
    Style("#c0504d", "h", (0, (7, 3))),
    Style("#5f8f8f", "p", (0, (1, 2))),
]


def of(network: str) -> Style:
    """Return the style of ``network``; one that the paper does not know gets one by its name, always the same."""
    return _STYLES.get(network) or _OTHERS[crc32(network.encode()) % len(_OTHERS)]


def handle(network: str, line: bool = True, suffix: str = "") -> Line2D:
    """Return what stands for ``network`` in a legend: its marker, on its ``line`` or alone."""
    look = of(network)
    dashes: Any = look.dashes if line else "none"
    return Line2D([], [], color=look.colour, linestyle=dashes, marker=look.marker, ms=6, label=network + suffix)


# How the two readings of the protocol are drawn beside each other.
PROTOCOLS = {"text": Style("#0072b2", "o", "-"), "matched": Style("#d55e00", "s", "-")}


class Figure(MatplotlibFigure):
    """A matplotlib figure that a notebook shows as SVG, with a description for those who cannot see it."""

    def __init__(self, width: float, height: float, alt: str) -> None:
        super().__init__(figsize=(width, height), layout="constrained")
        self.alt = alt

    def svg(self) -> str:
        """Return the figure as SVG, the same bytes each time."""
        buffer = StringIO()
        # Ticks are made while drawing, so the look is needed here too.
        with mpl.rc_context(LOOK):
            # Each drawing would move the layout by another thousandth of a point: settle it once.
            if isinstance(self.get_layout_engine(), ConstrainedLayoutEngine):
                self.draw_without_rendering()
                self.set_layout_engine("none")
            self.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None, "Title": self.alt})
        return buffer.getvalue()

    def save(self, path: Path | str) -> None:
        """Write the SVG to ``path``."""
        write_text(path, self.svg())

    def __repr__(self) -> str:
        return self.alt

    def _repr_svg_(self) -> str:
        return self.svg()


def panels(
    count: int, width: float, height: float, alt: str, sharey: bool, sharex: bool = True
) -> tuple[Figure, list[Axes]]:
    """Return a figure with ``count`` panels of ``width`` × ``height`` inches, at most four in a row, in full rows."""
    rows = max(1, -(-count // 4))
    columns = max(1, -(-count // rows))
    figure = Figure(0.8 + width * columns, 0.9 + height * rows, alt)
    axes = figure.subplots(rows, columns, sharex=sharex, sharey=sharey, squeeze=False)
    for empty in axes.flat[count:]:
        empty.remove()
    for lowest in axes.flat[max(0, count - columns) : count]:
        lowest.tick_params(labelbottom=True)  # also where the row below is not full
    return figure, list(axes.flat[:count])


P = ParamSpec("P")


def styled(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """Let ``draw`` make its figure in the common look."""

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> Figure:
        with mpl.rc_context(LOOK):
            return draw(*args, **kwargs)

    return drawn
