import numpy as np
import pytest
import scipy.sparse as sp
import torch
from support.small import CPU

from mtgcn.engine.products import gram
from mtgcn.engine.reconstruction import reconstruction_risk
from mtgcn.engine.sparse import BlockSparse

pytestmark = pytest.mark.usefixtures("one_thread")

RUNS, NODES, CHANNELS, FEATURES = 3, 30, 4, 17


def sparse_matrices(seed: int = 0) -> list[sp.csr_matrix]:
    random = np.random.default_rng(seed)
    shape = (RUNS, NODES, FEATURES)
    return [sp.csr_matrix(part) for part in random.random(shape) * (random.random(shape) < 0.15)]


def factors(seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    draw = [torch.randn(RUNS, *s, generator=generator) for s in ((NODES, CHANNELS), (CHANNELS, FEATURES))]
    return draw[0].double(), draw[1].double()


def plain(z: torch.Tensor, b: torch.Tensor, matrices: list[sp.csr_matrix]) -> torch.Tensor:
    """The n × d formula, as the paper writes it."""
    x = torch.from_numpy(np.stack([m.toarray() for m in matrices])).double()
    return (x - z @ b).square().sum(2).mean(1)


def both(z, b, matrices, dtype):
    """Value and gradients of the risk by the engine in ``dtype`` and by the plain formula in float64."""
    answers = []
    for kind in (dtype, torch.float64):
        leaves = [part.detach().to(kind).requires_grad_() for part in (z, b)]
        if kind is dtype and not answers:
            risk = reconstruction_risk(*leaves, BlockSparse(matrices, CPU, dtype))
        else:
            risk = plain(*leaves, matrices)
        (risk * torch.arange(1, RUNS + 1)).sum().backward()  # another weight for each run
        answers.append([risk.detach(), *(leaf.grad.double() for leaf in leaves)])
    return answers


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-13), (torch.float32, 2e-5)])
@pytest.mark.parametrize("columns", [slice(None), [3], [1, 4, 16]], ids=["full", "one column", "partial"])
@pytest.mark.parametrize("nodes", [slice(None), [5], [0, 29, 7, 3]], ids=["all", "one node", "subset"])
def test_value_and_gradients_are_those_of_the_plain_formula(dtype, tolerance, columns, nodes):
    matrices = [m[:, columns][nodes] for m in sparse_matrices()]
    z, b = factors()
    ours, expected = both(z[:, nodes], b[:, :, columns], matrices, dtype)
    for mine, reference in zip(ours, expected, strict=True):
        torch.testing.assert_close(mine, reference, rtol=tolerance, atol=tolerance * float(reference.abs().max()))


def perfect() -> tuple[torch.Tensor, torch.Tensor, list[sp.csr_matrix]]:
    """Factors whose product is exactly the sparse matrix, in float32 too: small whole numbers."""
    random = np.random.default_rng(1)
    z = random.integers(0, 4, (RUNS, NODES, CHANNELS)) * (random.random((RUNS, NODES, CHANNELS)) < 0.3)
    b = random.integers(0, 4, (RUNS, CHANNELS, FEATURES)) * (random.random((RUNS, CHANNELS, FEATURES)) < 0.3)
    product = (z @ b).astype(np.float64)
    return torch.from_numpy(z).double(), torch.from_numpy(b).double(), [sp.csr_matrix(part) for part in product]


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_perfect_reconstruction_costs_nothing_and_moves_nothing(dtype):
    ours, _ = both(*perfect(), dtype)
    for part in ours:
        assert torch.equal(part, torch.zeros_like(part))


@pytest.mark.parametrize("distance", [1e-1, 1e-3, 1e-6])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_near_perfect_reconstruction_is_wrong_by_rounding_at_most(dtype, distance):
    z, b, matrices = perfect()
    noise_z, noise_b = factors(2)
    # Rounded first, so that both formulas are given the same numbers.
    z, b = (z + distance * noise_z).to(dtype).double(), (b + distance * noise_b).to(dtype).double()
    ours, expected = both(z, b, matrices, dtype)
    rounding = 4 * torch.finfo(dtype).eps
    size = max(float((m.data**2).sum()) for m in matrices) / NODES
    assert (ours[0] - expected[0]).abs().max() < rounding * size
    assert (ours[0] >= 0).all()
    for mine, reference, other in zip(ours[1:], expected[1:], (b, z), strict=True):
        scale = RUNS * size * float(other.abs().max())
        assert (mine - reference).abs().max() < rounding * scale


def test_risk_is_never_negative():
    z, b, matrices = perfect()
    target = BlockSparse(matrices, CPU, torch.float32)
    for seed in range(50):
        noise = factors(seed)
        risk = reconstruction_risk((z + 1e-5 * noise[0]).float(), (b + 1e-5 * noise[1]).float(), target)
        assert (risk >= 0).all()


def test_empty_target_is_the_size_of_the_reconstruction():
    z, b = factors()
    empty = [sp.csr_matrix((NODES, FEATURES))] * RUNS
    risk = reconstruction_risk(z, b, BlockSparse(empty, CPU, torch.float64))
    torch.testing.assert_close(risk, (z @ b).square().sum(2).mean(1))


def test_gram():
    z, _ = factors()
    torch.testing.assert_close(gram(z)[1], z[1].T @ z[1])
