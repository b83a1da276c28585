"""One experiment with few to many labels, each number on several splits."""

import pandas as pd

from mtgcn.data.datasets import Dataset
from mtgcn.experiments import experiment
from mtgcn.experiments.parameters import Parameters
from mtgcn.experiments.progress import Shown
from mtgcn.experiments.split_study import SPLIT

LABELS = "labels"


def pieces(parameters: Parameters) -> list[Parameters]:
    """Return the experiments that a study is made of, each on one split with one number of labels.

    None depends on another. Splits are drawn from the same seeds for all numbers, so that these compare within a split.
    """
    first = parameters.split_seed or 0
    seeds = range(first, first + parameters.splits)
    return [parameters.at(labels=[each], split_seed=seed) for each in parameters.labels for seed in seeds]


def run(parameters: Parameters, data: Dataset, progress: Shown = True) -> pd.DataFrame:
    """Train all networks with each number of ``parameters.labels`` a class on ``parameters.splits`` splits of ``data``.

    Splits train one by one: the runs of one split share a small part of the graph, those of several would need all of
    it. Returns the table of `experiment.run` with two columns in front: ``labels``, training nodes of each class, and
    ``split``, the seed that the split was drawn from.
    """
    tables = []
    for piece in pieces(parameters):
        table = experiment.run(piece, data, progress).table
        table.insert(0, LABELS, piece.labels[0])
        table.insert(1, SPLIT, piece.split_seed)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)
