"""The kernels in C: the sums that they promise, to the last bit, and what happens without a compiler."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from support.small import CPU

from mtgcn.data import toy
from mtgcn.engine import compiled
from mtgcn.engine.dropout import Mask
from mtgcn.engine.graph import Graph
from mtgcn.engine.kernels import drop
from mtgcn.engine.sparse import BlockSparse

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
GRAPH = toy.generate()
RUNS = 7  # five at once, and two more
KINDS = {torch.float32: np.float32, torch.float64: np.float64}


@pytest.fixture(autouse=True)
def _forget() -> None:
    """Let every test load the kernels anew."""
    compiled.library.cache_clear()


def states(rows: int, channels: int, dtype: torch.dtype) -> torch.Tensor:
    return torch.randn(RUNS, rows, channels, generator=torch.Generator().manual_seed(0), dtype=torch.float64).to(dtype)


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("channels", [5, 16, 40])
def test_a_product_is_the_sum_of_the_stored_values_one_by_one(dtype, channels):
    matrix = GRAPH.features.astype(KINDS[dtype])
    matrix.data = np.random.default_rng(0).random(matrix.nnz).astype(KINDS[dtype])
    kept = torch.from_numpy(np.random.default_rng(1).integers(0, 256, RUNS * matrix.nnz).astype(np.uint8))
    block, w = BlockSparse([matrix] * RUNS, CPU, dtype, "compiled"), states(matrix.shape[1], channels, dtype)
    found = block.masked(Mask(kept, block.reorder(kept), 2, 1.25)) @ w
    factors = ((kept.numpy().reshape(RUNS, -1) >> 2) & 1).astype(KINDS[dtype]) * KINDS[dtype](1.25)
    for run in (0, RUNS - 1):
        values = matrix.data * factors[run]
        for row in range(0, matrix.shape[0], 50):
            total = np.zeros(channels, KINDS[dtype])
            for k in range(*matrix.indptr[row : row + 2]):
                total = total + values[k] * w[run, matrix.indices[k]].numpy()
            assert np.array_equal(found[run, row].numpy(), total)


@pytest.mark.parametrize("dtype", KINDS)
def test_a_propagation_is_the_sum_of_the_neighbours_one_by_one(dtype):
    x = states(GRAPH.nodes, 16, dtype)
    graph = Graph(GRAPH.edges, GRAPH.nodes, RUNS, CPU, dtype, "compiled")
    found = graph.propagate(x)
    ends = np.concatenate([GRAPH.edges, GRAPH.edges[::-1]], axis=1)
    degrees = 1 + np.bincount(ends[0], minlength=GRAPH.nodes)
    scale = (1 / np.sqrt(degrees)).astype(KINDS[dtype])
    for node in range(0, GRAPH.nodes, 40):
        total = np.zeros((RUNS, 16), KINDS[dtype])
        for other in sorted([node, *ends[1, ends[0] == node]]):
            total = total + x[:, other].numpy() * scale[other]
        assert np.array_equal(found[:, node].numpy(), total * scale[node])


def test_dropout_keeps_what_has_the_bit():
    x = states(30, 4, torch.float32)
    kept = torch.arange(x.numel()).byte()
    expected = torch.where(((kept >> 3) & 1).bool().view(x.shape), 2 * x, 0 * x)
    assert torch.equal(drop(x, Mask(kept, [], 3, 2.0)), expected)
    assert torch.autograd.gradcheck(
        lambda y: drop(y, Mask(kept, [], 3, 2.0)), states(30, 4, torch.float64).requires_grad_()
    )


def test_threads_and_company_change_no_bit():
    matrix, before = GRAPH.features, torch.get_num_threads()
    w = states(matrix.shape[1], 64, torch.float32)
    z = states(GRAPH.nodes, 64, torch.float32)
    outcomes = []
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            block = BlockSparse([matrix] * RUNS, CPU, torch.float32, "compiled")
            graph = Graph(GRAPH.edges, GRAPH.nodes, RUNS, CPU, torch.float32, "compiled")
            outcomes.append((block @ w, block.T @ z, graph.propagate(z)))
    finally:
        torch.set_num_threads(before)
    alone = BlockSparse([matrix], CPU, torch.float32, "compiled")
    graph = Graph(GRAPH.edges, GRAPH.nodes, 1, CPU, torch.float32, "compiled")
    for run in range(RUNS):
        own = alone @ w[[run]], alone.T @ z[[run]], graph.propagate(z[[run]])
        for together in outcomes:
            assert all(torch.equal(one[0], all_runs[run]) for one, all_runs in zip(own, together, strict=True))


def test_without_a_compiler_there_are_none(monkeypatch, tmp_path):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert not compiled.available(CPU, torch.float32)
    broken = tmp_path / "cc"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    compiled.library.cache_clear()
    monkeypatch.setenv("MTGCN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(shutil, "which", lambda name: str(broken))
    assert not compiled.available(CPU, torch.float32)
    assert list((tmp_path / "cache").glob("*")) == []
    assert not compiled.available(torch.device("meta"), torch.float32)


def test_they_are_compiled_once_and_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("MTGCN_CACHE", str(tmp_path))
    assert compiled.available(CPU, torch.float32)
    (kept,) = tmp_path.iterdir()
    made = kept.stat().st_mtime_ns
    compiled.library.cache_clear()
    assert compiled.available(CPU, torch.float32)
    assert kept.stat().st_mtime_ns == made
    assert compiled.available(CPU, torch.float64)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_cache_that_cannot_be_written_is_done_without(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MTGCN_CACHE", str(tmp_path / "file" / "cache"))
    assert compiled.available(CPU, torch.float32)


def test_an_installed_package_has_the_source():
    code = "from mtgcn.engine.compiled import SOURCE; print(SOURCE)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert Path(done.stdout.strip()).is_file()
