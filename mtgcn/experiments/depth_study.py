"""One data set at several depths: every network trained at each, with the measures of over-smoothing."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from mtgcn.data.datasets import Dataset, one_answer
from mtgcn.experiments import embedding_maps, experiment
from mtgcn.experiments.build import split_of
from mtgcn.experiments.columns import MAPPED, MEASURES, NORMS
from mtgcn.experiments.learning_curves import thinned
from mtgcn.experiments.network_names import BASELINE
from mtgcn.experiments.parameters import Parameters
from mtgcn.experiments.progress import Shown

MAPPED_DEPTHS = (1, 2, 5, 16)
CURVE_POINTS, COURSE_POINTS = 120, 15
COLLAPSES, LEARNS = "collapses", "learns"


@dataclass
class Study:
    """What came out at all depths; every table has a column ``hidden_layers``.

    ``table`` has one row a run as `experiment.run` gives it, with ``remedy``, ``settings``, ``tuned_for`` and
    ``chance``, the share of the largest class among the test nodes in percent. ``measures`` has a row for each run and
    layer at the best epoch. ``course`` has the measures of every layer along training, mean over the runs. ``curves``
    and ``examples`` have the learning curves and the measures of the last layer of two runs, of which one ``collapses``
    and one ``learns`` (column ``run``). ``maps`` are t-SNE coordinates of nodes, one run a picture.
    """

    table: pd.DataFrame
    measures: pd.DataFrame
    course: pd.DataFrame
    curves: pd.DataFrame
    examples: pd.DataFrame
    maps: pd.DataFrame


def study(parameters: Parameters, data: Dataset, progress: Shown = True) -> Study:
    """Train every network at every one of ``parameters.depths``."""
    outcomes, tables, recorded, curves = {}, [], [], []
    for depth in parameters.depths:
        outcome = experiment.run(parameters.at(hidden_layers=depth), data, progress)
        tables.append(outcome.table)
        recorded.append(outcome.measures.assign(hidden_layers=depth))
        curves.append(thinned(outcome.curves, CURVE_POINTS).assign(hidden_layers=depth))
        if depth in MAPPED_DEPTHS:
            outcomes[depth] = outcome.trained
    table = pd.concat(tables, ignore_index=True).assign(
        remedy=parameters.remedy,
        settings=parameters.settings,
        tuned_for=parameters.tuned_for,
        chance=one_answer(split_of(parameters, data)),
    )
    measures = pd.concat(recorded, ignore_index=True)
    last = measures[measures["layer"] == measures["hidden_layers"]]
    chosen = examples(table)
    networks = parameters.maps or best_networks(table)
    pictures = [
        embedding_maps.of_one_run(parameters.at(hidden_layers=depth), network, data, trained[network]).assign(
            hidden_layers=depth
        )
        for network in networks
        for depth, trained in outcomes.items()
    ]
    return Study(
        table,
        rounded(measures[measures["best"]].drop(columns="best")),
        rounded(course(measures[~measures["best"]])),
        rounded(pd.concat(curves, ignore_index=True).merge(chosen)),
        rounded(last[~last["best"]].drop(columns="best").merge(chosen)),
        pd.concat(pictures, ignore_index=True) if pictures else pd.DataFrame(columns=MAPPED),
    )


def best_networks(table: pd.DataFrame) -> list[str]:
    """Return GCN and the network with tasks that has the best mean validation accuracy, as far as they are there."""
    means = table.groupby("network", sort=False)["validation_accuracy"].mean()
    others = means.drop(BASELINE, errors="ignore").dropna()
    return [name for name in (BASELINE,) if name in means] + ([str(others.idxmax())] if len(others) else [])


def examples(table: pd.DataFrame) -> pd.DataFrame:
    """Choose two runs (``network, hidden_layers, seed, run``) of the depth at which runs differ most.

    They are the least and the most accurate there.
    """
    keys = ["network", "hidden_layers", "seed"]
    ordered = table.dropna(subset="test_accuracy").sort_values("test_accuracy", kind="stable")
    if ordered.empty:
        return pd.DataFrame(columns=[*keys, "run"])
    spread = ordered.groupby("hidden_layers")["test_accuracy"].agg(lambda values: values.max() - values.min())
    alike = ordered[ordered["hidden_layers"] == spread.idxmax()]
    return alike.iloc[[0, -1]][keys].assign(run=[COLLAPSES, LEARNS]).reset_index(drop=True)


def rounded(table: pd.DataFrame, digits: int = 5) -> pd.DataFrame:
    """Return the table with so many significant digits in its columns of floats: files stay small."""
    shown = table.copy()
    for name in [name for name in shown if shown[name].dtype.kind == "f"]:
        shown[name] = [float(f"{value:.{digits}g}") for value in shown[name]]
    return shown


def course(measures: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over runs at about 15 of the recorded epochs, evenly spaced in the logarithm."""
    epochs = np.unique(measures["epoch"])
    kept = epochs[np.unique(np.searchsorted(epochs, np.geomspace(1, epochs[-1], COURSE_POINTS).round()))]
    shown = measures[measures["epoch"].isin(kept)]
    return (
        shown.groupby(["network", "hidden_layers", "epoch", "layer"], sort=False)[[*MEASURES, *NORMS]]
        .mean()
        .reset_index()
    )
