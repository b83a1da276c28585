"""The page on over-smoothing, executed as it stands: on made-up runs whose failures are known, and on nothing."""

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mtgcn.experiments import stored
from mtgcn.experiments.columns import MEASURES

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "over_smoothing.py"
HEALTHY = {"effective_rank": 6.0, "mad_remote": 0.4, "gradient_norm": 0.05, "dead_units": 0.1}
# What is wrong in the last (or first) of two layers, and what that is called. All but two runs have 16 %.
VERDICTS: list[tuple[dict[str, float], str]] = [
    ({}, "none of the three"),
    ({"effective_rank": 1.1}, "over-smoothing"),
    ({"mad_remote": 0.05}, "over-smoothing"),
    ({"gradient_norm": 1e-5}, "vanishing gradients"),
    ({"dead_units": 15 / 16}, "dead units"),
    ({"first_dead_units": 1.0}, "dead units"),
    ({"first_effective_rank": 1.0}, "none of the three"),
    ({"effective_rank": 1.0, "gradient_norm": 1e-7}, "over-smoothing and vanishing gradients"),
    ({"effective_rank": 0.0, "mad_remote": np.nan, "dead_units": 1.0}, "over-smoothing and dead units"),
    ({"effective_rank": 1.1, "test_accuracy": 80.0}, "learns"),
    ({"effective_rank": 1.1, "test_accuracy": 36.0}, "over-smoothing"),
    ({"test_accuracy": np.nan}, "diverged"),
]


def executed(results: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setenv(stored.RESULTS, str(results))
    return runpy.run_path(str(NOTEBOOK))


def test_the_page_says_what_ails_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table, rows = [], []
    marks = {"dataset": "cora", "remedy": "none", "tuned_for": 1, "chance": 31.9, "seconds": 1.0}
    for seed, (wrong, _) in enumerate(VERDICTS):
        run = {"hidden_layers": 2, "seed": seed}
        accuracy = wrong.get("test_accuracy", 16.0)
        table += [marks | run | {"network": "AE", "test_accuracy": accuracy}]
        table += [marks | run | {"network": "GCN", "test_accuracy": 70.0 + 2 * (seed % 2)}]
        first = {name[6:]: value for name, value in wrong.items() if name.startswith("first_")}
        for layer, own in ((1, first), (2, {name: value for name, value in wrong.items() if name in HEALTHY})):
            measured = dict.fromkeys(MEASURES, 1.0) | HEALTHY | {"epoch": 90, "layer": layer}
            rows += [run | measured | {"network": "GCN"}, run | measured | own | {"network": "AE"}]
    pd.DataFrame(table).to_csv(tmp_path / "depth-x.csv", index=False)
    (tmp_path / "depth-x").mkdir()
    pd.DataFrame(rows).to_csv(tmp_path / "depth-x" / "measures.csv", index=False)

    names = executed(tmp_path, monkeypatch)
    judged = names["judged"].set_index(["network", "seed"])["verdict"]
    assert judged["AE"].tolist() == [verdict for _, verdict in VERDICTS]
    assert set(judged["GCN"]) == {"learns"}
    counts = names["failures"](names["plain"], ["network", "hidden_layers"]).loc["AE", 2]
    assert counts.to_dict() == {
        "runs": 12,
        "failed": 11,
        "over-smoothing": 5,
        "vanishing gradients": 2,
        "dead units": 3,
        "none of the three": 2,
    }
    # Paired by seed; the run that diverged has no gain.
    gains = np.array(
        [wrong.get("test_accuracy", 16.0) - 70 - 2 * (seed % 2) for seed, (wrong, _) in enumerate(VERDICTS)]
    )
    row = names["gains"].reset_index().set_index("variant").loc["AE"]
    assert row["mean"] == pytest.approx(np.nanmean(gains))
    half = 2.2281389 * np.nanstd(gains, ddof=1) / np.sqrt(11)  # Student's t with ten degrees of freedom
    assert (row["low"], row["high"]) == pytest.approx((row["mean"] - half, row["mean"] + half))


def test_the_page_without_results_is_empty_and_no_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = executed(tmp_path, monkeypatch)
    assert names["table"].empty
    assert names["judged"].empty
