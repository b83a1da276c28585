"""Validated parameters in, a tidy table of runs out."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from mtgcn.data.datasets import Dataset, load
from mtgcn.data.split_each_run import of_runs
from mtgcn.errors import MtgcnError
from mtgcn.experiments.best_epoch import EARLY_STOP, RULES
from mtgcn.experiments.build import build, restore, split_of
from mtgcn.experiments.columns import MEASURED
from mtgcn.experiments.memory import check_memory, together
from mtgcn.experiments.parameters import Parameters
from mtgcn.experiments.problems import checked, data_problems
from mtgcn.experiments.progress import Shown, shown
from mtgcn.experiments.recorder import Recorder
from mtgcn.experiments.training import Trained, train
from mtgcn.experiments.unfinished import Unfinished


def column(rule: str) -> str:
    """Return the name of the column with the test accuracies at the best epochs by this rule, or at an early stop."""
    return "test_at_early_stop" if rule == EARLY_STOP else f"test_by_{rule.replace('-', '_')}"


COLUMNS = [
    "dataset",
    "protocol",
    "network",
    "hidden_layers",
    "seed",
    "test_accuracy",
    "validation_accuracy",
    "best_epoch",
    "epochs",
    "learning_rate",
    "seconds",
    "diverged",
    *map(column, (*RULES, EARLY_STOP)),
]


@dataclass
class Outcome:
    """What an experiment gives.

    ``table`` has one row a run (`COLUMNS`, accuracies in percent). ``curves`` has one row a run and epoch:
    network, seed, epoch, training_loss, validation_loss, validation_accuracy, learning_rate. ``trained`` holds
    each network's weights at the best epochs. ``measures``, with ``measure_every``, are those of `recorder`.
    """

    table: pd.DataFrame
    curves: pd.DataFrame
    trained: dict[str, Trained]
    measures: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=MEASURED))


def parameters_of(**values: Any) -> Parameters:
    """Return validated parameters; the first mistake becomes one sentence."""
    return checked(values)


def check(parameters: Parameters, dataset: Dataset) -> None:
    """Refuse, before any training, what cannot work with this data set."""
    if len(dataset.train) == 0:
        raise MtgcnError(f"data set '{dataset.name}' has no training nodes; its 'train' must list at least one.")
    if len(dataset.validation) == 0:
        raise MtgcnError(f"data set '{dataset.name}' has no validation nodes, which choose the best epoch.")
    if not np.isfinite(dataset.features.data).all():
        raise MtgcnError(f"the features of data set '{dataset.name}' hold NaN or infinite values; replace them first.")
    if dataset.labels.min() < 0 or dataset.labels.max() >= dataset.classes:
        raise MtgcnError(f"the labels of data set '{dataset.name}' must lie between 0 and {dataset.classes - 1}.")
    for network in parameters.networks:
        check_memory(parameters, dataset, network, parameters.runs)
    for place, message in data_problems(parameters, dataset):
        raise MtgcnError(f"network '{place[1]}', task '{place[2]}': {message}" if len(place) == 3 else message)


def data_of(parameters: Parameters) -> Dataset:
    """Load the data set of ``parameters``, in the split that they say."""
    kept = parameters.self_loops == "kept"
    return split_of(parameters, load(parameters.dataset, parameters.normalise_features, kept))


def run(parameters: Parameters, dataset: Dataset | None = None, progress: Shown = True) -> Outcome:
    """Train every network of ``parameters`` and test each run once, at its best validation epoch.

    Args:
        dataset: loaded by the name in ``parameters`` when it is not given; with any split if they draw one, or with a
            split for each run, as `split_each_run` has it.
        progress: show a bar, or what is told of every epoch.
    """
    if dataset is None:
        dataset = data_of(parameters)
    check(parameters, dataset)
    tables, curves, trained, measures = [], [], {}, []
    every = parameters.measure_every
    recorder = Recorder(dataset.edges, dataset.nodes, every) if every else None
    unfinished = Unfinished(parameters, dataset)
    size = together(dataset)
    groups = [range(parameters.runs)[start : start + size] for start in range(0, parameters.runs, size)]
    for name in parameters.networks:
        parts = []
        for runs in groups:
            seeds, part = [parameters.seeds[run] for run in runs], of_runs(dataset, runs)
            network = build(parameters, name, part, seeds)
            label = name if len(groups) == 1 else f"{name}, seeds {seeds[0]} to {seeds[-1]}"
            try:
                with shown(label, parameters.epochs, progress) as report:
                    parts.append(train(network, parameters, report, recorder, unfinished.batch(name, seeds)))
            except KeyboardInterrupt as interrupt:
                if interrupt.args:  # none when it came before training had anything to hand over
                    tables.append(tabulate(parameters, name, part, interrupt.args[0]))
                so_far = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=COLUMNS)
                raise KeyboardInterrupt(so_far) from None
            tables.append(tabulate(parameters, name, part, parts[-1]))
            curves.append(curves_of(name, parts[-1]))
            if recorder is not None:
                best = restore(parameters, name, part, seeds, parts[-1].best_weights)
                recorder.record_best(best, parts[-1].best_epoch)
                measures.append(recorder.table(name))
        trained[name] = Trained.joined(parts)
    outcome = Outcome(pd.concat(tables, ignore_index=True), pd.concat(curves, ignore_index=True), trained)
    if measures:
        outcome.measures = pd.concat(measures, ignore_index=True)
    unfinished.complete()
    return outcome


def tabulate(parameters: Parameters, network: str, dataset: Dataset, trained: Trained) -> pd.DataFrame:
    """Return the tidy table of a batch, one row a run; here, and only here, the test nodes are looked at."""
    tested = {}
    for rule, best in trained.best.items():
        restored = restore(parameters, network, dataset, trained.seeds, best.weights)
        right = restored.predict(restored.batch.test) == restored.batch.labels(restored.batch.test)
        accuracy = (right.double().mean(1) * 100).cpu().numpy().round(4)
        tested[rule] = np.where(best.epoch > 0, accuracy, np.nan)
    return pd.DataFrame(
        {
            "dataset": dataset.name,
            "protocol": parameters.protocol,
            "network": network,
            "hidden_layers": parameters.hidden_layers,
            "seed": trained.seeds,
            "test_accuracy": tested[trained.rule],
            "validation_accuracy": trained.validation_accuracy.round(4),
            "best_epoch": trained.best_epoch,
            "epochs": trained.epochs,
            "learning_rate": [float(f"{rate:.6g}") for rate in trained.learning_rate],
            "seconds": trained.seconds.round(3),
            "diverged": trained.diverged,
            **{column(rule): accuracies for rule, accuracies in tested.items()},
        },
        columns=COLUMNS,
    )


def curves_of(network: str, trained: Trained) -> pd.DataFrame:
    """Return the learning curves in long form, without the epochs after a run's end."""
    epochs, runs = len(trained.curves["training_loss"]), len(trained.seeds)
    columns = {name: np.stack(rows).T.ravel() for name, rows in trained.curves.items()}
    frame = pd.DataFrame(
        {
            "network": network,
            "seed": np.repeat(trained.seeds, epochs),
            "epoch": np.tile(np.arange(1, epochs + 1), runs),
            **columns,
        }
    )
    return frame[frame["learning_rate"].notna()].reset_index(drop=True)


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Return runs, mean and standard error of the mean of the test accuracy by data set, depth and network."""
    groups = table.groupby(["dataset", "hidden_layers", "network"], sort=False)["test_accuracy"]
    return groups.agg(runs="count", mean="mean", sem="sem").reset_index()
