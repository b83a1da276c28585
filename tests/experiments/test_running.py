"""One call: stored runs where there are some, training otherwise."""

from pathlib import Path

import pandas as pd
import pytest

import mtgcn
from mtgcn.experiments import experiment, running, stored
from mtgcn.pipeline.states import Page
from mtgcn.pipeline.store import Store
from mtgcn.pipeline.trainings import Training, train

NETWORKS = {"GCN": {}, "AE": {"AE": {"weight": 10}}}


def parameters(**values: object) -> mtgcn.Parameters:
    return mtgcn.Parameters.model_validate({"dataset": "toy", "runs": 2, "epochs": 6, "networks": NETWORKS, **values})


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """An empty folder of results, which `mtgcn.run` looks into."""
    store = Store.book(tmp_path)
    monkeypatch.setenv(stored.RESULTS, str(store.results))
    return store


def store(book: Store, name: str, chosen: mtgcn.Parameters) -> None:
    tables = train(Training(name, chosen.model_dump(mode="json"), mtgcn.load("toy").digest))
    assert tables.failure is None
    with book.locked():
        Page.put_results(_page(book, name), tables)


def _page(book: Store, name: str) -> Page:
    class Named:
        store = book

    Named.name = name
    return Named()  # what storing needs of a page


def test_without_stored_runs_it_trains(book: Store, capsys: pytest.CaptureFixture[str]) -> None:
    runs = mtgcn.run(parameters(), progress=False)
    alone = experiment.run(parameters(), progress=False)
    pd.testing.assert_frame_equal(runs.table.drop(columns="seconds"), alone.table.drop(columns="seconds"))
    assert list(runs.trained) == list(NETWORKS)
    assert runs.stored is None
    assert capsys.readouterr().out == ""
    assert runs.summary()["runs"].tolist() == [2, 2]


def test_stored_runs_are_read_and_said(book: Store, capsys: pytest.CaptureFixture[str]) -> None:
    store(book, "toy-1", parameters())
    runs = mtgcn.run(parameters())
    assert capsys.readouterr().out == "4 stored runs, toy-1.csv in book/results; retrain=True trains them here.\n"
    assert not runs.trained
    alone = experiment.run(parameters(), progress=False)
    pd.testing.assert_frame_equal(runs.table.drop(columns="seconds"), alone.table.drop(columns="seconds"))
    assert set(runs.curves["network"]) == set(NETWORKS)
    assert mtgcn.run(parameters(epochs=7), progress=False).trained  # other parameters are other runs


def test_retrain_trains_and_has_the_stored_ones_beside(book: Store) -> None:
    store(book, "toy-1", parameters())
    runs = mtgcn.run(parameters(), retrain=True, progress=False)
    assert runs.trained
    assert runs.stored is not None
    assert len(runs.stored.table) == len(runs.table)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("values", "rows", "kept"),
    [
        ({}, 4, {"curves"}),
        ({"depths": [1, 2]}, 8, {"measures", "course", "curves", "examples", "maps"}),
        ({"splits": 3}, 12, set()),
        ({"open_points": True}, 2 * (7 + 8), set()),
    ],
)
def test_what_is_repeated_is_stored_and_comes_back(book: Store, values: dict, rows: int, kept: set[str]) -> None:
    chosen = parameters(**values)
    trained = running.train(chosen, progress=False)
    assert (len(trained.table), set(trained.kept)) == (rows, kept)
    assert running.planned(chosen) == rows
    store(book, "it", chosen)
    again = mtgcn.run(chosen)
    assert (len(again.table), set(again.kept)) == (rows, kept)
    assert list(again.table.columns) == list(trained.table.columns)
    assert again.record.seeds == [0, 1]


def test_a_damaged_file_is_not_read(book: Store) -> None:
    store(book, "toy-1", parameters())
    book.file("toy-1", "curves.csv").unlink()
    assert mtgcn.run(parameters(), progress=False).trained
