import numpy as np
import pytest
import torch
from support.small import CPU

from mtgcn.engine.dropout import EPOCHS_A_BYTE, Dropout
from mtgcn.engine.randomness import stream

SEEDS, SIZES = [3, 4, 9], [4000, 5000, 3000]
RATES = [0.5, 0.1, 0.8]
EPOCHS = 2 * EPOCHS_A_BYTE + 3


def dropout(rate: float, seeds: list[int] = SEEDS, sizes: list[int] = SIZES, site: str = "here", **orders) -> Dropout:
    return Dropout(site, seeds, sizes, rate, CPU, **orders)


def epochs(drop: Dropout, count: int = EPOCHS) -> torch.Tensor:
    return torch.stack([both(drop)[0] for _ in range(count)])


def both(drop: Dropout) -> tuple[torch.Tensor, ...]:
    """Return the next mask as factors, and the same in a second order."""
    mask = drop.mask()
    return tuple(mask.factors(kept) for kept in (mask.kept, *mask.again))


@pytest.mark.parametrize("rate", RATES)
def test_values_are_dropped_at_the_rate_and_the_rest_is_scaled_up(rate):
    masks = epochs(dropout(rate))
    assert masks.shape == (EPOCHS, sum(SIZES))
    kept = masks[masks != 0]
    assert torch.allclose(kept, torch.tensor(1 / (1 - rate)), rtol=1e-6, atol=0)
    deviation = (rate * (1 - rate) / masks.numel()) ** 0.5
    assert (masks == 0).double().mean() == pytest.approx(rate, abs=5 * deviation)
    assert masks.mean() == pytest.approx(1, abs=5 * deviation / (1 - rate))


def test_half_is_scaled_by_exactly_two():
    assert epochs(dropout(0.5)).unique().tolist() == [0.0, 2.0]


@pytest.mark.parametrize("rate", RATES)
def test_epochs_values_and_runs_are_independent(rate):
    dropped = (epochs(dropout(rate, [1, 2], [6000, 6000])) == 0).double()
    centred = (dropped - rate) / (rate * (1 - rate)) ** 0.5
    limit = 5 / 6000**0.5
    between_epochs = centred @ centred.T / 12000
    assert (between_epochs - torch.eye(EPOCHS)).abs().max() < limit
    between_neighbours = (centred[:, 1:] * centred[:, :-1]).mean(1)
    assert between_neighbours.abs().max() < limit
    between_runs = (centred[:, :6000] * centred[:, 6000:]).mean(1)
    assert between_runs.abs().max() < limit


@pytest.mark.parametrize("rate", RATES)
def test_masks_are_those_of_the_whole_at_the_places_and_in_the_second_order(rate):
    places, order = (torch.from_numpy(np.random.default_rng(0).permutation(n)[:700]) for n in (sum(SIZES), 700))
    drop = dropout(rate, places=places, reorder=lambda kept: [kept[order]])
    for whole in epochs(dropout(rate)):
        first, second = both(drop)
        assert torch.equal(first, whole[places])
        assert torch.equal(second, first[order])


def test_new_masks_lie_where_the_old_ones_did():
    """On a large graph they would otherwise land in the gaps that freed arrays leave, and memory would grow."""
    places = torch.arange(1000, 2000)
    for drop in (dropout(0.5, reorder=lambda kept: list(kept.flip(0).split(5000))), dropout(0.5, places=places)):
        first = drop.mask()
        before, bits = [first.kept, *first.again], first.kept.clone()
        for _ in range(EPOCHS_A_BYTE):
            last = drop.mask()
        assert not torch.equal(last.kept, bits)
        assert [part.data_ptr() for part in (last.kept, *last.again)] == [part.data_ptr() for part in before]


@pytest.mark.parametrize("rate", RATES)
def test_run_draws_the_same_alone_or_in_company(rate):
    together = epochs(dropout(rate)).split(SIZES, dim=1)
    for run, (seed, size) in enumerate(zip(SEEDS, SIZES, strict=True)):
        assert torch.equal(epochs(dropout(rate, [seed], [size])), together[run])


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("after", [0, 3, EPOCHS_A_BYTE, EPOCHS_A_BYTE + 5])
def test_remaining_runs_go_on_as_before(rate, after):
    whole = epochs(dropout(rate)).split(SIZES, dim=1)
    expected = torch.cat([whole[0], whole[2]], dim=1)[after:]
    before = dropout(rate, reorder=lambda kept: [kept.flip(0)])
    for _ in range(after):
        before.mask()
    drop = dropout(rate, [SEEDS[0], SEEDS[2]], [SIZES[0], SIZES[2]], reorder=lambda kept: [kept.flip(0)])
    drop.go_on(before, [0, 2])
    for mask in expected:
        first, second = both(drop)
        assert torch.equal(first, mask)
        assert torch.equal(second, mask.flip(0))


def test_places_and_seeds_have_streams_of_their_own():
    def draw(seed: int, site: str) -> tuple[float, ...]:
        return tuple(stream(seed, site).random(4))

    sites = ["encoder.0.dropout", "FR.encoder.0.dropout", "main.dropout", "FR.M", "ER.N", "encoder.0.B"]
    drawn = {draw(seed, site) for seed in range(20) for site in sites}
    assert len(drawn) == 20 * len(sites)
    assert draw(7, "ER.N") == draw(7, "ER.N")
    masks = [epochs(dropout(0.5, site=site)) for site in ("main", "AE.0")]
    assert not torch.equal(*masks)
