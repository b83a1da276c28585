"""Parameter files of computations that nobody has made yet: they can be run, and say what they mean to say."""

import os
import runpy
from pathlib import Path

import pytest
from support.synthetic import label_runs

from mtgcn.analysis import label_gains, literature
from mtgcn.experiments import stored
from mtgcn.experiments.parameters import VARIED
from mtgcn.model.remedies import DropEdge
from mtgcn.pipeline import parameter_file, yaml_file
from mtgcn.pipeline.project import Project
from mtgcn.pipeline.search import Search
from mtgcn.pipeline.search.space import BASE, Point

ROOT = Path(__file__).parents[2]
PROJECT = Project(ROOT)
PLANNED = {path.stem: path for path in sorted((ROOT / "params/planned").glob("*.yaml"))}
MATCHED = sorted((ROOT / "params/search/matched").glob("*.yaml"))
SEARCHES = sorted((ROOT / "params/search/labels").glob("*.yaml"))
RIVALS = sorted((ROOT / "params/search/rivals").glob("*.yaml"))
LAYERS = sorted((ROOT / "params/search/layers").glob("*.yaml"))


def written(name: str) -> Path:
    """Return the parameter file of a study, which waits or has been computed."""
    return PLANNED.get(name, ROOT / "params" / f"{name}.yaml")


@pytest.mark.parametrize("name", PLANNED)
def test_a_planned_file_can_be_run_and_its_name_is_free(name: str) -> None:
    parameter_file.load(PLANNED[name], PROJECT.notebooks)
    assert not (ROOT / "params" / f"{name}.yaml").exists()
    assert not (ROOT / "book/results" / f"{name}.csv").exists()


@pytest.mark.parametrize("dataset", ["cora", "citeseer", "pubmed"])
def test_label_studies_have_the_weights_tuned_with_twenty_labels(dataset: str) -> None:
    tuned = yaml_file.read(ROOT / f"params/{dataset}-1.yaml").data
    for name in (f"labels-{dataset}", f"labels-{dataset}-small"):
        said = yaml_file.read(written(name)).data
        assert list(said["networks"]) == ["GCN", "AE", "FR", "ER", "AE+FR+ER"]
        assert all(tasks == tuned["networks"][network] for network, tasks in said["networks"].items())
        assert said["epochs"] == tuned["epochs"]
        assert said["splits"] >= 30


@pytest.mark.parametrize("path", SEARCHES, ids=lambda path: path.stem)
def test_a_search_with_few_labels_fills_its_study_and_sees_none_of_its_splits(path: Path) -> None:
    search = Search.of(path, ROOT)
    study = parameter_file.load(search.parameters, PROJECT.notebooks).experiment
    assert search.parameters == written(path.stem)
    assert study is not None
    assert (search.space.dataset, search.space.hidden_layers) == (study.dataset, study.hidden_layers)
    assert search.space.split_each_run
    assert search.space.settings["labels"] == [3]
    tuned = yaml_file.read(ROOT / f"params/{study.dataset}-1.yaml").data["networks"]
    for task, values in search.space.grid.items():
        rest = {name: choices for name, choices in values.items() if name not in ("weight", "nodes")}
        usual = {name: value for name, value in tuned[task][task].items() if name not in ("weight", "nodes")}
        assert rest == {name: [value] for name, value in usual.items()}
        assert min(values["weight"]) < tuned[task][task]["weight"] < max(values["weight"])
    first = study.split_seed or 0
    assert not set(search.space.seeds(search.space.best_runs)) & set(range(first, first + study.splits))


@pytest.mark.parametrize("path", MATCHED, ids=lambda path: path.stem)
def test_a_search_under_the_matched_protocol_fills_its_experiment(path: Path) -> None:
    search = Search.of(path, ROOT)
    experiment = parameter_file.load(search.parameters, PROJECT.notebooks).experiment
    assert experiment is not None
    searched = search.space.parameters(Point(BASE))
    changed = {name: getattr(searched, name) for name in VARIED if getattr(searched, name) != getattr(experiment, name)}
    assert set(changed) <= {"epochs", "stop_below"}
    assert (searched.protocol, searched.dataset) == ("matched", experiment.dataset)
    assert searched.hidden_layers == experiment.hidden_layers
    assert search.space.grid["FR"]["size_means"] == ["zeroed", "kept"]
    assert search.space.final_runs >= 20
    assert experiment.seeds == list(range(50))  # none of which a search may have: its own begin at 1000


@pytest.mark.parametrize("path", RIVALS, ids=lambda path: path.stem)
def test_a_search_of_rival_tasks_fills_its_experiment_with_other_seeds(path: Path) -> None:
    search = Search.of(path, ROOT)
    experiment = parameter_file.load(search.parameters, PROJECT.notebooks).experiment
    assert experiment is not None
    searched = search.space.parameters(Point(BASE))
    changed = {name for name in VARIED if getattr(searched, name) != getattr(experiment, name)}
    assert changed <= {"epochs", "stop_below"}
    assert (searched.dataset, searched.hidden_layers) == (experiment.dataset, experiment.hidden_layers)
    assert list(search.space.grid) == ["NC", "GP", "GCo", "EM", "PD"]
    assert max(experiment.seeds) < search.space.first_seed


@pytest.mark.parametrize("path", LAYERS, ids=lambda path: path.stem)
def test_a_search_on_another_layer_changes_nothing_but_the_weights(path: Path) -> None:
    search = Search.of(path, ROOT)
    experiment = parameter_file.load(search.parameters, PROJECT.notebooks).experiment
    assert experiment is not None
    assert (experiment.layer, experiment.dataset) == (search.space.settings["layer"], search.space.dataset)
    tuned = yaml_file.read(ROOT / f"params/{experiment.dataset}-1.yaml").data["networks"]
    for task, values in search.space.grid.items():
        rest = {name: choices for name, choices in values.items() if name != "weight"}
        assert rest == {name: [value] for name, value in tuned[task][task].items() if name != "weight"}
    assert max(experiment.seeds) < search.space.first_seed


@pytest.mark.parametrize("cell", ["cora-1", "citeseer-1", "pubmed-1", "cora-5"])
def test_learned_weights_are_compared_with_those_that_the_grid_found(cell: str) -> None:
    tuned = yaml_file.read(ROOT / f"params/{cell}.yaml").data
    said = yaml_file.read(written(f"rivals-weights-{cell}")).data
    assert all(tasks == tuned["networks"][network] for network, tasks in said["networks"].items())
    assert [one["weighting"] for one in said["variants"].values()] == ["equal", "uncertainty", "gradnorm"]
    assert said["runs"] <= tuned["runs"]  # so that every run has one with the same seed and tuned weights


def test_the_page_of_all_label_studies_shows_what_they_give(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(stored.RESULTS, str(tmp_path))
    monkeypatch.setenv(stored.OUTBOX, str(tmp_path / "out"))
    runs = label_runs()
    runs.to_csv(tmp_path / "labels-cora.csv", index=False)
    runs.assign(test_accuracy=runs["test_accuracy"] - 3).to_csv(tmp_path / "labels-cora-small.csv", index=False)
    names = runpy.run_path(str(ROOT / "notebooks/labels.py"))
    expected = label_gains.summary(label_gains.by_split(runs))
    assert names["numbers"][""].equals(expected)
    assert names["numbers"]["small"]["mean"].to_numpy() == pytest.approx(expected["mean"].to_numpy() - 3)
    assert names["numbers"]["tuned"].empty
    assert os.listdir(tmp_path / "out") == ["cora.csv"]


def test_plain_networks_are_planned_at_the_depths_for_which_others_have_figures() -> None:
    theirs = literature.remedies().query("remedy == 'none' and layers in (8, 16, 32)")
    for dataset, own in theirs.groupby("dataset"):
        study = parameter_file.load(written(f"depth-{dataset}-layers"), PROJECT.notebooks).experiment
        assert study is not None
        assert study.depths == own["hidden_layers"].tolist()
        assert study.remedy == "none"


REMEDIES = ["none-cora-egnn", "dropedge-cora-egnn-shallow", "dropedge-cora-egnn-deep", "pairnorm-cora-authors"]


@pytest.mark.parametrize("name", REMEDIES)
def test_remedies_with_settings_of_others_have_those_that_were_published(name: str) -> None:
    study = parameter_file.load(written(f"remedy-{name}"), PROJECT.notebooks).experiment
    assert study is not None
    assert (study.hidden_units, study.dropout, study.learning_rate, study.l2, study.l2_layers, study.epochs) == (
        *(64, 0.6, 0.005, 5e-4, "all", 1500),
    )
    assert study.adjacency == ("row" if study.remedy == "pairnorm" else "symmetric")
    if isinstance(study.remedy_settings, DropEdge):
        layers = [depth + 1 for depth in study.depths]  # as EGNN counts them
        assert {0.2 if number < 16 else 0.8 for number in layers} == {study.remedy_settings.rate}
