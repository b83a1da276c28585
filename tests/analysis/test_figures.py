"""Figures: what is drawn, in which colours, and that the same data give the same file."""

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable
from functools import cache

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection, PolyCollection
from matplotlib.colors import to_hex, to_rgb
from matplotlib.patches import FancyBboxPatch
from matplotlib.text import Text
from support.synthetic import curves, results

from mtgcn.analysis import figures
from mtgcn.analysis.figures import style
from mtgcn.analysis.literature import NETWORKS
from mtgcn.errors import MtgcnError

LIGHT, DARK = "#ffffff", "#14181e"  # the book's pages


def measures() -> pd.DataFrame:
    rows = [
        (network, depth, layer, seed, 10.0**-layer * (1 + seed))
        for network in ("GCN", "AE")
        for depth in (1, 2, 4)
        for layer in range(1, depth + 1)
        for seed in range(3)
    ]
    return pd.DataFrame(rows, columns=["network", "hidden_layers", "layer", "seed", "energy"])


def course() -> pd.DataFrame:
    parts = [measures().assign(epoch=epoch, energy=measures()["energy"] * epoch) for epoch in (1, 26, 1001)]
    return pd.concat(parts, ignore_index=True)


DRAW: dict[str, Callable[[], figures.Figure]] = {
    "runs": lambda: figures.runs_by_network(results([("cora", 1), ("pubmed", 1)])),
    "curves": lambda: figures.learning_curves(curves(["GCN", "AE", "NEW"], runs=2, epochs=60)),
    "losses": lambda: figures.learning_curves(curves(["GCN", "AE"], epochs=60), "validation_loss"),
    "layers": lambda: figures.depth_by_layer(measures(), "energy", "energy", logarithmic=True),
    "course": lambda: figures.epoch_by_layer(course(), 2, "energy", "energy", logarithmic=True),
    "architecture": figures.architecture,
    "crowd": lambda: figures.learning_curves(curves(["GCN", "AE"], runs=40, epochs=60)),
    "hundred": lambda: figures.runs_by_network(results([("cora", 1)], ["GCN", "AE"], runs=100)),
}
EACH = pytest.mark.parametrize("name", DRAW)


@cache
def drawn(name: str) -> tuple[figures.Figure, str]:
    figure = DRAW[name]()
    return figure, figure.svg()


def contrast(first: str, second: str) -> float:
    """The ratio of the Web Content Accessibility Guidelines, 1 to 21."""

    def luminance(colour: str) -> float:
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour)]
        return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))

    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.slow
@EACH
def test_the_same_data_give_the_same_bytes(name: str) -> None:
    assert DRAW[name]().svg() == drawn(name)[1]


def test_another_process_gives_the_same_bytes() -> None:
    code = "from mtgcn.analysis.figures import architecture; print(architecture().svg(), end='')"
    environment = os.environ | {"PYTHONHASHSEED": "7", "PYTHONIOENCODING": "utf-8"}
    other = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True)
    assert other.stdout.decode() == drawn("architecture")[1]


@EACH
def test_svg_is_transparent_dated_nowhere_and_described(name: str) -> None:
    figure, svg = drawn(name)
    root = ET.fromstring(svg)
    assert root.findtext("{http://www.w3.org/2000/svg}title") == figure.alt
    assert len(figure.alt) > 30
    assert "<dc:date>" not in svg
    background = next(part for part in root.iter() if part.get("id") == "patch_1")
    assert "fill: none" in ET.tostring(background, encoding="unicode")


@EACH
def test_text_is_readable_on_light_and_dark_pages(name: str) -> None:
    figure, _ = drawn(name)  # and saved, since ticks are made while drawing
    on_cells = {id(text) for ax in figure.axes if name == "grid" for text in ax.texts}
    shown = [text for text in figure.findobj(Text) if text.get_text() and id(text) not in on_cells]
    assert shown
    for text in shown:
        colour = to_hex(text.get_color())
        assert min(contrast(colour, LIGHT), contrast(colour, DARK)) > 3, text.get_text()


def test_plain_text_has_the_best_contrast_a_grey_can_have_on_both() -> None:
    def worst(grey: int) -> float:
        colour = f"#{grey:02x}{grey:02x}{grey:02x}"
        return min(contrast(colour, LIGHT), contrast(colour, DARK))

    best = max(range(256), key=worst)
    assert to_hex((best / 255,) * 3) == style.GREY


def test_networks_are_told_apart_by_colour_marker_and_dashes() -> None:
    looks = [style.of(network) for network in NETWORKS]
    for part in zip(*looks, strict=True):
        assert len({str(value) for value in part}) == len(NETWORKS)
    for look in [*looks, style.of("GCN+NEW"), style.of("another")]:
        assert contrast(look.colour, LIGHT) > 3
        assert contrast(look.colour, DARK) > 3
    assert style.of("GCN+NEW") == style.of("GCN+NEW")
    assert style.of("GCN+NEW").marker not in {look.marker for look in looks}


def test_runs_shows_every_run_the_means_and_the_paper() -> None:
    table = results([("cora", 1), ("pubmed", 1)])
    table.loc[0, "test_accuracy"] = np.nan
    figure = figures.runs_by_network(table)
    cora, pubmed = figure.axes
    assert [ax.get_title() for ax in figure.axes] == ["Cora, 1 hidden layer", "Pubmed, 1 hidden layer"]
    assert [label.get_text() for label in cora.get_yticklabels()] == list(NETWORKS)
    assert cora.get_ylim()[0] > cora.get_ylim()[1], "the first network is on top"
    own = table[table["network"] == "AE"].groupby("dataset")["test_accuracy"]
    for ax, dataset, paper in ((cora, "cora", 82.17), (pubmed, "pubmed", 78.97)):
        points = [part for part in ax.collections if isinstance(part, PathCollection)]
        assert len(points) == 7
        assert np.asarray(points[1].get_offsets())[:, 0] == pytest.approx(own.get_group(dataset).to_numpy())
        drawn = {container.lines[0].get_xdata()[0] for container in ax.containers}
        assert own.mean()[dataset] in [pytest.approx(value) for value in drawn]
        assert paper in drawn
        assert len(ax.containers) == 14
        assert to_hex(points[1].get_facecolor()[0]) == style.of("AE").colour


def test_runs_shows_what_there_is() -> None:
    empty = figures.runs_by_network(pd.DataFrame(), [("cora", 1)])
    assert len(empty.axes[0].containers) == 7  # the paper's
    assert figures.runs_by_network(pd.DataFrame()).svg()
    partly = figures.runs_by_network(results([("cora", 3)], networks=["GCN", "NEW"], runs=1))
    assert [label.get_text() for label in partly.axes[0].get_yticklabels()] == ["GCN", "NEW"]
    assert partly.svg()


def test_learning_curves_have_a_light_line_a_run_and_a_bold_mean() -> None:
    table = curves(["GCN", "AE"], runs=3, epochs=50)
    gcn, ae = figures.learning_curves(table).axes
    assert [len(gcn.lines), len(ae.lines)] == [3 + 1, 3 + 1 + 1]  # the GCN's mean again beside AE's
    own = table.query("network == 'AE' and seed == 0")
    assert ae.lines[0].get_xdata() == pytest.approx(own["epoch"].to_numpy())
    assert ae.lines[0].get_ydata() == pytest.approx(own["validation_accuracy"].to_numpy())
    assert ae.lines[-1].get_linewidth() > 2 * ae.lines[0].get_linewidth()
    tenth = table.query("network == 'AE' and epoch == 10")["validation_accuracy"].mean()
    assert ae.lines[-1].get_ydata()[9] == pytest.approx(tenth)
    # Run 2 stopped two epochs early and keeps its last value.
    stopped = table.query("network == 'AE' and seed == 2")["validation_accuracy"].iloc[-1]
    assert ae.lines[2].get_ydata()[-2:] == pytest.approx([stopped, stopped])
    assert {label.get_title() for label in (gcn, ae)} == {"GCN", "AE"}


def test_many_runs_are_a_band_and_smaller_points() -> None:
    table = curves(["GCN"], runs=40, epochs=60)
    (ax,) = figures.learning_curves(table).axes
    assert len(ax.lines) == 1  # the mean
    tenth = table[table["epoch"] == 10]["validation_accuracy"]
    whole, middle = (band.get_paths()[0].vertices for band in ax.collections)
    assert {tenth.min(), tenth.max()} <= set(whole[whole[:, 0] == 10][:, 1])
    heights = middle[middle[:, 0] == 10][:, 1]
    assert (heights.min(), heights.max()) == pytest.approx(tuple(tenth.quantile([0.25, 0.75])))
    few, many = (
        figures.runs_by_network(results([("cora", 1)], ["GCN"], runs=runs)).axes[0].collections[0] for runs in (10, 100)
    )
    assert len(many.get_offsets()) == 100
    assert many.get_sizes()[0] < few.get_sizes()[0]
    heights = np.asarray(many.get_offsets())[:, 1]
    assert heights.max() - heights.min() < 0.55, "rows must not run into each other"


def test_long_learning_curves_are_thinned_but_keep_their_ends() -> None:
    (ax,) = figures.learning_curves(curves(["GCN"], runs=1, epochs=5000), "validation_loss").axes
    epochs = ax.lines[0].get_xdata()
    assert (epochs[0], epochs[-1]) == (1, 5000)
    assert 100 < len(epochs) <= 200
    assert ax.get_xscale() == ax.get_yscale() == "log"


def test_learning_curves_survive_divergence_and_emptiness() -> None:
    table = curves(["GCN"], runs=2, epochs=20)
    table.loc[(table["seed"] == 1) & (table["epoch"] > 5), "validation_loss"] = np.nan
    assert figures.learning_curves(table, "validation_loss").svg()
    assert figures.learning_curves(table.iloc[:0]).svg()
    with pytest.raises(MtgcnError, match="'accuracy' is no learning curve; choose one of validation_accuracy"):
        figures.learning_curves(table, "accuracy")


def squares(ax: Axes) -> dict[tuple[int, int], float]:
    """The values of a heat map by row and column, from where its squares lie."""
    (drawn,) = (part for part in ax.collections if isinstance(part, PolyCollection))
    corners = [path.vertices.min(axis=0) for path in drawn.get_paths()]
    return {(int(y), int(x)): float(value) for (x, y), value in zip(corners, drawn.get_array(), strict=True)}


def test_depth_by_layer_averages_runs_and_leaves_missing_layers_empty() -> None:
    figure = figures.depth_by_layer(measures(), "energy", "energy", logarithmic=True)
    gcn = figure.axes[0]
    assert squares(gcn) == pytest.approx(
        {(row, layer): 2 * 10.0 ** -(1 + layer) for row, depth in enumerate((1, 2, 4)) for layer in range(depth)}
    )
    assert [label.get_text() for label in gcn.get_yticklabels()] == ["1", "2", "4"]
    assert gcn.get_ylim() == (3, 0)
    assert [ax.get_title() for ax in figure.axes[:2]] == ["GCN", "AE"]
    dead = measures().assign(energy=0.0)
    assert figures.depth_by_layer(dead, "energy", "energy", logarithmic=True).svg()
    assert figures.depth_by_layer(measures().iloc[:0], "energy", "energy").svg()


def test_epoch_by_layer_is_of_one_depth() -> None:
    figure = figures.epoch_by_layer(course(), 2, "energy", "energy")
    shown = squares(figure.axes[1])
    assert [shown[row, 0] for row in range(3)] == pytest.approx([0.2, 5.2, 200.2])
    assert [shown[row, 1] for row in range(3)] == pytest.approx([0.02, 0.52, 20.02])
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["1", "26", "1,001"]
    assert figures.epoch_by_layer(course(), 3, "energy", "energy").svg()


def test_architecture_has_the_paper_s_layers() -> None:
    (ax,) = figures.architecture().axes
    layers = Counter(text.get_text().split(" ")[0] for text in ax.texts)
    heads = 3
    assert layers["Dropout"] == 1 + 1 + 2 * heads
    assert layers["GC"] == 1 + 1 + 2 * heads
    assert layers["ReLU"] == 1 + heads
    assert layers["softmax"] == 1
    boxes = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    assert len(boxes) == 3 + 3 + 5 * heads + 1  # and the frame of the encoder


def test_architecture_s_labels_stay_inside_their_boxes() -> None:
    figure = figures.architecture()
    figure.draw_without_rendering()
    (ax,) = figure.axes
    boxes = [patch.get_window_extent() for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    whole = figure.bbox
    for text in ax.texts:
        if not text.get_text():
            continue
        extent = text.get_window_extent()
        assert whole.x0 <= extent.x0
        assert extent.x1 <= whole.x1, text.get_text()
        if text.get_text().startswith(("GC", "Dropout", "ReLU", "softmax")):
            assert any(box.x0 < extent.x0 and extent.x1 < box.x1 for box in boxes), text.get_text()


def test_a_notebook_shows_the_svg_and_save_writes_it(tmp_path: os.PathLike[str]) -> None:
    figure, svg = drawn("architecture")
    assert figure._repr_svg_() == svg
    assert repr(figure) == figure.alt
    path = os.path.join(tmp_path, "architecture.svg")
    figure.save(path)
    with open(path, encoding="utf-8") as file:
        assert file.read() == svg
