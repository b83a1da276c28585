"""Figures of the book, from tidy tables. Each function returns a figure that a notebook shows as SVG."""

from mtgcn.analysis.figures.architecture import architecture
from mtgcn.analysis.figures.curves import learning_curves
from mtgcn.analysis.figures.gain_bands import gain_bands
from mtgcn.analysis.figures.heatmaps import depth_by_layer, epoch_by_layer
from mtgcn.analysis.figures.protocol_means import means_by_protocol
from mtgcn.analysis.figures.run_dots import runs_by_network
from mtgcn.analysis.figures.slider import Slider, Step
from mtgcn.analysis.figures.style import Figure, styled

__all__ = [
    "Figure",
    "Slider",
    "Step",
    "architecture",
    "depth_by_layer",
    "epoch_by_layer",
    "gain_bands",
    "learning_curves",
    "means_by_protocol",
    "runs_by_network",
    "styled",
]
