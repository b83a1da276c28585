"""Tasks of other papers, each against its definition in dense numpy and float64."""

import numpy as np
import pytest
import torch
from support.dense import DenseNetwork, renormalised_adjacency
from support.small import BACKENDS, CPU, double_network, parameters, scattered, tiny

from mtgcn.engine.graph import Graph, adjacency_of
from mtgcn.engine.part import NodeSet
from mtgcn.engine.rewired import RewiredGraph
from mtgcn.model.forward import Pass
from mtgcn.model.tasks import TASKS

pytestmark = pytest.mark.usefixtures("one_thread")

GRAPH, SCATTERED = tiny(), scattered()
SETTINGS = {
    "NC": {"clusters": 6},
    "GP": {"parts": 3},
    "GCo": {"size": 4},
    "EM": {"rate": 0.2},
    "PD": {"classes": 3, "size": 30, "sources": 25},
}
NODES = {
    "all": np.arange(GRAPH.nodes),
    "labelled": GRAPH.train,
    "unlabelled": np.setdiff1d(np.arange(GRAPH.nodes), GRAPH.train),
}


def engine(name: str, graph=GRAPH, **values):
    """The engine's network with one task alone, and the task."""
    chosen = parameters(
        name, {name: SETTINGS[name] | values}, dropout=0, hidden_units=6, hidden_layers=2, backend="auto"
    )
    network = double_network(graph, chosen)
    return network, network.tasks[name]


def risk_of(network, task, nodes):
    return task.risk(Pass(network.batch, network.batch.graph, network.weights), nodes)


def dense_of(network, run: int = 1) -> DenseNetwork:
    return DenseNetwork(GRAPH, 2, {key: value[run].detach() for key, value in network.weights.items()})


def mean_cross_entropy(logits: torch.Tensor, labels: np.ndarray, nodes: np.ndarray) -> float:
    scores = np.exp(logits.numpy())
    return float(-np.log(scores[nodes, labels[nodes]] / scores.sum(1)[nodes]).mean())


@pytest.mark.parametrize("nodes", NODES)
@pytest.mark.parametrize("name", ["NC", "GP"])
def test_risk_of_labels_is_the_cross_entropy_behind_one_layer(name, nodes):
    network, task = engine(name, nodes=nodes)
    dense = dense_of(network)
    assert f"{name}.1.B" not in network.weights
    logits = dense.gc(dense.g_sh(dense.x), f"{name}.0")
    expected = mean_cross_entropy(logits, task.labels.numpy(), NODES[nodes])
    assert float(risk_of(network, task, task.nodes)[1].detach()) == pytest.approx(expected, rel=1e-12)


def test_clusters_get_the_class_of_the_nearest_labelled_centroid():
    _, task = engine("NC")
    from sklearn.cluster import KMeans

    x = GRAPH.features.toarray().astype(np.float64)
    found = KMeans(6, n_init=1, random_state=0).fit(GRAPH.features).labels_
    for cluster in range(6):
        centroid = x[found == cluster].mean(0)
        own = [x[GRAPH.train][GRAPH.labels[GRAPH.train] == k].mean(0) for k in range(GRAPH.classes)]
        nearest = int(np.argmin([np.linalg.norm(centroid - one) for one in own]))
        assert set(task.labels.numpy()[found == cluster]) == {nearest}
    assert task.outputs == GRAPH.classes
    assert task.nodes.index.tolist() == NODES["unlabelled"].tolist()


@pytest.mark.parametrize("nodes", ["all", "labelled"])
def test_graph_completion_sees_the_graph_without_loops(nodes):
    network, task = engine("GCo", nodes=nodes)
    dense = dense_of(network)
    a = np.zeros((GRAPH.nodes, GRAPH.nodes))
    a[GRAPH.edges[0], GRAPH.edges[1]] = a[GRAPH.edges[1], GRAPH.edges[0]] = 1
    degrees = a.sum(1)
    roots = np.array([1 / np.sqrt(d) if d else 0 for d in degrees])
    dense.a_hat = torch.from_numpy(np.diag(roots) @ a @ np.diag(roots))
    rebuilt = dense.gc(dense.g_sh(dense.x), "GCo.0").numpy()
    u = np.linalg.svd(GRAPH.features.toarray().astype(np.float64), full_matrices=False)[0][:, :4]
    u = u * np.sign((u * task.target.numpy()).sum(0))  # whose signs mean nothing
    expected = 100 * np.abs(u - rebuilt)[NODES[nodes]].mean()
    assert float(risk_of(network, task, task.nodes)[1].detach()) == pytest.approx(expected, rel=1e-8)
    # The main task goes on seeing loops.
    torch.testing.assert_close(
        Pass(network.batch, network.batch.graph, network.weights).main(None)[1].detach(),
        dense_of(network).gc(dense_of(network).g_sh(dense.x), "main"),
    )


def hops(edges: np.ndarray, nodes: int) -> np.ndarray:
    """Edges between every two nodes, (n, n), by powers of A + I; inf where there is no way."""
    a = np.eye(nodes)
    a[edges[0], edges[1]] = a[edges[1], edges[0]] = 1
    found, reached = np.where(np.eye(nodes) > 0, 0, np.inf), np.eye(nodes)
    for steps in range(1, nodes):
        reached = np.minimum(reached @ a, 1)
        found[np.isinf(found) & (reached > 0)] = steps
    return found


def pair_risk(task, embedding: np.ndarray, weights: dict, run: int, nodes: np.ndarray) -> float:
    """The mean cross-entropy of |h_u − h_v| B + b over the pairs that touch these nodes, pair by pair."""
    losses = []
    for (u, v), label in zip(task.pairs[run].T, task.labels[run].numpy(), strict=True):
        if u != v and (u in nodes or v in nodes):
            scores = np.exp(np.abs(embedding[u] - embedding[v]) @ weights["B"] + weights["b"])
            losses.append(-np.log(scores[label] / scores.sum()))
    return float(np.mean(losses))


@pytest.mark.parametrize("nodes", ["all", "labelled"])
def test_edge_masking_is_the_dense_formula(nodes):
    network, task = engine("EM", nodes=nodes)
    dense, linked = dense_of(network), {tuple(edge) for edge in GRAPH.edges.T.tolist()}
    pairs, labels = task.pairs[1], task.labels[1].numpy()
    hidden = {tuple(pair) for pair in pairs[:, labels == 1].T.tolist()}
    others = {tuple(pair) for pair in pairs[:, labels == 0].T.tolist()}
    assert len(hidden) == len(others) == round(0.2 * len(linked))
    assert hidden <= linked
    assert all(u < v for u, v in others)
    assert not others & linked
    dense.a_hat = renormalised_adjacency(np.array(sorted(linked - hidden)).T, GRAPH.nodes)
    weights = {key: value.numpy() for key, value in dense.weights.items()}
    head = {"B": weights["EM.0.B"], "b": weights["EM.0.b"]}
    expected = pair_risk(task, dense.g_sh(dense.x).numpy(), head, 1, NODES[nodes])
    assert float(risk_of(network, task, task.nodes)[1].detach()) == pytest.approx(expected, rel=1e-10)
    assert len({tuple(one.ravel().tolist()) for one in task.pairs}) == 3  # other pairs in every run


@pytest.mark.parametrize("nodes", ["all", "labelled"])
def test_pairwise_distance_is_the_dense_formula(nodes):
    network, task = engine("PD", nodes=nodes)
    far = hops(GRAPH.edges, GRAPH.nodes)
    pairs, labels = task.pairs[1], task.labels[1].numpy()
    real = pairs[0] != pairs[1]
    assert np.array_equal(labels[real], np.minimum(far[pairs[0], pairs[1]], 3)[real] - 1)
    assert len({tuple(pair) for pair in pairs[:, real].T.tolist()}) == real.sum()
    assert set(labels[real]) == {0, 1, 2}
    dense = dense_of(network)
    head = {"B": dense.weights["PD.0.B"].numpy(), "b": dense.weights["PD.0.b"].numpy()}
    expected = pair_risk(task, dense.g_sh(dense.x).numpy(), head, 1, NODES[nodes])
    assert float(risk_of(network, task, task.nodes)[1].detach()) == pytest.approx(expected, rel=1e-10)


def test_a_risk_over_nodes_without_pairs_is_nothing():
    network, task = engine("PD", size=1)
    lonely = np.setdiff1d(np.arange(GRAPH.nodes), task.pairs)[:1]
    assert risk_of(network, task, NodeSet("lonely", lonely)).tolist() == [0, 0, 0]


@pytest.mark.parametrize("backend", BACKENDS)
def test_rewired_graph_is_the_dense_formula(backend):
    whole = Graph(GRAPH.edges, GRAPH.nodes, 2, CPU, torch.float64, backend)
    matrices = [adjacency_of(GRAPH.edges[:, start:], GRAPH.nodes, loops=True) for start in (0, 9)]
    rewired = RewiredGraph(whole, matrices)
    x = torch.randn(2, GRAPH.nodes, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    expected = torch.stack([renormalised_adjacency(GRAPH.edges[:, start:], GRAPH.nodes) @ x[i] for i, start in
                            enumerate((0, 9))])  # fmt: skip
    torch.testing.assert_close(rewired.propagate(x), expected)
    rows = NodeSet("test", GRAPH.test)
    torch.testing.assert_close(rewired.propagate(x, rows), expected[:, GRAPH.test])
    by_rows = Graph(GRAPH.edges, GRAPH.nodes, 2, CPU, torch.float64, backend, adjacency="row")
    same_links = RewiredGraph(by_rows, [adjacency_of(GRAPH.edges, GRAPH.nodes, loops=True)] * 2)
    torch.testing.assert_close(same_links.propagate(x), by_rows.propagate(x))


@pytest.mark.parametrize("name", SETTINGS)
def test_gradients_by_finite_differences(name):
    assert_gradients(engine(name, weight=0.7)[0])


def assert_gradients(network):
    network.training_loss().sum().backward()
    gradients = {key: value.grad.clone() for key, value in network.weights.items()}
    generator, step = np.random.default_rng(0), 1e-6
    for key, value in network.weights.items():
        place = (1, *(int(generator.integers(size)) for size in value.shape[1:]))
        losses = []
        for sign in (1, -1):
            with torch.no_grad():
                value[place] += sign * step
                losses.append(float(network.training_loss()[1]))
                value[place] -= sign * step
        assert (losses[0] - losses[1]) / (2 * step) == pytest.approx(float(gradients[key][place]), rel=1e-4, abs=1e-7)


@pytest.mark.parametrize("name", ["AE", "FR", "ER", *SETTINGS])
def test_every_task_has_its_gradients_with_another_layer(name):
    """GraphSAGE in encoder and head, on the links that the task sees: losses by finite differences."""
    own = SETTINGS.get(name, {} if name == "AE" else {"size": 3})
    values = parameters(name, {name: own | {"weight": 0.7}}, dropout=0, hidden_units=6, hidden_layers=2, layer="SAGE")
    network = double_network(GRAPH, values)
    assert_gradients(network)


@pytest.mark.parametrize("nodes", ["all", "labelled"])
@pytest.mark.parametrize("name", SETTINGS)
def test_a_part_of_the_graph_gives_the_loss_of_the_whole(name, nodes, monkeypatch):
    def losses():
        network, _ = engine(name, SCATTERED, nodes=nodes)
        return [network.training_loss().detach(), *network.validate(network.batch.validation)]

    in_part = losses()
    monkeypatch.setattr(Graph, "around", lambda self, nodes, hops: self)
    for one, other in zip(in_part, losses(), strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize(
    ("name", "values", "problem"),
    [
        ("NC", {"clusters": 40}, None),
        ("NC", {"clusters": 41}, "clusters 41 is more than the 40 nodes of the data"),
        ("GP", {"parts": 40}, None),
        ("GP", {"parts": 41}, "parts 41 is more than the 40 nodes of the data"),
        ("GCo", {"size": 17}, None),
        ("EM", {"rate": 0.99}, None),
        ("PD", {}, None),
        ("GCo", {"size": 18}, "size 18 has to be less than the 40 nodes and the 18 features of the data"),
    ],
)
def test_impossible_numbers_are_named(name, values, problem):
    assert TASKS[name].check(TASKS[name].Parameters(**values), GRAPH, 16) == problem


@pytest.mark.parametrize(
    ("name", "values", "problem"),
    [
        ("NC", {"clusters": 0}, "clusters is 0: input should be greater than or equal to 1"),
        ("GP", {"parts": 0}, "parts is 0: input should be greater than or equal to 2"),
        ("GCo", {"size": 0}, "size is 0: input should be greater than or equal to 1"),
        ("EM", {"rate": 0}, "rate is 0: input should be greater than 0"),
        ("PD", {"classes": 1}, "classes is 1: input should be greater than or equal to 2"),
    ],
)
def test_a_number_of_nothing_is_refused_in_a_sentence(name, values, problem):
    with pytest.raises(Exception, match=problem):
        parameters(name, {name: values})
