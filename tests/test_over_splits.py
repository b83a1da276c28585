"""Random splits as a page shows them: training, gains by split, and a split as the unit."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from small import parameters
from synthetic import split_runs

from mtgcn import experiment, figures, over_splits


def test_each_split_is_the_experiment_with_that_seed() -> None:
    chosen = parameters("AE", epochs=5, runs=2, split_seed=3)
    table = over_splits.run(chosen, 2, progress=False)
    assert table["split"].tolist() == [3, 3, 4, 4]
    alone = experiment.run(chosen.model_copy(update={"split_seed": 4}), progress=False).table
    again = table[table["split"] == 4].drop(columns=["split", "seconds"]).reset_index(drop=True)
    assert again.equals(alone.drop(columns="seconds"))
    assert over_splits.run(parameters(epochs=2, runs=1), 1, progress=False)["split"].tolist() == [0]


def test_a_split_counts_once_however_many_runs_it_has() -> None:
    runs = split_runs()
    row = over_splits.summary(runs).set_index("network").loc["AE"]
    wide = runs.pivot_table("test_accuracy", "split", "network")  # means over runs
    gains = wide["AE"] - wide["GCN"]
    low, high = stats.t.interval(0.95, len(gains) - 1, gains.mean(), stats.sem(gains))
    assert (row["gain"], row["gain_low"], row["gain_high"]) == pytest.approx((gains.mean(), low, high))
    assert row["mean"] == pytest.approx(wide["AE"].mean())
    assert row["sem"] == pytest.approx(stats.sem(wide["AE"]))
    assert (row["splits"], row["runs"], row["above"]) == (6, 3, (gains > 0).sum())
    signs = np.array(np.meshgrid(*[[1, -1]] * 6)).reshape(6, -1)
    expected = np.mean(np.abs(signs.T @ gains.to_numpy()) >= abs(gains.sum()) - 1e-9)
    assert row["p"] == row["p_holm"] == pytest.approx(expected)
    # With runs as the unit the interval would be far too narrow.
    every = over_splits.gains(runs)["gain"]
    assert high - low > 1.5 * np.diff(stats.t.interval(0.95, len(every) - 1, every.mean(), stats.sem(every)))[0]


def test_the_table_and_odd_inputs() -> None:
    text = over_splits.table(split_runs()).text
    assert list(text.index) == ["GCN", "AE"]
    assert text.loc["GCN", "gain [95 %]"] == "–"
    assert text.loc["AE", "above zero"].endswith("of 6 splits")
    single = over_splits.table(split_runs(splits=1)).text
    assert (single["p"] == "–").all()
    alone = over_splits.table(split_runs().query("network == 'AE'")).text
    assert alone.loc["AE", "gain [95 %]"] == "–"
    assert over_splits.summary(pd.DataFrame()).empty


def test_the_figure_has_every_run_and_the_mean_of_each_split() -> None:
    runs = split_runs()
    (ax,) = figures.gains_by_split(runs).axes
    wide = runs.pivot_table("test_accuracy", "split", "network")
    drawn = [container.lines[0].get_xdata()[0] for container in ax.containers]
    assert drawn == pytest.approx((wide["AE"] - wide["GCN"]).tolist())
    assert sum(len(part.get_offsets()) for part in ax.collections if len(part.get_offsets()) == 3) == 18
    assert [label.get_text() for label in ax.get_yticklabels()] == list("012345")
    assert figures.gains_by_split(pd.DataFrame()).svg()
    both = figures.gains_by_split(pd.concat([runs, runs.assign(dataset="pubmed")]))
    assert [ax.get_title() for ax in both.axes] == ["AE, Cora, 1 hidden layer", "AE, Pubmed, 1 hidden layer"]
