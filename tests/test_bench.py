"""The benchmark's peers are the same network; how fast anything is, no test says."""

import importlib.util

import numpy as np
import pytest
import torch
from dense import renormalised_adjacency

from mtgcn import datasets
from mtgcn.bench import peers, speed
from mtgcn.machine import fitting_threads

WITHOUT_PYG = importlib.util.find_spec("torch_geometric") is None


@pytest.fixture(scope="module")
def toy() -> datasets.Dataset:
    return datasets.load("toy")


@pytest.mark.parametrize("sparse_input", [False, True])
def test_a_peer_computes_the_network_of_the_paper(toy: datasets.Dataset, sparse_input: bool) -> None:
    dense = torch.from_numpy(toy.features.toarray())
    model = peers._Plain(toy, ["AE"], peers._graph_conv(toy), sparse_input)
    inputs = {"clean": peers._coo(toy.features.tocoo()) if sparse_input else dense}
    logits, risk = model.eval().risks(inputs, dense, slice(None))

    a_hat = renormalised_adjacency(toy.edges, toy.nodes).float()
    first = model.first.weight if sparse_input else model.first.convolution.weight
    h = (a_hat @ dense @ first).relu()
    torch.testing.assert_close(logits, a_hat @ h @ model.main.convolution.weight)
    hidden, last = (layer.convolution.weight for layer in model.heads["AE"])
    rebuilt = a_hat @ (a_hat @ h @ hidden).relu() @ last
    expected = peers.TASK_WEIGHTS["AE"] * (dense - rebuilt).square().sum(1).mean()
    torch.testing.assert_close(risk, expected)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(n, marks=pytest.mark.skipif(WITHOUT_PYG and "PyG" in n, reason="needs PyTorch Geometric"))
        for n in speed.PEERS
    ],
)
def test_a_peer_learns(toy: datasets.Dataset, name: str) -> None:
    make, networks = speed.PEERS[name]
    for network in networks:
        epoch = make(toy, [] if network == "GCN" else network.split("+"))
        losses = [epoch() for _ in range(30)]
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
