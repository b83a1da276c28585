import numpy as np
import pytest
import scipy.sparse as sp
import torch
from support.small import CPU

from mtgcn.engine import sparse
from mtgcn.engine.sparse import BlockSparse

ROWS, COLUMNS, CHANNELS = 7, 5, 3


@pytest.fixture(autouse=True, params=["whole", "stripes"])
def stripes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that holds for a matrix holds for one of many nodes, too; stripes of 4 of its 21 rows cross the runs."""
    if request.param == "stripes":
        monkeypatch.setattr(sparse, "NODES_AT_ONCE", ROWS - 1)
        monkeypatch.setattr(sparse, "STRIPE", 4)


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


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-14), (torch.float32, 1e-6)])
def test_products_are_the_dense_ones(dtype, tolerance):
    block, x = BlockSparse(matrices(), CPU, dtype), dense_of(matrices())
    w, z = draw(3, COLUMNS, CHANNELS), draw(3, ROWS, CHANNELS)
    close = {"rtol": tolerance, "atol": tolerance}
    torch.testing.assert_close((block @ w.to(dtype)).double(), x @ w, **close)
    torch.testing.assert_close((block.T @ z.to(dtype)).double(), x.transpose(1, 2) @ z, **close)
    torch.testing.assert_close(block.squared_norms, x.square().sum((1, 2)), **close)
    assert block.squared_norms.dtype == torch.float64


def test_gradients_are_what_small_steps_give():
    block = BlockSparse(matrices(), CPU, torch.float64)
    masks = masks_of(block)
    assert torch.autograd.gradcheck(lambda w: block @ w, draw(3, COLUMNS, CHANNELS))
    assert torch.autograd.gradcheck(lambda w: block.masked(*masks) @ w, draw(3, COLUMNS, CHANNELS))
    assert torch.autograd.gradcheck(lambda z: block.T @ z, draw(3, ROWS, CHANNELS))


def masks_of(block: BlockSparse) -> tuple[torch.Tensor, torch.Tensor]:
    mask = torch.arange(1, len(block.values) + 1, dtype=torch.float64)
    return mask, mask[block.order]


def test_masks_scale_the_stored_values_in_the_order_of_the_matrix():
    parts = matrices()
    block = BlockSparse(parts, CPU, torch.float64)
    masks = masks_of(block)
    scaled = [part.copy() for part in parts]
    for part, mask in zip(scaled, masks[0].split([part.nnz for part in parts]), strict=True):
        part.data = part.data * mask.numpy()
    w = draw(3, COLUMNS, CHANNELS)
    torch.testing.assert_close(block.masked(*masks) @ w, dense_of(scaled) @ w)
    torch.testing.assert_close(block @ w, dense_of(parts) @ w)  # which stays as it was


def test_order_leads_to_the_transpose():
    parts = matrices()
    block = BlockSparse(parts, CPU, torch.float64)
    block_of_all = sp.block_diag(parts).tocsr()
    width = sparse.STRIPE if ROWS > sparse.NODES_AT_ONCE else 3 * ROWS
    by_column = [block_of_all[start : start + width].tocsc().data for start in range(0, 3 * ROWS, width)]
    assert np.array_equal(block.values[block.order].numpy(), np.concatenate(by_column))
