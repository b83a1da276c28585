"""Gains by number of labels, against made-up runs whose gains are known."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from support.synthetic import label_runs

from mtgcn.analysis import figures, label_gains, literature


def test_runs_of_a_split_are_one_value_and_gains_are_paired() -> None:
    runs = label_runs()
    splits = label_gains.by_split(runs)
    assert len(splits) == 2 * 3 * 6  # networks, numbers of labels, splits
    own = runs.query("dataset == 'cora' and labels == 3 and split == 2").groupby("network")["test_accuracy"].mean()
    row = splits.query("labels == 3 and split == 2 and network == 'AE'").iloc[0]
    assert row["accuracy"] == pytest.approx(own["AE"])
    assert row["gain"] == pytest.approx(own["AE"] - own["GCN"])
    numbers = label_gains.summary(splits).set_index(["labels", "network"])
    gains = splits.query("labels == 3 and network == 'AE'")["gain"]
    low, high = stats.t.interval(0.95, len(gains) - 1, gains.mean(), stats.sem(gains))
    assert numbers.loc[(3, "AE"), ["gain", "low", "high"]].tolist() == pytest.approx([gains.mean(), low, high])
    assert numbers.loc[(3, "AE"), "p"] == pytest.approx(stats.permutation_test(
        (gains.to_numpy(),), np.mean, permutation_type="samples").pvalue)  # fmt: skip
    assert numbers.loc[(3, "AE"), "above"] == (gains > 0).sum()
    assert numbers.loc[(3, "AE"), "splits"] == 6
    assert numbers.loc[(3, "GCN"), ["gain", "low", "high", "p"]].isna().all()


def test_a_diverged_run_is_left_out_and_a_lost_split_has_no_gain() -> None:
    runs = label_runs()
    lost = (runs["labels"] == 1) & (runs["split"] == 0) & (runs["network"] == "GCN")
    runs.loc[lost, "test_accuracy"] = np.nan
    numbers = label_gains.summary(label_gains.by_split(runs)).set_index(["labels", "network"])
    assert numbers.loc[(1, "GCN"), "splits"] == 5
    assert np.isfinite(numbers.loc[(1, "AE"), ["gain", "low", "high", "p"]].to_numpy(float)).all()


def test_the_table_has_accuracy_of_gcn_and_gains_of_the_others() -> None:
    numbers = label_gains.summary(label_gains.by_split(label_runs(gain=5.0)))
    table = label_gains.table(numbers, "cora")
    assert table.text.index.tolist() == [1, 3, 20]
    assert list(table.text) == ["GCN", "AE"]
    assert table.text.loc[3, "AE"].startswith("+")
    assert "±" in table.text.loc[3, "GCN"]
    assert table.bold["AE"].all()
    assert not table.bold["GCN"].any()


def test_ways_stand_side_by_side_with_so_many_labels() -> None:
    usual, empty = (label_gains.summary(label_gains.by_split(runs)) for runs in (label_runs(), pd.DataFrame()))
    both = label_gains.side_by_side({"tuned": empty, "usual": usual, "none": empty}, 3)
    assert both.index.tolist() == [("cora", "AE")]
    assert list(both) == ["tuned", "usual", "none"]
    assert both.iloc[0].tolist() == ["", label_gains.table(usual, "cora").text.loc[3, "AE"], ""]
    assert label_gains.side_by_side({"usual": empty}, 3).empty


def test_the_figure_has_a_panel_for_each_data_set_and_a_band_for_each_network() -> None:
    both = pd.concat([label_runs(), label_runs().assign(dataset="pubmed")])
    figure = figures.gain_bands(label_gains.summary(label_gains.by_split(both)))
    assert [ax.get_title() for ax in figure.axes] == ["Cora", "Pubmed"]
    for ax in figure.axes:
        assert len(ax.collections) == 1
        assert [text.get_text() for text in ax.get_xticklabels()] == ["1", "3", "20"]
    assert "AE" in figure.alt
    assert figures.gain_bands(label_gains.summary(label_gains.by_split(pd.DataFrame()))).svg()  # nothing to show yet


def test_a_panel_tells_who_goes_on_below_its_edge() -> None:
    numbers = label_gains.summary(label_gains.by_split(label_runs(gain=-30.0)))
    (ax,) = figures.gain_bands(numbers, lowest=-8).axes
    assert ax.get_ylim()[0] == -8
    deepest = numbers.loc[numbers["network"] == "AE", "gain"].min()
    assert [text.get_text() for text in ax.texts] == [f"AE down to −{-deepest:.0f}"]
    (whole,) = figures.gain_bands(numbers).axes
    assert whole.get_ylim()[0] < deepest
    assert not whole.texts


def test_rates_of_others_are_so_many_labels_a_class() -> None:
    theirs = literature.few_labels()
    assert theirs["accuracy"].between(40, 80).all()
    assert len(theirs) == 3 * 9
    # More labels are better, in every method and data set.
    assert theirs.groupby(["method", "dataset"])["accuracy"].apply(lambda own: own.is_monotonic_increasing).all()
    each = theirs.drop_duplicates(["dataset", "rate"]).set_index(["dataset", "rate"])["labels"].round()
    assert each.loc["cora"].tolist() == [2, 4, 8]
    assert each.loc["citeseer"].tolist() == [3, 6, 11]
    assert each.loc["pubmed"].tolist() == [2, 4, 7]
