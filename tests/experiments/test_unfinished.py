"""A training that is killed goes on where it was, and ends with the same bits as if nothing had happened."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mtgcn.data import cache
from mtgcn.errors import MtgcnError
from mtgcn.experiments import experiment, unfinished
from mtgcn.experiments.training import Progress

AT_ONCE = "1e-9"  # seconds between two states: one after every epoch
TOY: dict[str, Any] = {"dataset": "toy", "runs": 3, "epochs": 40}
KINDS: dict[str, dict[str, Any]] = {
    "all tasks": {"networks": {"AE+FR+ER": {}}},
    "other masks": {"networks": {"AE": {}}, "dropout": 0.3},
    "no masks": {"dropout": 0.0},
    "other edges": {"remedy": "dropedge"},
    "runs that end early": {"plateau_patience": 1, "plateau_factor": 0.5, "stop_below": 1e-3, "epochs": 60},
    "measures": {"measure_every": 5},
    "two networks": {"networks": {"GCN": {}, "ER": {}}},
}


class Killed(Exception):
    pass


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTGCN_CACHE", str(tmp_path))


def same(one: experiment.Outcome, other: experiment.Outcome) -> None:
    """Hold every number of two outcomes, but their seconds, to be the same to the bit."""
    for table in ("table", "curves", "measures"):
        first, second = (getattr(outcome, table).drop(columns="seconds", errors="ignore") for outcome in (one, other))
        pd.testing.assert_frame_equal(first, second, check_exact=True)
    for name, trained in one.trained.items():
        for weight, value in trained.best_weights.items():
            assert np.array_equal(value.numpy(), other.trained[name].best_weights[weight].numpy())


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_bits(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parameters = experiment.parameters_of(**TOY | KINDS[kind])
    monkeypatch.setenv(unfinished.SECONDS, "0")
    expected = experiment.run(parameters, progress=False)
    assert not (cache.folder() / "unfinished").exists()

    monkeypatch.setenv(unfinished.SECONDS, AT_ONCE)
    reached: list[int] = []
    for death in (3, 10, 11, 27):

        def die(label: str, progress: Progress, death: int = death) -> None:
            reached.append(progress.epoch)
            if progress.epoch == death:
                raise Killed

        try:
            experiment.run(parameters, progress=die)
        except Killed:
            assert list((cache.folder() / "unfinished").rglob("*.safetensors"))
    same(experiment.run(parameters, progress=lambda label, progress: reached.append(progress.epoch)), expected)
    # An epoch is done again only where a kill came between it and its state.
    assert len(reached) <= len(expected.curves.groupby(["network", "epoch"])) + 4
    assert not list((cache.folder() / "unfinished").iterdir())


def test_a_damaged_state_is_no_state(monkeypatch: pytest.MonkeyPatch) -> None:
    parameters = experiment.parameters_of(**TOY)
    monkeypatch.setenv(unfinished.SECONDS, "0")
    expected = experiment.run(parameters, progress=False)
    monkeypatch.setenv(unfinished.SECONDS, AT_ONCE)

    def die(label: str, progress: Progress) -> None:
        if progress.epoch == 9:
            raise Killed

    with pytest.raises(Killed):
        experiment.run(parameters, progress=die)
    (path,) = (cache.folder() / "unfinished").rglob("*.safetensors")
    for content in (b"", b"\0" * 100, path.read_bytes()[:-1]):
        path.write_bytes(content)
        same(experiment.run(parameters, progress=False), expected)
        path.parent.mkdir(parents=True, exist_ok=True)


@pytest.mark.parametrize("wrong", ["soon", "-1", "nan", "inf"])
def test_a_setting_that_is_no_number(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(unfinished.SECONDS, wrong)
    with pytest.raises(MtgcnError, match="a number of seconds"):
        experiment.run(experiment.parameters_of(**TOY), progress=False)
