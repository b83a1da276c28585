"""What is committed in the book was made from what the project holds, and comes out again."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from mtgcn.analysis import literature
from mtgcn.experiments import experiment
from mtgcn.experiments.parameters import Parameters
from mtgcn.pipeline import pages, states, yaml_file
from mtgcn.pipeline.project import Project
from mtgcn.pipeline.search.search_file import read
from mtgcn.pipeline.search.space import Point

PROJECT = Project(Path(__file__).parents[2])
CELL = "cora-1"


def test_every_page_is_fresh() -> None:
    found = states.states(pages.plan(PROJECT, [PROJECT.root / "params"]))
    others = {name: state for name, state in found.items() if state.word != states.FRESH}
    assert others == {}, "mtgcn run, mtgcn verify, and commit book/runs and book/results"


def test_every_stored_run_has_its_parameter_file() -> None:
    runs = {path.stem for path in PROJECT.book.runs.glob("*.ipynb")}
    assert runs <= {path.stem for path in (PROJECT.root / "params").glob("*.yaml")}


@pytest.fixture(scope="module")
def parameters() -> dict:
    if not PROJECT.book.notebook(CELL).exists():
        pytest.skip(f"nothing is stored for {CELL} yet")
    said = yaml_file.read(PROJECT.root / "params" / f"{CELL}.yaml").data
    return {**{name: said[name] for name in said if name in Parameters.model_fields}, "runs": 1}


@pytest.mark.network
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


@pytest.mark.network
def test_a_committed_cell_comes_out_again(parameters: dict) -> None:
    """One run of the plain GCN in full; another machine may round a few of the 1,000 test nodes elsewhere."""
    again = experiment.run(experiment.parameters_of(**{**parameters, "networks": {"GCN": {}}}), progress=False).table
    stored = pd.read_csv(PROJECT.book.file(CELL, "results.csv"))
    stored = stored[(stored["network"] == "GCN") & (stored["seed"] == again["seed"][0])]
    assert len(stored) == 1
    for name in ("test_accuracy", "validation_accuracy"):
        assert_allclose(again[name], stored[name], atol=1.0)


@pytest.mark.parametrize("network", ["GCN", "AE", "FR"])
def test_the_paper_s_five_layers_come_out_under_the_matched_protocol(network: str) -> None:
    """Within two standard errors of the difference, where the literal reading is far away with the plain GCN."""
    printed = literature.accuracies().set_index(["dataset", "hidden_layers", "network"]).loc["cora", 5, network]
    ours = pd.read_csv(PROJECT.book.results / "matched-cora-5.csv").query("network == @network")["test_accuracy"]
    assert len(ours) >= 50
    assert abs(ours.mean() - printed["mean"]) < 2 * np.hypot(ours.sem(), printed["sem"])


def test_a_remedy_s_task_is_what_its_search_chose_with_the_same_settings() -> None:
    name = "gcnii-cora-8"
    scores = pd.read_csv(PROJECT.book.results / "search" / f"{name}.csv")
    ((_, chosen),) = scores[scores["chosen"] & (scores["network"] == "ER")].filter(like="ER.").iterrows()
    space = read(PROJECT.root / "params/search/remedies" / f"{name}.yaml")
    own = {"runs", "first_seed", "measure_every", "tuned_for", "settings"}
    searched = space.parameters(Point("ER", tuple(chosen.items()))).model_dump(exclude=own)
    studies = sorted((PROJECT.root / "params").glob("remedy-gcnii-cora-authors-tuned*.yaml"))
    assert len(studies) == 2
    for path in studies:
        said = yaml_file.read(path).data
        study = Parameters.model_validate({key: said[key] for key in Parameters.model_fields if key in said})
        assert study.at(hidden_layers=study.tuned_for).model_dump(exclude=own) == searched


def test_gcnii_as_its_authors_have_it_reaches_what_they_and_others_report() -> None:
    """Within a point, at the depths for which there are figures of others."""
    files = [PROJECT.book.results / f"remedy-gcnii-cora-authors{depths}.csv" for depths in ("", "-64")]
    ours = pd.concat(map(pd.read_csv, files)).query("network == 'GCN'").groupby("hidden_layers")["test_accuracy"].mean()
    theirs = literature.remedies().query("dataset == 'cora' and remedy == 'gcnii'")
    assert len(theirs) == 2
    for printed in theirs.itertuples():
        assert ours[printed.hidden_layers] == pytest.approx(printed.accuracy, abs=1.0)
