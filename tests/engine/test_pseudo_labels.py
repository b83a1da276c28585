import numpy as np
import pytest
from sklearn.cluster import KMeans
from support.small import scattered, tiny

from mtgcn.data import toy
from mtgcn.data.datasets import from_arrays
from mtgcn.engine import pseudo_labels

GRAPH = tiny()


@pytest.fixture(scope="module")
def larger():
    return from_arrays(toy.generate(nodes=600, classes=4, features=60, seed=3), "larger", "generated")


def test_clusters_are_those_of_scikit_learn(larger):
    ours = pseudo_labels.clusters(larger.features, 12)
    theirs = KMeans(12, n_init=1, random_state=0).fit(larger.features)
    assert ours.dtype == np.int64
    assert np.array_equal(ours, theirs.labels_)
    x = larger.features.toarray()  # a node is in the cluster whose mean is nearest
    means = np.stack([x[ours == cluster].mean(0) for cluster in range(12)])
    nearest = ((x[:, None] - means) ** 2).sum(2).argmin(1)
    assert (nearest == ours).mean() > 0.99


def test_more_clusters_than_different_rows_is_no_warning(recwarn):
    same = GRAPH.features[[0, 1, 0, 1, 0, 1]]
    found = pseudo_labels.clusters(same, 4)
    assert len(np.unique(found)) == 2
    assert found[0] == found[2] != found[1]
    assert not [one for one in recwarn if "onverge" in str(one.message)]


@pytest.mark.parametrize("number", [2, 5])
def test_parts_are_balanced_and_cut_fewer_edges_than_chance(larger, number, capfd):
    found = pseudo_labels.parts(larger.edges, larger.nodes, number)
    sizes = np.bincount(found, minlength=number)
    assert len(sizes) == number
    assert sizes.max() <= 1.05 * larger.nodes / number + 1
    cut = (found[larger.edges[0]] != found[larger.edges[1]]).mean()
    shuffled = [np.random.default_rng(seed).permutation(found) for seed in range(20)]
    by_chance = [(one[larger.edges[0]] != one[larger.edges[1]]).mean() for one in shuffled]
    assert cut < 0.75 * min(by_chance)
    told = capfd.readouterr()
    assert (told.out, told.err) == ("", "")


def test_parts_of_a_graph_in_pieces_reach_every_node():
    graph = scattered()
    assert pseudo_labels.parts(graph.edges, graph.nodes, 3).shape == (graph.nodes,)


def test_directions_are_those_of_the_dense_decomposition():
    found = pseudo_labels.left_singular_vectors(GRAPH.features, 5)
    u, values, _ = np.linalg.svd(GRAPH.features.toarray().astype(np.float64), full_matrices=False)
    assert np.diff(values[:6]).max() < -1e-3  # else directions could be exchanged
    np.testing.assert_allclose(np.abs((found * u[:, :5]).sum(0)), 1, atol=1e-8)
    assert (found[np.abs(found).argmax(0), np.arange(5)] > 0).all()


def test_nothing_is_computed_twice(monkeypatch, tmp_path):
    monkeypatch.setenv("MTGCN_CACHE", str(tmp_path))
    first = pseudo_labels.parts(GRAPH.edges, GRAPH.nodes, 3)
    monkeypatch.setattr(pseudo_labels, "metis", None)
    assert np.array_equal(pseudo_labels.parts(GRAPH.edges, GRAPH.nodes, 3), first)
