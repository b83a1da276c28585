"""Figure 1 of the paper, redrawn: one shared encoder and four heads."""

from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from mtgcn.analysis.figures import style
from mtgcn.analysis.figures.style import GREY, Figure, styled

ALT = (
    "A shared encoder (dropout, graph convolution with 16 units, ReLU) feeds four heads. The main head is dropout, "
    "graph convolution to the classes and softmax. The heads of AE, FR and ER are dropout, graph convolution with 16 "
    "units, ReLU, dropout and a graph convolution to what is rebuilt. For FR the encoder sees features with the "
    "columns M zeroed; for ER the embedding's columns N are zeroed before the head."
)
WIDTH, HEIGHT, STEP = 0.98, 0.52, 1.16
ROWS = {"main": 3.3, "AE": 2.2, "FR": 1.1, "ER": 0.0}
MIDDLE = 1.65  # the height of the encoder
COLOURS = {"main": GREY} | {name: style.of(name).colour for name in ("AE", "FR", "ER")}
TITLES = {
    "main": "main: the class of each node",
    "AE": "AE: the features",
    "FR": "FR: the features, from corrupted ones",
    "ER": "ER: the embedding, from a corrupted one",
}
LAST = {"main": "GC $K$", "AE": "GC $d$", "FR": "GC $d$", "ER": "GC 16"}
OUTPUTS = {
    "main": r"$\hat{y}$",
    "AE": r"$\hat{X}$",
    "FR": r"$\hat{X}$ or $\hat{X}_M$",
    "ER": r"$\hat{H}$ or $\hat{H}_N$",
}


@styled
def architecture() -> Figure:
    """Draw the network: inputs on the left, the encoder, the heads and what each gives on the right."""
    figure = Figure(11, 3.9, ALT)
    ax = figure.subplots()
    ax.set(xlim=(-1.35, 12.15), ylim=(-0.55, 4.1), aspect="equal")
    ax.axis("off")
    end = _encoder(ax, 1.7)
    for position, name in enumerate(ROWS):
        _head(ax, name, end, MIDDLE + 0.3 - 0.2 * position)
    return figure


def _encoder(ax: Axes, first: float) -> float:
    """Draw the encoder with its two inputs, its first box at ``first``; return where it ends."""
    left, right = first - 0.68, first + 2 * STEP + 0.68
    shape = "round,pad=0,rounding_size=0.12"
    frame = FancyBboxPatch((left, MIDDLE - 0.5), right - left, 1.0, boxstyle=shape)
    frame.set(facecolor=(0.5, 0.5, 0.5, 0.12), edgecolor=GREY, linewidth=1)
    ax.add_patch(frame)
    ax.text((left + right) / 2, MIDDLE + 0.62, r"shared encoder $g_\mathrm{sh}$", ha="center")
    ax.text((left + right) / 2, MIDDLE - 0.78, "once for each hidden layer", ha="center", fontsize=9.5)
    _chain(ax, first, MIDDLE, ["Dropout", "GC 16", "ReLU"], GREY)
    for name, height in (("main", 0.3), ("FR", -0.3)):
        _arrow(ax, (-0.7, MIDDLE + height), (left, MIDDLE + height), COLOURS[name])
        ax.text(-0.95, MIDDLE + height, "$X$", ha="center", va="center", color=COLOURS[name], fontsize=12)
    _zeroed(ax, 0.1, MIDDLE - 0.3, "M", COLOURS["FR"])
    return right


def _head(ax: Axes, name: str, start: float, leave: float) -> None:
    """Draw a head that takes its input from the encoder's right side (``start``) at height ``leave``."""
    height, colour, first = ROWS[name], COLOURS[name], 6.35
    boxes = ["Dropout", LAST[name]] + (["softmax"] if name == "main" else [])
    if name != "main":
        boxes = ["Dropout", "GC 16", "ReLU", *boxes]
    ax.plot(
        [start, start + 0.2, start + 0.55, first - 0.6], [leave, leave, height, height], color=colour, linewidth=1.2
    )
    _arrow(ax, (first - 0.62, height), (first - WIDTH / 2, height), colour)
    if name == "ER":
        _zeroed(ax, first - 0.87, height, "N", colour)
    _chain(ax, first, height, boxes, colour)
    end = first + (len(boxes) - 1) * STEP + WIDTH / 2
    _arrow(ax, (end, height), (end + 0.32, height), colour)
    ax.text(end + 0.4, height, OUTPUTS[name], va="center", color=colour, fontsize=12)
    ax.text(first - WIDTH / 2, height + 0.37, TITLES[name], color=colour, fontsize=9.5)


def _zeroed(ax: Axes, x: float, y: float, columns: str, colour: str) -> None:
    """Mark that ``columns`` of what passes here are set to zero."""
    ax.plot(x, y, marker="X", ms=10, color=colour)
    ax.text(x, y - 0.42, f"${columns}$ zeroed", color=colour, ha="center", fontsize=9.5)


def _chain(ax: Axes, x: float, y: float, names: list[str], colour: str) -> None:
    """Draw boxes from left to right, joined by arrows; a dropout is dashed, a graph convolution filled."""
    for position, name in enumerate(names):
        centre = x + position * STEP
        box = FancyBboxPatch(
            (centre - WIDTH / 2, y - HEIGHT / 2), WIDTH, HEIGHT, boxstyle="round,pad=0,rounding_size=0.1"
        )
        filled = name.startswith("GC")
        box.set(facecolor=(colour, 0.15 if filled else 0.0), edgecolor=colour, linewidth=1.8 if filled else 1.2)
        box.set_linestyle((0, (3, 2)) if name == "Dropout" else "-")
        ax.add_patch(box)
        ax.text(centre, y, name, ha="center", va="center", fontsize=10)
        if position:
            _arrow(ax, (centre - STEP + WIDTH / 2, y), (centre - WIDTH / 2, y), colour)


def _arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float], colour: str) -> None:
    look = {"arrowstyle": "-|>", "color": colour, "shrinkA": 0, "shrinkB": 0, "mutation_scale": 9}
    ax.annotate("", end, start, arrowprops=look)
