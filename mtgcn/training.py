"""The protocol: all runs trained together, each with its own learning rate, plateau, best epoch and end."""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from mtgcn.machine import fitting_threads, keep_large_blocks
from mtgcn.measures import Recorder, first_gradients
from mtgcn.network import Network
from mtgcn.optimiser import Adam
from mtgcn.parameters import Parameters
from mtgcn.plateau import Plateau

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
    outcome = Trained.of(network)
    keep_large_blocks()
    try:
        with fitting_threads(network.batch.stored_values):
            _train(network, parameters, outcome, report, recorder)
    except KeyboardInterrupt as interrupt:
        raise KeyboardInterrupt(outcome) from interrupt
    return outcome


def _train(
    network: Network,
    parameters: Parameters,
    outcome: Trained,
    report: Callable[[Progress], None] | None,
    recorder: Recorder | None,
) -> None:
    runs = network.batch.runs
    risk_nodes = network.batch.validation if parameters.validation_risk_nodes == "validation" else None
    adam = Adam(network.weights, l2_of(network, parameters))
    plateau = Plateau(
        runs,
        parameters.learning_rate,
        parameters.plateau_patience,
        parameters.plateau_factor,
        parameters.plateau_tolerance,
    )
    moving = np.arange(runs)  # the numbers, in the whole batch, of the runs that still train
    best = np.full(runs, -np.inf)  # what decides on the best epoch
    for epoch in range(1, parameters.epochs + 1):
        start = time.perf_counter()
        loss = network.training_loss()
        loss.sum().backward()
        gradients = first_gradients(network) if recorder is not None and recorder.wants(epoch) else None
        adam.step(plateau.learning_rates.tolist())
        accuracy, validation_loss = network.validate(risk_nodes)

        outcome.epochs[moving] = epoch
        outcome.learning_rate[moving] = plateau.learning_rates
        _record(outcome, moving, loss.detach().cpu().numpy(), validation_loss, accuracy, plateau.learning_rates)
        diverged = ~np.isfinite(validation_loss)
        score = accuracy if parameters.best_epoch_by == "accuracy" else -validation_loss
        score = np.where(diverged, np.nan, score)  # an accuracy can be counted among logits that are NaN, too
        _remember(network, outcome, moving, best, score, accuracy, epoch)

        plateau.update(validation_loss)
        outcome.diverged[moving] = diverged
        outcome.seconds[moving] += (time.perf_counter() - start) / len(moving)
        if recorder is not None and gradients is not None:
            recorder.record(network, [epoch] * len(moving), gradients)
        if report is not None:
            reached = outcome.validation_accuracy[outcome.best_epoch > 0]
            report(Progress(epoch, float(reached.mean()) if len(reached) else np.nan, len(moving)))
        stays = np.flatnonzero(~diverged & (plateau.learning_rates >= parameters.stop_below))
        if len(stays) == 0:
            break
        if len(stays) < len(moving) and epoch < parameters.epochs:
            moving = moving[stays]
            plateau.keep(stays)
            network = network.keep(stays.tolist())
            adam = adam.keep(stays, network.weights)


def l2_of(network: Network, parameters: Parameters) -> dict[str, float]:
    """Return the L2 coefficient of each weight: that of the parameters on the first layer or all, and the remedy's."""
    everywhere = parameters.l2_layers == "all"
    usual = {name: parameters.l2 if everywhere or name.startswith("encoder.0.") else 0.0 for name in network.weights}
    return usual | parameters.remedy_settings.l2_of(name for name in usual if FURTHER.match(name))


def _record(outcome: Trained, moving: np.ndarray, *values: np.ndarray) -> None:
    for curve, value in zip(outcome.curves.values(), values, strict=True):
        row = np.full(len(outcome.seeds), np.nan, np.float32)
        row[moving] = value
        curve.append(row)


def _remember(
    network: Network,
    outcome: Trained,
    moving: np.ndarray,
    best: np.ndarray,
    score: np.ndarray,
    accuracy: np.ndarray,
    epoch: int,
) -> None:
    """Keep the weights of the runs that have just had their best epoch; of equal epochs the first counts."""
    better = score > best[moving]  # never true for NaN
    if not better.any():
        return
    chosen = moving[better]
    best[chosen] = score[better]
    outcome.best_epoch[chosen] = epoch
    outcome.validation_accuracy[chosen] = accuracy[better]
    whole, part = torch.from_numpy(chosen), torch.from_numpy(np.flatnonzero(better))
    for name, value in network.weights.items():
        outcome.best_weights[name][whole] = value.detach()[part]
