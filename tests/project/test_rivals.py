"""The page of rival tasks, weights and layers, on made-up runs whose answers are known, and with hardly any."""

import runpy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mtgcn.analysis.table import Table
from mtgcn.data import datasets, toy
from mtgcn.data.datasets import Dataset, from_arrays
from mtgcn.experiments import stored

ROOT = Path(__file__).parents[2]
SEEDS = 20
PLACES = ("citeseer-1", "cora-1", "pubmed-1")


def table(dataset: str, means: Mapping[str, float], **columns: Any) -> pd.DataFrame:
    """Runs of each network around its mean, those of the same seed with the same noise but for a little."""
    random = np.random.default_rng(3)
    shared, tables = random.normal(0, 1, SEEDS), []
    for network, mean in means.items():
        own = random.normal(0, 0.1, SEEDS)
        accuracy = mean + shared - shared.mean() + own - own.mean()
        row = {"network": network, "seed": range(SEEDS), "test_accuracy": accuracy, "validation_accuracy": accuracy}
        tables.append(pd.DataFrame(row))
    return pd.concat(tables).assign(dataset=dataset, hidden_layers=1, **columns)


def with_rules(runs: pd.DataFrame, early: float) -> pd.DataFrame:
    """Add the columns of the rules; an early stop costs ``early`` points."""
    return runs.assign(test_by_accuracy=runs["test_accuracy"], test_at_early_stop=runs["test_accuracy"] - early)


def write(folder: Path) -> None:
    made = {
        place: table(place.removesuffix("-1"), {"GCN": 80.0, "AE": 80.5, "AE+FR": 80.2, "AE+FR+ER": 80.1})
        for place in PLACES
    }
    tuned = {"GCN": 81.0, "AE": 81.1, "NC": 82.0, "GP": 80.0, "AE+NC": 82.5, "AE+GP": 83.0}
    made["rivals-cora-1"] = table("cora", tuned, protocol="text")
    made["rivals-matched-cora-1"] = table("cora", {"GCN": 70.0, "NC": 74.0}, protocol="matched")
    made["rivals-you-nc-cora"] = with_rules(table("cora", {"NC": 81.5}, protocol="text"), 1.0)
    made["rivals-you-gp-cora"] = with_rules(table("cora", {"GP": 81.2}, protocol="text"), 2.0)
    made["rivals-you-gco-cora"] = with_rules(table("cora", {"GCN": 81.0, "GCo": 80.8}, protocol="text"), 2.0)
    made["rivals-gat-cora"] = table("cora", {"GCN": 82.9, "AE": 83.9}, protocol="text")
    made["rivals-weights-cora-1"] = pd.concat(
        table("cora", {"AE": mean, "AE+FR+ER": mean + 1}, variant=variant)
        for variant, mean in {"equal": 79.0, "uncertainty": 78.0, "gradnorm": 77.0}.items()
    )
    for name, runs in made.items():
        runs.to_csv(folder / f"{name}.csv", index=False)
    (folder / "search").mkdir()
    points = [("GCN", 8), ("AE", 30), ("AE", 12), ("FR", 5), ("ER", 7), ("AE+FR", 99), ("AE+FR+ER", 11)]
    pd.DataFrame(points, columns=["network", "runs"]).to_csv(folder / "search/cora-1.csv", index=False)


def shown(folder: Path, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Run the notebook on these results, with a small graph in the place of every data set."""
    arrays = toy.generate(nodes=300, classes=3, features=60, words=8, seed=1)

    def small(name: str) -> Dataset:
        return from_arrays(arrays, name, "generated")

    patch.setenv(stored.RESULTS, str(folder))
    patch.setenv("MTGCN_CACHE", str(folder / "cache"))
    patch.setattr(datasets, "load", small)
    return runpy.run_path(str(ROOT / "notebooks/rivals.py"))


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("results")
    write(folder)
    with pytest.MonkeyPatch.context() as patch:
        return shown(folder, patch)


@pytest.mark.parametrize(
    ("protocol", "task", "kind", "network", "gain"),
    [
        ("text", "NC", "alone", "NC", 1.0),
        ("text", "NC", "with the best partner", "AE+NC", 1.5),
        ("text", "AE", "with the best partner", "AE+GP", 2.0),
        ("matched", "NC", "alone", "NC", 4.0),
    ],
)
def test_a_task_has_its_gain_alone_and_with_its_best_partner(
    names: dict[str, Any], protocol: str, task: str, kind: str, network: str, gain: float
) -> None:
    own = names["marks"].set_index(["dataset", "protocol", "task", "kind"]).loc[("cora", protocol, task, kind)]
    assert own["network"] == network
    assert own["gain"] == pytest.approx(gain)
    assert own["low"] < gain < own["high"]


def test_table_3_has_what_is_quoted_above_what_is_measured(names: dict[str, Any]) -> None:
    found = names["table3"].set_index(["source", "dataset"])
    assert found.loc[("You et al. (2020), quoted", "cora"), "gain"] == 0.81
    theirs = found.loc[("You et al., their settings", "cora")]
    assert (theirs["network"], theirs["gain"]) == ("NC", pytest.approx(0.5))
    assert found.loc[("You et al., as its figures suggest", "cora"), "gain"] == pytest.approx(4.0)
    assert found.loc[("the paper's tasks, as the paper says", "citeseer"), "gain"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("network", "best", "early", "code"), [("NC", 0.5, 1.5, 1.5), ("GP", 0.2, 0.2, 0.2), ("GCo", -0.2, -0.2, 1.8)]
)
def test_what_the_rules_for_stopping_do_to_a_gain(
    names: dict[str, Any], network: str, best: float, early: float, code: float
) -> None:
    found = names["stops"].set_index(["network", "way"])["gain"]
    ways = ("both at the best epoch", "both stopped early", "as in their code")
    assert [found[(network, way)] for way in ways] == pytest.approx([best, early, code])


def test_learned_weights_stand_beside_what_the_search_took(names: dict[str, Any]) -> None:
    found = names["learned"].set_index(["network", "weights"])
    assert found.loc[("AE", "uncertainty"), "mean"] == pytest.approx(78.0)
    assert found.loc[("AE", "tuned"), "mean"] == pytest.approx(80.5)  # of cora-1, the same seeds
    assert found.loc[("AE", "tuned"), "search"] == 42
    assert found.loc[("AE+FR+ER", "tuned"), "search"] == 42 + 5 + 7 + 11
    assert found.loc[("AE", "gradnorm"), "search"] == 0


def test_a_layer_stands_beside_its_authors_figure(names: dict[str, Any]) -> None:
    found = names["layers"].set_index(["layer", "dataset"])
    assert found.loc[("GAT", "cora"), "mean"] == pytest.approx(82.9)
    assert found.loc[("GAT", "cora"), "accuracy"] == 83.0
    tasks = names["tasks"].set_index(["layer", "dataset", "network"])["gain"]
    assert tasks["GAT", "cora", "AE"] == pytest.approx(1.0)


def test_labels_of_clusters_are_compared_with_the_classes(names: dict[str, Any]) -> None:
    assert names["clusters"]["agree, %"].between(0, 100).all()
    assert len(names["clusters"]) == 3


def test_the_page_shows_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in PLACES:
        table(place.removesuffix("-1"), {"GCN": 80.0, "AE": 80.5}).to_csv(tmp_path / f"{place}.csv", index=False)
    names = shown(tmp_path, monkeypatch)
    assert names["marks"]["task"].unique().tolist() == ["AE"]
    assert names["stops"].empty
    assert names["learned"].empty
    assert isinstance(names["layers"], pd.DataFrame)
    for name in ("rival-stops", "rival-weights"):
        assert Table(name, pd.DataFrame(), pd.DataFrame(), pd.DataFrame()).html()
