"""The study of depth: pages gathered as one, runs with their measures, and tables by depth."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mtgcn.analysis import depth, literature
from mtgcn.experiments import stored
from mtgcn.experiments.columns import MEASURES

NETWORKS = ("GCN", "AE")


def study(remedy: str = "none", tuned_for: int = 1, settings: str = "") -> pd.DataFrame:
    """Three runs of two networks with two and eight hidden layers, as a page of the study writes them."""
    rows = [(network, layers, seed) for network in NETWORKS for layers in (2, 8) for seed in range(3)]
    table = pd.DataFrame(rows, columns=["network", "hidden_layers", "seed"])
    marks = {"remedy": remedy, "settings": settings, "tuned_for": tuned_for, "chance": 31.9, "seconds": 1.0}
    return table.assign(dataset="cora", test_accuracy=80.0 - table["hidden_layers"] - table["seed"], **marks)


def measures(table: pd.DataFrame) -> pd.DataFrame:
    """A row for each run and layer; layer k has k in every measure, and dead units in the first only."""
    parts = []
    for layer in range(1, 9):
        own = table[table["hidden_layers"] >= layer][["network", "hidden_layers", "seed"]].assign(epoch=7, layer=layer)
        parts.append(
            own.assign(
                **{**dict.fromkeys(MEASURES, float(layer)), "gradient_norm": 0.1, "dead_units": 1.0 * (layer == 1)}
            )
        )
    return pd.concat(parts, ignore_index=True)


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of results with a study, one tuned for eight layers, and a remedy with two kinds of settings."""
    monkeypatch.setenv(stored.RESULTS, str(tmp_path))
    tuned = study(tuned_for=8)
    tables = {
        "depth-cora": study().drop(columns="settings"),  # from before there was that mark
        "depth-cora-tuned": tuned[(tuned["network"] == "AE") & (tuned["hidden_layers"] == 8)],
        "remedy-a": study("gcnii"),
        "remedy-b": study("gcnii", settings="authors' settings"),
    }
    for name, table in tables.items():
        table.to_csv(tmp_path / f"{name}.csv", index=False)
        (tmp_path / name).mkdir()
        measures(table).to_csv(tmp_path / name / "measures.csv", index=False)
    return tmp_path


@pytest.mark.usefixtures("pages")
def test_pages_are_gathered_as_one_and_their_runs_named_in_order() -> None:
    runs = depth.gather("depth-*", "remedy-*")
    assert len(runs) == 3 * 12 + 3
    assert list(runs["variant"].cat.categories) == [
        *("GCN", "AE", "AE, tuned for 8 layers", "GCN, GCNII", "AE, GCNII"),
        *("GCN, GCNII, authors' settings", "AE, GCNII, authors' settings"),
    ]
    theirs = runs[runs["remedy"] == "gcnii, authors' settings"]
    assert set(theirs["results"]) == {"remedy-b"}
    kept = depth.gather("depth-*", "remedy-*", kept="measures.csv")
    assert kept.groupby("results")[depth.MARKS].first().loc["depth-cora-tuned"].tolist() == ["cora", "text", "none", 8]
    assert len(kept[kept["remedy"] == "gcnii, authors' settings"]) == 2 * 3 * (2 + 8)


@pytest.mark.parametrize("kept", depth.COLUMNS)
def test_nothing_stored_is_no_mistake(kept: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(stored.RESULTS, str(tmp_path))
    table = depth.gather("depth-*", kept=kept)
    assert table.empty
    assert {*depth.MARKS, "results", "network"} <= set(table.columns)


@pytest.mark.usefixtures("pages")
def test_a_run_has_the_measures_of_its_last_layer_and_the_most_dead_units_of_any() -> None:
    runs = depth.measured(depth.gather("depth-*"), depth.gather("depth-*", kept="measures.csv"))
    assert len(runs) == 12 + 3
    assert (runs["effective_rank"] == runs["hidden_layers"]).all()
    assert set(runs["dead_units"]) == {0.0}
    assert set(runs["most_dead_units"]) == {1.0}


def test_of_runs_without_measures_only_those_that_diverged_are_kept() -> None:
    table = study()
    found = measures(table).query("network == 'GCN'")
    table.loc[table["network"] == "AE", "test_accuracy"] = [np.nan, 50.0, 50.0, np.nan, 50.0, 50.0]
    runs = depth.measured(table, found)  # as one page has them: without the marks of a page
    assert runs.groupby("network").size().to_dict() == {"GCN": 6, "AE": 2}
    assert runs[runs["network"] == "AE"]["effective_rank"].isna().all()


@pytest.mark.usefixtures("pages")
def test_runs_of_two_protocols_stay_apart(pages: Path) -> None:
    study().assign(protocol="matched", test_accuracy=20.0).to_csv(pages / "layers-matched.csv", index=False)
    runs = depth.gather("depth-*", "layers-*")
    assert runs.groupby("results")["protocol"].unique().map(list).to_dict() == {
        "depth-cora": ["text"],
        "depth-cora-tuned": ["text"],
        "layers-matched": ["matched"],
    }
    assert depth.place("cora", "text") == "Cora"
    assert depth.place("cora", "matched") == "Cora, matched protocol"
    matched = depth.gains(runs).query("protocol == 'matched'")
    assert len(matched) == 2
    assert (matched == 0).all(axis=None)  # and not 58 points below the other protocol's GCN


@pytest.mark.usefixtures("pages")
def test_gains_are_paired_by_seed_with_the_gcn_of_the_same_remedy(pages: Path) -> None:
    runs = depth.gather("depth-*", "remedy-*")
    gained = {0: 3.0, 1: 5.0, 2: np.nan}  # the last one diverged
    ours = (runs["network"] == "AE") & (runs["remedy"] == "gcnii") & (runs["hidden_layers"] == 8)
    runs.loc[ours, "test_accuracy"] += runs.loc[ours, "seed"].map(gained)
    gains = depth.gains(runs).reset_index().set_index(["variant", "hidden_layers"])[["mean", "low", "high"]]
    half = 12.7062047  # Student's t with one degree of freedom, times a standard error of one
    assert gains.loc[("AE, GCNII", 8)].tolist() == pytest.approx([4, 4 - half, 4 + half])
    others = gains.drop(("AE, GCNII", 8))
    assert others.to_numpy() == pytest.approx(0)
    assert ("AE, tuned for 8 layers", 8) in others.index
    assert depth.gains(runs.iloc[:0]).empty


def test_accuracy_by_depth_has_means_errors_and_the_best_bold() -> None:
    index = pd.MultiIndex.from_tuples([("GCN", 2), ("GCN", 8), ("AE", 2), ("AE", 8), ("ER", 8)])
    numbers = pd.DataFrame({"mean": [81.0, 50.0, 70.0, 60.004, 60.001], "sem": [1.0, 0.0, 0.0, 0.0, np.nan]}, index)
    shown = depth.by_depth(numbers, "cora")
    assert shown.text.columns.name == "Cora, hidden layers"
    assert shown.text.index.tolist() == ["GCN", "AE", "ER"]
    assert shown.text["2"].tolist() == ["81.0 ± 1.0", "70.0 ± 0.0", "–"]
    assert shown.text["8"].tolist() == ["50.0 ± 0.0", "60.0 ± 0.0", "60.0"]
    assert shown.bold["2"].tolist() == [True, False, False]
    assert shown.bold["8"].tolist() == [False, True, True]  # what is alike in print is bold alike
    assert depth.by_depth(numbers.iloc[:0]).text.empty


def test_gains_by_depth_have_their_intervals_and_are_bold_above_zero() -> None:
    index = pd.MultiIndex.from_tuples([("AE", 2), ("AE", 8), ("AE, gcnii", 8)])
    columns = ["mean", "low", "high"]
    shown = depth.by_depth(pd.DataFrame([(1.33, 0.62, 2.05), (0.3, -2.5, 3.2), (-2, -4.5, -0.5)], index, columns))
    assert shown.text["2"].tolist() == ["+1.3 [+0.6, +2.0]", "–"]
    assert shown.text["8"].tolist() == ["+0.3 [−2.5, +3.2]", "−2.0 [−4.5, −0.5]"]
    assert shown.bold.to_numpy().tolist() == [[True, False], [False, False]]


def test_tables_on_one_page_do_not_share_their_bold_cells() -> None:
    index = pd.MultiIndex.from_tuples([("GCN", 2), ("AE", 2)])
    one = depth.by_depth(pd.DataFrame({"mean": [80.0, 70.0], "sem": 1.0}, index), "cora")
    other = depth.by_depth(pd.DataFrame({"mean": [70.0, 80.0], "sem": 1.0}, index), "pubmed")
    assert one.name == other.name
    (first,), (second,) = (re.findall(r"#(\S+row\d_col\d) {\s+font-weight: bold", t.html()) for t in (one, other))
    assert first not in other.html()
    assert second not in one.html()


def test_published_figures_say_whose_they_are_and_where_they_were_read() -> None:
    table = literature.remedies()
    rong = table[table["source"] == "Rong et al. (2020)"]
    assert (rong["layers"] - rong["hidden_layers"] == 1).all()
    at_eight = rong.query("dataset == 'cora' and layers == 8").set_index("remedy")["accuracy"]
    assert at_eight.to_dict() == {"none": 69.5, "dropedge": 75.8, "residual": 75.6}
    assert set(literature.remedy_sources()) == set(table["source"])
    assert all("README.md of https://github.com/" in where for where in literature.remedy_sources().values())
