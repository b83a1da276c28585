"""The learning rate is cut, run by run, when the validation loss has stopped improving."""

import numpy as np


class Plateau:
    """Multiply a run's learning rate by ``factor`` after ``patience`` epochs in a row without improvement.

    An improvement is a loss below ``(1 - tolerance)`` times the best, or ``absolute``, as Keras counts, below the best
    by more than ``tolerance``. The paper cuts when the loss "did not
    improve for 40 epochs in a row", so the 40th bad epoch cuts; torch's ``ReduceLROnPlateau`` waits for one
    more and agrees with this rule at ``patience - 1``.
    """

    def __init__(
        self,
        runs: int,
        learning_rate: float,
        patience: int,
        factor: float,
        tolerance: float,
        absolute: bool = False,
    ) -> None:
        self.learning_rates = np.full(runs, learning_rate)
        self.patience, self.factor, self.tolerance, self.absolute = patience, factor, tolerance, absolute
        self._best = np.full(runs, np.inf)
        self._bad = np.zeros(runs, dtype=int)

    def update(self, losses: np.ndarray) -> None:
        """Take the validation losses of an epoch, (runs,)."""
        share = self.tolerance * np.sign(self._best)  # learned weights can make a loss negative
        better = losses < (self._best - self.tolerance if self.absolute else self._best * (1 - share))
        better |= np.isinf(self._best) & np.isfinite(losses)
        self._best = np.where(better, losses, self._best)
        self._bad = np.where(better, 0, self._bad + 1)
        cut = self._bad >= self.patience
        self.learning_rates = np.where(cut, self.learning_rates * self.factor, self.learning_rates)
        self._bad[cut] = 0

    def keep(self, runs: np.ndarray) -> None:
        """Go on with these runs only."""
        self.learning_rates, self._best, self._bad = (a[runs] for a in (self.learning_rates, self._best, self._bad))
