"""A hundred runs and random splits of the best network: who that is, what the page shows, how its files are made."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import tiny_project as tiny
import yaml
from synthetic import results, split_runs

from mtgcn import figures, follow_up, more_runs, runfile
from mtgcn.errors import MtgcnError
from mtgcn.project import Project

ROOT = Path(__file__).parents[1]


def measured() -> pd.DataFrame:
    runs = results([("cora", 1)], networks=["GCN", "AE", "FR"], runs=100)
    return runs.assign(validation_accuracy=runs["network"].map({"GCN": 90.0, "AE": 79.0, "FR": 78.0}))


def test_the_best_network_is_that_of_the_validation_nodes_and_has_tasks() -> None:
    runs = measured()
    by_test = runs[runs["network"] != "GCN"].groupby("network")["test_accuracy"].mean().idxmax()
    assert by_test == "FR"
    assert more_runs.best_network(runs) == "AE"
    assert more_runs.best_network(runs.assign(validation_accuracy=80.0)) == "AE"
    for wrong in (runs[runs["network"] == "GCN"], pd.concat([runs, runs.assign(dataset="pubmed")])):
        with pytest.raises(MtgcnError, match="the best network is chosen among"):
            more_runs.best_network(wrong)


def test_the_page_shows_what_is_there() -> None:
    runs = pd.concat([measured(), split_runs()])
    table = more_runs.hundred_table(runs)
    assert list(table.text.index) == [
        "Citeseer, 1 hidden layer",
        "Cora, 1 hidden layer",
        "Pubmed, 1 hidden layer",
        "Cora, 2 hidden layers",
        "Cora, 5 hidden layers",
    ]
    row = table.text.loc["Cora, 1 hidden layer"]
    wide = measured().pivot_table("test_accuracy", "seed", "network")
    assert row["runs"] == "100"
    assert row["GCN"] == f"{wide['GCN'].mean():.2f} ± {wide['GCN'].sem():.2f}"
    assert row["best network"] == f"{wide['AE'].mean():.2f} ± {wide['AE'].sem():.2f} (AE)"
    gain = wide["AE"] - wide["GCN"]
    assert row["gain [95 %]"].startswith(f"{gain.mean():+.2f} [")
    rng = np.random.default_rng(5)
    picks = [gain.iloc[rng.choice(100, 10, replace=False)].mean() for _ in range(3000)]
    assert float(row["10 runs mislead"].rstrip(" %")) == pytest.approx(100 * np.mean(np.array(picks) < 1e-9), abs=3)
    assert (table.text.drop("Cora, 1 hidden layer") == "–").all(axis=None)
    splits = more_runs.splits_table(runs).text
    assert splits.loc["Cora, 1 hidden layer", ["splits", "network"]].tolist() == ["6", "AE"]
    assert (splits.drop("Cora, 1 hidden layer") == "–").all(axis=None)


@pytest.mark.parametrize("runs", [pd.DataFrame(), measured(), split_runs(), measured().query("network == 'GCN'")])
def test_nothing_fails_where_something_is_missing(runs: pd.DataFrame) -> None:
    for table in (more_runs.hundred_table(runs), more_runs.splits_table(runs)):
        assert len(table.text) == 5
        assert table.html()
        assert table.csv()
    assert figures.runs_by_network(more_runs.on_one_split(runs)).svg()
    assert figures.gains_by_split(more_runs.on_random_splits(runs)).svg()


def test_files_are_made_from_the_cell_and_are_valid(tmp_path: Path) -> None:
    for folder in ("params", "book/results"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "notebooks").symlink_to(ROOT / "notebooks")
    project = Project(tmp_path)
    source = "dataset: cora\nl2_layers: all\nruns: 10\nnetworks:\n  GCN: {}\n  FR: {}\n  AE: {AE: {weight: 7}}\n"
    tiny.write(tmp_path, "cora-1", source)
    with pytest.raises(MtgcnError, match="cora-1 has no results yet"):
        follow_up.write(project, "cora-1")
    measured().to_csv(tmp_path / "book" / "results" / "cora-1.csv", index=False)
    assert follow_up.write(project, "cora-1") == ["hundred-cora-1", "splits-cora-1"]
    hundred, splits = (
        runfile.load(tmp_path / "params" / f"{name}-cora-1.yaml", project.notebooks) for name in ("hundred", "splits")
    )
    assert (hundred.title, hundred.notebook.stem) == ("Cora, 1 hidden layer: a hundred runs", "experiment")
    assert (splits.title, splits.notebook.stem) == ("Cora, 1 hidden layer: random splits", "splits")
    assert (hundred.complete["runs"], splits.complete["runs"], splits.complete["splits"]) == (100, 3, 10)
    for file in (hundred, splits):
        assert file.complete["l2_layers"] == "all"
        assert list(file.complete["networks"]) == ["GCN", "AE"]
        assert file.complete["networks"]["AE"]["AE"]["weight"] == 7
        text = file.source.path.read_text()
        assert text.startswith("# GCN and the network")
        assert list(yaml.safe_load(text)["networks"]) == ["GCN", "AE"]
