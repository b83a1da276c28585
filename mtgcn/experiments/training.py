"""The protocol: all runs trained together, each with its own learning rate, plateau, best epoch and end."""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from mtgcn.engine.adam import Adam
from mtgcn.engine.machine import fitting_threads, keep_large_blocks
from mtgcn.experiments.parameters import Parameters
from mtgcn.experiments.plateau import Plateau
from mtgcn.experiments.recorder import Recorder, first_gradients
from mtgcn.model.network import Network

FURTHER = re.compile(r"encoder\.[1-9]")  # weights of the encoder beyond its first layer


@dataclass
class Progress:
    """Where the training stands after an epoch."""

    epoch: int
    validation_accuracy: float  # mean over the runs, in percent, of the best so far
    moving: int  # runs that still train


@dataclass
class Trained:
    """The outcome of a batch of runs, arrays of one value a run unless said otherwise."""

    seeds: list[int]
    validation_accuracy: np.ndarray
    best_epoch: np.ndarray
    epochs: np.ndarray
    learning_rate: np.ndarray
    seconds: np.ndarray
    diverged: np.ndarray
    best_weights: dict[str, Tensor]  # (runs, ...) each, at the best epoch
    curves: dict[str, list[np.ndarray]] = field(default_factory=dict)  # a (runs,) array an epoch, NaN once ended

    @classmethod
    def of(cls, network: Network) -> "Trained":
        """Return the outcome before the first epoch."""
        runs = network.batch.runs
        return cls(
            seeds=network.batch.seeds,
            validation_accuracy=np.full(runs, np.nan),
            best_epoch=np.zeros(runs, dtype=int),
            epochs=np.zeros(runs, dtype=int),
            learning_rate=np.full(runs, np.nan),
            seconds=np.zeros(runs),
            diverged=np.zeros(runs, dtype=bool),
            best_weights={name: value.detach().clone() for name, value in network.weights.items()},
            curves={name: [] for name in ("training_loss", "validation_loss", "validation_accuracy", "learning_rate")},
        )

    @classmethod
    def joined(cls, parts: Sequence["Trained"]) -> "Trained":
        """Return the outcomes of several batches of one network as if they had been one."""
        arrays = ("validation_accuracy", "best_epoch", "epochs", "learning_rate", "seconds", "diverged")
        epochs = range(max(int(part.epochs.max()) for part in parts))
        curves = {
            name: [np.concatenate([part._at(name, epoch) for part in parts]) for epoch in epochs]
            for name in parts[0].curves
        }
        return cls(
            seeds=[seed for part in parts for seed in part.seeds],
            **{name: np.concatenate([getattr(part, name) for part in parts]) for name in arrays},
            best_weights={
                name: torch.cat([part.best_weights[name] for part in parts]) for name in parts[0].best_weights
            },
            curves=curves,
        )

    def _at(self, curve: str, epoch: int) -> np.ndarray:
        """Return the values of an epoch, counted from 0, (runs,); NaN once all runs have ended."""
        rows = self.curves[curve]
        return rows[epoch] if epoch < len(rows) else np.full(len(self.seeds), np.nan, np.float32)


def train(
    network: Network,
    parameters: Parameters,
    report: Callable[[Progress], None] | None = None,
    recorder: Recorder | None = None,
) -> Trained:
    """Train every run of ``network`` by the paper's protocol; the test nodes play no part.

    A run whose loss is no longer finite is marked as diverged and ends; the others go on. Interrupted by
    the user, the outcome so far is returned with the exception, as ``KeyboardInterrupt.args[0]``.
    """
    training = _Training(network, parameters, recorder)
    try:
        with fitting_threads(network.batch.stored_values):
            for number in range(1, parameters.epochs + 1):
                training.epoch(number)
                if (
                    number == 1
                ):  # not before: it makes large arrays that are soon freed, and memory for these is not kept
                    keep_large_blocks()
                if report is not None:
                    report(training.progress(number))
                if number == parameters.epochs or not training.leave_ended_behind():
                    break
    except KeyboardInterrupt as interrupt:
        raise KeyboardInterrupt(training.outcome) from interrupt
    return training.outcome


class _Training:
    """The runs that still train, M of the R of a batch, and what all of them have reached.

    Attributes:
        moving: (M,) their numbers in the batch.
        best: (R,) what decides on the best epoch, at the best so far.
    """

    def __init__(self, network: Network, parameters: Parameters, recorder: Recorder | None) -> None:
        self.network, self.parameters, self.recorder = network, parameters, recorder
        self.outcome = Trained.of(network)
        self.moving = np.arange(network.batch.runs)
        self.best = np.full(network.batch.runs, -np.inf)
        compiled = network.batch.graph.backend == "compiled"
        self.adam = Adam(network.weights, l2_of(network, parameters), compiled)
        rule = parameters.plateau_patience, parameters.plateau_factor, parameters.plateau_tolerance
        self.plateau = Plateau(network.batch.runs, parameters.learning_rate, *rule)

    def epoch(self, number: int) -> None:
        """Train for an epoch, counted from 1, and see how the moving runs do on the validation nodes."""
        start = time.perf_counter()
        rates = self.plateau.learning_rates
        loss = self.network.training_loss()
        loss.sum().backward()
        # A step clears the gradients, so they are measured before.
        gradients = first_gradients(self.network) if self.recorder and self.recorder.wants(number) else None
        self.adam.step(rates.tolist())
        everywhere = self.parameters.validation_risk_nodes == "all"
        judged = self.network.validate(None if everywhere else self.network.batch.validation)
        # The only place in an epoch where a GPU is waited for.
        training_loss, accuracy, validation_loss = torch.stack([loss.detach(), *judged]).cpu().numpy()
        self._record(number, training_loss, validation_loss, accuracy, rates)
        self._remember_best(number, validation_loss, accuracy)
        self.plateau.update(validation_loss)
        self.outcome.seconds[self.moving] += (time.perf_counter() - start) / len(self.moving)
        if self.recorder and gradients is not None:
            self.recorder.record(self.network, [number] * len(self.moving), gradients)

    def progress(self, number: int) -> Progress:
        """Tell where the training stands after an epoch."""
        reached = self.outcome.validation_accuracy[self.outcome.best_epoch > 0]
        return Progress(number, float(reached.mean()) if len(reached) else np.nan, len(self.moving))

    def leave_ended_behind(self) -> bool:
        """Go on with the runs that have neither diverged nor too low a learning rate, if there are any."""
        moves = self.plateau.learning_rates >= self.parameters.stop_below
        stays = np.flatnonzero(moves & ~self.outcome.diverged[self.moving])
        if 0 < len(stays) < len(self.moving):
            self.moving = self.moving[stays]
            self.plateau.keep(stays)
            self.network = self.network.keep(stays.tolist())
            self.adam = self.adam.keep(stays, self.network.weights)
        return len(stays) > 0

    def _record(self, number: int, *values: np.ndarray) -> None:
        """Note an epoch of the moving runs: the values of the curves in their order, (M,) each."""
        *_, validation_loss, _, rates = values
        self.outcome.epochs[self.moving] = number
        self.outcome.learning_rate[self.moving] = rates
        self.outcome.diverged[self.moving] = ~np.isfinite(validation_loss)
        for curve, value in zip(self.outcome.curves.values(), values, strict=True):
            row = np.full(len(self.outcome.seeds), np.nan, np.float32)
            row[self.moving] = value
            curve.append(row)

    def _remember_best(self, number: int, validation_loss: np.ndarray, accuracy: np.ndarray) -> None:
        """Keep the weights of the runs that have just had their best epoch; of equal epochs the first counts."""
        score = accuracy if self.parameters.best_epoch_by == "accuracy" else -validation_loss
        # An accuracy can be counted among logits that are not finite, too.
        better = (score > self.best[self.moving]) & np.isfinite(validation_loss)
        if not better.any():
            return
        chosen = self.moving[better]
        self.best[chosen] = score[better]
        self.outcome.best_epoch[chosen] = number
        self.outcome.validation_accuracy[chosen] = accuracy[better]
        whole, part = torch.from_numpy(chosen), torch.from_numpy(np.flatnonzero(better))
        for name, value in self.network.weights.items():
            self.outcome.best_weights[name][whole] = value.detach()[part]


def l2_of(network: Network, parameters: Parameters) -> dict[str, float]:
    """Return the L2 coefficient of each weight: that of the parameters on the first layer or all, and the remedy's."""
    everywhere = parameters.l2_layers == "all"
    usual = {name: parameters.l2 if everywhere or name.startswith("encoder.0.") else 0.0 for name in network.weights}
    return usual | parameters.remedy_settings.l2_of(name for name in usual if FURTHER.match(name))
