import numpy as np
import pytest

from mtgcn.data import arrays, toy
from mtgcn.errors import MtgcnError


def test_seed_decides_everything():
    assert arrays.digest(toy.generate(seed=3)) == arrays.digest(toy.generate(seed=3))
    assert arrays.digest(toy.generate(seed=3)) != arrays.digest(toy.generate(seed=4))


@pytest.mark.parametrize(("nodes", "classes", "features", "degree"), [(240, 4, 120, 4.0), (20_000, 7, 1000, 10.0)])
def test_size_is_what_was_asked(nodes, classes, features, degree):
    graph = toy.generate(nodes=nodes, classes=classes, features=features, average_degree=degree)
    assert graph.features.shape == (nodes, features)
    assert np.bincount(graph.labels).max() - np.bincount(graph.labels).min() <= 1
    assert len(np.bincount(graph.labels)) == classes
    assert 2 * graph.edges.shape[1] / nodes == pytest.approx(degree, rel=0.08)
    assert set(graph.features.data.tolist()) == {1.0}
    each = min(20, nodes // (8 * classes))
    assert np.bincount(graph.labels[graph.train]).tolist() == [each] * classes
    assert (len(graph.validation), len(graph.test)) == (min(500, nodes // 4), min(1000, nodes // 2))


@pytest.mark.parametrize("homophily", [0.0, 0.5, 0.9])
def test_edges_stay_within_classes_as_often_as_asked(homophily):
    graph = toy.generate(nodes=20_000, classes=4, homophily=homophily)
    within = (graph.labels[graph.edges[0]] == graph.labels[graph.edges[1]]).mean()
    assert within == pytest.approx(homophily + (1 - homophily) / 4, abs=0.02)


def test_degrees_are_heavy_tailed_as_citations_are():
    graph = toy.generate(nodes=20_000)
    degrees = np.bincount(graph.edges.ravel())
    assert degrees.max() > 10 * degrees.mean()


def test_words_tell_classes_and_node_numbers_do_not():
    graph = toy.generate(nodes=2000)
    dense = graph.features.toarray()
    centres = np.stack([dense[graph.train[graph.labels[graph.train] == k]].mean(axis=0) for k in range(4)])
    guess = (dense[graph.test] @ centres.T).argmax(axis=1)
    assert 0.4 < (guess == graph.labels[graph.test]).mean() < 0.99
    assert abs(np.corrcoef(np.arange(2000), graph.labels)[0, 1]) < 0.1


def test_too_few_nodes_are_refused():
    with pytest.raises(MtgcnError, match="4 classes need at least 32 nodes"):
        toy.generate(nodes=31)
