"""Which epoch of a run is its best: every rule looks at the same training, so all of them are followed at once.

So is where an early stop would have ended the run, which no setting chooses: its test accuracy is one more column.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
import torch
from torch import Tensor

from mtgcn.experiments.protocols import Rule

RULES: tuple[Rule, ...] = get_args(Rule)
EARLY_STOP = "early-stop"
WINDOW = 10  # epochs that an early stop looks back, as in the code of Kipf & Welling and of You et al.


Kept = dict[str, Tensor]  # the weights of one run


class Epoch:
    """The weights of the moving runs after an epoch; those of a run are copied once, however many rules want them."""

    def __init__(self, weights: Mapping[str, Tensor]) -> None:
        self._weights = weights
        self._kept: dict[int, Kept] = {}

    def kept(self, row: int) -> Kept:
        """Return a copy of the weights of a run, by its place among those that move."""
        if row not in self._kept:
            self._kept[row] = {name: value.detach()[row].clone() for name, value in self._weights.items()}
        return self._kept[row]


@dataclass
class Best:
    """The best epochs of R runs by one rule; an epoch is 0 for a run that had none.

    Attributes:
        epoch: (R,) counted from 1.
        validation_accuracy: (R,) in percent, at these epochs.
        kept: the weights of each run at these epochs; the rules may share them, so nobody changes them.
        score: (R,) what the rule compares, the higher the better.
        tie: (R,) what decides between equal scores, the higher the better.
    """

    epoch: np.ndarray
    validation_accuracy: np.ndarray
    kept: list[Kept]
    score: np.ndarray
    tie: np.ndarray

    @classmethod
    def none(cls, runs: int, start: Epoch) -> "Best":
        """Return the best epochs before there is any, with the weights of the start."""
        lowest = np.full(runs, -np.inf)
        kept = [start.kept(run) for run in range(runs)]
        return cls(np.zeros(runs, int), np.full(runs, np.nan), kept, lowest, lowest.copy())

    @classmethod
    def joined(cls, parts: Sequence["Best"]) -> "Best":
        """Return the best epochs of several batches as if they had been one."""
        epoch, accuracy, score, tie = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("epoch", "validation_accuracy", "score", "tie")
        )
        return cls(epoch, accuracy, [kept for part in parts for kept in part.kept], score, tie)

    @property
    def weights(self) -> dict[str, Tensor]:
        """The weights of all runs at their best epochs, (R, ...) each."""
        return {name: torch.stack([kept[name] for kept in self.kept]) for name in self.kept[0]}

    def update(
        self, number: int, moving: np.ndarray, epoch: Epoch, accuracy: np.ndarray, score: np.ndarray, tie: np.ndarray
    ) -> None:
        """Take an epoch of the ``moving`` runs, (M,) numbers among the R; the other arguments have M rows."""
        equal = (score == self.score[moving]) & (tie > self.tie[moving])
        better = ((score > self.score[moving]) | equal) & np.isfinite(tie)
        if not better.any():
            return
        chosen = moving[better]
        self.score[chosen], self.tie[chosen] = score[better], tie[better]
        self.epoch[chosen], self.validation_accuracy[chosen] = number, accuracy[better]
        for run, row in zip(chosen.tolist(), np.flatnonzero(better).tolist(), strict=True):
            self.kept[run] = epoch.kept(row)


def scores(
    rule: Rule, number: int, accuracy: np.ndarray, loss: np.ndarray, main_loss: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return what ``rule`` compares and what decides between equal epochs, each (M,) and the higher the better.

    ``accuracy`` takes the first of equal epochs, ``accuracy-last`` the last, ``accuracy-loss`` the one with the lowest
    multi-task loss. A run whose loss is not finite has no best epoch then: its tie is not finite.
    """
    lasting = np.where(np.isfinite(loss), 0.0, np.nan)  # an accuracy can be counted among logits that are not finite
    match rule:
        case "accuracy":
            return accuracy, lasting
        case "accuracy-last":
            return accuracy, lasting + number
        case "accuracy-loss":
            return accuracy, -loss
        case "loss":
            return -loss, lasting
        case "main-loss":
            return -main_loss, lasting


class EarlyStop:
    """Where R runs would have ended had they stopped early, as in Kipf & Welling's code, and kept their last weights.

    A run stops at the first epoch beyond `WINDOW` + 1 whose main loss on the validation nodes is above the mean of
    those of the `WINDOW` epochs before. One that never does has its last epoch.

    Attributes:
        going: (R,) whether a run has not stopped.
        before: (R, WINDOW) the losses of the epochs before, the latest one last; NaN before the first epoch.
    """

    def __init__(self, runs: int) -> None:
        self.going = np.ones(runs, dtype=bool)
        self.before = np.full((runs, WINDOW), np.nan)

    def scores(self, number: int, moving: np.ndarray, main_loss: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Take an epoch of the ``moving`` runs, (M,), and return what `scores` does: the last one until then wins."""
        score = np.where(self.going[moving], float(number), -np.inf)
        if number > WINDOW + 1:
            self.going[moving] &= ~(main_loss > self.before[moving].mean(1))
        self.before[moving] = np.concatenate([self.before[moving, 1:], main_loss[:, None]], axis=1)
        return score, np.where(np.isfinite(main_loss), 0.0, np.nan)
