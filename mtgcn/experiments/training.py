"""The protocol: all runs trained together, each with its own learning rate, plateau, best epoch and end."""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from mtgcn.engine.adam import Adam
from mtgcn.engine.machine import LARGE, fitting_threads, give_back, keep_large_blocks
from mtgcn.experiments.best_epoch import EARLY_STOP, RULES, Best, EarlyStop, Epoch, scores
from mtgcn.experiments.parameters import Parameters
from mtgcn.experiments.plateau import Plateau
from mtgcn.experiments.protocols import Rule
from mtgcn.experiments.recorder import Recorder, first_gradients
from mtgcn.experiments.unfinished import Saver
from mtgcn.model.network import Network

GIVE_BACK = 4  # after so many epochs free memory goes back; after each it would cost a third of the time
FURTHER = re.compile(r"encoder\.[1-9]")  # weights of the encoder beyond its first layer


@dataclass
class Progress:
    """Where the training stands after an epoch."""

    epoch: int  # 0 for runs that are there from before
    validation_accuracy: float  # mean over the runs, in percent, of the best so far
    moving: int  # runs that still train
    begins: int = 0  # runs of a batch that is told of for the first time


@dataclass
class Trained:
    """The outcome of a batch of runs, arrays of one value a run unless said otherwise.

    ``best`` has the best epochs by every rule, ``rule`` is the one that counts, and under `EARLY_STOP` those where an
    early stop would have ended the runs.
    """

    seeds: list[int]
    rule: Rule
    best: dict[str, Best]
    epochs: np.ndarray
    learning_rate: np.ndarray
    seconds: np.ndarray
    diverged: np.ndarray
    curves: dict[str, list[np.ndarray]] = field(default_factory=dict)  # a (runs,) array an epoch, NaN once ended

    @classmethod
    def of(cls, network: Network, rule: Rule) -> "Trained":
        """Return the outcome before the first epoch."""
        runs, start = network.batch.runs, Epoch(network.weights)
        return cls(
            seeds=network.batch.seeds,
            rule=rule,
            best={each: Best.none(runs, start) for each in (*RULES, EARLY_STOP)},
            epochs=np.zeros(runs, dtype=int),
            learning_rate=np.full(runs, np.nan),
            seconds=np.zeros(runs),
            diverged=np.zeros(runs, dtype=bool),
            curves={name: [] for name in ("training_loss", "validation_loss", "validation_accuracy", "learning_rate")},
        )

    @property
    def best_epoch(self) -> np.ndarray:
        """The best epoch of each run, counted from 1; 0 for one that had none."""
        return self.best[self.rule].epoch

    @property
    def validation_accuracy(self) -> np.ndarray:
        """The validation accuracy at the best epoch of each run, in percent."""
        return self.best[self.rule].validation_accuracy

    @property
    def best_weights(self) -> dict[str, Tensor]:
        """The weights at the best epochs, (runs, ...) each."""
        return self.best[self.rule].weights

    @classmethod
    def joined(cls, parts: Sequence["Trained"]) -> "Trained":
        """Return the outcomes of several batches of one network as if they had been one."""
        arrays = ("epochs", "learning_rate", "seconds", "diverged")
        epochs = range(max(int(part.epochs.max()) for part in parts))
        curves = {
            name: [np.concatenate([part._at(name, epoch) for part in parts]) for epoch in epochs]
            for name in parts[0].curves
        }
        return cls(
            seeds=[seed for part in parts for seed in part.seeds],
            rule=parts[0].rule,
            best={rule: Best.joined([part.best[rule] for part in parts]) for rule in parts[0].best},
            **{name: np.concatenate([getattr(part, name) for part in parts]) for name in arrays},
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
    saver: Saver | None = None,
) -> Trained:
    """Train every run of ``network`` by the paper's protocol; the test nodes play no part.

    A run whose loss is no longer finite is marked as diverged and ends; the others go on. Interrupted by
    the user, the outcome so far is returned with the exception, as ``KeyboardInterrupt.args[0]``. With a ``saver`` a
    training that was killed goes on where it was.
    """
    training = Training(network, parameters, recorder)
    reached, ended = (0, False) if saver is None else saver.restore(training)
    try:
        with fitting_threads(network.batch.stored_values):
            for number in range(reached + 1, 0 if ended else parameters.epochs + 1):
                training.epoch(number)
                if (
                    number == reached + 1
                ):  # not before: it makes large arrays that are soon freed; memory for these is not kept
                    keep_large_blocks()
                elif number % GIVE_BACK == 1 and network.batch.stored_values > LARGE:
                    give_back()  # large arrays leave gaps that others of another size do not fit into
                if report is not None:
                    report(training.progress(number, number == reached + 1))
                ended = number == parameters.epochs or not training.leave_ended_behind()
                if saver is not None:
                    saver.epoch_done(training, number, ended)
                if ended:
                    break
    except KeyboardInterrupt as interrupt:
        raise KeyboardInterrupt(training.outcome) from interrupt
    return training.outcome


class Training:
    """The runs that still train, M of the R of a batch, and what all of them have reached.

    Attributes:
        moving: (M,) their numbers in the batch.
    """

    def __init__(self, network: Network, parameters: Parameters, recorder: Recorder | None) -> None:
        self.network, self.parameters, self.recorder = network, parameters, recorder
        self.outcome = Trained.of(network, parameters.best_epoch_by)
        self.moving = np.arange(network.batch.runs)
        compiled = network.batch.graph.backend == "compiled"
        self.adam = Adam(network.weights, l2_of(network, parameters), parameters.adam_epsilon, compiled)
        rule = parameters.plateau_patience, parameters.plateau_factor, parameters.plateau_tolerance
        absolute = parameters.plateau_counts == "absolute"
        self.plateau = Plateau(network.batch.runs, parameters.learning_rate, *rule, absolute)
        self.early_stop = EarlyStop(network.batch.runs)

    def epoch(self, number: int) -> None:
        """Train for an epoch, counted from 1, and see how the moving runs do on the validation nodes."""
        start = time.perf_counter()
        rates = self.plateau.learning_rates
        loss = self.network.descend()
        # A step clears the gradients, so they are measured before.
        gradients = first_gradients(self.network) if self.recorder and self.recorder.wants(number) else None
        self.adam.step(rates.tolist())
        self.network.weighting.after_step(self.network.weights)
        everywhere = self.parameters.validation_risk_nodes == "all"
        judged = self.network.validate(None if everywhere else self.network.batch.validation)
        told = [loss.detach(), *judged]
        if self.parameters.l2_in_validation_loss:
            told.append(self.adam.penalty())
        # The only place in an epoch where a GPU is waited for.
        training_loss, accuracy, validation_loss, main_loss, *penalty = torch.stack(told).cpu().numpy()
        validation_loss = sum(penalty, start=validation_loss)
        self._record(number, training_loss, validation_loss, accuracy, rates)
        judged_by = {EARLY_STOP: self.early_stop.scores(number, self.moving, main_loss)}
        for rule in RULES:
            judged_by[rule] = scores(rule, number, accuracy, validation_loss, main_loss)
        epoch = Epoch(self.network.weights)
        for name, best in self.outcome.best.items():
            best.update(number, self.moving, epoch, accuracy, *judged_by[name])
        self.plateau.update(validation_loss)
        self.outcome.seconds[self.moving] += (time.perf_counter() - start) / len(self.moving)
        if self.recorder and gradients is not None:
            self.recorder.record(self.network, [number] * len(self.moving), gradients)

    def progress(self, number: int, first: bool) -> Progress:
        """Tell where the training stands after an epoch, the ``first`` of this process or another."""
        reached = self.outcome.validation_accuracy[self.outcome.best_epoch > 0]
        mean = float(reached.mean()) if len(reached) else np.nan
        return Progress(number, mean, len(self.moving), len(self.outcome.seeds) if first else 0)

    def leave_ended_behind(self) -> bool:
        """Go on with the runs that have neither diverged nor too low a learning rate, if there are any."""
        moves = self.plateau.learning_rates >= self.parameters.stop_below
        stays = np.flatnonzero(moves & ~self.outcome.diverged[self.moving])
        if 0 < len(stays) < len(self.moving):
            self.go_on_with(stays)
        return len(stays) > 0

    def go_on_with(self, stays: np.ndarray) -> None:
        """Leave all moving runs behind but these, (M',) places among them."""
        if len(stays) < len(self.moving):
            self.moving = self.moving[stays]
            self.plateau.keep(stays)
            self.network = self.network.keep(stays.tolist())
            self.adam = self.adam.keep(stays, self.network.weights)

    def _record(self, number: int, *values: np.ndarray) -> None:
        """Note an epoch of the moving runs: the values of the curves in their order, (M,) each."""
        *_, validation_loss, _, rates = values
        self.outcome.epochs[self.moving] = number
        self.outcome.learning_rate[self.moving] = rates
        self.outcome.diverged[self.moving] = ~np.isfinite(validation_loss)
        rows = np.full((len(values), len(self.outcome.seeds)), np.nan, np.float32)
        rows[:, self.moving] = values
        for curve, row in zip(self.outcome.curves.values(), rows, strict=True):
            curve.append(row)


def l2_of(network: Network, parameters: Parameters) -> dict[str, float]:
    """Return λ of λ/2 ‖B‖² for each weight: that of the parameters on the first layer or all, and the remedy's.

    The biases of graph convolutions are spared, as Keras' ``kernel_regularizer`` does.
    """
    everywhere = parameters.l2_layers == "all"
    l2 = parameters.l2 * (2 if parameters.l2_counts == "whole" else 1)
    of_layers = {name for name in network.weights if not name.startswith("weighting.")}
    decays = {name for name in of_layers if everywhere or name.startswith("encoder.0.")}
    usual = {name: l2 if name in decays and not name.endswith(".bias") else 0.0 for name in network.weights}
    return usual | parameters.remedy_settings.l2_of(name for name in usual if FURTHER.match(name))
