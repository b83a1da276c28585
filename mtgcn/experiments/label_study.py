"""One experiment with few to many labels, each number on several splits."""

from functools import partial

import pandas as pd

from mtgcn.data import label_splits
from mtgcn.data.datasets import Dataset
from mtgcn.data.split_each_run import stacked
from mtgcn.experiments import experiment
from mtgcn.experiments.finished import Finished
from mtgcn.experiments.parameters import Parameters
from mtgcn.experiments.progress import Shown
from mtgcn.experiments.split_study import SPLIT

LABELS = "labels"


def run(parameters: Parameters, data: Dataset, progress: Shown = True) -> pd.DataFrame:
    """Train all networks with each number of ``parameters.labels`` a class on ``parameters.splits`` splits of ``data``.

    Splits are drawn from the same seeds for all numbers, so that these compare within a split. They train together,
    each run on a split of its own and, unlike in `split_study`, with a seed of its own: with a run or two a split, the
    same few initial weights everywhere would count for too much. Returns the table of `experiment.run` with two columns
    in front: ``labels``, training nodes of each class, and ``split``, the seed that the split was drawn from.
    """
    finished, first = Finished(parameters, data, progress), parameters.split_seed or 0
    tables = []
    for each in parameters.labels:
        splits = [
            label_splits.drawn(data, first + number, each, parameters.small_validation)
            for number in range(parameters.splits)
        ]
        dataset = stacked([split for split in splits for _ in range(parameters.runs)])
        for name in parameters.networks:
            piece = partial(_trained, parameters, name, dataset, progress)
            table = finished.table(f"{each} labels, {name}", piece)
            table.insert(0, LABELS, each)
            table.insert(1, SPLIT, first + (table["seed"] - parameters.first_seed) // parameters.runs)
            tables.append(table)
    finished.complete()
    return pd.concat(tables, ignore_index=True)


def _trained(parameters: Parameters, network: str, dataset: Dataset, progress: Shown) -> pd.DataFrame:
    """Train one network on the split of each run, as if the splits were the data set's own."""
    tasks = parameters.model_dump()["networks"][network]
    runs = parameters.splits * parameters.runs
    own = parameters.at(networks={network: tasks}, runs=runs, split_seed=None, labels=[], small_validation=False)
    return experiment.run(own, dataset, progress).table
