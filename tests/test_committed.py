"""What is committed in the book was made from what the project holds, and comes out again."""

from pathlib import Path

import pandas as pd
import pytest
from numpy.testing import assert_allclose

from mtgcn import experiment, pipeline, yamlfile
from mtgcn.project import Project

PROJECT = Project(Path(__file__).parents[1])
CELL = "cora-1"


def test_no_stored_run_is_stale() -> None:
    reasons = pipeline.status(pipeline.plan(PROJECT, [PROJECT.root / "params"]))
    stale = {name: why for name, why in reasons.items() if why and why != [pipeline.MISSING]}
    assert stale == {}, "run mtgcn run, and commit book/runs and book/results"


def test_every_stored_run_has_its_parameter_file() -> None:
    runs = {path.stem for path in PROJECT.book.runs.glob("*.ipynb")}
    assert runs <= {path.stem for path in (PROJECT.root / "params").glob("*.yaml")}


@pytest.fixture(scope="module")
def parameters() -> dict:
    if not PROJECT.book.notebook(CELL).exists():
        pytest.skip(f"nothing is stored for {CELL} yet")
    return {**yamlfile.read(PROJECT.root / "params" / f"{CELL}.yaml").data, "runs": 1}


def test_training_takes_the_committed_way(parameters: dict) -> None:
    """The first epochs of every network, before rounding on another machine can have grown."""
    outcome = experiment.run(experiment.parameters_of(**{**parameters, "epochs": 30}), progress=False)
    stored = pd.read_csv(PROJECT.book.file(CELL, "curves.csv"))
    stored = stored[(stored["epoch"] <= 30) & (stored["seed"] == parameters.get("first_seed", 0))]
    assert set(stored["network"]) == set(parameters["networks"])
    both = stored.merge(outcome.curves, on=["network", "seed", "epoch"], suffixes=("", "_again"), validate="1:1")
    assert len(both) == len(stored) >= 10 * len(parameters["networks"])
    for name in ("training_loss", "validation_loss"):
        assert_allclose(both[f"{name}_again"], both[name], rtol=1e-3)


def test_a_committed_cell_comes_out_again(parameters: dict) -> None:
    """One run of the plain GCN in full; another machine may round a few of the 1,000 test nodes elsewhere."""
    again = experiment.run(experiment.parameters_of(**{**parameters, "networks": {"GCN": {}}}), progress=False).table
    stored = pd.read_csv(PROJECT.book.file(CELL, "results.csv"))
    stored = stored[(stored["network"] == "GCN") & (stored["seed"] == again["seed"][0])]
    assert len(stored) == 1
    for name in ("test_accuracy", "validation_accuracy"):
        assert_allclose(again[name], stored[name], atol=1.0)
