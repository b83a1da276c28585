"""What one is told of a training that goes on."""

from pathlib import Path

import pytest

from mtgcn.data.datasets import digest_of
from mtgcn.experiments.parameters import Parameters
from mtgcn.pipeline.trainings import Pace, Training, train


def test_the_pace_counts_whole_batches_and_foretells_the_end() -> None:
    seconds = iter([0.0, 20.0, 80.0, 400.0])
    pace = Pace(70, lambda: next(seconds))
    pace.batch(10)
    assert pace.text() == "0 of 70 runs"  # the first batch is still at work
    pace.batch(30)
    assert pace.text() == "10 of 70 runs, 0.5 a second, 2 min left"
    pace.batch(20)
    pace.batch(10)
    assert pace.text() == "60 of 70 runs, 0.75 a second, 13 s left"
    pace.batch(0)
    assert pace.text() == "70 of 70 runs, 0.17 a second, 0 s left"


def test_runs_that_were_there_already_are_done_and_say_nothing_about_the_pace() -> None:
    seconds = iter([0.0, 20.0])
    pace = Pace(70, lambda: next(seconds))
    pace.known(40)
    pace.batch(10)
    assert pace.text() == "40 of 70 runs"
    pace.batch(20)
    assert pace.text() == "50 of 70 runs, 0.5 a second, 40 s left"


def test_a_training_tells_where_it_stands() -> None:
    parameters = Parameters(dataset="toy", networks={"GCN": {}, "AE": {}}, runs=12, epochs=3)
    told: list[str] = []
    digest = "the data of another machine"
    assert train(Training("x", parameters.model_dump(mode="json"), digest), told.append).failure is not None
    assert told == []
    outcome = train(Training("x", parameters.model_dump(mode="json"), digest_of("toy")), told.append)
    assert outcome.failure is None
    assert [text.split(",")[0] for text in told] == ["GCN"] * 2 + ["AE"] * 2
    assert [text.split("; ")[1].split(",")[0] for text in told] == [f"{done} of 24 runs" for done in (0, 10, 12, 22)]


def test_a_killed_study_tells_what_is_there_from_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTGCN_CACHE", str(tmp_path))
    networks = {"GCN": {}, "AE": {}}
    parameters = Parameters(dataset="toy", networks=networks, runs=1, splits=2, labels=[1, 2], epochs=2)
    job = Training("x", parameters.model_dump(mode="json"), digest_of("toy"))
    told: list[str] = []

    def interrupted(text: str) -> None:
        if len(told) == 3:
            raise SystemExit  # as good as a kill: nobody tidies up
        told.append(text)

    with pytest.raises(SystemExit):
        train(job, interrupted)
    told.clear()
    outcome = train(job, told.append)
    assert [text for text in told if "trained before" in text] == [
        "1 labels, GCN, trained before; 2 of 8 runs",
        "1 labels, AE, trained before; 4 of 8 runs",
        "2 labels, GCN, trained before; 6 of 8 runs",
    ]
    assert len(outcome.files["results.csv"].splitlines()) == 1 + 8
