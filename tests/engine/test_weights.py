import numpy as np
import pytest
import torch
from support.small import CPU

from mtgcn.engine.randomness import stream
from mtgcn.engine.weights import Weights, glorot

SHAPES = {"encoder.0.B": (50, 16), "encoder.0.bias": (16,), "encoder.10.B": (16, 16), "main.B": (16, 7)}
SEEDS = [5, 6, 9]


def weights(seeds: list[int] = SEEDS, dtype: torch.dtype = torch.float32) -> Weights:
    return Weights(SHAPES, seeds, CPU, dtype)


@pytest.mark.parametrize("shape", [(1433, 16), (16, 7), (300, 200)])
def test_glorot_is_uniform_within_its_limits(shape):
    values = glorot(stream(0, "test"), shape)
    limit = (6 / sum(shape)) ** 0.5
    assert values.shape == shape
    assert values.dtype == np.float32
    assert np.abs(values).max() <= limit
    assert np.abs(values).max() > 0.9 * limit
    count = values.size
    assert values.mean() == pytest.approx(0, abs=5 * limit / (3 * count) ** 0.5)
    assert values.var() == pytest.approx(limit**2 / 3, rel=5 / count**0.5)


def test_one_axis_starts_at_zero():
    assert glorot(stream(0, "test"), (16,)).tolist() == [0.0] * 16


def test_weights_have_a_leading_runs_axis_and_names_in_order():
    made = weights()
    assert list(made) == list(SHAPES)
    assert len(made) == len(SHAPES)
    assert {name: tuple(value.shape) for name, value in made.items()} == {n: (3, *s) for n, s in SHAPES.items()}
    assert set(made.of("encoder.0")) == {"B", "bias"}
    assert set(made.of("encoder.1")) == set()  # encoder.10 is another layer


def test_run_starts_the_same_alone_or_in_company_and_unlike_the_others():
    together = weights()
    for run, seed in enumerate(SEEDS):
        alone = weights([seed])
        for name in SHAPES:
            assert torch.equal(alone[name][0], together[name][run])
    assert not torch.equal(together["main.B"][0], together["main.B"][1])
    # Two weights of a run are not one draw in two scales.
    drawn = [together[name][0].flatten()[:112].double() for name in ("encoder.10.B", "main.B")]
    assert abs(torch.corrcoef(torch.stack(drawn))[0, 1]) < 0.5


def test_weights_and_gradients_are_views_of_one_buffer():
    made = weights()
    scale = {name: float(k) for k, name in enumerate(SHAPES, start=1)}
    for _ in range(2):  # gradients add up in the buffer
        sum(scale[name] * made[name].sum() for name in SHAPES).backward()
    for name, part in made.offsets.items():
        assert torch.equal(made.flat[part], made[name].detach().flatten())
        assert (made.grad[part] == 2 * scale[name]).all()
    with torch.no_grad():
        made.flat.zero_()
    assert all((value == 0).all() for value in made.values())


def test_per_run_reaches_every_weight_of_the_run():
    made = weights()
    spread = made.per_run([1.0, 2.0, 3.0])
    for part in made.offsets.values():
        by_run = spread[part].view(3, -1)
        assert [row.unique().tolist() for row in by_run] == [[1.0], [2.0], [3.0]]
