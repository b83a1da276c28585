import numpy as np
import pytest
import scipy.sparse as sp
import torch
from support.small import CPU

from mtgcn.engine import part
from mtgcn.engine.dropout import Mask
from mtgcn.engine.sparse import BlockSparse

ROWS, COLUMNS = 7, 5
SHAPES = pytest.mark.parametrize("channels", [3, 16, 21])  # a part of a vector, one, one and a part


@pytest.fixture(autouse=True, params=["whole", "stripes"])
def stripes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that holds for a matrix holds for one of many nodes, too; stripes have 4 rows."""
    if request.param == "stripes":
        monkeypatch.setattr(part, "NODES_AT_ONCE", ROWS - 1)
        monkeypatch.setattr(part, "STRIPE", 4)


@pytest.fixture(params=["compiled", "torch"])
def backend(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(params=["own", "shared"])
def parts(request: pytest.FixtureRequest) -> list[sp.csr_matrix]:
    """The matrices of three runs, of their own or one for all of them."""
    return matrices() if request.param == "own" else [matrices()[0]] * 3


def matrices() -> list[sp.csr_matrix]:
    """Three runs: two patterns of their own and an empty matrix; row 2 and column 4 are empty throughout."""
    random = np.random.default_rng(0)
    dense = random.random((2, ROWS, COLUMNS)) * (random.random((2, ROWS, COLUMNS)) < 0.4)
    dense[:, 2], dense[:, :, 4] = 0, 0
    return [sp.csr_matrix(dense[0]), sp.csr_matrix((ROWS, COLUMNS)), sp.csr_matrix(dense[1])]


def dense_of(parts: list[sp.csr_matrix]) -> torch.Tensor:
    return torch.from_numpy(np.stack([part.toarray() for part in parts]))


def draw(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64).requires_grad_()


@SHAPES
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-14), (torch.float32, 2e-6)])
def test_products_are_the_dense_ones(parts, backend, channels, dtype, tolerance):
    block, x = BlockSparse(parts, CPU, dtype, backend), dense_of(parts)
    w, z = draw(3, COLUMNS, channels), draw(3, ROWS, channels)
    close = {"rtol": tolerance, "atol": tolerance}
    torch.testing.assert_close((block @ w.to(dtype)).double(), x @ w, **close)
    torch.testing.assert_close((block.T @ z.to(dtype)).double(), x.transpose(1, 2) @ z, **close)
    torch.testing.assert_close(block.squared_norms, x.square().sum((1, 2)), **close)
    assert block.squared_norms.dtype == torch.float64


def test_gradients_are_what_small_steps_give(parts, backend):
    block = BlockSparse(parts, CPU, torch.float64, backend)
    mask, _ = mask_of(block, parts)
    assert torch.autograd.gradcheck(lambda w: block @ w, draw(3, COLUMNS, 2))
    assert torch.autograd.gradcheck(lambda w: block.masked(mask) @ w, draw(3, COLUMNS, 2))
    assert torch.autograd.gradcheck(lambda z: block.T @ z, draw(3, ROWS, 2))


def mask_of(block: BlockSparse, parts: list[sp.csr_matrix]) -> tuple[Mask, list[sp.csr_matrix]]:
    """Return a mask that keeps some values of each run, times 4, and the matrices that it leaves."""
    kept = torch.from_numpy(np.random.default_rng(1).integers(0, 256, sum(one.nnz for one in parts)).astype(np.uint8))
    left = [one.copy() for one in parts]
    for one, own in zip(left, kept.split([one.nnz for one in parts]), strict=True):
        one.data = one.data * (4 * ((own.numpy() >> 5) & 1))
    return Mask(kept, block.reorder(kept), 5, 4.0), left


@SHAPES
def test_masks_drop_stored_values_in_the_order_of_the_matrix(parts, backend, channels):
    block = BlockSparse(parts, CPU, torch.float64, backend)
    mask, left = mask_of(block, parts)
    w, z = draw(3, COLUMNS, channels), draw(3, ROWS, channels)
    torch.testing.assert_close(block.masked(mask) @ w, dense_of(left) @ w)
    torch.testing.assert_close(block.masked(mask).T @ z, dense_of(left).transpose(1, 2) @ z)
    torch.testing.assert_close(block @ w, dense_of(parts) @ w)  # which stays as it was
