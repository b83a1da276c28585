"""The study of depth in plain words, from runs whose answers are known."""

from dataclasses import replace

import pandas as pd
import pytest

from mtgcn import depth_answers, gathering, results
from mtgcn.diagnosis import diagnose
from mtgcn.gathering import Studies

CHANCE = 32.0
ACCURACY = {("GCN", 1): 81.0, ("GCN", 4): 75.0, ("GCN", 16): 16.0, ("AE", 1): 81.5, ("AE", 4): 79.0, ("AE", 16): 15.0}


def studies(empty: bool = False) -> Studies:
    """Three runs each: AE gains at 4 layers; at 16 all nodes of GCN point one way, and AE's are spread."""
    rows = [
        ("cora", "none", 1, network, depth, seed, accuracy + 0.1 * seed * (1 if network == "GCN" else 2), CHANCE)
        for (network, depth), accuracy in ACCURACY.items()
        for seed in range(3)
    ]
    columns = ["dataset", "remedy", "tuned_for", "network", "hidden_layers", "seed", "test_accuracy", "chance"]
    table = pd.DataFrame(rows, columns=columns)
    at_four = table[table["hidden_layers"] == 4]
    tuned = at_four[at_four["network"] == "AE"].assign(tuned_for=4)
    mended = at_four.assign(remedy="residual", test_accuracy=[80.0, 80.5, 81.0, 79.0, 79.4, 79.8])
    better = mended[3:].assign(tuned_for=4, test_accuracy=[82.0, 82.4, 82.8])
    table = pd.concat([table, tuned, mended, better], ignore_index=True).iloc[: 0 if empty else None]
    collapsed = (table["network"] == "GCN") & (table["hidden_layers"] == 16)
    measures = table[[*columns[:6]]].assign(
        layer=table["hidden_layers"],
        epoch=1,
        results="depth-cora",
        effective_rank=table["test_accuracy"] / 10,
        mad_neighbours=0.3,
        mad_remote=0.5 - 0.45 * collapsed,
        gradient_norm=0.1,
        dead_units=0.0,
        relative_energy=0.1,
        relative_unnormalised_energy=0.1,
    )
    nothing = pd.DataFrame(columns=gathering.MARKS)
    return Studies(table, measures, nothing, nothing, nothing, nothing)


@pytest.fixture(scope="module")
def lines() -> list[str]:
    return depth_answers.in_words(studies(), "cora").split("\n")


def test_each_question_has_its_answer(lines: list[str]) -> None:
    reach, helps, tuned, wrong, papers, measure, mended = lines
    assert reach == (
        "- **How deep can the plain network be?** On Cora it keeps within 10 points of its best mean, 81.1 %, up to 4 "
        "hidden layers (the next depth here is 16); with 16 it has 16.1 %, where naming the largest class has 32.0."
    )
    assert "of 2 pairs of a network and a depth beyond one layer" in helps
    assert "above zero in 1, below in 1, not clear in 0" in helps
    assert tuned.endswith("With 4 hidden layers, 3 runs each: AE.")
    assert "Of 3 failed runs of GCN, 3 show over-smoothing, 0 show vanishing gradients, 0 show dead units, 0 " in wrong
    assert "Of 3 failed runs of networks with tasks, 3 show over-smoothing" in wrong  # their rank is 1.5
    assert "others learn" not in wrong  # at 16 layers all fail, at the others none
    assert wrong.endswith(
        "In 6 of the 6 failed runs the best epoch is one of the first 3 (0 of the 0 with none of the three): the "
        "measures are those of weights that have hardly moved."
    )
    assert papers == (
        "- **What is the paper's 16 %?** Plain networks of that accuracy, 3 runs with 16 hidden layers, show "
        "over-smoothing in 3. The paper's has 5; none of this study's with 5 falls so low."
    )
    assert measure.endswith("the effective rank, with a rank correlation of +1.00.")
    assert mended.endswith(
        "With residual, GCN alone has 80.5 % at 4 hidden layers, 75.1 without; AE gains at 0 of 1 depths and loses at "
        "1; with weights tuned for 4 hidden layers, AE gains at 1 of 1 depths and loses at 0."
    )


def test_over_smoothing_is_counted_among_runs_that_learn_at_the_same_depth() -> None:
    plain = studies().of(remedy="none", tuned_for=1)
    learnt = (plain.table["hidden_layers"] == 16) & (plain.table["network"] == "AE") & (plain.table["seed"] > 0)
    table = plain.table.assign(test_accuracy=plain.table["test_accuracy"].where(~learnt, 70.0))
    words = depth_answers.in_words(replace(plain, table=table), "cora")
    assert "some runs fail and others learn, 4 of 4 that fail show over-smoothing, and 2 of 2 that learn." in words


def test_what_no_run_speaks_about_is_left_out() -> None:
    assert depth_answers.in_words(studies(empty=True), "cora") == ""
    plain = studies().of(remedy="none", tuned_for=1)
    assert len(depth_answers.in_words(plain, "cora").split("\n")) == 5
    assert diagnose(plain.table, plain.measures)["failed"].sum() == 6


def test_nothing_stored_is_no_mistake(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(results.RESULTS, str(tmp_path))
    assert depth_answers.in_words(gathering.gather("depth-*"), "cora") == ""
