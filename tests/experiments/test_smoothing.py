"""Measures of over-smoothing on graphs whose values are known by hand, and against dense matrices."""

import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path

from mtgcn.experiments import smoothing

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
    assert smoothing.dirichlet_energy(stacked, edges) == pytest.approx(expected)
    expected = [np.trace(run.T @ normalised @ run) for run in stacked]
    assert smoothing.normalised_dirichlet_energy(stacked, edges) == pytest.approx(expected)
    assert smoothing.squared_norm(stacked) == pytest.approx([np.linalg.norm(run) ** 2 for run in stacked])


def test_each_energy_vanishes_where_its_laplacian_does(edges: np.ndarray) -> None:
    constant = np.tile([[1.5, 0.0, 3.0]], (NODES, 1))
    along_degrees = np.sqrt(1 + adjacency(edges).sum(axis=1, keepdims=True)) * constant
    assert smoothing.dirichlet_energy(constant, edges).tolist() == [0.0]
    assert smoothing.normalised_dirichlet_energy(constant, edges)[0] > 1
    assert smoothing.dirichlet_energy(along_degrees, edges)[0] > 1
    assert smoothing.normalised_dirichlet_energy(along_degrees, edges)[0] == pytest.approx(0, abs=1e-12)


def test_two_cliques_with_opposite_signs() -> None:
    size = 6
    signs = np.repeat([1.0, -1.0], size)[:, None] * np.array([[3.0, 4.0]])
    bridged = cliques(size)
    # Only the bridge carries energy: ‖2 · (3, 4)‖² = 100; both its ends have 5 + 1 neighbours and a loop.
    assert smoothing.dirichlet_energy(signs, bridged) == pytest.approx([100.0])
    inside = 2 * (size - 1) * 25 * (1 / np.sqrt(7) - 1 / np.sqrt(6)) ** 2
    assert smoothing.normalised_dirichlet_energy(signs, bridged) == pytest.approx([100 / 7 + inside])
    # The two bridge ends have one of 6 neighbours in the opposite direction (distance 2), the others none.
    mad = smoothing.mean_average_distance(signs, smoothing.neighbour_pairs(bridged))
    assert mad == pytest.approx([2 * (2 / 6) / 12])
    # Three hops lead across the bridge and nowhere else.
    remote = smoothing.remote_pairs(bridged, 2 * size, hops=3)
    assert smoothing.mean_average_distance(signs, remote) == pytest.approx([2.0])
    assert smoothing.effective_rank(signs) == pytest.approx([1.0])


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
    pairs = smoothing.neighbour_pairs(edges)
    assert smoothing.mean_average_distance(stacked, pairs) == pytest.approx(expected)


def test_mad_of_parallel_and_of_dead_embeddings(edges: np.ndarray) -> None:
    pairs = smoothing.neighbour_pairs(edges)
    lengths = np.linspace(1e-200, 1, NODES)[:, None]
    assert smoothing.mean_average_distance(lengths * [[1.0, 2.0]], pairs) == pytest.approx([0], abs=1e-15)
    assert np.isnan(smoothing.mean_average_distance(np.zeros((2, NODES, 4)), pairs)).all()


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
    pairs = smoothing.remote_pairs(clique, 5, hops=2)
    assert pairs.shape == (2, 0)
    assert np.isnan(smoothing.mean_average_distance(np.eye(5), pairs)).all()


def test_effective_rank_of_known_spectra() -> None:
    rng = np.random.default_rng(2)
    basis, _ = np.linalg.qr(rng.normal(size=(NODES, 4)))
    rotation, _ = np.linalg.qr(rng.normal(size=(4, 4)))
    rank_one = np.outer(rng.normal(size=NODES), rng.normal(size=4))
    stacked = np.stack([basis @ rotation, 1e-180 * basis @ rotation, rank_one, np.zeros((NODES, 4))])
    assert smoothing.effective_rank(stacked) == pytest.approx([4, 4, 1, 0])
    # σ = (2, 1, 1, 0): entropy of (1/2, 1/4, 1/4) is 1.5 bits.
    assert smoothing.effective_rank(basis * [2, 1, 1, 0] @ rotation) == pytest.approx([2**1.5])


def test_effective_rank_agrees_with_a_singular_value_decomposition(stacked: np.ndarray) -> None:
    values = np.linalg.svd(stacked, compute_uv=False)
    shares = values / values.sum(axis=1, keepdims=True)
    assert smoothing.effective_rank(stacked) == pytest.approx(np.exp(-(shares * np.log(shares)).sum(axis=1)))


def test_dead_units_are_zero_everywhere(stacked: np.ndarray) -> None:
    stacked[0, :, [1, 3]] = 0
    stacked[1, :-1, 0] = 0  # alive on one node
    stacked[1, -1, 0] = 1e-30
    stacked[2] = 0
    assert smoothing.dead_units(stacked) == pytest.approx([0.4, 0.0, 1.0])


MEASURES = {
    "dirichlet_energy": lambda h, edges: smoothing.dirichlet_energy(h, edges),
    "normalised_dirichlet_energy": lambda h, edges: smoothing.normalised_dirichlet_energy(h, edges),
    "squared_norm": lambda h, _: smoothing.squared_norm(h),
    "mean_average_distance": lambda h, edges: smoothing.mean_average_distance(h, edges),
    "effective_rank": lambda h, _: smoothing.effective_rank(h),
    "dead_units": lambda h, _: smoothing.dead_units(h),
}


@pytest.mark.parametrize("measure", MEASURES)
def test_stacked_and_single_give_the_same(measure: str, edges: np.ndarray, stacked: np.ndarray) -> None:
    values = MEASURES[measure](stacked, edges)
    assert values.shape == (3,)
    assert MEASURES[measure](stacked[1], edges).tolist() == [values[1]]
    assert MEASURES[measure](stacked.astype(np.float32), edges) == pytest.approx(values, rel=1e-6)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_diverged_run_has_no_value_and_spares_the_others(
    measure: str, value: float, edges: np.ndarray, stacked: np.ndarray
) -> None:
    expected = MEASURES[measure](stacked, edges)
    stacked[1, 4, 2] = value
    assert MEASURES[measure](stacked, edges).tolist()[::2] == expected.tolist()[::2]
    assert np.isnan(MEASURES[measure](stacked, edges)[1])
