"""One experiment on several random splits of its data set."""

import pandas as pd

from mtgcn.data.datasets import Dataset
from mtgcn.experiments import experiment
from mtgcn.experiments.parameters import Parameters
from mtgcn.experiments.progress import Shown

SPLIT = "split"


def run(parameters: Parameters, data: Dataset, progress: Shown = True) -> pd.DataFrame:
    """Train all networks on ``parameters.splits`` random splits of ``data``, each with the same seeds.

    Returns the table of `experiment.run` with the column ``split`` in front: the seed that the split was drawn from.
    """
    first = parameters.split_seed or 0
    tables = []
    for seed in range(first, first + parameters.splits):
        table = experiment.run(parameters.at(split_seed=seed), data, progress).table
        table.insert(0, SPLIT, seed)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)
