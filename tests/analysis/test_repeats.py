"""A hundred runs and random splits of the best network: who that is, and a split as the unit."""

import pandas as pd
import pytest
from support.synthetic import results, split_runs

from mtgcn.analysis import figures, repeats
from mtgcn.errors import MtgcnError


def measured() -> pd.DataFrame:
    runs = results([("cora", 1)], networks=["GCN", "AE", "FR"], runs=100)
    return runs.assign(validation_accuracy=runs["network"].map({"GCN": 90.0, "AE": 79.0, "FR": 78.0}))


def test_the_best_network_is_that_of_the_validation_nodes_and_has_tasks() -> None:
    runs = measured()
    by_test = runs[runs["network"] != "GCN"].groupby("network")["test_accuracy"].mean().idxmax()
    assert by_test == "FR"
    assert repeats.best_network(runs) == "AE"
    assert repeats.best_network(runs.assign(validation_accuracy=80.0)) == "AE"
    for wrong in (runs[runs["network"] == "GCN"], pd.concat([runs, runs.assign(dataset="pubmed")])):
        with pytest.raises(MtgcnError, match="the best network is chosen among"):
            repeats.best_network(wrong)


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
