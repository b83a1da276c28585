"""Training with few to many labels on several splits."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.small import parameters

from mtgcn.data import label_splits, random_splits
from mtgcn.data.datasets import load
from mtgcn.errors import MtgcnError
from mtgcn.experiments import build, experiment, label_study, running
from mtgcn.experiments.training import Progress
from mtgcn.pipeline import parameter_file, verify

TOY = load("toy")
NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


class Killed(Exception):
    pass


def test_each_piece_is_the_experiment_on_that_split() -> None:
    chosen = parameters("AE", epochs=5, runs=2, first_seed=7, split_seed=3, splits=2, labels=[1, 4])
    table = label_study.run(chosen, TOY, progress=False)
    assert table["labels"].tolist() == [1] * 4 + [4] * 4
    assert table["split"].tolist() == [3, 3, 4, 4] * 2
    assert table["seed"].tolist() == [7, 8, 9, 10] * 2  # each run has its own
    assert list(table)[:2] == ["labels", "split"]
    # As if the split were the data set's own.
    split = label_splits.drawn(TOY, 4, 1)
    own = experiment.run(parameters("AE", epochs=5, runs=2, first_seed=9), split, progress=False).table
    again = table.query("labels == 1 and split == 4").drop(columns=["labels", "split", "seconds"])
    assert again.reset_index(drop=True).equals(own.drop(columns="seconds"))


@pytest.mark.parametrize("death", [4, 9])
def test_a_killed_study_goes_on_with_what_is_missing(
    death: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MTGCN_CACHE", str(tmp_path))
    chosen = parameters(epochs=3, runs=1, splits=2, labels=[2, 3], networks={"GCN": {}, "AE": {}})
    expected = label_study.run(chosen, TOY, progress=False).drop(columns="seconds")
    assert not list((tmp_path / "unfinished").iterdir())
    told: list[Progress] = []

    def tell(label: str, progress: Progress) -> None:
        told.append(progress)
        if len(told) == death:
            raise Killed

    with pytest.raises(Killed):
        label_study.run(chosen, TOY, tell)
    again = label_study.run(chosen, TOY, tell).drop(columns="seconds")
    pd.testing.assert_frame_equal(again, expected, rtol=1e-12)
    after = told[death:]
    assert [one.begins for one in after if one.epoch == 0] == [2] * ((death - 1) // 3)  # these are there already
    assert sum(one.begins for one in after) == running.planned(chosen)
    assert not list((tmp_path / "unfinished").iterdir())


def test_a_study_trains_as_many_runs_as_it_says() -> None:
    chosen = parameters(epochs=2, runs=1, splits=2, labels=[2, 3])
    assert len(running.train(chosen, progress=False).table) == running.planned(chosen) == 4


def test_training_and_validation_keep_to_the_split() -> None:
    for small in (False, True):
        batch = build.build(parameters(labels=[3], split_seed=7, small_validation=small), "GCN", TOY).batch
        expected = label_splits.drawn(TOY, 7, 3, small)
        assert batch.labelled.index.tolist() == expected.train.tolist()
        assert batch.validation.index.tolist() == expected.validation.tolist()
        assert batch.test.index.tolist() == expected.test.tolist()
        assert (len(batch.validation) == len(batch.labelled)) == small


def test_more_labels_are_better() -> None:
    chosen = parameters(epochs=40, runs=2, splits=4, labels=[1, 15])
    few, many = label_study.run(chosen, TOY, progress=False).groupby("labels")["test_accuracy"].mean()
    assert many > few + 5


def test_twenty_labels_are_as_good_as_a_random_split_of_that_size() -> None:
    """Seven here, the toy graph's twenty."""
    settings = {"epochs": 40, "runs": 1, "splits": 8}
    assert random_splits.sizes(TOY.nodes, TOY.classes).each == 7
    labels = running.train(parameters(**settings, labels=[7]), progress=False).table
    random = running.train(parameters(**settings), progress=False).table
    means = [table.groupby("split")["test_accuracy"].mean() for table in (labels, random)]
    error = np.hypot(*[mean.sem() for mean in means])
    assert abs(means[0].mean() - means[1].mean()) < 4 * error


def test_a_stored_run_is_trained_again_with_its_number_of_labels(tmp_path: Path) -> None:
    chosen = parameters(epochs=20, runs=2, splits=2, labels=[1, 4])
    row = label_study.run(chosen, TOY, progress=False).iloc[-1].to_dict()
    check = verify.Check("labels-toy", verify._alone(chosen, row), {}, row)
    assert verify.verdict(check).word == verify.EQUAL
    assert verify.verdict(verify.Check("x", verify._alone(chosen, row | {"labels": 1}), {}, row)).word != verify.EQUAL


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("labels: [0, 2]\nsplits: 2", r"x\.yaml:3: labels holds 0, but a split has 1 to 80"),
        ("labels: [81]", r"x\.yaml:3: labels holds 81"),
        ("labels: [2, 2]\nsplits: 2", r"x\.yaml:3: labels names a number twice: 2, 2"),
        ("labels: [1, 2]", r"x\.yaml:3: labels names several numbers: say with 'splits'"),
        ("small_validation: true", r"x\.yaml:3: small_validation goes with labels"),
        ("label: [1]", r"x\.yaml:3: there is no parameter 'label'; did you mean 'labels'\?"),
    ],
)
def test_mistakes_in_a_file_are_refused_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "x.yaml").write_text(f"notebook: experiment\ndataset: toy\n{text}\n")
    with pytest.raises(MtgcnError, match=message):
        parameter_file.load(tmp_path / "x.yaml", NOTEBOOKS)
