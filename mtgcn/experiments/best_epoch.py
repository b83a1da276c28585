"""Which epoch of a run is its best: every rule looks at the same training, so all of them are followed at once.

So is where an early stop would have ended the run, which no setting chooses: its test accuracy is one more column.
"""

from collections.abc import Mapping, Sequence
from typing import get_args

import numpy as np
import torch
from torch import Tensor

from mtgcn.experiments.protocols import Rule

RULES: tuple[Rule, ...] = get_args(Rule)
EARLY_STOP = "early-stop"
WINDOW = 10  # epochs that an early stop looks back, as in the code of Kipf & Welling and of You et al.


class Best:
    """The best epochs of R runs by one rule; an epoch is 0 for a run that had none.

    While a run improves, every epoch is its best so far. Its weights are copied only when an epoch is not: until then
    they are those of the latest epoch.

    Attributes:
        epoch: (R,) counted from 1.
        validation_accuracy: (R,) in percent, at these epochs.
        score: (R,) what the rule compares, the higher the better.
        tie: (R,) what decides between equal scores, the higher the better.
    """

    def __init__(
        self,
        epoch: np.ndarray,
        validation_accuracy: np.ndarray,
        weights: Mapping[str, Tensor],
        score: np.ndarray,
        tie: np.ndarray,
    ) -> None:
        self.epoch, self.validation_accuracy, self.score, self.tie = epoch, validation_accuracy, score, tie
        self._copies = {name: value.detach().clone() for name, value in weights.items()}
        self._latest: Mapping[str, Tensor] = {}
        self._rows = np.zeros(len(epoch), int)  # of each run in the latest weights
        self._uncopied = np.zeros(len(epoch), bool)

    @classmethod
    def none(cls, runs: int, weights: Mapping[str, Tensor]) -> "Best":
        """Return the best epochs before there is any; ``weights`` are those of the start."""
        lowest = np.full(runs, -np.inf)
        return cls(np.zeros(runs, int), np.full(runs, np.nan), weights, lowest, lowest.copy())

    @classmethod
    def joined(cls, parts: Sequence["Best"]) -> "Best":
        """Return the best epochs of several batches as if they had been one."""
        epoch, accuracy, score, tie = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("epoch", "validation_accuracy", "score", "tie")
        )
        weights = {name: torch.cat([part.weights[name] for part in parts]) for name in parts[0].weights}
        return cls(epoch, accuracy, weights, score, tie)

    @property
    def weights(self) -> dict[str, Tensor]:
        """The weights at the best epochs, (R, ...) each."""
        self._copy(self._uncopied)
        return self._copies

    def update(
        self,
        number: int,
        moving: np.ndarray,
        weights: Mapping[str, Tensor],
        accuracy: np.ndarray,
        score: np.ndarray,
        tie: np.ndarray,
    ) -> None:
        """Take an epoch of the ``moving`` runs, (M,) numbers among the R; the other arguments have M rows.

        The values of ``weights`` have to stay as they are until the next call.
        """
        equal = (score == self.score[moving]) & (tie > self.tie[moving])
        better = ((score > self.score[moving]) | equal) & np.isfinite(tie)
        chosen = moving[better]
        improves = np.zeros(len(self.epoch), bool)
        improves[chosen] = True
        self._copy(self._uncopied & ~improves)
        if not len(chosen):
            return
        self.score[chosen], self.tie[chosen] = score[better], tie[better]
        self.epoch[chosen], self.validation_accuracy[chosen] = number, accuracy[better]
        self._latest, self._uncopied = dict(weights), improves
        self._rows[moving] = np.arange(len(moving))

    def _copy(self, runs: np.ndarray) -> None:
        """Copy the latest weights of some ``runs``, (R,) of them true."""
        if not runs.any():
            return
        pairs = [(run, int(self._rows[run])) for run in np.flatnonzero(runs).tolist()]
        for name, value in self._latest.items():
            own, new = self._copies[name], value.detach()
            for run, row in pairs:  # a third of the time that indexing by tensors takes
                own[run].copy_(new[row])
        self._uncopied = self._uncopied & ~runs


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
