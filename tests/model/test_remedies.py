"""Remedies against depth: the formulas of their papers, in every network, alone or in company."""

import numpy as np
import pytest
import torch
from experiments.test_training import ENDING, assert_same_run, trained
from support.small import BACKENDS, CPU, dense_loss, double_network, parameters, scattered, tiny

from mtgcn.analysis.literature import NETWORKS
from mtgcn.data.datasets import load
from mtgcn.engine import machine
from mtgcn.engine.dropedge import ThinnedGraph
from mtgcn.engine.graph import Graph
from mtgcn.engine.pair_norm import node_sum, pair_norm, total
from mtgcn.engine.part import NodeSet
from mtgcn.engine.randomness import stream
from mtgcn.errors import MtgcnError
from mtgcn.experiments import build
from mtgcn.experiments.parameters import Parameters
from mtgcn.experiments.training import l2_of
from mtgcn.model.layers import LAYERS, Dense
from mtgcn.model.remedies import REMEDIES, Remedy

pytestmark = pytest.mark.usefixtures("one_thread")

DENSE = "gcnii with dense ends"
REMEDY = {name: {"remedy": name} for name in REMEDIES if name != "none"}
REMEDY[DENSE] = {"remedy": "gcnii", "remedy_settings": {"dense_ends": True}}
NAMES = list(REMEDY)
GRAPH, SCATTERED, TOY = tiny(), scattered(), load("toy")
TASKS = {"AE": {"weight": 30.0}, "FR": {"weight": 20.0, "size": 5}, "ER": {"weight": 0.7, "size": 3}}


def chosen(network: str, remedy: str, nodes: str = "all", **values) -> Parameters:
    tasks = {name: TASKS[name] | {"nodes": nodes} for name in network.split("+") if name in TASKS}
    sizes = {"dropout": 0, "hidden_units": 7, "hidden_layers": 3}
    return parameters(network, tasks, **(sizes | REMEDY.get(remedy, {"remedy": remedy}) | values))


def staying(graph, seed: int, epoch: int = 1, rate: float = 0.5) -> np.ndarray:
    """The edges (2, k) that DropEdge leaves a run in an epoch."""
    numbers, count = stream(seed, "dropedge"), graph.edges.shape[1]
    for _ in range(epoch):
        order = numbers.permutation(count)
    return graph.edges[:, np.sort(order[round(rate * count) :])]


def assert_dense(network, values) -> None:
    """Objective and gradients of every run are those of the formulas."""
    loss = network.training_loss()
    loss.sum().backward()
    for run, seed in enumerate(network.batch.seeds):
        edges = staying(network.batch.dataset, seed) if values.remedy == "dropedge" else None
        expected, leaves = dense_loss(network, run, values, edges=edges)
        expected.backward()
        torch.testing.assert_close(loss[run].detach(), expected.detach())
        for name, leaf in leaves.items():
            torch.testing.assert_close(network.weights[name].grad[run], leaf.grad, msg=lambda m, n=name: f"{n}: {m}")
            assert leaf.grad.abs().max() > 0


@pytest.mark.parametrize("remedy", NAMES)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("network", ["GCN", "AE+FR+ER"])
def test_objective_gradients_and_validation_are_those_of_the_formulas(remedy, backend, network):
    values = chosen(network, remedy, backend=backend)
    made = double_network(GRAPH, values)
    assert_dense(made, values)
    _, loss, _ = made.validate(made.batch.validation)
    for run in range(made.batch.runs):  # with all edges
        assert loss[run] == pytest.approx(dense_loss(made, run, values, validation=True)[0].item(), rel=1e-12)


@pytest.mark.parametrize("remedy", NAMES)
@pytest.mark.parametrize("network", NETWORKS)
def test_a_part_of_the_graph_gives_the_same_or_is_not_taken(remedy, network):
    values = chosen(network, remedy, "labelled", hidden_layers=2 if network == "GCN" else 1)
    made = double_network(SCATTERED, values)
    assert (made._training.part.nodes == SCATTERED.nodes) == (remedy == "pairnorm")
    assert_dense(made, values)


@pytest.mark.parametrize("remedy", NAMES)
def test_run_alone_equals_run_in_company_to_the_last_bit(remedy):
    values = {**REMEDY[remedy], "hidden_layers": 3, "epochs": 6}
    together = trained("AE+FR+ER", runs=5, **values)
    for seed in (0, 3):
        assert_same_run(together, seed, trained("AE+FR+ER", seeds=[seed], **values), 0)


@pytest.mark.slow
@pytest.mark.parametrize("remedy", NAMES)
def test_number_of_threads_changes_nothing(remedy, monkeypatch):
    values = {**REMEDY[remedy], "hidden_layers": 2, "epochs": 3, "hidden_units": 160}
    monkeypatch.setattr(machine, "WORTH_THREADS", 0)
    torch.set_num_threads(2)
    by_two = trained("AE", runs=2, **values)
    torch.set_num_threads(1)
    assert_same_run(by_two, 1, trained("AE", seeds=[1], **values), 0)


@pytest.mark.parametrize("remedy", NAMES)
def test_run_goes_on_alike_when_others_have_ended(remedy):
    values = {**ENDING, **REMEDY[remedy], "hidden_layers": 2, "epochs": 30}
    together = trained("ER", runs=6, **values)
    assert len(set(together.epochs)) > 1, "the runs should end at different epochs"
    last = int(together.epochs.argmax())
    assert_same_run(together, last, trained("ER", seeds=[last], **values), 0)


@pytest.mark.parametrize("remedy", NAMES)
def test_with_one_hidden_layer_only_those_that_act_on_it_do(remedy):
    plain, mended = (trained("GCN", epochs=3, **values) for values in ({}, REMEDY[remedy]))
    same = torch.equal(plain.best_weights["main.B"], mended.best_weights["main.B"])
    assert same == (remedy in ("residual", "gcnii"))


def test_dropedge_draws_anew_every_epoch_exactly_the_share_for_each_run_its_own():
    thinned = ThinnedGraph(Graph(TOY.edges, TOY.nodes, 2, CPU), [0, 1], 0.3)
    epochs = [thinned.staying() for _ in range(3)]
    count = TOY.edges.shape[1]
    assert all((one.sum(axis=1) == count - round(0.3 * count)).all() for one in epochs)
    assert not (epochs[0] == epochs[1]).all()
    assert not (epochs[0][0] == epochs[0][1]).all()
    expected = staying(TOY, 1, epoch=3, rate=0.3)
    assert TOY.edges[:, epochs[2][1] == 1].tolist() == expected.tolist()


def test_a_part_is_thinned_to_the_bits_of_the_whole():
    whole = Graph(SCATTERED.edges, SCATTERED.nodes, 2, CPU)
    nodes = NodeSet("some", SCATTERED.train)
    every, some = (ThinnedGraph(graph, [3, 4], 0.4) for graph in (whole, whole.around(nodes, 2)))
    assert some.part.nodes < every.part.nodes
    x = torch.from_numpy(np.random.default_rng(0).normal(size=(2, SCATTERED.nodes, 5))).float()
    for graph in (every, some):
        graph.draw()
    assert torch.equal(some.propagate(x[:, some.part.index], nodes), every.propagate(x)[:, SCATTERED.train])


def test_pairnorm_centres_and_scales_by_hand():
    x = torch.tensor([[[1.0, 0.0], [3.0, 0.0], [2.0, 3.0]], [[5.0, 5.0]] * 3], dtype=torch.float64)
    # Mean (2, 1); centred (−1, −1), (1, −1), (0, 2); squared norms 2, 2, 4, their mean 8 / 3.
    expected = np.array([[-1, -1], [1, -1], [0, 2]]) * 2 / np.sqrt(8 / 3 + 1e-6)
    assert pair_norm(x, 2.0)[0].numpy() == pytest.approx(expected)
    assert (pair_norm(x, 2.0)[1] == 0).all()  # equal embeddings stay finite


@pytest.mark.parametrize("nodes", [1, 2, 7, 64, 101])
def test_sums_in_halves_are_sums(nodes):
    x = torch.from_numpy(np.random.default_rng(nodes).normal(size=(3, nodes, 4)))
    torch.testing.assert_close(node_sum(x), x.sum(1, keepdim=True))
    torch.testing.assert_close(total(x), x.sum((1, 2)).view(3, 1, 1))
    assert torch.autograd.gradcheck(lambda y: pair_norm(y, 1.5), x.requires_grad_()) or nodes == 1


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"remedy": "gcn2"}, r"remedy: there is no remedy 'gcn2'; did you mean 'gcnii'\?"),
        ({"remedy": "gcnii", "remedy_settings": {"alfa": 1}}, "has no setting 'alfa'; did you mean 'alpha'"),
        ({"remedy_settings": {"rate": 0.5}}, "the remedy 'none' has no setting 'rate'; it has none"),
        ({"remedy": "dropedge", "remedy_settings": {"rate": 1}}, r"remedy_settings.rate: rate is 1: .*less than 1"),
        ({"remedy": "gcnii", "layer": "other"}, "remedy 'gcnii' is not defined for the layer 'other'"),
    ],
)
def test_impossible_settings_are_refused_in_one_sentence(values, sentence, monkeypatch):
    monkeypatch.setitem(LAYERS, "other", LAYERS["GC"])
    with pytest.raises(MtgcnError, match=sentence):
        parameters(**values)


def test_settings_have_the_published_values_and_survive_json():
    settings = {"alpha": 0.1, "strength": 0.5, "l2": None, "dense_ends": False}
    assert parameters(remedy="gcnii").remedy_settings.model_dump() == settings
    assert parameters(remedy="pairnorm").remedy_settings.model_dump() == {"scale": 1.0}
    assert parameters().remedy_settings == Remedy()
    values = parameters(remedy="dropedge", remedy_settings={"rate": 0.2})
    assert Parameters.model_validate_json(values.model_dump_json()) == values


@pytest.mark.parametrize(("layers", "elsewhere"), [("first", 0.0), ("all", 0.1)])
def test_gcnii_has_an_l2_of_its_own_for_the_weights_beside_the_identity(layers, elsewhere):
    usual, own = (
        chosen("ER", "gcnii", hidden_layers=12, l2=0.1, l2_layers=layers, remedy_settings=settings)
        for settings in ({}, {"l2": 0.01})
    )
    network = double_network(GRAPH, own)
    expected = {
        name: 0.1 if name == "encoder.0.B" else 0.01 if name.startswith("encoder.") else elsewhere
        for name in network.weights
    }
    assert l2_of(network, own) == expected
    assert l2_of(network, usual)["encoder.11.B"] == elsewhere


def test_dense_ends_come_before_the_hidden_layers_and_are_not_counted_among_them():
    network = double_network(GRAPH, chosen("GCN", DENSE, hidden_layers=4))
    matrices = [name for name in network.weights if name.startswith("encoder.") and name.endswith(".B")]
    assert matrices == [f"encoder.{i}.B" for i in range(5)]
    assert len(network.embed()) == 4


def test_a_dense_layer_sees_no_neighbour():
    graph = Graph(GRAPH.edges, GRAPH.nodes, 1, CPU, torch.float64)
    x = torch.from_numpy(np.random.default_rng(0).normal(size=(1, GRAPH.nodes, 5)))
    b = {"B": torch.ones(1, 5, 2, dtype=torch.float64), "b": torch.tensor([[3.0, 4.0]], dtype=torch.float64)}
    expected = x[:, GRAPH.test].sum(2, keepdim=True) + torch.tensor([3.0, 4.0])
    torch.testing.assert_close(Dense().apply(graph, b, x, NodeSet("test", GRAPH.test)), expected)


def test_a_new_remedy_is_a_class_and_a_line_in_the_registry(monkeypatch):
    class Halved(Remedy):
        """Half of what a layer gives."""

        def activate(self, convolved, states, activation="relu"):
            return super().activate(convolved, states, activation) / (2 if states else 1)

    monkeypatch.setitem(REMEDIES, "halved", Halved)
    values = chosen("GCN", "halved", hidden_layers=2)
    plain, halved = (build.build(v, "GCN", GRAPH) for v in (chosen("GCN", "none", hidden_layers=2), values))
    torch.testing.assert_close(2 * halved.embed()[1], plain.embed()[1])


@pytest.mark.parametrize("remedy", ["none", "pairnorm", "dropedge"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_with_rows_that_add_up_to_one_it_is_still_the_formulas(remedy, backend):
    values = chosen("AE+ER", remedy, backend=backend, adjacency="row")
    made = double_network(GRAPH, values)
    assert_dense(made, values)
    other = double_network(GRAPH, chosen("AE+ER", remedy, backend=backend))
    assert not torch.allclose(other.training_loss(), made.training_loss())


@pytest.mark.parametrize("remedy", ["none", "dropedge"])
def test_a_part_with_rows_that_add_up_to_one_gives_the_same(remedy):
    values = chosen("GCN", remedy, hidden_layers=2, adjacency="row")
    made = double_network(SCATTERED, values)
    assert made._training.part.nodes < SCATTERED.nodes
    assert_dense(made, values)


def test_with_rows_that_add_up_to_one_a_run_is_the_same_alone_or_in_company():
    values = {**REMEDY["pairnorm"], "adjacency": "row", "hidden_layers": 3, "epochs": 6}
    assert_same_run(trained("AE+FR+ER", runs=4, **values), 3, trained("AE+FR+ER", seeds=[3], **values), 0)
