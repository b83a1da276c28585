"""What a page says about itself, and the results it reads and keeps."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mtgcn.analysis import page as pages
from mtgcn.analysis import paper_tables
from mtgcn.data import datasets
from mtgcn.errors import MtgcnError
from mtgcn.experiments import experiment, running, stored
from mtgcn.experiments.learning_curves import thinned
from mtgcn.experiments.problems import parameters_in

NETWORKS = {"GCN": {}, "AE": {"AE": {"weight": 7}}, "AE+ER": {"ER": {"size": 3}}}


@pytest.fixture(scope="module")
def outcome() -> experiment.Outcome:
    parameters = experiment.parameters_of(dataset="toy", runs=2, epochs=60, networks=NETWORKS)
    return experiment.run(parameters, progress=False)


def test_parameters_are_found_among_other_names() -> None:
    parameters = parameters_in({"dataset": "toy", "epochs": 3, "In": [], "np": np, "networks": NETWORKS})
    assert parameters.epochs == 3
    assert list(parameters.networks) == list(NETWORKS)
    with pytest.raises(MtgcnError, match="epochs"):
        parameters_in({"dataset": "toy", "epochs": -3})


def test_the_table_of_networks_has_a_row_for_each_task() -> None:
    table = pages.networks_table(experiment.parameters_of(dataset="toy", networks=NETWORKS))
    assert list(zip(table.index, table["task"], strict=True)) == [("AE", "AE"), ("AE+ER", "AE"), ("AE+ER", "ER")]
    assert table["weight"].tolist() == [7, 100, 0.1]
    assert table["size"].tolist() == ["", "", 3]
    assert pages.networks_table(experiment.parameters_of(dataset="toy")).empty


def test_facts_about_a_graph_counted_by_hand() -> None:
    arrays = datasets.load("toy", normalise=False)
    facts = pages.data_facts(arrays).facts
    dense = arrays.features.toarray()
    within = sum(arrays.labels[u] == arrays.labels[v] for u, v in arrays.edges.T) / arrays.edges.shape[1]
    assert facts["nodes"] == "240"
    assert facts["edges"].startswith(f"{arrays.edges.shape[1]}, {100 * within:.0f}%")
    assert facts["features"].startswith(f"120, of which a node has {(dense != 0).sum(1).mean():.0f} ")


def test_computed_with_says_all_that_is_needed() -> None:
    parameters = experiment.parameters_of(dataset="toy", runs=2, epochs=60, first_seed=5, networks=NETWORKS)
    record = running.Record.of(parameters, datasets.load("toy").digest, 12.34)
    facts = pages.computed_with(record).facts
    assert datasets.load("toy").digest[:16] in facts["data set"]
    assert facts["seeds"] == "5 to 6"
    for name in set(type(parameters).model_fields) - {"dataset", "networks", "runs", "first_seed"}:
        assert f"{name} " in facts["parameters"]
    assert "torch" in facts["versions"]
    assert facts["training took"] == "12.3 s"


def test_facts_are_safe_to_show() -> None:
    shown = pages.Facts({"a<b": "1 & 2"})
    assert ">a&lt;b</th>" in shown._repr_html_()
    assert ">1 &amp; 2</td>" in shown._repr_html_()
    assert repr(shown) == "a<b  1 & 2"


def test_thinned_curves_keep_first_last_and_few(outcome: experiment.Outcome) -> None:
    thin = thinned(outcome.curves, epochs=10)
    ends = outcome.curves.groupby(["network", "seed"])["epoch"].max()
    for run, rows in thin.groupby(["network", "seed"]):
        assert rows["epoch"].min() == 1
        assert rows["epoch"].max() == ends[run]
        assert len(rows) <= 11
    both = thin.merge(outcome.curves, on=["network", "seed", "epoch"], suffixes=("", "_all"))
    assert len(both) == len(thin)
    np.testing.assert_allclose(both["training_loss"], both["training_loss_all"], rtol=1e-5)


def test_the_table_of_one_cell(outcome: experiment.Outcome) -> None:
    table = paper_tables.one_cell(outcome.table)
    assert list(table.text.index) == list(NETWORKS)
    assert list(table.text.columns) == ["ours", "paper", "Δ", "gain [95 %]", "p (Holm)"]
    accuracy = outcome.table.query("network == 'GCN'")["test_accuracy"]
    error = accuracy.std(ddof=1) / 2**0.5
    assert table.text.loc["GCN", "ours"] == f"{accuracy.mean():.2f} ± {error:.2f}"
    cora = paper_tables.one_cell(outcome.table.assign(dataset="cora"))
    assert cora.text.loc["GCN", "paper"] == "81.13 ± 0.13"


def test_what_is_kept_can_be_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = pd.DataFrame({"x": [1, 2], "y": [0.1 + 0.2, 81.9], "z": ["a", "b"]})
    stored.keep(table)  # outside the pipeline: nowhere to keep it
    monkeypatch.setenv(stored.OUTBOX, str(tmp_path))
    stored.keep(table)
    stored.keep("text", "deep/er.txt")
    assert (tmp_path / "results.csv").read_text() == "x,y,z\n1,0.3,a\n2,81.9,b\n"
    assert (tmp_path / "deep" / "er.txt").read_text() == "text"
    for name in ("cora-1", "cora-2", "pubmed-1"):
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    (tmp_path / "results.csv").unlink()
    monkeypatch.setenv(stored.RESULTS, str(tmp_path))
    assert stored.names(["pubmed-1", "*-1"]) == ["pubmed-1", "cora-1"]
    assert stored.names(["none-*"]) == []
    (tmp_path / "search").mkdir()
    table.to_csv(tmp_path / "search" / "cora-1.csv", index=False)
    assert stored.names(["*"]) == ["cora-1", "cora-2", "pubmed-1"]
    assert stored.read("search/*")["results"].tolist() == ["search/cora-1"] * 2
    assert stored.read("cora-*")["results"].tolist() == ["cora-1", "cora-1", "cora-2", "cora-2"]
    table.to_csv(tmp_path / "cora-1-more.csv", index=False)
    assert stored.names(["cora-*"]) == ["cora-1", "cora-1-more", "cora-2"]  # by name, not by that of the file
    with pytest.raises(MtgcnError, match=r"no results called 'cora-3'.*did you mean 'cora-"):
        stored.read("cora-3")
    for wrong in ("**", "/abs/*", "../*", ""):
        with pytest.raises(MtgcnError, match="is no name of results and no pattern"):
            stored.read(wrong)
