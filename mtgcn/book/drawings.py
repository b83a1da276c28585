"""Pictures that are drawn while the book is built: from stored results, or from nothing but a formula."""

from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp

from mtgcn.analysis import figures, paper_tables, wording
from mtgcn.analysis.comparison import cells_of
from mtgcn.analysis.figures import Figure, styled
from mtgcn.data import toy
from mtgcn.experiments.smoothing import Gauge

ANSWER = (*paper_tables.TABLE_1, ("cora", 5))  # what the first page shows: one and five layers
STEPS = (0, 1, 2, 4, 8, 16, 32, 64)
COLOURS, MARKERS = ("#0072b2", "#d55e00", "#009e73", "#c770a3"), "os^D"


def draw(folder: Path, results: Path) -> None:
    """Write every drawing into ``folder`` as SVG; ``results`` is the folder of the tidy tables."""
    figures.architecture().save(folder / "architecture.svg")
    for step, figure in smoothing_steps().items():
        figure.save(folder / f"smoothing-{step}.svg")
    answer = folder / "answer.svg"
    answer.unlink(missing_ok=True)
    runs = pd.concat([paper_tables.runs_in(results, name).assign(protocol=name) for name in wording.PROTOCOLS])
    there = [cell for cell in ANSWER if cell in cells_of(runs)]
    if there:
        figures.means_by_protocol(runs, there).save(answer)


def smoothing_steps() -> dict[int, Figure]:
    """Draw the toy graph's features after 0, 1, 2, ... multiplications by Â, in the same two directions.

    No weights, no training: this is what the graph alone does. The directions are the principal components
    after two steps.
    """
    arrays = toy.generate()
    matrix = _renormalised_adjacency(arrays.edges, arrays.nodes)
    states = {0: arrays.features.toarray().astype(np.float64)}
    for step in range(1, STEPS[-1] + 1):
        states[step] = matrix @ states[step - 1]
    centre = states[2].mean(axis=0)
    directions = np.linalg.svd(states[2] - centre, full_matrices=False)[2][:2]
    limit = 1.05 * np.abs((states[1] - centre) @ directions.T).max()
    return {step: _scatter(step, states[step], (states[step] - centre) @ directions.T, arrays, limit) for step in STEPS}


def _renormalised_adjacency(edges: np.ndarray, nodes: int) -> sp.csr_array:
    """Return Â = D̃^-1/2 (A + I) D̃^-1/2, (n, n), for edges (2, m)."""
    upper = sp.coo_array((np.ones(edges.shape[1]), edges), shape=(nodes, nodes))
    with_loops = upper + upper.T + sp.eye_array(nodes)
    scale = sp.diags_array(1 / np.sqrt(with_loops.sum(axis=1)))
    return sp.csr_array(scale @ with_loops @ scale)


@styled
def _scatter(step: int, state: np.ndarray, points: np.ndarray, arrays: toy.Arrays, limit: float) -> Figure:
    """Draw the nodes at ``points`` (n, 2), with what is left of ``state`` (n, d) as numbers above."""
    measures = Gauge(arrays.edges, arrays.nodes).measures(state[None])
    energy = measures["normalised_dirichlet_energy"][0] / measures["squared_norm"][0]
    rank = measures["effective_rank"][0]
    figure = Figure(5, 4.2, f"The nodes of the toy graph after {step} steps, in two directions.")
    axes = figure.subplots()
    for label in range(arrays.classes):
        x, y = points[arrays.labels == label].T
        axes.scatter(x, y, s=22, marker=MARKERS[label], color=COLOURS[label], alpha=0.8, linewidths=0)
    axes.set(xlim=(-limit, limit), ylim=(-limit, limit), xticks=[], yticks=[])
    axes.set_title(f"energy {energy:.4f}     effective rank {rank:.1f}", fontsize=10)
    return figure
