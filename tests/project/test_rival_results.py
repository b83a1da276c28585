"""Stored runs of rival tasks agree with what else is stored, and with what their searches chose."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mtgcn.experiments.network_names import tasks_of
from mtgcn.pipeline import yaml_file

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "book/results"
PLACES = sorted(path.stem.removeprefix("rivals-") for path in (ROOT / "params/search/rivals").glob("*.yaml"))
PLACES = [place for place in PLACES if (RESULTS / f"rivals-{place}.csv").exists()]
OURS = ("AE", "FR", "ER")


def networks(name: str) -> dict[str, dict[str, dict]]:
    """Return the networks of a parameter file."""
    return yaml_file.read(ROOT / f"params/{name}.yaml").data["networks"]


def best_of_search(name: str, tasks: tuple[str, ...]) -> str:
    """Return the single task that a search found best, the first of equal ones."""
    table = pd.read_csv(RESULTS / f"search/{name}.csv").query("chosen and network in @tasks")
    return str(table.loc[table["validation_accuracy"].idxmax(), "network"])


@pytest.mark.parametrize("place", PLACES)
def test_the_plain_network_beside_rivals_is_the_one_of_table_1(place: str) -> None:
    """Runs beside rivals may end earlier, and still have the same best epoch."""
    stored = [pd.read_csv(RESULTS / f"{name}.csv").query("network == 'GCN'") for name in (f"rivals-{place}", place)]
    rivals, own = (one.set_index("seed")["test_accuracy"] for one in stored)
    assert len(rivals) == 50
    assert (rivals - own[rivals.index]).abs().max() < 1e-9


@pytest.mark.parametrize("place", PLACES)
def test_rivals_have_fifty_runs_with_the_weights_of_their_search(place: str) -> None:
    runs, said = pd.read_csv(RESULTS / f"rivals-{place}.csv"), networks(f"rivals-{place}")
    assert set(runs["network"]) == set(said)
    assert (runs.groupby("network")["seed"].nunique() == 50).all()
    table = pd.read_csv(RESULTS / f"search/rivals-{place}.csv").query("chosen").set_index("network")
    for task in ("NC", "GP", "GCo", "EM", "PD"):
        assert said[task][task]["weight"] == table.loc[task, f"{task}.weight"]
    assert runs["seed"].max() < table["first_seed"].min()


@pytest.mark.parametrize("place", PLACES)
def test_the_network_of_both_papers_joins_the_best_task_of_each(place: str) -> None:
    said = networks(f"rivals-{place}")
    (both,) = [name for name in said if "+" in name]
    ours, theirs = tasks_of(both)
    assert ours == best_of_search(place, OURS)
    assert theirs == best_of_search(f"rivals-{place}", ("NC", "GP", "GCo", "EM", "PD"))
    assert said[both] == {ours: networks(place)[ours][ours], theirs: said[theirs][theirs]}


@pytest.mark.parametrize("path", sorted(RESULTS.glob("rivals-weights-*.csv")), ids=lambda path: path.stem)
def test_learned_weights_have_a_run_with_tuned_ones_for_each_seed(path: Path) -> None:
    runs = pd.read_csv(path)
    tuned = pd.read_csv(RESULTS / f"{path.stem.removeprefix('rivals-weights-')}.csv")
    for network, own in runs.groupby("network"):
        assert set(own["seed"]) <= set(tuned.query("network == @network")["seed"]), network


@pytest.mark.parametrize("path", sorted(RESULTS.glob("rivals-gat-*.csv")), ids=lambda path: path.stem)
def test_plain_attention_is_near_what_its_authors_report(path: Path) -> None:
    published = {"cora": 83.0, "citeseer": 72.5, "pubmed": 79.0}[path.stem.removeprefix("rivals-gat-")]
    plain = pd.read_csv(path).query("network == 'GCN'")["test_accuracy"]
    assert len(plain) >= 20
    assert abs(float(np.mean(plain)) - published) < 1
