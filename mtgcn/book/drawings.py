"""Pictures that are drawn while the book is built: they need no training, so no run has to hold them."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import torch
from matplotlib.figure import Figure

from mtgcn import smoothing, toy
from mtgcn.files import replacing
from mtgcn.graph import Graph

STEPS = (0, 1, 2, 4, 8, 16, 32, 64)


def draw(folder: Path) -> None:
    """Write every drawing into ``folder`` as SVG, the same bytes each time."""
    for step, figure in zip(STEPS, smoothing_steps(), strict=True):
        _save(figure, folder / f"smoothing-{step}.svg")


def smoothing_steps() -> list[Figure]:
    """Draw the toy graph's features after 0, 1, 2, ... multiplications by Â, in the same two directions.

    No weights, no training: this is what the graph alone does. The directions are the principal components
    after two steps.
    """
    arrays = toy.generate()
    nodes = arrays.features.shape[0]
    graph = Graph(arrays.edges, nodes, runs=1, device=torch.device("cpu"), dtype=torch.float64)
    states = [torch.tensor(arrays.features.toarray(), dtype=torch.float64)[None]]
    while len(states) <= STEPS[-1]:
        states.append(graph.propagate(states[-1]))
    values = {step: states[step][0].numpy() for step in STEPS}
    directions = np.linalg.svd(values[2] - values[2].mean(axis=0), full_matrices=False)[2][:2]
    centre = values[2].mean(axis=0)
    limit = 1.05 * np.abs((values[1] - centre) @ directions.T).max()
    return [_scatter(step, values[step], (values[step] - centre) @ directions.T, arrays, limit) for step in STEPS]


def _scatter(step: int, state: np.ndarray, points: np.ndarray, arrays: toy.Arrays, limit: float) -> Figure:
    energy = smoothing.normalised_dirichlet_energy(state, arrays.edges)[0] / smoothing.squared_norm(state)[0]
    rank = smoothing.effective_rank(state)[0]
    figure, axes = plt.subplots(figsize=(5, 4.2), layout="constrained")
    for label, marker in zip(range(arrays.classes), "os^D", strict=True):
        chosen = arrays.labels == label
        axes.scatter(points[chosen, 0], points[chosen, 1], s=22, marker=marker, alpha=0.8, linewidths=0)
    axes.set(xlim=(-limit, limit), ylim=(-limit, limit), xticks=[], yticks=[])
    axes.set_title(f"{step} steps    energy {energy:.4f}    effective rank {rank:.1f}", fontsize=10)
    return figure


def _save(figure: Figure, path: Path) -> None:
    with replacing(path) as temporary, plt.rc_context({"svg.hashsalt": path.stem}):
        figure.savefig(temporary, metadata={"Date": None}, transparent=True)
    plt.close(figure)
