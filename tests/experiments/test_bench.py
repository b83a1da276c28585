"""The benchmark's peers are the same network; how fast anything is, no test says."""

import importlib.util

import numpy as np
import pytest
import torch
from support.dense import DenseNetwork

from mtgcn.data import datasets
from mtgcn.engine.machine import fitting_threads
from mtgcn.experiments.bench import peers, speed
from mtgcn.model import plain

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
    make, _ = speed.PEERS[name]
    model, data = make(toy, ["AE", "FR", "ER"])
    _, loss = plain.evaluate(model, data, data.validation)

    def weight(layer: str) -> torch.Tensor:
        (value,) = (v.detach().double() for n, v in model.named_parameters() if n.startswith(f"{layer}."))
        return value.T if "PyG" in name else value

    layers = ["encoder.0", "main", *(f"{task.name}.{k}" for task in model.tasks for k in (0, 1))]
    dense = DenseNetwork(toy, 1, {f"{layer}.B": weight(layer) for layer in layers})
    fr, er = model.tasks[1:]
    expected = dense.risk_main(toy.validation) + peers.TASK_WEIGHTS["AE"] * dense.risk_ae(toy.validation)
    expected += peers.TASK_WEIGHTS["FR"] * dense.risk_fr(toy.validation, fr.M.numpy(), "full")
    expected += peers.TASK_WEIGHTS["ER"] * dense.risk_er(toy.validation, er.N.numpy(), "full", False)
    assert loss == pytest.approx(expected.item(), rel=1e-5)
    assert data.x.is_sparse == ("sparse" in name)


@pytest.mark.parametrize("name", PEERS)
def test_a_peer_learns(toy: datasets.Dataset, name: str) -> None:
    make, networks = speed.PEERS[name]
    for network in networks:
        epoch = make(toy, [] if network == "GCN" else network.split("+")).epochs()
        losses = [epoch()[1] for _ in range(30)]
        assert losses[-1] < 0.98 * losses[0]


def test_the_engine_is_timed_over_whole_cycles_of_its_masks(toy: datasets.Dataset) -> None:
    assert speed.engine_seconds(toy, "GCN", seconds=0.01, runs=2) > 0


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
