"""Dropout masks, drawn per run, at a bit a decision."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from mtgcn.engine.randomness import State, set_states, states, stream

EPOCHS_A_BYTE = 8
Reorder = Callable[[Tensor], list[Tensor]]


@dataclass(frozen=True)
class Mask:
    """Which values stay in an epoch: those whose byte has the ``bit``; they are multiplied by ``scale``.

    Attributes:
        kept: (size,) bytes.
        again: the same in a second order, in pieces.
    """

    kept: Tensor
    again: list[Tensor]
    bit: int
    scale: float

    def factors(self, kept: Tensor) -> Tensor:
        """Return what to multiply the values with whose bytes are ``kept``: 0 or the scale."""
        one = 1 << self.bit
        return (kept & one) * (self.scale / one)


class Dropout:
    """The masks of one place in the network, for all runs.

    At the rate 0.5 of the paper a decision is one random bit, so a byte holds the decisions of one value
    for eight epochs: random numbers are drawn, and brought into a second order where one is needed, every
    eighth epoch only. Other rates draw a float a value and epoch.

    Args:
        site: name of the place, which with the seed determines the stream.
        seeds: one seed a run.
        sizes: number of values of each run.
        rate: probability of dropping a value, in (0, 1).
        places: which of all runs' values, one run after the other, are there: a part of the graph has a part of
            them. ``None`` for all as they are.
        reorder: brings those that are there into a second order, in pieces; a sparse matrix needs its mask in that of
            its transpose, too.
    """

    def __init__(
        self,
        site: str,
        seeds: Sequence[int],
        sizes: Sequence[int],
        rate: float,
        device: torch.device,
        places: Tensor | None = None,
        reorder: Reorder | None = None,
    ) -> None:
        self.streams = [stream(seed, f"{site}.dropout") for seed in seeds]
        self.sizes, self.rate, self.device = list(sizes), rate, device
        self.scale = float(np.float32(1.0 / (1.0 - rate)))  # the same number in any precision
        self.places = None if places is None else places.to(device)
        self.reorder = reorder
        self._calls = 0
        self._before: State = states(self.streams)  # where the streams were before the last draw
        self._drawn = np.empty(0, np.uint8)  # of the whole graph
        self._kept = torch.empty(0, dtype=torch.uint8)  # of what is there, in each of its orders
        self._again: list[Tensor] = []

    def mask(self) -> Mask:
        """Return the next epoch's mask."""
        bit = self._calls % EPOCHS_A_BYTE if self.rate == 0.5 else 0
        if bit == 0:
            self._before = states(self.streams)
            self._draw()
        self._calls += 1
        return Mask(self._kept, self._again, bit, self.scale)

    def go_on(self, before: "Dropout", runs: Sequence[int]) -> None:
        """Go on from where these runs are in ``before``."""
        self.streams, self._calls = [before.streams[run] for run in runs], before._calls
        self._before = [before._before[run] for run in runs]
        if self._calls:
            parts = np.split(before._drawn, np.cumsum(before.sizes)[:-1])
            self._drawn = np.concatenate([parts[run] for run in runs])
            self._take()

    def state(self) -> tuple[int, State]:
        """Return how many masks were given, and where the streams were before they drew the last ones."""
        return self._calls, self._before

    def restore(self, calls: int, before: State) -> None:
        """Go on from a state; the masks that are in use are drawn again."""
        set_states(self.streams, before)
        self._calls, self._before = calls, before
        if calls:
            self._draw()

    def _draw(self) -> None:
        """Draw new masks where the old ones are: elsewhere they would lie in the gaps that large arrays leave."""
        if not len(self._drawn):
            self._drawn = np.empty(sum(self.sizes), np.uint8)
        start = 0
        for numbers, size in zip(self.streams, self.sizes, strict=True):
            if self.rate == 0.5:
                drawn = np.frombuffer(numbers.bytes(size), np.uint8)
            else:
                drawn = (numbers.random(size, np.float32) >= self.rate).view(np.uint8)
            self._drawn[start : start + size] = drawn
            start += size
        self._take()

    def _take(self) -> None:
        """Find the masks of what is there, in each of its orders."""
        drawn = torch.from_numpy(self._drawn).to(self.device, non_blocking=True)
        self._kept = drawn if self.places is None else _put(drawn[self.places], self._kept)
        if self.reorder is not None:
            pieces = self.reorder(self._kept)
            self._again = [_put(piece, old) for piece, old in zip(pieces, self._again or pieces, strict=True)]


def _put(values: Tensor, place: Tensor) -> Tensor:
    """Return the values in this place, or where they are if it has another size."""
    return place.copy_(values) if place.shape == values.shape else values
