"""The kernels in C: the sums that they promise, to the last bit, and what happens without a compiler."""

import shutil
import subprocess
import sys

import numpy as np
import pytest
import torch
from scipy import sparse
from support.small import CPU

from mtgcn.data import toy
from mtgcn.engine import compiled, kernels
from mtgcn.engine.dropout import Mask
from mtgcn.engine.graph import Graph
from mtgcn.engine.kernels import drop
from mtgcn.engine.products import gram, product
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


def uneven() -> sparse.csr_matrix:
    """Return rows of all lengths, some of them with more values than dropout is applied to at a time."""
    lengths = [0, 1, 9000, 30, 4096, 0, 5000, 4000, 97, 2, 2]
    random = np.random.default_rng(2)
    columns = np.concatenate([np.sort(random.choice(10_000, length, replace=False)) for length in lengths])
    return sparse.csr_matrix((np.ones(len(columns)), columns, np.cumsum([0, *lengths])), (len(lengths), 10_000))


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("channels", [5, 16, 40])
@pytest.mark.parametrize("matrix", [GRAPH.features, uneven()], ids=["words", "rows of all lengths"])
def test_a_product_is_the_sum_of_the_stored_values_one_by_one(dtype, channels, matrix):
    matrix = matrix.astype(KINDS[dtype])
    matrix.data = np.random.default_rng(0).random(matrix.nnz).astype(KINDS[dtype])
    kept = torch.from_numpy(np.random.default_rng(1).integers(0, 256, RUNS * matrix.nnz).astype(np.uint8))
    block, w = BlockSparse([matrix] * RUNS, CPU, dtype, "compiled"), states(matrix.shape[1], channels, dtype)
    found = block.masked(Mask(kept, block.reorder(kept), 2, 1.25)) @ w
    factors = ((kept.numpy().reshape(RUNS, -1) >> 2) & 1).astype(KINDS[dtype]) * KINDS[dtype](1.25)
    for run in (0, RUNS - 1):
        values = matrix.data * factors[run]
        for row in range(0, matrix.shape[0], 1 + matrix.shape[0] // 20):
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


def one_by_one(x: torch.Tensor, w: torch.Tensor, span: int = 192) -> torch.Tensor:
    """Multiply with a product and a sum in one step, as float64 can do it for float32, ``span`` of them from zero."""
    total = torch.zeros(*x.shape[:2], w.shape[2])
    for start in range(0, x.shape[2], span):
        part = torch.zeros_like(total)
        for k in range(start, min(start + span, x.shape[2])):
            part = (part.double() + x[:, :, k, None].double() * w[:, None, k].double()).float()
        total = total + part
    return total


@pytest.mark.parametrize(("rows", "inner", "columns"), [(1, 16, 16), (75, 16, 16), (64, 192, 32), (9, 64, 7)])
def test_a_dense_product_sums_step_by_step_and_is_that_of_torch(rows, inner, columns):
    x, w = states(rows, inner, torch.float32), states(inner, columns, torch.float32)
    assert torch.equal(product(x, w), one_by_one(x, w))
    wide = [torch.nn.functional.pad(part, (0, -part.shape[2] % 16)) for part in (x, w)]
    tall = torch.nn.functional.pad(wide[0], (0, 0, 0, max(0, 16 - rows)))  # torch has other sums for fewer rows
    assert torch.equal(product(x, w), torch.bmm(tall, wide[1])[:, :rows, :columns])


@pytest.mark.parametrize("rows", [1, 140, 192, 300, 384, 1000])
def test_gradients_of_a_dense_product_are_those_of_torch(rows):
    given = states(rows, 16, torch.float32), states(16, 32, torch.float32)
    grad, found = states(rows, 32, torch.float32), []
    for multiply in (product, torch.bmm):
        leaves = [part.clone().requires_grad_() for part in given]
        multiply(*leaves).backward(grad)
        found.append([leaf.grad for leaf in leaves])
    across = given[0].transpose(1, 2)
    # A single row is padded before it meets torch, so it is held to the sums themselves.
    assert rows == 1 or all(torch.equal(one, other) for one, other in zip(*found, strict=True))
    assert 192 < rows < 384 or torch.equal(found[0][1], one_by_one(across, grad))
    assert torch.equal(gram(given[0]), across @ given[0])


@pytest.mark.parametrize(("rows", "channels"), [(3, 16), (101, 16), (40, 64)])
def test_the_inner_part_of_a_reconstruction_is_its_formula(rows, channels):
    cross, weights = states(rows, channels, torch.float32), states(rows, channels, torch.float32).flip(1)
    inner, left = kernels.residual(cross, weights, gram(cross), wanted=True)
    fitted = one_by_one(weights, gram(cross))
    assert left is not None
    assert torch.equal(left, fitted - cross)
    expected = ((fitted - 2 * cross).double() * weights.double()).sum((1, 2))
    torch.testing.assert_close(inner, expected, rtol=1e-5, atol=1e-4 * float(expected.abs().max()))
    again, nothing = kernels.residual(cross, weights, gram(cross), wanted=False)
    assert nothing is None
    assert torch.equal(again, inner)


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
    code = (
        "from mtgcn.engine.compiled import SOURCES; print(*(source.suffix for source in SOURCES if source.is_file()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {".c", ".h"}
