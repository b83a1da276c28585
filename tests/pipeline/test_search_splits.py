"""A search in which each run has a split of its own."""

from pathlib import Path

import pandas as pd
import pytest

from mtgcn.data import datasets, label_splits
from mtgcn.errors import MtgcnError
from mtgcn.experiments import build, training
from mtgcn.experiments.parameters import Parameters
from mtgcn.pipeline import search, yaml_file
from mtgcn.pipeline.search import stages

TEXT = """
dataset: toy
settings: {epochs: 12, labels: [2]}
grid:
  AE: {weight: [1, 10, 100], nodes: all}
combined: {}
runs: 2
best_runs: 3
batch: 2
split_each_run: true
"""
STUDY = "dataset: toy\nlabels: [2, 5]\nsplits: 3\nruns: 2\nnetworks:\n  GCN: {}\n"


def checkout(root: Path, text: str = TEXT) -> search.Search:
    for folder in ("params/search", "params/planned"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    path = root / "params/search/labels-toy.yaml"
    path.write_text(text)
    return search.Search.of(path, root)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> search.Search:
    made = checkout(tmp_path_factory.mktemp("finished"))
    search.run(made)
    return made


def test_a_score_is_that_of_the_run_alone_on_the_split_of_its_seed(finished: search.Search) -> None:
    scores = finished.open().scores
    parameters = Parameters(dataset="toy", epochs=12, runs=1, networks={"AE": {"AE": {"weight": 10}}})
    (point,) = [point for point in scores if dict(point.values).get("AE.weight") == 10]
    assert len(scores[point]) >= 2
    for seed, score in scores[point].items():
        split = label_splits.drawn(datasets.load("toy"), seed, 2)
        alone = training.train(build.build(parameters, "AE", split, [seed]), parameters)
        assert score == pytest.approx(alone.validation_accuracy[0], abs=1e-3)


def test_what_was_scored_on_one_split_is_not_taken_for_another(finished: search.Search, tmp_path: Path) -> None:
    other = checkout(tmp_path, TEXT.replace("split_each_run: true\n", ""))
    other.journal.parent.mkdir(parents=True)
    other.journal.write_bytes(finished.journal.read_bytes())
    assert not other.open().scores
    same = checkout(tmp_path)
    assert not stages.todo(same.space, same.open().scores)


def test_the_choice_goes_into_the_study_that_waits_for_it(finished: search.Search) -> None:
    planned = finished.root / "params/planned/labels-toy.yaml"
    planned.write_text(STUDY)
    search.apply(finished)
    table = pd.read_csv(finished.table)
    chosen = table[table["chosen"] & (table["network"] == "AE")]["AE.weight"].item()
    said = yaml_file.read(planned).data
    assert said["networks"]["AE"]["AE"]["weight"] == chosen
    assert said["labels"] == [2, 5]
    planned.write_text(STUDY + "split_seed: 998\n")
    with pytest.raises(MtgcnError, match=r"labels-toy\.yaml:7: the split 1000 would be reported"):
        search.apply(finished)


def test_a_split_of_all_runs_is_refused_beside_one_of_each(tmp_path: Path) -> None:
    with pytest.raises(MtgcnError, match=r"labels-toy\.yaml:3: with split_each_run"):
        checkout(tmp_path, TEXT.replace("labels: [2]", "labels: [2], split_seed: 3"))
