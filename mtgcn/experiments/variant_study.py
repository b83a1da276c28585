"""One experiment under several settings: every network trained in each, with the same seeds."""

import pandas as pd

from mtgcn.experiments import depth_study, experiment
from mtgcn.experiments.parameters import Parameters
from mtgcn.experiments.progress import Shown

VARIANT = "variant"


def run(parameters: Parameters, progress: Shown = True) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """Train all networks in each of ``parameters.variants``.

    Returns the table of `experiment.run` with the column ``variant`` in front, and with ``measure_every`` the tables
    ``measures`` (a row for each run and layer at the best epoch) and ``course`` (the mean over runs along training).
    """
    tables, recorded = [], []
    for name, changes in parameters.variants.items():
        outcome = experiment.run(parameters.at(**changes), progress=progress)
        tables.append(outcome.table.assign(variant=name))
        recorded.append(outcome.measures.assign(variant=name, hidden_layers=parameters.hidden_layers))
    table = pd.concat(tables, ignore_index=True)
    table.insert(0, VARIANT, table.pop(VARIANT))
    if not parameters.measure_every:
        return table, {}
    courses = [depth_study.course(one[~one["best"]]).assign(variant=one[VARIANT].iloc[0]) for one in recorded]
    measures = pd.concat(recorded, ignore_index=True)
    best = measures[measures["best"]].drop(columns="best")
    kept = {"measures": best, "course": pd.concat(courses, ignore_index=True)}
    return table, {name: depth_study.rounded(own) for name, own in kept.items()}
