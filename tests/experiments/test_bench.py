"""The benchmark's peers are the same network; how fast anything is, no test says."""

import importlib.util
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch
from support.dense import DenseNetwork

from mtgcn.data import datasets
from mtgcn.engine.machine import fitting_threads
from mtgcn.experiments import build, experiment
from mtgcn.experiments.bench import limit, peers, sparse_peers, speed, start
from mtgcn.model import plain

ROOT = Path(__file__).parents[2]
WITHOUT_PYG = importlib.util.find_spec("torch_geometric") is None


@pytest.fixture(scope="module")
def toy() -> datasets.Dataset:
    return datasets.load("toy")


PEERS = [
    pytest.param(name, marks=pytest.mark.skipif(WITHOUT_PYG and "PyG" in name, reason="needs PyTorch Geometric"))
    for name in speed.PEERS
]


@pytest.mark.parametrize("name", PEERS)
def test_a_peer_computes_the_network_of_the_paper(toy: datasets.Dataset, name: str) -> None:
    tasks = {"torch, CSR": ["AE"], "torch, CSR, twice": ["AE"], "PyG, CSR": []}.get(name, ["AE", "FR", "ER"])
    model, data = speed.PEERS[name].make(toy, tasks)
    _, loss = plain.evaluate(model, data, data.validation)

    def weight(layer: str) -> torch.Tensor:
        (value,) = (v.detach().double() for n, v in model.named_parameters() if n.startswith(f"{layer}."))
        return value.T if "PyG" in name else value

    layers = ["encoder.0", "main", *(f"{task.name}.{k}" for task in model.tasks for k in (0, 1))]
    dense = DenseNetwork(toy, 1, {f"{layer}.B": weight(layer) for layer in layers})
    expected = dense.risk_main(toy.validation)
    for task in model.tasks:
        risk = {
            "AE": lambda task: dense.risk_ae(toy.validation),
            "FR": lambda task: dense.risk_fr(toy.validation, task.M.numpy(), "full"),
            "ER": lambda task: dense.risk_er(toy.validation, task.N.numpy(), "full", False),
        }[task.name](task)
        expected = expected + peers.TASK_WEIGHTS[task.name] * risk
    assert loss == pytest.approx(expected.item(), rel=1e-5)
    assert getattr(data.x, "is_sparse", True) == ("dense" not in name)


@pytest.mark.parametrize("name", PEERS)
def test_a_peer_learns(toy: datasets.Dataset, name: str) -> None:
    kind = speed.PEERS[name]
    for network in kind.networks:
        epoch = kind.make(toy, [] if network == "GCN" else network.split("+")).epochs()
        losses = [epoch()[1] for _ in range(30)]
        assert losses[-1] < 0.98 * losses[0]


def test_the_engine_is_timed_over_whole_cycles_of_its_masks(toy: datasets.Dataset) -> None:
    assert speed.engine_seconds(toy, "GCN", seconds=0.01, runs=2) > 0


@pytest.mark.parametrize("network", ["GCN", "AE"])
def test_a_sparse_peer_has_the_gradients_of_the_plain_model(toy: datasets.Dataset, network: str) -> None:
    tasks = [] if network == "GCN" else [network]
    sparse, dense = sparse_peers.one_sparse_run(toy, tasks), peers.plain_sparse(toy, tasks)
    dense.model.load_state_dict(sparse.model.state_dict())
    for model, data in (sparse, dense):
        model.eval()  # no dropout, whose draws would differ
        plain.objective(model, data, data.validation)[0].backward()
    for (name, ours), theirs in zip(sparse.model.named_parameters(), dense.model.parameters(), strict=True):
        torch.testing.assert_close(ours.grad, theirs.grad, rtol=1e-4, atol=1e-6, msg=lambda m, n=name: f"{n}: {m}")


def test_two_processes_measure_at_the_same_time() -> None:
    assert speed._in_two_processes(abs, -2.0) == 2.0


def test_the_bare_kernels_of_an_epoch_are_all_of_its_sparse_products(toy: datasets.Dataset) -> None:
    parameters = experiment.parameters_of(dataset="toy", networks={"AE": {}}, runs=2)
    calls, _ = limit._calls(build.build(parameters, "AE", toy))
    names = Counter(getattr(call.func, "__name__", "dense") for call in calls)
    # Training: X W, Xᵀ Z, X Bᵀ and the gradient of W; validation: X W and Xᵀ Z. And Â in the encoder, the main head
    # and twice in the task's, with its gradient in training.
    assert (names["product"], names["propagate"]) == (6, 12)
    assert limit.bare_seconds(toy, "AE", seconds=0.01, runs=2) > 0


@pytest.mark.slow
def test_starts_are_measured_beside_that_of_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    rows = list(start.starts(rounds=1))
    assert [row["what"] for row in rows] == list(start.WHAT)
    assert rows[0]["ratio"] == 1
    assert all(row["seconds"] > 0 for row in rows)


def test_small_work_takes_one_thread_and_gives_the_others_back() -> None:
    before = torch.get_num_threads()
    with fitting_threads(10):
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == before
    with pytest.raises(ValueError, match="stop"), fitting_threads(10):
        raise ValueError("stop")
    assert torch.get_num_threads() == before
    with fitting_threads(int(np.iinfo(np.int32).max)):
        assert torch.get_num_threads() == before
