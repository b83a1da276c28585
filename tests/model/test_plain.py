"""The readable model: the formulas of the paper, the engine's numbers, and the code that its page shows."""

import ast
import re
from functools import partial
from pathlib import Path

import jupytext
import numpy as np
import pandas as pd
import pytest
import torch
from ruamel.yaml import YAML
from support.dense import renormalised_adjacency
from support.small import dense_loss, double_network, parameters, scattered, tiny

from mtgcn.analysis.literature import NETWORKS
from mtgcn.data.datasets import Dataset
from mtgcn.engine.randomness import stream
from mtgcn.experiments.network_names import tasks_of
from mtgcn.experiments.parameters import Parameters
from mtgcn.experiments.training import train
from mtgcn.model import plain
from mtgcn.model.network import Network

pytestmark = pytest.mark.usefixtures("one_thread")

ROOT = Path(__file__).parents[2]
GRAPH, SCATTERED = tiny(), scattered()
ALL_THREE = "AE+FR+ER"
TASKS = {"AE": {"weight": 30.0}, "FR": {"weight": 20.0, "size": 5}, "ER": {"weight": 0.7, "size": 3}}


def chosen(network: str, nodes: str = "all", reconstruct: str = "full", **values) -> Parameters:
    tasks = {name: TASKS[name] | {"nodes": nodes} for name in network.split("+") if name in TASKS}
    for name in tasks.keys() - {"AE"}:
        tasks[name]["reconstruct"] = reconstruct
    return parameters(network, tasks, **({"hidden_units": 7} | values))


def model_of(graph: Dataset, values: Parameters, engine: Network, run: int) -> tuple[plain.Model, plain.Data]:
    """The plain model in double precision, with the weights and the sets M and N of one of the engine's runs."""
    (tasks,), data, made = values.networks.values(), plain.tensors(graph), []
    data = data._replace(x=data.x.double())
    for name, task in tasks.items():
        nodes = data.train if task.nodes == "labelled" else slice(None)
        partly = getattr(task, "reconstruct", "full") == "partial"
        if name == "AE":
            made.append(plain.AE(data.x, task.weight, nodes))
        elif name == "FR":
            made.append(plain.FR(data.x, torch.from_numpy(engine.tasks["FR"].m[run]), task.weight, nodes, partly))
        else:
            made.append(plain.ER(engine.tasks["ER"].n[run], task.weight, nodes, partly, values.hidden_units))
    gc = partial(plain.GC, plain.propagation(graph.edges, graph.nodes))
    sizes = values.hidden_layers, values.hidden_units
    model = plain.Model(gc, data.x.shape[1], graph.classes, made, *sizes).double()
    model.load_state_dict({name: weight[run].detach() for name, weight in engine.weights.items()})
    return model, data


def shapes(model: plain.Model, data: plain.Data) -> dict[str, tuple[int, ...]]:
    """The shape of the dropout mask at every place of the model."""
    inputs = {"encoder": data.x}
    for task in model.tasks:
        if task.name == "FR":
            inputs["FR.encoder"] = task.corrupted
    hidden = [f"{encoder}.{k}" for encoder in inputs for k in range(1, len(model.encoder))]
    heads = ["main", *(f"{task.name}.{k}" for task in model.tasks for k in (0, 1))]
    of_states = dict.fromkeys(hidden + heads, (len(data.y), model.main.B.shape[0]))
    return of_states | {f"{encoder}.0": (x.values().numel(),) for encoder, x in inputs.items()}


def first_masks(model: plain.Model, data: plain.Data, seed: int, rate: float) -> dict[str, torch.Tensor]:
    """The masks of the engine's first epoch, drawn once more from the streams of the run."""
    masks = {}
    for place, shape in shapes(model, data).items():
        numbers, size = stream(seed, f"{place}.dropout"), int(np.prod(shape))
        if rate == 0.5:
            kept = np.frombuffer(numbers.bytes(size), np.uint8) & 1
        else:
            kept = numbers.random(size, np.float32) >= rate
        masks[place] = torch.from_numpy(kept.reshape(shape)).float() / (1 - rate)  # single precision, as the engine's
    return masks


def without_dropout(model: plain.Model, data: plain.Data) -> None:
    model.masks = {place: torch.ones(shape) for place, shape in shapes(model, data).items()}


def assert_engine_is_plain(graph: Dataset, values: Parameters) -> None:
    """Compare objective and gradients by every weight, for every run, dropout included."""
    engine = double_network(graph, values)
    losses = engine.training_loss()
    losses.sum().backward()
    for run, seed in enumerate(engine.batch.seeds):
        model, data = model_of(graph, values, engine, run)
        model.masks = first_masks(model, data, seed, values.dropout)
        loss, _ = plain.objective(model, data, data.train)
        loss.backward()
        torch.testing.assert_close(losses[run].detach(), loss.detach())
        assert {name for name, _ in model.named_parameters()} == set(engine.weights)
        for name, weight in model.named_parameters():
            torch.testing.assert_close(engine.weights[name].grad[run], weight.grad, msg=lambda m, n=name: f"{n}: {m}")
            assert weight.grad.abs().max() > 0


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("hidden_layers", [1, 3])
def test_the_engine_has_the_objective_and_the_gradients_of_the_plain_model(network, hidden_layers):
    assert_engine_is_plain(GRAPH, chosen(network, hidden_layers=hidden_layers))


@pytest.mark.parametrize("rate", [0.5, 0.3])
@pytest.mark.parametrize("reconstruct", ["full", "partial"])
@pytest.mark.parametrize(("graph", "nodes"), [(GRAPH, "all"), (SCATTERED, "labelled")], ids=["whole", "part"])
def test_dropout_acts_at_the_same_places_in_the_engine_also_on_a_part_of_the_graph(rate, reconstruct, graph, nodes):
    depth = 1 if nodes == "labelled" else 2
    assert_engine_is_plain(graph, chosen(ALL_THREE, nodes, reconstruct, hidden_layers=depth, dropout=rate))


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("hidden_layers", [1, 3])
def test_the_plain_model_is_the_formulas_with_matrices_of_all_pairs_of_nodes(network, hidden_layers):
    values = chosen(network, reconstruct="partial", hidden_layers=hidden_layers, dropout=0)
    engine = double_network(GRAPH, values)
    model, data = model_of(GRAPH, values, engine, run=1)
    without_dropout(model, data)
    loss, _ = plain.objective(model, data, data.train)
    loss.backward()
    expected, leaves = dense_loss(engine, 1, values)
    expected.backward()
    torch.testing.assert_close(loss, expected)
    for name, weight in model.named_parameters():
        torch.testing.assert_close(weight.grad, leaves[name].grad, msg=lambda m, n=name: f"{n}: {m}")
    _, validation = plain.evaluate(model, data, data.validation)
    assert validation == pytest.approx(dense_loss(engine, 1, values, validation=True)[0].item(), rel=1e-12)


def test_dropout_stands_where_the_paper_has_it():
    """The architecture of section 3.3 written out, with a random mask at every place."""
    values = chosen(ALL_THREE)
    model, data = model_of(GRAPH, values, double_network(GRAPH, values), run=0)
    drawn = torch.Generator().manual_seed(3)
    masks = {place: torch.rand(shape, generator=drawn).double() for place, shape in shapes(model, data).items()}
    model.masks = masks
    loss, logits = plain.objective(model, data, data.train)

    a_hat, b = renormalised_adjacency(GRAPH.edges, GRAPH.nodes), dict(model.named_parameters())
    x, (ae, fr, er) = data.x.to_dense(), model.tasks
    x_m = x.clone()
    x_m[:, fr.M] = 0

    def g_sh(features, place):
        mask = torch.zeros_like(features).masked_scatter(features != 0, masks[place])
        return (a_hat @ (features * mask) @ b["encoder.0.B"]).clamp(min=0)

    def rebuilt(h, task):
        hidden = (a_hat @ (h * masks[f"{task}.0"]) @ b[f"{task}.0.B"]).clamp(min=0)
        return a_hat @ (hidden * masks[f"{task}.1"]) @ b[f"{task}.1.B"]

    h, h_m = g_sh(x, "encoder.0"), g_sh(x_m, "FR.encoder.0")
    h_n = h.clone()
    h_n[:, er.N] = 0
    expected = a_hat @ (h * masks["main"]) @ b["main.B"]
    torch.testing.assert_close(logits, expected)
    risk_main = -expected.softmax(1)[data.train, data.y[data.train]].log().mean()
    risks = [((x - rebuilt(h, "AE")) ** 2), ((x - rebuilt(h_m, "FR")) ** 2), ((h - rebuilt(h_n, "ER")) ** 2)]
    weighted = [task.weight * risk.sum() / GRAPH.nodes for task, risk in zip((ae, fr, er), risks, strict=True)]
    torch.testing.assert_close(loss, risk_main + sum(weighted))


@pytest.mark.parametrize("sparse", [True, False])
def test_masks_that_are_not_given_are_drawn_in_training_only(sparse):
    model = plain.Model(torch.nn.Linear, 5, 2)
    x = torch.ones(400, 50)
    x = x.to_sparse() if sparse else x
    assert torch.equal(model.eval().drop(x, "main").to_dense(), x.to_dense())
    dropped, again = (model.train().drop(x, "main").to_dense() for _ in range(2))
    assert set(dropped.unique().tolist()) == {0.0, 2.0}
    assert dropped.mean().item() == pytest.approx(1, abs=0.05)
    assert not torch.equal(dropped, again)


def test_features_may_be_dense():
    values = chosen(ALL_THREE)
    engine = double_network(GRAPH, values)
    model, data = model_of(GRAPH, values, engine, run=0)
    _, loss = plain.evaluate(model, data, data.validation)
    _, again = plain.evaluate(model, data._replace(x=data.x.to_dense()), data.validation)
    assert loss == pytest.approx(again, rel=1e-12)


@pytest.mark.slow
def test_training_is_the_engine_s_protocol():
    """Without dropout both go the same way, through every cut of the learning rate to the end of the run."""
    values = chosen("AE", dropout=0, runs=1, epochs=5000)
    expected = train(double_network(GRAPH, values), values)
    model, data = model_of(GRAPH, values, double_network(GRAPH, values), run=0)
    without_dropout(model, data)
    row = plain.train(model, data)
    assert expected.learning_rate == pytest.approx(1e-6)
    for name in ("validation_accuracy", "best_epoch", "epochs"):
        assert row[name] == pytest.approx(getattr(expected, name)[0]), name
    for name, weight in model.named_parameters():
        torch.testing.assert_close(weight, expected.best_weights[name][0])
    guesses = model.classify(model.encode(data.x)).argmax(1)[data.test]
    assert row["test_accuracy"] == pytest.approx(100 * (guesses == data.y[data.test]).double().mean())


# The page


def cells() -> list[str]:
    notebook = jupytext.read(ROOT / "notebooks" / "model.py")
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


def definitions(code: str) -> dict[str, str]:
    """The functions and classes of the module's top level, without docstrings, as syntax trees."""
    found = {}
    for top in ast.parse(code).body:
        if isinstance(top, ast.FunctionDef | ast.ClassDef):
            for node in ast.walk(top):
                if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
                    node.body = node.body[1:]
            found[top.name] = ast.dump(top)
    return found


def test_the_page_shows_the_code_of_the_module():
    shown, module = definitions("\n".join(cells())), definitions(Path(plain.__file__).read_text(encoding="utf-8"))
    assert len(module) > 10
    assert {name: shown.get(name) for name in module} == module
    assert shown.keys() - module.keys() == {"mask"}
    assert [name for name in shown if name in module] == list(module)  # in the same order


def test_the_page_is_as_short_as_it_says():
    text = "\n".join(cells())
    own = [node for node in ast.parse(text).body if getattr(node, "name", "") in vars(plain)]
    lines = [line for node in own for line in ast.get_source_segment(text, node).splitlines() if line.strip()]
    assert 100 <= len(lines) <= 120, "it says little more than a hundred"


def test_the_page_has_the_settings_of_the_book():
    single, networks = (
        YAML(typ="safe").load(ROOT / "params" / f"{name}.yaml")["networks"] for name in ("cora-1", "depth-cora-shallow")
    )
    text = "\n".join(cells())
    assert single["AE"]["AE"] == {"weight": 100, "nodes": "all"}
    assert "AE(data.x, weight=100)" in text
    shown = ast.literal_eval(re.search(r"^chosen = (.*)$", text, re.MULTILINE)[1])
    assert tasks_of(ALL_THREE, shown) == tasks_of(ALL_THREE, networks[ALL_THREE])
    assert [shown[name].get("size") for name in shown] == [None, 200, 4]
    assert "AE(data.x, weight=10), FR(data.x, M, weight=100), ER(N, weight=3, nodes=data.train)" in text


def test_most_committed_runs_had_their_best_epoch_while_the_page_trains():
    runs = pd.read_csv(ROOT / "book" / "results" / "cora-1.csv").query("network in ('GCN', 'AE')")
    epochs = int(re.search(r"^epochs = (\d+)$", "\n".join(cells()), re.MULTILINE)[1])
    said = re.search(r"(\d+) of the (\d+) runs", (ROOT / "notebooks" / "model.py").read_text(encoding="utf-8"))
    assert (int(said[1]), int(said[2])) == ((runs["best_epoch"] <= epochs).sum(), len(runs))


def test_the_committed_page_says_what_it_found():
    """One run lies within the range of fifty, and the engine's numbers are the same in single precision."""
    folder = ROOT / "book" / "results" / "model"
    if not folder.exists():
        pytest.skip("the page has not been stored yet")
    accuracy = pd.read_csv(folder / "accuracy.csv").set_index("network")
    assert list(accuracy.index) == ["GCN", "AE"]
    assert accuracy["this page"].between(accuracy["smallest"], accuracy["largest"]).all()
    differences = pd.read_csv(folder / "differences.csv").set_index("of")["relative difference"]
    assert len(differences) == 9
    assert differences["loss"] < 1e-6
    assert differences.max() < 1e-5
