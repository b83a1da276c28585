import itertools

import numpy as np
import pytest
import torch
from support.dense import DenseNetwork
from support.small import BACKENDS, dense_loss, double_network, parameters, scattered, tiny

from mtgcn.analysis.literature import NETWORKS
from mtgcn.errors import MtgcnError
from mtgcn.experiments import build
from mtgcn.model.layers import LAYERS

pytestmark = pytest.mark.usefixtures("one_thread")

GRAPH, SCATTERED = tiny(), scattered()
TASKS = {
    "AE": {"weight": 30.0},
    "FR": {"weight": 20.0, "size": 5},
    "ER": {"weight": 0.7, "size": 3},
}
VARIANTS = [
    {},
    {"nodes": "labelled"},
    {"reconstruct": "partial"},
    {"reconstruct": "partial", "nodes": "labelled"},
    {"size_means": "kept", "reconstruct": "partial"},
    {"detach_target": True},
]


ACCEPTED = {
    "AE": {"weight", "nodes"},
    "FR": {"weight", "nodes", "reconstruct", "size_means"},
    "ER": {"weight", "nodes", "reconstruct", "detach_target"},
}


def chosen(network: str, variant: dict | None = None, **values):
    """Parameters of a network on the tiny graph, each of its tasks in the variant as far as it knows it."""
    names = [] if network == "GCN" else network.split("+")
    own = {name: {k: v for k, v in (variant or {}).items() if k in ACCEPTED[name]} for name in names}
    tasks = {name: TASKS[name] | own[name] for name in names}
    return parameters(network, tasks, **({"dropout": 0, "hidden_units": 7, "main_weight": 1.3} | values))


def assert_objective_is_dense(network, values):
    """Compare objective and gradients by every weight, for every run, with the paper's formulas in float64."""
    loss = network.training_loss()
    loss.sum().backward()
    for run in range(network.batch.runs):
        expected, leaves = dense_loss(network, run, values)
        expected.backward()
        torch.testing.assert_close(loss[run].detach(), expected.detach())
        for name, leaf in leaves.items():
            torch.testing.assert_close(network.weights[name].grad[run], leaf.grad, msg=lambda m, n=name: f"{n}: {m}")
            assert leaf.grad.abs().max() > 0


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("hidden_layers", [1, 3])
def test_objective_and_gradients_are_those_of_the_formulas(network, hidden_layers):
    values = chosen(network, hidden_layers=hidden_layers)
    assert_objective_is_dense(double_network(GRAPH, values), values)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
@pytest.mark.parametrize("backend", BACKENDS)
def test_every_variant_of_the_tasks_does_as_the_formulas_say(variant, backend):
    values = chosen("AE+FR+ER", variant, backend=backend)
    assert_objective_is_dense(double_network(GRAPH, values), values)


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_risk_over_some_nodes_needs_a_part_of_the_graph_only(network, backend):
    """Objective, gradients, validation: the formulas of the whole graph, from a part of it."""
    values = chosen(network, {"nodes": "labelled"}, backend=backend)
    made = double_network(SCATTERED, values)
    assert made._training.part.nodes < made._validation.part.nodes < SCATTERED.nodes
    assert_objective_is_dense(made, values)
    _, loss, _ = made.validate(made.batch.validation)
    for run in range(made.batch.runs):
        assert loss[run] == pytest.approx(dense_loss(made, run, values, validation=True)[0].item(), rel=1e-12)


def test_a_layer_that_looks_further_gets_a_larger_part(monkeypatch):
    near = double_network(SCATTERED, chosen("GCN"))
    monkeypatch.setattr(LAYERS["GC"], "hops", 2)
    far = double_network(SCATTERED, chosen("GCN"))
    assert near._training.part.nodes < far._training.part.nodes


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("risk_nodes", ["validation", "all"])
def test_validation_is_that_of_the_formulas_and_knows_no_dropout(network, risk_nodes):
    values = chosen(network, validation_risk_nodes=risk_nodes, dropout=0.5)
    made = double_network(GRAPH, values)
    accuracy, loss, main_loss = made.validate(made.batch.validation if risk_nodes == "validation" else None)
    for run in range(made.batch.runs):
        expected, leaves = dense_loss(made, run, values, validation=True)
        assert loss[run] == pytest.approx(expected.item(), rel=1e-12)
        alone = DenseNetwork(GRAPH, 1, leaves).risk_main(GRAPH.validation)
        assert main_loss[run] == pytest.approx(alone.item(), rel=1e-12)
        guesses = DenseNetwork(GRAPH, 1, leaves).probabilities().argmax(1).numpy()
        assert np.array_equal(made.predict()[run].numpy(), guesses)
        assert np.array_equal(made.predict(made.batch.test)[run].numpy(), guesses[GRAPH.test])
        right = guesses[GRAPH.validation] == GRAPH.labels[GRAPH.validation]
        assert accuracy[run] == pytest.approx(100 * right.mean())


def test_embeddings_are_those_of_every_hidden_layer():
    values = chosen("GCN", hidden_layers=3)
    network = double_network(GRAPH, values)
    states = network.embed()
    assert [tuple(state.shape) for state in states] == [(3, GRAPH.nodes, 7)] * 3
    for depth, run in itertools.product(range(1, 4), range(3)):
        dense = DenseNetwork(GRAPH, depth, {name: value[run].detach() for name, value in network.weights.items()})
        torch.testing.assert_close(states[depth - 1][run], dense.g_sh(dense.x))


@pytest.mark.parametrize("network", ["GCN", "AE+FR+ER"])
def test_backends_agree(network):
    losses, gradients = [], []
    for backend in BACKENDS:
        values = chosen(network, dropout=0.5, backend=backend)
        made = build.build(values, network, GRAPH)
        losses.append(made.training_loss())
        losses[-1].sum().backward()
        gradients.append(made.weights.grad)
    torch.testing.assert_close(losses[0], losses[1], rtol=1e-6, atol=0)
    torch.testing.assert_close(gradients[0], gradients[1], rtol=1e-4, atol=1e-6)


def test_network_with_a_task_starts_from_the_encoder_of_the_network_without():
    plain, more = (double_network(GRAPH, chosen(network)) for network in ("GCN", "AE+FR+ER"))
    for name, value in plain.weights.items():
        assert torch.equal(value, more.weights[name])


def test_task_weights_may_differ_by_run():
    weights = [0.0, 3.0, 50.0]
    line = build.build(chosen("AE", dropout=0.5), "AE", GRAPH, task_weights={"AE": weights})
    losses = line.training_loss()
    for run, weight in enumerate(weights):
        same = chosen("AE", {"weight": weight}, dropout=0.5)
        assert torch.equal(losses[run], build.build(same, "AE", GRAPH).training_loss()[run])


def test_task_weights_are_one_a_run():
    with pytest.raises(MtgcnError, match=r"task 'AE' has 2 weights for 3 runs"):
        build.build(chosen("AE"), "AE", GRAPH, task_weights={"AE": [1.0, 2.0]})
