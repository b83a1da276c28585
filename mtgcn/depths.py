"""One data set at several depths: every network trained at each, with the measures of over-smoothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from pydantic import Field, ValidationInfo, field_validator

from mtgcn import experiment, maps, pages
from mtgcn.building import split_of
from mtgcn.comparison import BASELINE
from mtgcn.datasets import Dataset, one_answer
from mtgcn.errors import nearest
from mtgcn.parameters import Parameters
from mtgcn.smoothing import MEASURES

MAPPED_DEPTHS = (1, 2, 5, 16)
CURVE_POINTS, COURSE_POINTS = 120, 15
COLLAPSES, LEARNS = "collapses", "learns"


class DepthParameters(Parameters):
    """The parameters of an experiment with several depths in place of one."""

    depths: list[int] = Field(min_length=1, description="numbers of hidden layers; every network is trained at each")
    hidden_layers: int = Field(1, exclude=True, description="not to be set here: depths takes its place")
    measure_every: int = Field(25, ge=1, description="epochs between two measures of over-smoothing")
    tuned_for: int = Field(1, ge=1, description="hidden layers that the tasks' weights were tuned for: a mark, no more")
    settings: str = Field(
        "", description="whose settings remedy and training have, where they are not this project's: a mark, no more"
    )
    maps: list[str] = Field(
        [], description="networks whose embeddings are mapped; none named: GCN and the best one by validation accuracy"
    )

    @field_validator("hidden_layers")
    @classmethod
    def _not_set(cls, _: int) -> int:
        raise ValueError("this notebook has 'depths', a list, in place of 'hidden_layers'")

    @field_validator("depths")
    @classmethod
    def _each_once(cls, depths: list[int]) -> list[int]:
        if min(depths) < 1:
            raise ValueError(f"depths holds {min(depths)}, but an encoder has one hidden layer at least")
        if len(set(depths)) < len(depths):
            raise ValueError(f"depths names a number twice: {', '.join(map(str, depths))}")
        return depths

    @field_validator("maps")
    @classmethod
    def _trained_here(cls, maps: list[str], info: ValidationInfo) -> list[str]:
        networks = info.data.get("networks", {})  # not there if refused already
        for name in maps if networks else ():
            if name not in networks:
                raise ValueError(f"maps names '{name}', which is not among the networks{nearest(name, networks)}")
        return maps

    def at(self, depth: int) -> Parameters:
        """Return the parameters of the experiment at one of the depths."""
        values = self.model_dump(exclude={"depths", "tuned_for", "settings", "maps", "hidden_layers"})
        return Parameters(**values, hidden_layers=depth)


def parameters_in(namespace: Mapping[str, Any]) -> DepthParameters:
    """Return the parameters of a study among the names of a notebook, ``globals()``."""
    given = {name: namespace[name] for name in DepthParameters.model_fields if name in namespace}
    return experiment.validated(DepthParameters, given)


@dataclass
class Study:
    """What came out at all depths; every table has a column ``hidden_layers``.

    ``table`` has one row a run as `mtgcn.experiment.run` gives it, with ``remedy``, ``settings``, ``tuned_for`` and
    ``chance``, the share of the largest class among the test nodes in per cent. ``measures`` has a row for each run and
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


def study(parameters: DepthParameters, data: Dataset, progress: bool = True) -> Study:
    """Train every network at every depth."""
    outcomes, tables, recorded, curves = {}, [], [], []
    for depth in parameters.depths:
        outcome = experiment.run(parameters.at(depth), data, progress)
        tables.append(outcome.table)
        recorded.append(outcome.measures.assign(hidden_layers=depth))
        curves.append(pages.thinned(outcome.curves, CURVE_POINTS).assign(hidden_layers=depth))
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
        maps.of_one_run(parameters.at(depth), network, data, trained[network]).assign(hidden_layers=depth)
        for network in networks
        for depth, trained in outcomes.items()
    ]
    return Study(
        table,
        rounded(measures[measures["best"]].drop(columns="best")),
        rounded(_course(measures[~measures["best"]])),
        rounded(pd.concat(curves, ignore_index=True).merge(chosen)),
        rounded(last[~last["best"]].drop(columns="best").merge(chosen)),
        pd.concat(pictures, ignore_index=True) if pictures else pd.DataFrame(columns=maps.COLUMNS),
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


def _course(measures: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over runs at about 15 of the recorded epochs, evenly spaced in the logarithm."""
    epochs = np.unique(measures["epoch"])
    kept = epochs[np.unique(np.searchsorted(epochs, np.geomspace(1, epochs[-1], COURSE_POINTS).round()))]
    shown = measures[measures["epoch"].isin(kept)]
    return (
        shown.groupby(["network", "hidden_layers", "epoch", "layer"], sort=False)[[*MEASURES, "gradient_norm"]]
        .mean()
        .reset_index()
    )
