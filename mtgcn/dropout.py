"""Dropout masks, drawn per run, at a bit a decision."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from mtgcn.randomness import stream

EPOCHS_A_BYTE = 8


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
    """

    def __init__(
        self, site: str, seeds: Sequence[int], sizes: Sequence[int], rate: float, device: torch.device
    ) -> None:
        self.streams = [stream(seed, f"{site}.dropout") for seed in seeds]
        self.sizes = list(sizes)
        self.rate = rate
        self.device = device
        self._calls = 0
        self._drawn = torch.empty(0, dtype=torch.uint8)
        self._chosen: list[Tensor] = []

    def masks(self, *orders: Tensor | None) -> list[Tensor]:
        """Return the next epoch's mask, scaled by 1 / (1 - rate), once for each of ``orders``.

        An order holds the places, among the values of all runs, that a mask is wanted for; ``None`` stands for
        all of them as they are. A sparse matrix needs its mask in the order of its transpose too, and a part of
        the graph has a part of the values. The orders must not change but through `keep`.
        """
        bit = self._calls % EPOCHS_A_BYTE if self.rate == 0.5 else 0
        if bit == 0:
            self._draw()
        self._calls += 1
        one = 1 << bit  # a kept value is `one`, a dropped one 0
        scale = 1.0 / ((1.0 - self.rate) * one)
        if not self._chosen:
            self._chosen = [self._drawn if order is None else self._drawn[order] for order in orders]
        return [(chosen & one) * scale for chosen in self._chosen]

    def keep(self, runs: Sequence[int]) -> None:
        """Go on with these runs only."""
        if len(self._drawn):
            parts = self._drawn.split(self.sizes)
            self._drawn = torch.cat([parts[run] for run in runs])
        self.streams = [self.streams[run] for run in runs]
        self.sizes = [self.sizes[run] for run in runs]
        self._chosen = []

    def _draw(self) -> None:
        pairs = zip(self.streams, self.sizes, strict=True)
        if self.rate == 0.5:
            drawn = [np.frombuffer(numbers.bytes(size), np.uint8) for numbers, size in pairs]
        else:
            drawn = [(numbers.random(size, np.float32) >= self.rate).view(np.uint8) for numbers, size in pairs]
        self._drawn = torch.from_numpy(np.concatenate(drawn)).to(self.device)
        self._chosen = []
