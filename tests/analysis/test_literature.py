"""The paper's figures hang together: they were copied by hand, and its tables repeat and imply each other."""

import pytest

from mtgcn.analysis import literature


def test_every_cell_of_tables_1_and_2_is_there_once() -> None:
    cells = literature.accuracies().groupby(["dataset", "hidden_layers"])["network"].agg(tuple)
    assert set(cells.index) == {("citeseer", 1), ("cora", 1), ("pubmed", 1), ("cora", 2), ("cora", 5)}
    assert (cells.map(lambda networks: networks == literature.NETWORKS)).all()


def test_table_3_is_the_best_of_table_1_less_its_gcn() -> None:
    one = literature.accuracies().query("hidden_layers == 1")
    best = one.groupby("dataset")["mean"].max() - one.query("network == 'GCN'").set_index("dataset")["mean"]
    printed = literature.gains().query("source == @literature.PAPER").set_index("dataset")["gain"]
    assert best.to_dict() == pytest.approx(printed.to_dict())


def test_table_2_s_printed_gains_follow_from_its_means() -> None:
    # The percentage points in brackets in Table 2, a second print of the same cells.
    printed = {
        1: [1.04, 0.94, 0.70, 1.00, 0.92, 0.83],
        2: [1.36, 1.15, 0.63, 1.11, 0.02, -0.29],
        5: [33.10, 34.58, 17.54, 33.04, 8.74, 9.76],
    }
    cora = literature.accuracies().query("dataset == 'cora'").pivot_table("mean", "hidden_layers", "network")
    for depth, gains in printed.items():
        means = cora.loc[depth, list(literature.NETWORKS)].to_numpy()
        assert means[1:] - means[0] == pytest.approx(gains)


def test_counts_are_those_of_the_planetoid_files() -> None:
    counts = literature.datasets().set_index("dataset")
    assert counts.loc["pubmed", ["nodes", "classes", "features"]].tolist() == [19717, 3, 500]
    assert (counts["training_per_class"] * counts["classes"]).to_dict() == {
        "cora": 140,
        "citeseer": 120,
        "pubmed": 60,
    }
    assert (counts[["validation", "test"]] == [500, 1000]).all(axis=None)


def test_kipf_and_welling_are_quoted_without_an_error() -> None:
    quoted = literature.published_gcn()
    assert "sem" not in quoted.columns
    assert quoted.set_index("dataset")["mean"].to_dict() == {"citeseer": 70.3, "cora": 81.5, "pubmed": 79.0}


def test_tables_are_copies() -> None:
    changed = literature.accuracies()
    changed["mean"] = 0.0
    assert (literature.accuracies()["mean"] > 0).all()
