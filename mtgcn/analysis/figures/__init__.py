"""Figures of the book, from tidy tables. Each function returns a figure that a notebook shows as SVG."""

from mtgcn.analysis.figures.architecture import architecture
from mtgcn.analysis.figures.curves import learning_curves
from mtgcn.analysis.figures.depth_lines import accuracy_against_depth
from mtgcn.analysis.figures.heatmaps import depth_by_layer, epoch_by_layer
from mtgcn.analysis.figures.map_grid import embedding_maps
from mtgcn.analysis.figures.measure_scatter import accuracy_against_measures
from mtgcn.analysis.figures.reading_dots import runs_by_reading
from mtgcn.analysis.figures.run_dots import runs_by_network
from mtgcn.analysis.figures.search_heatmaps import search_maps
from mtgcn.analysis.figures.split_gains import gains_by_split
from mtgcn.analysis.figures.style import Figure, styled
from mtgcn.analysis.figures.two_runs import two_runs

__all__ = [
    "Figure",
    "accuracy_against_depth",
    "accuracy_against_measures",
    "architecture",
    "depth_by_layer",
    "embedding_maps",
    "epoch_by_layer",
    "gains_by_split",
    "learning_curves",
    "runs_by_network",
    "runs_by_reading",
    "search_maps",
    "styled",
    "two_runs",
]
