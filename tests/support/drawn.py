"""What the cells of a notebook have drawn: its figures, and the lines in them."""

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D

from mtgcn.analysis.figures import style
from mtgcn.experiments import stored

ROOT = Path(__file__).parents[2]
Shown = tuple[dict[str, Any], list[style.Figure]]


def recorded(monkeypatch: pytest.MonkeyPatch) -> list[style.Figure]:
    """Return a list to which every figure with panels is added once it is made."""
    made: list[style.Figure] = []
    panels = style.panels

    def remembered(*args: Any, **options: Any) -> tuple[style.Figure, list[Axes]]:
        figure, axes = panels(*args, **options)
        made.append(figure)
        return figure, axes

    monkeypatch.setattr(style, "panels", remembered)
    return made


def executed(page: str, results: Path, patch: pytest.MonkeyPatch) -> Shown:
    """Run a page on results and return its names and figures."""
    patch.setenv(stored.RESULTS, str(results))
    figures = recorded(patch)
    return runpy.run_path(str(ROOT / "notebooks" / f"{page}.py")), figures


def starting(figures: list[style.Figure], alt: str) -> style.Figure:
    """Return the one figure whose description starts so."""
    (found,) = [figure for figure in figures if figure.alt.startswith(alt)]
    return found


def of(network: str, ax: Axes) -> list[Line2D]:
    """Return the lines in the colour of a network that hold anything."""
    return [line for line in ax.lines if to_hex(line.get_color()) == style.of(network).colour and len(line.get_xdata())]


def line_of(network: str, ax: Axes) -> dict[int, float]:
    """Return the means by depth of the network's line of all depths; marks stand a little aside of their depth."""
    line = next(line for line in of(network, ax) if line.get_linestyle() != "None" and line.get_marker() != "None")
    places = np.asarray(line.get_xdata(), float)
    depths = np.rint(places / places[0] * np.rint(places[0]))
    return dict(zip(depths.astype(int).tolist(), line.get_ydata().tolist(), strict=True))


def check_two(figure: style.Figure, both: pd.DataFrame) -> None:
    """Both runs are drawn from their own numbers, with dashes of their own, and named in the legend."""
    columns = ["validation_accuracy", "training_loss", "effective_rank", "gradient_norm"]
    said = [text.get_text() for text in figure.legends[0].get_texts()]
    assert sorted(text.split(": ")[1] for text in said) == ["collapses", "learns"]
    assert [ax.get_yscale() for ax in figure.axes] == ["linear", "log", "linear", "log"]
    for ax, column in zip(figure.axes, columns, strict=True):
        assert ax.get_xscale() == "log"
        assert len({line.get_linestyle() for line in ax.lines}) == 2
        for line, text in zip(ax.lines, said, strict=True):
            own = both[both["run"] == text.split(": ")[1]].dropna(subset=column).sort_values("epoch")
            assert line.get_ydata() == pytest.approx(own[column].to_numpy())
