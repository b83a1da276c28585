"""Measures of over-smoothing on graphs whose values are known by hand, and against dense matrices."""

import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path

from mtgcn.experiments import smoothing
from mtgcn.experiments.columns import MEASURES

NODES = 30


@pytest.fixture
def edges() -> np.ndarray:
    rng = np.random.default_rng(0)
    upper = np.triu(rng.random((NODES, NODES)) < 0.12, k=1)
    upper[:, 7] = upper[7] = False  # an isolated node, as Citeseer has
    return np.stack(np.nonzero(upper))


@pytest.fixture
def stacked() -> np.ndarray:
    """Three runs of 5 units, after a ReLU as in the encoder."""
    return np.maximum(np.random.default_rng(1).normal(size=(3, NODES, 5)), 0)


def measure(name: str, embeddings: np.ndarray, edges: np.ndarray, hops: int = 8) -> np.ndarray:
    """Take one measure of (runs, n, c), or of one run (n, c)."""
    runs = embeddings if embeddings.ndim == 3 else embeddings[None]
    return smoothing.Gauge(edges, runs.shape[1], hops).measures(runs)[name]


def adjacency(edges: np.ndarray) -> np.ndarray:
    dense = np.zeros((NODES, NODES))
    dense[edges[0], edges[1]] = dense[edges[1], edges[0]] = 1
    return dense


def cliques(size: int) -> np.ndarray:
    """Two cliques of ``size`` nodes and one edge between them."""
    one = np.stack(np.triu_indices(size, k=1))
    return np.concatenate([one, one + size, [[0], [size]]], axis=1)


def test_energies_agree_with_dense_laplacians(edges: np.ndarray, stacked: np.ndarray) -> None:
    dense = adjacency(edges)
    laplacian = np.diag(dense.sum(axis=1)) - dense
    loops = dense + np.eye(NODES)
    roots = 1 / np.sqrt(loops.sum(axis=1))
    normalised = np.eye(NODES) - roots[:, None] * loops * roots
    expected = [np.trace(run.T @ laplacian @ run) for run in stacked]
    assert measure("dirichlet_energy", stacked, edges) == pytest.approx(expected)
    expected = [np.trace(run.T @ normalised @ run) for run in stacked]
    assert measure("normalised_dirichlet_energy", stacked, edges) == pytest.approx(expected)
    assert measure("squared_norm", stacked, edges) == pytest.approx([np.linalg.norm(run) ** 2 for run in stacked])


def test_each_energy_vanishes_where_its_laplacian_does(edges: np.ndarray) -> None:
    constant = np.tile([[1.5, 0.0, 3.0]], (NODES, 1))
    along_degrees = np.sqrt(1 + adjacency(edges).sum(axis=1, keepdims=True)) * constant
    assert measure("dirichlet_energy", constant, edges).tolist() == [0.0]
    assert measure("normalised_dirichlet_energy", constant, edges)[0] > 1
    assert measure("dirichlet_energy", along_degrees, edges)[0] > 1
    assert measure("normalised_dirichlet_energy", along_degrees, edges)[0] == pytest.approx(0, abs=1e-12)


def test_two_cliques_with_opposite_signs() -> None:
    size = 6
    signs = np.repeat([1.0, -1.0], size)[:, None] * np.array([[3.0, 4.0]])
    bridged = cliques(size)
    # Only the bridge carries energy: ‖2 · (3, 4)‖² = 100; both its ends have 5 + 1 neighbours and a loop.
    assert measure("dirichlet_energy", signs, bridged) == pytest.approx([100.0])
    inside = 2 * (size - 1) * 25 * (1 / np.sqrt(7) - 1 / np.sqrt(6)) ** 2
    assert measure("normalised_dirichlet_energy", signs, bridged) == pytest.approx([100 / 7 + inside])
    # The two bridge ends have one of 6 neighbours in the opposite direction (distance 2), the others none.
    assert measure("mad_neighbours", signs, bridged) == pytest.approx([2 * (2 / 6) / 12])
    # Three hops lead across the bridge and nowhere else.
    assert measure("mad_remote", signs, bridged, hops=3) == pytest.approx([2.0])
    assert measure("effective_rank", signs, bridged) == pytest.approx([1.0])


def test_mad_agrees_with_a_dense_computation(edges: np.ndarray, stacked: np.ndarray) -> None:
    mask = adjacency(edges)
    expected = []
    for run in stacked:
        norms = np.linalg.norm(run, axis=1)
        with np.errstate(invalid="ignore"):
            distance = 1 - run @ run.T / np.outer(norms, norms)
        used = mask * np.isfinite(distance)
        rows = used.sum(axis=1) > 0
        expected.append(((np.nan_to_num(distance) * used).sum(axis=1)[rows] / used.sum(axis=1)[rows]).mean())
    assert any((run == 0).all(axis=1).any() for run in stacked), "the example should hold a zero vector"
    assert measure("mad_neighbours", stacked, edges) == pytest.approx(expected)


def test_mad_of_parallel_and_of_dead_embeddings(edges: np.ndarray) -> None:
    lengths = np.linspace(1e-200, 1, NODES)[:, None]
    assert measure("mad_neighbours", lengths * [[1.0, 2.0]], edges) == pytest.approx([0], abs=1e-15)
    assert np.isnan(measure("mad_neighbours", np.zeros((2, NODES, 4)), edges)).all()


def test_remote_pairs_are_as_far_apart_as_asked(edges: np.ndarray) -> None:
    hops = shortest_path(adjacency(edges), unweighted=True)
    for asked in (2, 3, 4):
        first, second = smoothing.remote_pairs(edges, NODES, hops=asked, sources=NODES, partners=NODES)
        assert set(zip(first.tolist(), second.tolist(), strict=True)) == set(
            zip(*(index.tolist() for index in np.nonzero(hops >= asked)), strict=True)
        )


def test_remote_pairs_are_sampled_and_repeatable(edges: np.ndarray) -> None:
    first = smoothing.remote_pairs(edges, NODES, hops=2, sources=10, partners=4, seed=3)
    assert first.shape == (2, 40)
    assert len({tuple(pair) for pair in first.T}) == 40
    assert (first == smoothing.remote_pairs(edges, NODES, hops=2, sources=10, partners=4, seed=3)).all()
    assert (first != smoothing.remote_pairs(edges, NODES, hops=2, sources=10, partners=4, seed=4)).any()


def test_a_graph_without_remote_nodes_gives_no_pairs_and_no_distance() -> None:
    clique = np.stack(np.triu_indices(5, k=1))
    assert smoothing.remote_pairs(clique, 5, hops=2).shape == (2, 0)
    assert np.isnan(measure("mad_remote", np.eye(5), clique, hops=2)).all()


def test_effective_rank_of_known_spectra(edges: np.ndarray) -> None:
    rng = np.random.default_rng(2)
    basis, _ = np.linalg.qr(rng.normal(size=(NODES, 4)))
    rotation, _ = np.linalg.qr(rng.normal(size=(4, 4)))
    rank_one = np.outer(rng.normal(size=NODES), rng.normal(size=4))
    stacked = np.stack([basis @ rotation, 1e-180 * basis @ rotation, rank_one, np.zeros((NODES, 4))])
    assert measure("effective_rank", stacked, edges) == pytest.approx([4, 4, 1, 0])
    # σ = (2, 1, 1, 0): entropy of (1/2, 1/4, 1/4) is 1.5 bits.
    assert measure("effective_rank", basis * [2, 1, 1, 0] @ rotation, edges) == pytest.approx([2**1.5])


def test_effective_rank_agrees_with_singular_values(edges: np.ndarray, stacked: np.ndarray) -> None:
    values = np.linalg.svd(stacked, compute_uv=False)
    shares = values / values.sum(axis=1, keepdims=True)
    assert measure("effective_rank", stacked, edges) == pytest.approx(np.exp(-(shares * np.log(shares)).sum(axis=1)))


def test_dead_units_are_zero_everywhere(edges: np.ndarray, stacked: np.ndarray) -> None:
    stacked[0, :, [1, 3]] = 0
    stacked[1, :-1, 0] = 0  # alive on one node
    stacked[1, -1, 0] = 1e-30
    stacked[2] = 0
    assert measure("dead_units", stacked, edges) == pytest.approx([0.4, 0.0, 1.0])


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_diverged_run_has_no_value_and_spares_the_others(
    name: str, value: float, edges: np.ndarray, stacked: np.ndarray
) -> None:
    expected = measure(name, stacked, edges, hops=3)
    assert expected.shape == (3,)
    assert np.isfinite(expected).all()
    assert measure(name, stacked[1], edges, hops=3).tolist() == [expected[1]]
    assert measure(name, stacked.astype(np.float32), edges, hops=3) == pytest.approx(expected, rel=1e-6)
    stacked[1, 4, 2] = value
    found = measure(name, stacked, edges, hops=3)
    assert found.tolist()[::2] == expected.tolist()[::2]
    assert np.isnan(found[1])
