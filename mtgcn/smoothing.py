"""How alike have the nodes become? Measures of over-smoothing, for many runs at once.

Embeddings H are ``(runs, n, c)`` or, for one run, ``(n, c)``, torch or numpy; every measure is a numpy array
``(runs,)``, NaN for a run whose embedding is not finite. Edges are ``(2, m)``, each undirected edge once.
Sums run in float64: deep layers reach values whose squares float32 rounds to zero. Work and memory grow with
m·c, never with n².
"""

import warnings
from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse

Array = np.ndarray | torch.Tensor
Floats = NDArray[np.float64]
Pairs = NDArray[np.int64]

warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta state")


def dirichlet_energy(embeddings: Array, edges: Array) -> Floats:
    """Dirichlet energy with the unnormalised Laplacian L = D − A.

    tr(Hᵀ L H) = Σ over edges of ‖h_u − h_v‖²; zero when connected nodes share one embedding.
    """
    first, second = _pairs(edges, embeddings)
    return _per_run(embeddings, lambda run: (run[first] - run[second]).square().sum())


def normalised_dirichlet_energy(embeddings: Array, edges: Array) -> Floats:
    """Dirichlet energy with the normalised Laplacian I − Â of the graph with self-loops.

    tr(Hᵀ (I − Â) H) = Σ over edges of ‖h_u / √(1 + d_u) − h_v / √(1 + d_v)‖². Zero when h_u is proportional
    to √(1 + d_u), which is where repeated graph convolution Â leads; constant embeddings are not its zero.
    """
    first, second = _pairs(edges, embeddings)
    nodes = embeddings.shape[-2]
    degrees = torch.bincount(torch.cat([first, second]), minlength=nodes)
    scale = (1 + degrees).to(torch.float64).rsqrt().unsqueeze(1)

    def energy(run: torch.Tensor) -> torch.Tensor:
        scaled = run * scale
        return (scaled[first] - scaled[second]).square().sum()

    return _per_run(embeddings, energy)


def squared_norm(embeddings: Array) -> Floats:
    """‖H‖²: an energy divided by it does not change when the whole embedding merely shrinks."""
    return _per_run(embeddings, lambda run: run.square().sum())


def mean_average_distance(embeddings: Array, pairs: Array) -> Floats:
    """MAD: cosine distance 1 − cos(h_u, h_v), averaged over the partners of a node, then over nodes.

    ``pairs`` (2, k) holds nodes above and their partners below: ``neighbour_pairs`` or ``remote_pairs``.
    A zero vector has no direction, so pairs with one are left out; NaN when none is left.
    """
    nodes = embeddings.shape[-2]
    both = torch.stack(_pairs(pairs, embeddings))
    ones = torch.ones(both.shape[1], dtype=torch.float64, device=both.device)
    partners = torch.sparse_coo_tensor(both, ones, (nodes, nodes), check_invariants=True).to_sparse_csr()
    return _per_run(embeddings, lambda run: _mad(run, partners))


def neighbour_pairs(edges: Array) -> Pairs:
    """Both directions of every edge, (2, 2m): each node with each of its neighbours."""
    one = np.asarray(edges, dtype=np.int64)
    return np.concatenate([one, one[::-1]], axis=1)


def remote_pairs(
    edges: Array, nodes: int, hops: int = 8, sources: int = 200, partners: int = 20, seed: int = 0
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


def effective_rank(embeddings: Array) -> Floats:
    """Exponential of the entropy of the singular values σ / Σσ: 1 for rank one, c at most, 0 for H = 0.

    From the eigenvalues of the c × c Gram matrix HᵀH: singular values below 1e-7 of the largest count as 0.
    """
    return _per_run(embeddings, _effective_rank)


def dead_units(embeddings: Array) -> Floats:
    """Share of the c units that are zero on every node, 0 to 1."""
    return _per_run(embeddings, lambda run: (run == 0).all(dim=0).to(torch.float64).mean())


def _mad(run: torch.Tensor, partners: torch.Tensor) -> torch.Tensor:
    """MAD of one run (n, c); sparse ``partners`` (n, n) has a one for each node and partner."""
    # Division by the largest entry first: the norm of a row of 1e-200 must not underflow.
    largest = run.abs().amax(dim=1, keepdim=True)
    directed = (largest > 0).double()
    scaled = run / (largest + (1 - directed))
    unit = scaled / (scaled.norm(dim=1, keepdim=True) + (1 - directed))
    # Σ_v (1 − cos(u, v)) = number of partners − u · Σ_v v: one sparse product instead of a vector per pair.
    counts = (directed * (partners @ directed)).squeeze(1)
    totals = counts - (unit * (partners @ unit)).sum(dim=1)
    return (totals / counts)[counts > 0].mean()


def _effective_rank(run: torch.Tensor) -> torch.Tensor:
    largest = run.abs().max()
    if largest == 0:
        return torch.zeros((), dtype=run.dtype)
    scaled = run / largest
    squares = torch.linalg.eigvalsh(scaled.T @ scaled)
    values = torch.where(squares > 1e-14 * squares[-1], squares, 0.0).sqrt()
    return torch.special.entr(values / values.sum()).sum().exp()


def _pairs(pairs: Array, embeddings: Array) -> tuple[torch.Tensor, torch.Tensor]:
    device = embeddings.device if isinstance(embeddings, torch.Tensor) else None
    both = torch.as_tensor(pairs, dtype=torch.int64, device=device)
    return both[0], both[1]


def _per_run(embeddings: Array, measure: Callable[[torch.Tensor], torch.Tensor]) -> Floats:
    """Apply ``measure`` to each run (n, c) in turn, so that ten runs need no ten-fold copy in float64."""
    stacked = torch.as_tensor(embeddings).detach()
    runs = stacked if stacked.ndim == 3 else stacked.unsqueeze(0)
    return np.array([float(measure(run.double())) if run.isfinite().all() else np.nan for run in runs])
