"""Figures of the book, from tidy tables. Each function returns a figure that a notebook shows as SVG."""

from mtgcn.figures.architecture import architecture
from mtgcn.figures.curves import learning_curves
from mtgcn.figures.depth import accuracy_against_depth
from mtgcn.figures.examples import two_runs
from mtgcn.figures.heatmaps import depth_by_layer, epoch_by_layer
from mtgcn.figures.maps import embedding_maps
from mtgcn.figures.measures import accuracy_against_measures
from mtgcn.figures.readings import runs_by_reading
from mtgcn.figures.remedies import remedies_against_depth
from mtgcn.figures.runs import runs_by_network
from mtgcn.figures.searches import search_maps
from mtgcn.figures.splits import gains_by_split
from mtgcn.figures.style import Figure, styled

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
    "remedies_against_depth",
    "runs_by_network",
    "runs_by_reading",
    "search_maps",
    "styled",
    "two_runs",
]
