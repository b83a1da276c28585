"""The page that looks for the paper's protocol, on made-up runs whose nearest candidate is known."""

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mtgcn.analysis import literature
from mtgcn.experiments import stored
from mtgcn.experiments.best_epoch import RULES
from mtgcn.experiments.experiment import column
from mtgcn.experiments.protocols import PROTOCOLS
from mtgcn.pipeline import parameter_file
from mtgcn.pipeline.project import Project

ROOT = Path(__file__).parents[2]
PROJECT = Project(ROOT)
STEPS = {step: sorted((ROOT / "params").glob(f"protocol-{step}-*.yaml")) for step in ("l2", "rest")}
PAPER = literature.accuracies().query("network == 'GCN'")


def executed(folder: Path, monkeypatch: pytest.MonkeyPatch, shifts: dict[tuple[str, str], float]) -> dict[str, Any]:
    """Run the page on runs whose candidates lie so many points from the paper, ten where nothing is said."""
    monkeypatch.setenv(stored.RESULTS, str(folder))
    noise = np.random.default_rng(0).normal(size=50)
    noise = noise - noise.mean()
    for path in (path for paths in STEPS.values() for path in paths):
        file = parameter_file.load(path, PROJECT.notebooks)
        assert file.experiment is not None
        place = {"dataset": file.experiment.dataset, "hidden_layers": file.experiment.hidden_layers}
        (mean,) = PAPER.query("dataset == @place['dataset'] and hidden_layers == @place['hidden_layers']")["mean"]
        tables = [
            pd.DataFrame({"variant": name, "seed": range(50), **place}).assign(
                **{column(rule): mean + noise + shifts.get((name, rule), 10.0) for rule in RULES}
            )
            for name in file.experiment.variants
        ]
        pd.concat(tables).to_csv(folder / f"{path.stem}.csv", index=False)
    return runpy.run_path(str(ROOT / "notebooks/which_protocol.py"))


def test_the_nearest_of_the_first_step_wins_and_a_chance_difference_is_not_taken_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shifts = {("all half", "accuracy-last"): 1.0, ("all whole", "loss"): 2.0, ("biases", "loss"): 1.0}
    names = executed(tmp_path, monkeypatch, shifts)
    assert (names["winner"], names["rule"]) == ("all half", "accuracy, last")
    assert names["taken"] == []
    error = [np.hypot(1.0 / 7, sem) for sem in PAPER["sem"]]
    expected = np.sqrt(np.mean([(1.0 / one) ** 2 for one in error]))
    assert names["candidates"].loc[("all half", "accuracy, last"), "distance"] == pytest.approx(expected, rel=0.1)


def test_a_switch_that_comes_nearer_beyond_chance_is_taken_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = executed(tmp_path, monkeypatch, {("all whole", "loss"): 3.0, ("biases", "main-loss"): 0.5})
    assert names["winner"] == "all whole"
    assert names["taken"] == [("biases", "main, loss")]


def test_both_steps_have_fifty_runs_everywhere_and_start_from_the_winner() -> None:
    assert [len(paths) for paths in STEPS.values()] == [5, 5]
    for step, paths in STEPS.items():
        files = [parameter_file.load(path, PROJECT.notebooks).experiment for path in paths]
        assert {(file.dataset, file.hidden_layers) for file in files} == set(
            PAPER[["dataset", "hidden_layers"]].itertuples(index=False, name=None)
        )
        assert all(file.seeds == list(range(50)) and list(file.networks) == ["GCN"] for file in files)
        if step == "rest":
            assert all(getattr(file, name) == value for file in files for name, value in PROTOCOLS["matched"].items())
