import numpy as np
import pytest
import torch
from support.dense import DenseNetwork
from support.small import double_network, parameters, tiny

from mtgcn.model.forward import Pass
from mtgcn.model.tasks import TASKS
from mtgcn.model.tasks.corrupted_features import without_columns

pytestmark = pytest.mark.usefixtures("one_thread")

GRAPH = tiny()
NODES = {"all": np.arange(GRAPH.nodes), "labelled": GRAPH.train}


def engine_and_dense(name: str, run: int = 1, **values):
    """The engine's risk of one task alone, (runs,), and a dense network with the weights of one run."""
    chosen = parameters(name, {name: values}, dropout=0, hidden_units=6, hidden_layers=2)
    network = double_network(GRAPH, chosen)
    task = network.tasks[name]
    risk = task.risk(Pass(network.batch, network.batch.graph, network.weights), task.nodes)
    weights = {key: value[run].detach() for key, value in network.weights.items()}
    return risk, task, DenseNetwork(GRAPH, 2, weights)


@pytest.mark.parametrize("nodes", NODES)
def test_autoencoding(nodes):
    risk, task, dense = engine_and_dense("AE", nodes=nodes)
    torch.testing.assert_close(risk[1], dense.risk_ae(NODES[nodes]))
    assert task.outputs == GRAPH.features.shape[1]


@pytest.mark.parametrize("nodes", NODES)
@pytest.mark.parametrize("size_means", ["zeroed", "kept"])
@pytest.mark.parametrize("reconstruct", ["full", "partial"])
def test_corrupted_features(nodes, size_means, reconstruct):
    risk, task, dense = engine_and_dense("FR", nodes=nodes, size=4, size_means=size_means, reconstruct=reconstruct)
    torch.testing.assert_close(risk[1], dense.risk_fr(NODES[nodes], task.m[1], reconstruct))
    zeroed = 4 if size_means == "zeroed" else GRAPH.features.shape[1] - 4
    assert task.outputs == (zeroed if reconstruct == "partial" else GRAPH.features.shape[1])


@pytest.mark.parametrize("nodes", NODES)
@pytest.mark.parametrize("detach_target", [False, True])
@pytest.mark.parametrize("reconstruct", ["full", "partial"])
def test_corrupted_embeddings(nodes, detach_target, reconstruct):
    risk, task, dense = engine_and_dense(
        "ER", nodes=nodes, size=2, detach_target=detach_target, reconstruct=reconstruct
    )
    torch.testing.assert_close(
        risk[1], dense.risk_er(NODES[nodes], task.n[1].numpy(), reconstruct, detach_target).detach()
    )
    assert task.outputs == (2 if reconstruct == "partial" else 6)


def drawn(name: str, seeds: list[int], **values) -> np.ndarray:
    """M or N of these runs, (runs, size)."""
    task = double_network(GRAPH, parameters(name, {name: values}), seeds).tasks[name]
    return np.stack(task.m) if name == "FR" else task.n.numpy()


@pytest.mark.parametrize(
    ("name", "values", "size", "among"),
    [
        ("FR", {"size": 5}, 5, 18),
        ("FR", {"size": 5, "size_means": "kept"}, 13, 18),
        ("FR", {"size": 18}, 18, 18),
        ("ER", {"size": 4}, 4, 16),
        ("ER", {"size": 16}, 16, 16),
    ],
)
def test_each_run_draws_a_set_of_its_own_of_the_right_size(name, values, size, among):
    sets = drawn(name, list(range(30)), **values)
    assert sets.shape == (30, size)
    assert all(len(set(row)) == size for row in sets.tolist())
    assert (sets.min(), sets.max()) == (0, among - 1)
    if size < among:
        assert len({tuple(row) for row in sets.tolist()}) > 25
        assert len(np.unique(sets)) == among  # every column has its turn
    assert drawn(name, [7], **values).tolist() == [sets[7].tolist()]


def test_both_readings_of_the_size_draw_complementary_numbers_of_columns():
    zeroed = drawn("FR", [0], size=5, size_means="zeroed")
    kept = drawn("FR", [0], size=13, size_means="kept")
    assert zeroed.shape == kept.shape


def test_corrupted_columns_are_zero_and_not_stored():
    columns = np.array([0, 3, 17])
    corrupted = without_columns(GRAPH.features, columns)
    expected = GRAPH.features.toarray()
    expected[:, columns] = 0
    assert np.array_equal(corrupted.toarray(), expected)
    assert corrupted.nnz == np.count_nonzero(expected)
    assert corrupted.dtype == GRAPH.features.dtype
    assert GRAPH.features[:, columns].nnz > 0  # the clean features are left alone


@pytest.mark.parametrize("name", ["FR", "ER"])
def test_corruption_does_not_leak_into_the_clean_pass(name):
    """With M or N of another size everything but the task's own risk stays, to the last bit."""
    networks = [double_network(GRAPH, parameters(name, {name: {"size": size}})) for size in (2, 9)]
    plain = double_network(GRAPH, parameters())
    risks = []
    for network in networks:
        forward, reference = (Pass(one.batch, one.batch.graph, one.weights) for one in (network, plain))
        risks.append(network.tasks[name].risk(forward, None))  # first, so that it could do harm
        assert torch.equal(forward.embedding, reference.embedding)
        assert torch.equal(forward.main(None), reference.main(None))
        features = (one.batch.features.matrices[0].data for one in (network, plain))
        assert np.array_equal(*features)
    assert not torch.equal(*risks)


@pytest.mark.parametrize(
    ("name", "values", "problem"),
    [
        ("FR", {"size": 18}, None),
        ("FR", {"size": 19}, "size 19 does not fit the 18 features"),
        ("FR", {"size": 17, "size_means": "kept"}, None),
        ("FR", {"size": 18, "size_means": "kept"}, "size 18 does not fit the 18 features"),
        ("ER", {"size": 16}, None),
        ("ER", {"size": 17}, "size 17 is more than the 16 hidden units"),
        ("AE", {}, None),
    ],
)
def test_impossible_sizes_are_named(name, values, problem):
    answer = TASKS[name].check(TASKS[name].Parameters(**values), GRAPH, 16)
    assert answer is None if problem is None else problem in answer
