"""What results were made with, and which parameters they are the results of."""

from pathlib import Path

import pytest

from mtgcn.data import datasets, toy
from mtgcn.experiments import records
from mtgcn.experiments.engine_digest import engine_digest
from mtgcn.experiments.parameters import Parameters
from mtgcn.experiments.records import Record

SHORT = Parameters(dataset="toy", networks={"AE": {}})


def record(parameters: Parameters = SHORT) -> Record:
    return Record.of(parameters, datasets.digest_of(parameters.dataset), 1.0)


def test_a_default_written_out_changes_nothing() -> None:
    long = Parameters(dataset="toy", networks={"AE": {"AE": {"weight": 100, "nodes": "all"}}}, epochs=5000)
    assert record().changes(long) == []
    other = Parameters(dataset="toy", networks={"AE": {"AE": {"weight": 99}}}, epochs=7)
    assert record().changes(other) == ["parameters changed: epochs, networks"]


def test_where_something_is_computed_does_not_matter() -> None:
    assert record().changes(Parameters(dataset="toy", networks={"AE": {}}, device="cpu", backend="torch")) == []


def test_a_new_setting_leaves_old_results_as_they_are_and_an_unknown_one_does_not() -> None:
    made = record()
    older = {name: value for name, value in made.parameters.items() if name != "dropout"}
    assert made.model_copy(update={"parameters": older}).changes(SHORT) == []
    strange = {**made.parameters, "momentum": 0.9}
    assert made.model_copy(update={"parameters": strange}).changes(SHORT) == ["the parameters are of an older kind"]


def test_other_data_and_another_version_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    datasets.save(tmp_path / "own.npz", toy.generate(seed=1))
    own = Parameters(dataset=str(tmp_path / "own.npz"))
    made = record(own)
    assert made.changes(own) == []
    datasets.save(tmp_path / "own.npz", toy.generate(seed=2))
    monkeypatch.setattr(records, "RESULTS_VERSION", 99)
    assert made.changes(own) == ["data changed", "results version 1 is now 99"]


def test_trusted_is_what_todays_engine_made_or_gave_again() -> None:
    made = record()
    assert made.trusted
    assert made.engine == engine_digest()
    older = made.model_copy(update={"engine": "0" * 64})
    assert not older.trusted
    assert older.model_copy(update={"verified": engine_digest()}).trusted


def test_results_are_found_by_their_parameters(tmp_path: Path) -> None:
    assert records.find(SHORT, tmp_path) is None
    (tmp_path / "one.json").write_text(record().text())
    (tmp_path / "torn.json").write_text(record().text()[:50])
    (tmp_path / "other.json").write_text('{"something": "else"}')
    assert records.find(SHORT, tmp_path) == "one"
    assert records.find(Parameters(dataset="toy", networks={"AE": {}}, epochs=3), tmp_path) is None
    assert records.read(tmp_path / "one.json") == record()
