"""The page of verdicts under two protocols, on made-up runs whose answers are known."""

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from project import statements
from project.statements import verdicts as checked

from mtgcn.analysis.literature import NETWORKS
from mtgcn.experiments import stored

ROOT = Path(__file__).parents[2]
SEEDS = 50


def write(folder: Path, name: str, gains: dict[str, float], spread: float = 0.5, protocol: str | None = None) -> None:
    """Write runs around GCN's 80 percent: every network has its gain, and the spread of its paired differences."""
    random = np.random.default_rng(len(name))
    plain = 80 + random.normal(0, 0.5, SEEDS)
    tables = []
    for network in NETWORKS:
        noise = random.normal(0, spread, SEEDS)
        mean = gains.get(network, gains["other"])
        accuracy = plain + (0 if network == "GCN" else mean + noise - noise.mean())
        own = {"network": network, "seed": range(SEEDS), "test_accuracy": accuracy, "validation_accuracy": accuracy}
        tables.append(pd.DataFrame(own))
    dataset, depth = name.split("-")[-2:]
    table = pd.concat(tables).assign(dataset=dataset, hidden_layers=int(depth))
    if protocol:
        table["protocol"] = protocol
    table.to_csv(folder / f"{name}.csv", index=False)


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("results")
    write(folder, "citeseer-1", {"other": 1.0, "AE": 2.0, "AE+FR+ER": 0.9})  # all beat GCN, AE most
    write(folder, "cora-1", {"other": 1.0, "ER": -1.0})  # one network loses
    write(folder, "pubmed-1", {"other": 0.0}, spread=0.2)  # surely nothing
    write(folder, "cora-2", {"other": 0.4}, spread=6.0)  # too noisy to tell
    write(folder, "cora-5", {"other": -3.0})
    write(folder, "matched-cora-5", {"other": 30.0, "AE+FR+ER": 5.0}, protocol="matched")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(stored.RESULTS, str(folder))
        return runpy.run_path(str(ROOT / "notebooks/verdicts.py")) | {"FOLDER": folder}


@pytest.mark.parametrize(
    ("protocol", "place", "claim", "verdict"),
    [
        ("text", ("citeseer", 1), 1, "holds"),
        ("text", ("citeseer", 1), 2, "holds"),
        ("text", ("citeseer", 1), 5, "holds"),
        ("text", ("citeseer", 1), 6, "holds"),  # 2.0 against You et al.'s 0.83
        ("text", ("cora", 1), 1, "does not hold"),
        ("text", ("cora", 1), 2, "holds"),
        ("text", ("pubmed", 1), 2, "does not hold"),  # smaller than 0.3 in either direction
        ("text", ("pubmed", 1), 6, "does not hold"),
        ("text", ("cora", 2), 4, "too close"),
        ("text", ("cora", 5), 4, "does not hold"),
        ("matched", ("cora", 5), 4, "holds"),
        ("matched", ("cora", 5), 5, "holds"),
    ],
)
def test_a_verdict_follows_from_the_gains(
    names: dict[str, Any], protocol: str, place: tuple[str, int], claim: int, verdict: str
) -> None:
    found = names["verdicts"].set_index(["protocol", "dataset", "hidden_layers", "claim"])["verdict"]
    assert found[(protocol, *place, claim)] == verdict


def test_what_is_too_close_says_how_close(names: dict[str, Any]) -> None:
    row = names["verdicts"].query("dataset == 'cora' and hidden_layers == 2 and claim == 4").iloc[0]
    assert row["half"] == pytest.approx(2.0096 * 6.0 / np.sqrt(SEEDS), rel=0.25)  # Student's t at 49 degrees


def test_the_gains_are_there_as_numbers(names: dict[str, Any]) -> None:
    row = names["numbers"].query("protocol == 'matched' and dataset == 'cora' and network == 'AE'").iloc[0]
    assert row["mean"] == pytest.approx(30.0)
    assert row["low"] < 30.0 < row["high"]


def test_the_gain_that_decides_on_every_network_is_the_smallest(names: dict[str, Any]) -> None:
    row = names["deciding"].query("protocol == 'text' and dataset == 'cora' and claim == 1").iloc[0]
    assert (row["network"], row["mean"]) == ("ER", pytest.approx(-1.0))


def test_claims_are_judged_in_all_their_places_together(names: dict[str, Any]) -> None:
    found = names["overall"].set_index(["protocol", "claim"])["verdict"]
    assert found["text", 1] == "does not hold"
    assert found["matched", 4] == "holds"


def test_verdicts_found_by_other_means_are_the_same(names: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The statements of the page have their own tests and their own Holm; both must come to one verdict."""
    for cached in (statements.page, statements.wide, checked.chosen, checked.verdicts):
        cached.cache_clear()
    monkeypatch.setattr(statements, "RESULTS", names["FOLDER"])
    text = names["verdicts"].query("protocol == 'text'")
    places = [f"{dataset}-{depth}" for dataset, depth in text[["dataset", "hidden_layers"]].to_numpy()]
    found = dict(zip(zip(text["claim"], places, strict=True), text["verdict"], strict=True))
    assert checked.verdicts("text") == found
    for cached in (statements.page, statements.wide, checked.chosen, checked.verdicts):
        cached.cache_clear()


def test_p_values_are_corrected_within_a_claim_and_protocol(names: dict[str, Any]) -> None:
    tests = names["tests"]
    first = tests[(tests["protocol"] == "text") & (tests["claim"] == 1)]
    assert len(first) == 18
    ordered = first.sort_values("p")
    assert ordered["corrected p"].iloc[0] == pytest.approx(min(1.0, 18 * ordered["p"].iloc[0]))


def test_the_best_network_is_chosen_by_validation(names: dict[str, Any]) -> None:
    best = names["tests"].query("dataset == 'citeseer' and claim == 2")["network"].item()
    assert best == "AE"


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of a spread that one run does not have
def test_a_single_run_gives_a_page_without_a_verdict(
    names: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for table in names["FOLDER"].glob("*.csv"):
        pd.read_csv(table).query("seed == 0").to_csv(tmp_path / table.name, index=False)
    monkeypatch.setenv(stored.RESULTS, str(tmp_path))
    found = runpy.run_path(str(ROOT / "notebooks/verdicts.py"))
    assert set(found["verdicts"]["verdict"]) == {"too close"}
