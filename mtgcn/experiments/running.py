"""One call for every experiment: stored runs where there are some, training otherwise."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod

import pandas as pd

from mtgcn.data.datasets import Dataset
from mtgcn.experiments import (
    depth_study,
    experiment,
    label_study,
    reading_study,
    records,
    split_study,
    stored,
    variant_study,
)
from mtgcn.experiments.learning_curves import thinned
from mtgcn.experiments.parameters import Parameters
from mtgcn.experiments.progress import Shown
from mtgcn.experiments.records import Record
from mtgcn.experiments.training import Trained

DEPTH_TABLES = ("measures", "course", "curves", "examples", "maps")


@dataclass(frozen=True)
class Runs:
    """The runs of an experiment.

    ``table`` has one row for each run. ``kept`` has further tables by name: ``curves``, with several depths those of
    `depth_study.Study`. ``trained`` has each network's weights at the best epochs where one depth on one split was just
    trained. ``stored`` are the stored runs of the same parameters, where these were trained anew.
    """

    table: pd.DataFrame
    kept: Mapping[str, pd.DataFrame]
    record: Record
    trained: Mapping[str, Trained] = field(default_factory=dict)
    stored: "Runs | None" = None

    @property
    def curves(self) -> pd.DataFrame:
        """The learning curves at some of the epochs."""
        return self.kept["curves"]

    def summary(self) -> pd.DataFrame:
        """Return runs, mean and standard error of the mean of the test accuracy by data set, depth and network."""
        return experiment.summary(self.table)


def run(parameters: Parameters, retrain: bool = False, progress: Shown = True, dataset: Dataset | None = None) -> Runs:
    """Return the stored runs of ``parameters``, or train them; with ``retrain`` they are trained in any case.

    Args:
        progress: show a bar, or what is told of every epoch.
        dataset: the data set, where it is not the one that ``parameters`` name; nothing stored is looked for then.
    """
    name = records.find(parameters, stored.folder()) if dataset is None else None
    known = None if name is None else read(name)
    if known is not None and not retrain:
        print(f"{len(known.table)} stored runs, {name}.csv in book/results; retrain=True trains them here.")
        return known
    trained = train(parameters, progress, dataset)
    return Runs(trained.table, trained.kept, trained.record, trained.trained, known)


def read(name: str) -> Runs | None:
    """Return the stored runs called ``name``, None where a file is missing or cannot be read."""
    record = records.read(stored.folder() / f"{name}.json")
    if record is None:
        return None
    try:
        tables = {file: pd.read_csv(stored.path(name, file)) for file in record.files}
    except (OSError, ValueError):
        return None
    table = tables.pop(stored.MAIN)
    return Runs(table, {file.removesuffix(".csv"): own for file, own in tables.items()}, record)


def train(parameters: Parameters, progress: Shown = True, dataset: Dataset | None = None) -> Runs:
    """Train the networks of ``parameters`` at all their depths, on all their splits, in all variants or readings."""
    start = time.perf_counter()
    data = experiment.data_of(parameters) if dataset is None else dataset
    table, kept, trained = _trained(parameters, progress, data)
    return Runs(table, kept, Record.of(parameters, data.digest, time.perf_counter() - start), trained)


def planned(parameters: Parameters) -> int:
    """Return how many runs `train` will train."""
    if parameters.open_points:
        return parameters.runs * len(reading_study.planned(parameters))
    repeated = len(parameters.depths), parameters.splits, len(parameters.labels), len(parameters.variants)
    return parameters.runs * len(parameters.networks) * prod(max(1, times) for times in repeated)


def _trained(
    parameters: Parameters, progress: Shown, data: Dataset
) -> tuple[pd.DataFrame, dict[str, pd.DataFrame], Mapping[str, Trained]]:
    if parameters.open_points:
        return reading_study.run(parameters, progress), {}, {}
    if parameters.variants:
        return *variant_study.run(parameters, progress), {}
    if parameters.splits and parameters.labels:
        return label_study.run(parameters, data, progress), {}, {}
    if parameters.splits:
        return split_study.run(parameters, data, progress), {}, {}
    if parameters.depths:
        study = depth_study.study(parameters, data, progress)
        return study.table, {name: getattr(study, name) for name in DEPTH_TABLES}, {}
    outcome = experiment.run(parameters, data, progress)
    return outcome.table, {"curves": thinned(outcome.curves)}, outcome.trained
