"""Figures of the book, from tidy tables. Each function returns a figure that a notebook shows as SVG."""

from mtgcn.figures.architecture import architecture
from mtgcn.figures.curves import learning_curves
from mtgcn.figures.depth import accuracy_against_depth
from mtgcn.figures.examples import two_runs
from mtgcn.figures.heatmaps import depth_by_layer, weight_grid
from mtgcn.figures.maps import embedding_maps
from mtgcn.figures.measures import accuracy_against_measures
from mtgcn.figures.remedies import remedies_against_depth
from mtgcn.figures.runs import runs_by_network
from mtgcn.figures.style import Figure, styled

__all__ = [
    "Figure",
    "accuracy_against_depth",
    "accuracy_against_measures",
    "architecture",
    "depth_by_layer",
    "embedding_maps",
    "learning_curves",
    "remedies_against_depth",
    "runs_by_network",
    "styled",
    "two_runs",
    "weight_grid",
]
