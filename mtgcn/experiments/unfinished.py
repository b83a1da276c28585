"""Long training resumes: its state is written every so many seconds, and read again by whoever trains the same.

A state is one safetensors file with everything that decides what comes next: weights, Adam's moments, plateau, what is
best so far, curves, measures; and, as JSON in its header, the epoch and the state of every random stream.
"""

import hashlib
import json
import math
import os
import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save as serialised
from torch import Tensor

from mtgcn.data import cache
from mtgcn.data.datasets import Dataset
from mtgcn.errors import MtgcnError, short
from mtgcn.experiments.engine_digest import engine_digest
from mtgcn.experiments.parameters import Parameters
from mtgcn.files import replacing

if TYPE_CHECKING:
    from mtgcn.experiments.training import Training

SECONDS = "MTGCN_CHECKPOINT_SECONDS"
USUAL = 300.0
FORGOTTEN_DAYS = 30  # after so long nobody goes on with it
MARK = "mtgcn"
PER_RUN = ("epochs", "learning_rate", "seconds", "diverged")
OF_BEST = ("epoch", "validation_accuracy", "score", "tie")


def checkpoint_seconds() -> float:
    """Return the time between two states: ``MTGCN_CHECKPOINT_SECONDS``, or five minutes; 0 writes none."""
    given = os.environ.get(SECONDS) or str(USUAL)
    try:
        seconds = float(given)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < 1e9:
        raise MtgcnError(
            f"{SECONDS} is '{short(given)}', it should be a number of seconds such as 300, or 0 for never."
        )
    return seconds


class Unfinished:
    """The states of one experiment, in a folder of the user's cache that goes when the experiment is complete.

    Args:
        parameters, dataset: of the experiment; with the split at hand and the engine they say what it is.
    """

    def __init__(self, parameters: Parameters, dataset: Dataset) -> None:
        # Weights of risks that are learned remember how they began, which is not written.
        self.every = checkpoint_seconds() if parameters.weighting == "static" else 0.0
        split = [
            hashlib.sha256(part.tobytes()).hexdigest() for part in (dataset.train, dataset.validation, dataset.test)
        ]
        versions = [engine_digest(), torch.__version__, np.__version__]
        everything = [parameters.model_dump(mode="json"), dataset.digest, *split, *versions]
        name = hashlib.sha256(json.dumps(everything, sort_keys=True).encode()).hexdigest()[:16]
        self.folder = cache.folder() / "unfinished" / name

    def batch(self, network: str, seeds: Sequence[int]) -> "Saver":
        """Return what keeps the state of the runs of a network that train together."""
        return Saver(self.folder / f"{network}-{seeds[0]}.safetensors", self.every)

    def complete(self) -> None:
        """Remove the states, and those that nobody has gone on with for long."""
        shutil.rmtree(self.folder, ignore_errors=True)
        with suppress(OSError):
            for folder in self.folder.parent.iterdir():
                if time.time() - folder.stat().st_mtime > FORGOTTEN_DAYS * 86_400:
                    shutil.rmtree(folder, ignore_errors=True)


class Saver:
    """Writes the state of a training to ``path`` when ``every`` seconds have passed since the last time."""

    def __init__(self, path: Path, every: float) -> None:
        self.path, self.every = path, every
        self._last = time.monotonic()
        self._written = False

    def epoch_done(self, training: "Training", number: int, ended: bool) -> None:
        """Take note of an epoch; one with which the training has ended is kept where others were."""
        due = self.every > 0 and time.monotonic() - self._last >= self.every
        if due or (ended and self._written):
            with suppress(OSError):  # a full disk costs the way back, not the training
                _write(self.path, training, number, ended)
                self._written = True
            self._last = time.monotonic()

    def restore(self, training: "Training") -> tuple[int, bool]:
        """Bring ``training`` to where a killed one was; return the epoch, 0 without one, and whether it had ended."""
        if self.every == 0 or not self.path.is_file():
            return 0, False
        try:
            with safe_open(self.path, framework="pt") as file:
                about = json.loads((file.metadata() or {})[MARK])
                arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  (not a dict)
        except (OSError, SafetensorError, KeyError, ValueError):
            return 0, False  # damaged: from the beginning
        _take(training, arrays, about)
        self._written = True
        return about["epoch"], about["ended"]


def _write(path: Path, training: "Training", number: int, ended: bool) -> None:
    outcome, network = training.outcome, training.network
    plateau = {name: value for name, value in vars(training.plateau).items() if isinstance(value, np.ndarray)}
    numbers: dict[str, np.ndarray] = {"moving": training.moving}
    numbers |= {f"plateau.{name}": value for name, value in plateau.items()}
    numbers |= {f"early_stop.{name}": value for name, value in vars(training.early_stop).items()}
    numbers |= {name: getattr(outcome, name) for name in PER_RUN}
    numbers |= {f"curve.{name}": np.stack(rows) for name, rows in outcome.curves.items()}
    tensors: dict[str, Tensor] = {"weights": network.weights.flat, "mean": training.adam.mean}
    tensors["square"] = training.adam.square
    for rule, best in outcome.best.items():
        numbers |= {f"best.{rule}.{name}": getattr(best, name) for name in OF_BEST}
        tensors |= {f"best.{rule}.weights.{name}": value for name, value in best.weights.items()}
    if training.recorder is not None and training.recorder.parts:
        measured = pd.concat(training.recorder.parts, ignore_index=True)
        numbers |= {f"measured.{name}": measured[name].to_numpy() for name in measured}
    tensors |= {name: torch.from_numpy(value.copy()) for name, value in numbers.items()}
    about = {"epoch": number, "ended": ended, "steps": training.adam.steps, "random": network.random_state()}
    content = serialised(
        {name: value.detach().cpu().contiguous() for name, value in tensors.items()}, {MARK: json.dumps(about)}
    )
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def _take(training: "Training", arrays: Mapping[str, Tensor], about: Mapping[str, Any]) -> None:
    def of(prefix: str) -> dict[str, Tensor]:
        return {name.removeprefix(prefix): value for name, value in arrays.items() if name.startswith(prefix)}

    training.go_on_with(arrays["moving"].numpy())
    outcome, network = training.outcome, training.network
    for name, value in of("plateau.").items():
        setattr(training.plateau, name, value.numpy())
    for name, value in of("early_stop.").items():
        setattr(training.early_stop, name, value.numpy())
    for name in PER_RUN:
        setattr(outcome, name, arrays[name].numpy())
    for name in outcome.curves:
        outcome.curves[name] = list(arrays[f"curve.{name}"].numpy())
    with torch.no_grad():
        network.weights.flat.copy_(arrays["weights"])
        training.adam.mean.copy_(arrays["mean"])
        training.adam.square.copy_(arrays["square"])
    for rule, best in outcome.best.items():
        for name in OF_BEST:
            setattr(best, name, arrays[f"best.{rule}.{name}"].numpy())
        weights, device = of(f"best.{rule}.weights."), network.weights.flat.device
        best.kept = [{name: value[run].to(device) for name, value in weights.items()} for run in range(len(best.kept))]
    if training.recorder is not None and (measured := of("measured.")):
        training.recorder.parts = [pd.DataFrame({name: value.numpy() for name, value in measured.items()})]
    training.adam.steps = about["steps"]
    network.set_random_state(about["random"])
