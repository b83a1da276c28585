"""How alike have the nodes become? Measures of over-smoothing, for many runs at once.

Sums run in float64: deep layers reach values whose squares float32 rounds to zero. Work and memory grow with
m·c, never with n².
"""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mtgcn.experiments.columns import MEASURES

Floats = NDArray[np.float64]
Pairs = NDArray[np.int64]
TINY = 1e-200  # squared norms below this may have lost digits to underflow


class Gauge:
    """The measures of embeddings H (n, c) on one graph.

    - ``dirichlet_energy``: tr(Hᵀ L H) = Σ over edges of ‖h_u − h_v‖² with the unnormalised Laplacian L = D − A; zero
      when connected nodes share one embedding.
    - ``normalised_dirichlet_energy``: tr(Hᵀ (I − Â) H) = Σ over edges of ‖h_u / √(1 + d_u) − h_v / √(1 + d_v)‖². Zero
      when h_u is proportional to √(1 + d_u), which is where repeated graph convolution Â leads.
    - ``squared_norm``: ‖H‖²; an energy divided by it does not change when the whole embedding merely shrinks.
    - ``mad_neighbours``: cosine distance 1 − cos(h_u, h_v), averaged over the neighbours of a node, then over nodes. A
      zero vector has no direction, so pairs with one are left out; NaN when none is left.
    - ``mad_remote``: the same over `remote_pairs`.
    - ``effective_rank``: exponential of the entropy of the singular values σ / Σσ: 1 for rank one, c at most.
    - ``dead_units``: share of the c units that are zero on every node.

    Args:
        edges: (2, m), each undirected edge once.
        nodes: n.
        hops: how far apart the nodes of a remote pair are at the least.
    """

    def __init__(self, edges: np.ndarray, nodes: int, hops: int = 8) -> None:
        count = edges.shape[1]
        ends = np.tile(np.arange(count), 2), edges.ravel()
        # (m, n): a row for each edge that takes the second end's embedding from the first's.
        self._differences = sparse.csr_array((np.repeat([1.0, -1.0], count), ends), shape=(count, nodes))
        degrees = np.asarray(abs(self._differences).sum(axis=0)).ravel()
        self._normalised = sparse.csr_array(self._differences @ sparse.diags_array(1 / np.sqrt(1 + degrees)))
        self._neighbours = _Partners(neighbour_pairs(edges), nodes)
        self._remote = _Partners(remote_pairs(edges, nodes, hops), nodes)

    def measures(self, embeddings: np.ndarray) -> dict[str, Floats]:
        """Return every measure of (runs, n, c) by its name, (runs,) each; NaN for a run that is not finite."""
        rows = [self._of(np.ascontiguousarray(run, np.float64)) for run in embeddings]
        return {name: np.array([row.get(name, np.nan) for row in rows], float) for name in MEASURES}

    def _of(self, run: Floats) -> dict[str, float]:
        if not np.isfinite(run).all():
            return {}
        directions = _directions(run)
        return {
            "dirichlet_energy": _squares(self._differences @ run),
            "normalised_dirichlet_energy": _squares(self._normalised @ run),
            "squared_norm": _squares(run),
            "mad_neighbours": self._neighbours.distance(*directions),
            "mad_remote": self._remote.distance(*directions),
            "effective_rank": _effective_rank(run),
            "dead_units": float((~run.any(axis=0)).mean()),
        }


def neighbour_pairs(edges: np.ndarray) -> Pairs:
    """Both directions of every edge, (2, 2m): each node with each of its neighbours."""
    return np.concatenate([edges, edges[::-1]], axis=1)


def remote_pairs(
    edges: np.ndarray, nodes: int, hops: int = 8, sources: int = 200, partners: int = 20, seed: int = 0
) -> Pairs:
    """Sampled pairs (2, k) of nodes at least ``hops`` apart, unconnected ones included.

    Up to ``sources`` random nodes get up to ``partners`` random remote nodes each. A graph too small to have
    remote nodes gives no pairs.
    """
    rng = np.random.default_rng(seed)
    chosen = rng.choice(nodes, size=min(sources, nodes), replace=False)
    first, second = neighbour_pairs(edges)
    adjacency = sparse.csr_array((np.ones(first.size, np.float32), (first, second)), shape=(nodes, nodes))
    near = np.zeros((nodes, chosen.size), dtype=np.float32)
    near[chosen, np.arange(chosen.size)] = 1
    for _ in range(hops - 1):
        near = ((near + adjacency @ near) > 0).astype(np.float32)
    found = []
    for column, source in enumerate(chosen):
        remote = np.flatnonzero(near[:, column] == 0)
        far = rng.choice(remote, size=min(partners, remote.size), replace=False)
        found.append(np.stack([np.full_like(far, source), far]))
    return np.concatenate(found, axis=1).astype(np.int64)


class _Partners:
    """Pairs (2, k) of nodes and their partners, as a sparse matrix with a row for each node that has any."""

    def __init__(self, pairs: Pairs, nodes: int) -> None:
        self.nodes, rows = np.unique(pairs[0], return_inverse=True)
        ones = np.ones(pairs.shape[1])
        self.matrix = sparse.csr_array((ones, (rows, pairs[1])), shape=(self.nodes.size, nodes))

    def distance(self, unit: Floats, directed: Floats) -> float:
        """Return MAD of unit vectors (n, c), zero for nodes that are not ``directed`` (n,)."""
        # Σ_v (1 − cos(u, v)) = number of partners − u · Σ_v v: one sparse product instead of a vector per pair.
        counts = directed[self.nodes] * (self.matrix @ directed)
        totals = counts - np.einsum("nc,nc->n", unit[self.nodes], self.matrix @ unit)
        used = counts > 0
        return float((totals[used] / counts[used]).mean()) if used.any() else np.nan


def _directions(run: Floats) -> tuple[Floats, Floats]:
    """Return the rows of ``run`` (n, c) at length one, and 1 for each that has a direction, (n,); zeros stay zero."""
    squares = np.einsum("nc,nc->n", run, run)
    if (small := squares < TINY).any():  # the norm of a row of 1e-200 must not underflow
        largest = np.abs(run[small]).max(axis=1, keepdims=True)
        run = run.copy()
        run[small] /= np.where(largest > 0, largest, 1.0)
        squares = np.einsum("nc,nc->n", run, run)
    directed = (squares > 0).astype(float)
    return run / np.sqrt(squares + (1 - directed))[:, None], directed


def _effective_rank(run: Floats) -> float:
    """Take it from the eigenvalues of the c × c matrix HᵀH: singular values below 1e-7 of the largest count as 0."""
    largest = np.abs(run).max(initial=0.0)
    if largest == 0:
        return 0.0
    scaled = run / largest
    squares = np.linalg.eigvalsh(scaled.T @ scaled)
    values = np.sqrt(squares[squares > 1e-14 * squares[-1]])
    shares = values / values.sum()
    return float(np.exp(-(shares * np.log(shares)).sum()))


def _squares(values: Floats) -> float:
    flat = values.ravel()
    return float(flat @ flat)
