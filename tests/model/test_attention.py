"""Graph attention against dense formulas, DGL's layer with the same weights, and finite differences."""

import numpy as np
import pytest
import torch
from support.small import BACKENDS, CPU, double_network, parameters, scattered, tiny
from torch import Tensor
from torch.nn.functional import elu, leaky_relu

from mtgcn.engine import propagation
from mtgcn.engine.dropedge import ThinnedGraph
from mtgcn.engine.dropout import Mask
from mtgcn.engine.graph import Graph, adjacency_of
from mtgcn.engine.part import NodeSet
from mtgcn.engine.rewired import RewiredGraph
from mtgcn.engine.sparse import BlockSparse
from mtgcn.errors import MtgcnError
from mtgcn.experiments import build, experiment
from mtgcn.experiments.memory import needed
from mtgcn.experiments.training import l2_of
from mtgcn.model.attention import GAT, AttentionSettings

pytestmark = pytest.mark.usefixtures("one_thread")

RUNS, UNITS, CLASSES = 2, 6, 4
DATA, SCATTERED = tiny(), scattered()
HIDDEN = GAT(AttentionSettings(heads=3, output_heads=2))
SMALL = {"hidden_units": 6, "layer": "GAT", "layer_settings": {"heads": 3, "output_heads": 2}}
TASKS = {
    "AE": {},
    "FR": {"size": 5},
    "ER": {"size": 3},
    "NC": {"clusters": 5},
    "GP": {"parts": 3},
    "GCo": {"size": 3},
    "EM": {},
    "PD": {"size": 20},
}


def weights(layer: GAT, inputs: int, outputs: int) -> dict[str, Tensor]:
    random = torch.Generator().manual_seed(3)
    shapes = layer.shapes(inputs, outputs).items()
    return {name: torch.randn(RUNS, *shape, generator=random, dtype=torch.float64) for name, shape in shapes}


def adjacency(edges: np.ndarray, nodes: int = DATA.nodes) -> Tensor:
    a = torch.eye(nodes, dtype=torch.float64)
    a[edges[0], edges[1]] = a[edges[1], edges[0]] = 1.0
    return a


def attention(a: Tensor, xb: Tensor, left: Tensor, right: Tensor) -> Tensor:
    """α of one run and head, (n, n), from A + I, X B and the two vectors."""
    scores = leaky_relu((xb @ left)[:, None] + (xb @ right)[None], 0.2)
    shares = torch.where(a > 0, scores.exp(), 0.0)
    return shares / shares.sum(1, keepdim=True).clamp_min(1e-300)


def dense(a: Tensor, x: Tensor, w: dict[str, Tensor], mean: bool, factor: Tensor | None = None) -> Tensor:
    """One run: the heads side by side, or their mean; ``factor`` (n, n, heads) multiplies the attention."""
    heads, units = w["left"].shape
    parts = []
    for head in range(heads):
        b = w["B"][head] if mean else w["B"][:, head * units : (head + 1) * units]
        alpha = attention(a, x @ b, w["left"][head], w["right"][head])
        parts.append((alpha if factor is None else alpha * factor[..., head]) @ x @ b)
    return (torch.stack(parts).mean(0) if mean else torch.cat(parts, dim=1)) + w["bias"]


def of_run(w: dict[str, Tensor], run: int) -> dict[str, Tensor]:
    return {name: value[run] for name, value in w.items()}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("layer", [HIDDEN, HIDDEN.classifier, HIDDEN.decoder], ids=["hidden", "classes", "task"])
def test_it_is_the_dense_formula_of_the_whole_graph_and_of_parts(layer, backend):
    graph = Graph(DATA.edges, DATA.nodes, RUNS, CPU, torch.float64, backend)
    x = torch.from_numpy(DATA.features.toarray()).double()
    outputs = CLASSES if layer.mean else UNITS
    w, stacked, rows = weights(layer, x.shape[1], outputs), x.expand(RUNS, -1, -1), NodeSet("test", DATA.test)
    expected = torch.stack([dense(adjacency(DATA.edges), x, of_run(w, run), layer.mean) for run in range(RUNS)])
    torch.testing.assert_close(layer.apply(graph, w, stacked), expected)
    torch.testing.assert_close(layer.apply(graph, w, stacked, rows), expected[:, DATA.test])
    if not layer.mean:
        sparse = BlockSparse([DATA.features] * RUNS, CPU, torch.float64)
        torch.testing.assert_close(layer.first(graph, w, sparse), expected)
    one = NodeSet("one", SCATTERED.test[:3])
    near = Graph(SCATTERED.edges, SCATTERED.nodes, RUNS, CPU, torch.float64, backend).around(one, 1)
    assert near.part.nodes < SCATTERED.nodes
    x = torch.from_numpy(SCATTERED.features.toarray()).double()
    for run in range(RUNS):
        whole = dense(adjacency(SCATTERED.edges, SCATTERED.nodes), x, of_run(w, run), layer.mean)
        inner = x[near.part.index].expand(RUNS, -1, -1)
        torch.testing.assert_close(layer.apply(near, w, inner, one)[run], whole[one.index])


@pytest.mark.parametrize("mean", [False, True])
def test_dgl_gives_the_same(mean):
    dgl = propagation.dgl_module()
    from dgl.nn import GATConv

    layer = GAT(AttentionSettings(heads=3), mean=mean)
    directed = torch.from_numpy(np.concatenate([DATA.edges, DATA.edges[::-1]], axis=1))
    with_loops = dgl.add_self_loop(dgl.graph((directed[0], directed[1]), num_nodes=DATA.nodes))
    x = torch.from_numpy(DATA.features.toarray()).double()
    w = weights(layer, x.shape[1], UNITS)
    ours = layer.apply(Graph(DATA.edges, DATA.nodes, RUNS, CPU, torch.float64), w, x.expand(RUNS, -1, -1))
    units = UNITS if mean else UNITS // 3
    conv = GATConv(x.shape[1], units, 3, bias=False).double()
    for run in range(RUNS):
        b = w["B"][run]
        conv.fc.weight.data = (b.permute(0, 2, 1).flatten(0, 1) if mean else b.T).contiguous()
        # DGL's attn_l belongs to the node that is looked at, attn_r to the one that looks.
        conv.attn_r.data, conv.attn_l.data = w["left"][run][None], w["right"][run][None]
        theirs = conv(with_loops, x)
        theirs = theirs.mean(1) if mean else theirs.flatten(1)
        torch.testing.assert_close(ours[run], theirs + w["bias"][run])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("layer", [HIDDEN, HIDDEN.classifier], ids=["hidden", "classes"])
def test_dropout_of_links_and_their_gradients(layer, backend):
    """A mask over the links of all heads: the dense formula, and finite differences by weights and states."""
    graph = Graph(DATA.edges, DATA.nodes, RUNS, CPU, torch.float64, backend)
    bytes_of = torch.randint(0, 2, (RUNS, graph.all_links, layer.heads), generator=torch.Generator().manual_seed(5))
    dropping = layer.dropping(Mask(bytes_of.byte().flatten(), [], 0, 2.5))
    x = torch.randn(RUNS, DATA.nodes, 5, generator=torch.Generator().manual_seed(6), dtype=torch.float64)
    w, rows = weights(layer, 5, CLASSES if layer.mean else UNITS), NodeSet("some", DATA.test[:4])
    a = adjacency(DATA.edges)
    for run in range(RUNS):
        factor = torch.zeros(*a.shape, layer.heads, dtype=torch.float64)
        factor[a > 0] = 2.5 * bytes_of[run].double()  # numbered row by row
        expected = dense(a, x[run], of_run(w, run), layer.mean, factor)
        torch.testing.assert_close(dropping.apply(graph, w, x)[run], expected)

    def output(states: Tensor, *values: Tensor) -> Tensor:
        return dropping.apply(graph, dict(zip(w, values, strict=True)), states, rows)

    given = [value.clone().requires_grad_() for value in (x, *w.values())]
    torch.autograd.gradcheck(output, given, fast_mode=True)


@pytest.mark.parametrize("backend", BACKENDS)
def test_runs_with_edges_of_their_own(backend):
    """DropEdge and tasks that hide edges: attention is over the links that are left, with the right gradients."""
    graph = Graph(DATA.edges, DATA.nodes, RUNS, CPU, torch.float64, backend)
    thinned = ThinnedGraph(graph, list(range(RUNS)), 0.5)
    kept = [np.arange(0, DATA.edges.shape[1], run + 2) for run in range(RUNS)]
    matrices = [adjacency_of(DATA.edges[:, some], DATA.nodes, loops=True) for some in kept]
    no_loops = RewiredGraph(graph, [adjacency_of(DATA.edges, DATA.nodes, loops=False)] * RUNS)
    x = torch.randn(RUNS, DATA.nodes, 5, generator=torch.Generator().manual_seed(6), dtype=torch.float64)
    w, rows = weights(HIDDEN, 5, UNITS), NodeSet("test", DATA.test)
    bytes_of = torch.randint(0, 2, (RUNS, graph.all_links, 3), generator=torch.Generator().manual_seed(5)).byte()
    dropping = HIDDEN.dropping(Mask(bytes_of.flatten(), [], 0, 2.0))
    for _ in range(2):
        thinned.draw()
        seen = [adjacency(DATA.edges[:, thinned._stays[run] > 0]) for run in range(RUNS)]
        found = HIDDEN.apply(thinned, w, x, rows)
        for run in range(RUNS):
            torch.testing.assert_close(found[run], dense(seen[run], x[run], of_run(w, run), False)[DATA.test])
    every = adjacency(DATA.edges)
    for hidden, seen in (
        (RewiredGraph(graph, matrices), [adjacency(DATA.edges[:, some]) for some in kept]),
        (no_loops, [every - torch.eye(DATA.nodes)] * RUNS),
    ):
        found = dropping.apply(hidden, w, x)
        for run in range(RUNS):
            factor = torch.zeros(*every.shape, 3, dtype=torch.float64)
            factor[every > 0] = 2.0 * bytes_of[run].double()
            torch.testing.assert_close(found[run], dense(seen[run], x[run], of_run(w, run), False, factor))
    for one in (thinned, RewiredGraph(graph, matrices)):
        states = x.clone().requires_grad_()
        torch.autograd.gradcheck(lambda h, one=one: dropping.apply(one, w, h), [states], fast_mode=True)


def test_a_network_is_that_of_the_formulas():
    values = parameters("GCN", {}, **SMALL, hidden_layers=2, dropout=0.5)
    made = double_network(DATA, values)
    x, a = torch.from_numpy(DATA.features.toarray()).double(), adjacency(DATA.edges)
    states = made.embed()
    for run in range(made.batch.runs):
        own = [of_run(made.weights.of(site), run) for site in ("encoder.0", "encoder.1", "main")]
        first = elu(dense(a, x, own[0], False))
        second = elu(dense(a, first, own[1], False))
        torch.testing.assert_close(states[0][run], first.detach())
        torch.testing.assert_close(states[1][run], second.detach())
        logits = dense(a, second, own[2], True)
        assert torch.equal(made.predict()[run], logits.argmax(1))
    assert made.weights["main.B"].shape[1:] == (2, 6, DATA.classes)


@pytest.mark.parametrize("task", TASKS)
def test_every_task_works_with_it(task):
    """The gradient of the whole objective, dropout and all, by finite differences along one direction."""
    values = parameters(task, {task: {"weight": 0.7, **TASKS[task]}}, **SMALL, hidden_layers=2, runs=2)
    made = double_network(DATA, values)
    before = made.random_state()

    def loss() -> Tensor:
        made.set_random_state(before)
        return made.training_loss()

    random = torch.Generator().manual_seed(7)
    with torch.no_grad():  # biases of 0 would put nodes without a link left on LeakyReLU's kink
        made.weights.flat.add_(torch.randn(made.weights.flat.shape, generator=random, dtype=torch.float64), alpha=0.1)
    loss().sum().backward()
    direction = torch.randn(made.weights.flat.shape, generator=random, dtype=torch.float64)
    slope, start = made.weights.grad @ direction, made.weights.flat.clone()
    sides = []
    with torch.no_grad():
        for step in (1e-7, -1e-7):
            made.weights.flat.copy_(start + step * direction)
            sides.append(loss().sum())
    assert ((sides[0] - sides[1]) / 2e-7).item() == pytest.approx(slope.item(), rel=1e-5)
    heads = [name for name in made.weights if name.startswith(f"{task}.") and name.endswith(".left")]
    assert all((made.weights.gradient(name) != 0).any() for name in heads)


def test_a_part_of_the_graph_gives_the_objective_of_the_whole(monkeypatch):
    values = parameters("AE", {"AE": {"weight": 3.0, "nodes": "labelled"}}, **SMALL)
    part = build.build(values, "AE", SCATTERED)
    assert part._training.part.nodes < SCATTERED.nodes
    monkeypatch.setattr(Graph, "around", lambda graph, nodes, hops: graph)
    whole = build.build(values, "AE", SCATTERED)
    for _ in range(2):
        losses = [network.descend() for network in (part, whole)]
        torch.testing.assert_close(*losses, rtol=1e-6, atol=0)
        torch.testing.assert_close(part.weights.grad, whole.weights.grad, rtol=1e-4, atol=1e-6)


def test_a_run_comes_out_the_same_alone_and_in_company():
    tasks = {name: TASKS[name] for name in ("AE", "FR", "ER")}
    values = parameters("AE+FR+ER", tasks, **SMALL, epochs=6, runs=3)
    together = experiment.run(values, DATA, progress=False).table
    alone = experiment.run(values.model_copy(update={"runs": 1, "first_seed": 1}), DATA, progress=False)
    left = together[together["seed"] == 1].drop(columns="seconds").reset_index(drop=True)
    assert left.equals(alone.table.drop(columns="seconds"))


def test_backends_agree():
    losses = []
    for backend in BACKENDS:
        made = build.build(parameters("AE", None, **SMALL, backend=backend), "AE", DATA)
        losses.append(made.training_loss())
    torch.testing.assert_close(losses[0], losses[1], rtol=1e-5, atol=0)
    assert torch.equal(losses[1], losses[2])


def test_attention_drops_without_dropout_of_states_and_the_other_way_round():
    for rates, sites in (((0.0, 0.6), {"encoder.0.links", "main.links"}), ((0.5, 0.0), {"encoder.0", "main"})):
        settings = SMALL["layer_settings"] | {"attention_dropout": rates[1]}
        values = parameters("GCN", {}, **SMALL | {"layer_settings": settings}, dropout=rates[0])
        made = build.build(values, "GCN", DATA)
        assert {site for site in made.dropouts if site.startswith(("encoder.0", "main"))} >= sites
        assert any(site.endswith(".links") for site in made.dropouts) == (rates[1] > 0)
        assert not torch.equal(made.training_loss(), made.training_loss())


def test_l2_reaches_the_attention_and_spares_biases():
    values = parameters("GCN", {}, **SMALL, l2_layers="all", l2=0.1)
    decays = l2_of(build.build(values, "GCN", DATA), values)
    assert {name for name, l2 in decays.items() if l2} == {
        f"{site}.{part}" for site in ("encoder.0", "main") for part in ("B", "left", "right")
    }


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"hidden_units": 20}, r"8 heads cannot share 20 hidden units: hidden_units has to be a multiple of them\."),
        ({"layer_settings": {"head": 4}}, r"the layer 'GAT' has no setting 'head'; did you mean 'heads'\?"),
        ({"layer_settings": {"heads": 0}}, r"layer_settings.heads: heads is 0: .*greater than or equal to 1"),
        ({"layer_settings": {"attention_dropout": 1}}, r"attention_dropout is 1: .*less than 1"),
        ({"layer": "GC", "layer_settings": {"heads": 4}}, r"the layer 'GC' has no setting 'heads'; it has none\."),
    ],
)
def test_settings_that_cannot_be(settings, sentence):
    with pytest.raises(MtgcnError, match=sentence):
        parameters(**{"layer": "GAT", "hidden_units": 16} | settings)


def test_attention_needs_memory_for_every_link():
    plain, more = (parameters(hidden_units=8, layer=layer) for layer in ("GC", "GAT"))
    links = 2 * DATA.edges.shape[1] + DATA.nodes
    assert needed(more, DATA, "GCN", 3) - needed(plain, DATA, "GCN", 3) == 3 * 4 * 8 * links
