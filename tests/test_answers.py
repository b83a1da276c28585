import pandas as pd
import pytest
from test_claims import all_at, runs

from mtgcn import answers
from mtgcn.claims import FAILS, HOLDS, MISSING, UNCLEAR

CELLS = [("citeseer", 1), ("cora", 1), ("pubmed", 1), ("cora", 2), ("cora", 5)]


def everywhere(**at) -> pd.DataFrame:
    """Runs with clear gains in every cell, but with other means in the cells that ``at`` names, as in ``cora_1``."""
    means = {cell: all_at(84.0) for cell in CELLS} | {(n[:-2], int(n[-1])): value for n, value in at.items()}
    return pd.concat([runs(value, 0.1, cell) for cell, value in means.items()], ignore_index=True)


def answer(results: pd.DataFrame, number: int) -> pd.Series:
    return answers.answers(results).iloc[number]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ([HOLDS, HOLDS], HOLDS),
        ([HOLDS, UNCLEAR], UNCLEAR),
        ([HOLDS, UNCLEAR, FAILS], FAILS),
        ([FAILS, MISSING], MISSING),
        ([], MISSING),
    ],
)
def test_a_claim_about_all_places_is_as_strong_as_its_weakest(found, expected):
    assert answers.overall(found) == expected


def test_every_claim_of_the_paper_is_answered():
    table = answers.answers(everywhere())
    assert len(table) == 6
    assert table["verdict"].tolist() == [HOLDS, HOLDS, HOLDS, HOLDS, UNCLEAR, HOLDS]  # all with tasks are alike here
    assert table["where"][0] == "In all places"


def test_one_place_refutes_and_is_named():
    results = everywhere(pubmed_1=all_at(84.0, ER=60.0), cora_5=all_at(60.0))
    assert answer(results, 0)["verdict"] == FAILS
    where = "Holds: Citeseer, 1 hidden layer; Cora, 1 hidden layer. Does not hold: Pubmed, 1 hidden layer"
    assert answer(results, 0)["where"] == where
    assert answer(results, 1)["verdict"] == HOLDS
    assert answer(results, 3)["verdict"] == FAILS
    assert answer(results, 3)["where"] == "Holds: Cora, 2 hidden layers. Does not hold: Cora, 5 hidden layers"


def test_words_say_verdict_and_places():
    words = answers.in_words(everywhere(cora_5=all_at(60.0))).splitlines()
    assert len(words) == 6
    assert words[3].startswith(
        "4. *The tasks help with two and five hidden layers, too.* **Does not hold.** Holds: Cora"
    )


def test_without_runs_nothing_is_claimed():
    assert set(answers.answers(pd.DataFrame())["verdict"]) == {MISSING}
    assert answers.baselines(pd.DataFrame()).text.empty


def test_baselines_stand_beside_the_papers():
    table = answers.baselines(everywhere())
    assert table.text.loc["Cora, 5 hidden layers", "paper"] == "16.47 ± 2.19"
    assert table.text.loc["Cora, 1 hidden layer", "Δ"] == "−1.13"


def test_best_networks_are_each_sides_own():
    table = answers.best_networks(everywhere(cora_1=all_at(80.5, ER=83.0)))
    row = table.text.loc["Cora, 1 hidden layer"]
    assert (row["our best"], row["the paper's best"], row["paper"]) == ("ER", "AE", "82.17 ± 0.09")
    assert row["Δ"] == "+0.83"
    assert answers.best_networks(pd.DataFrame()).text.empty


def test_more_runs_say_where_a_gain_is_clear():
    many = pd.concat(
        [
            runs({"GCN": 80.0, "AE": 81.0}, 1.0, ("cora", 1), 100),
            runs({"GCN": 80.0, "FR": 78.0}, 1.0, ("pubmed", 1), 100),
            runs({"GCN": 80.0, "ER": 80.0}, 1.0, ("cora", 5), 100),
        ]
    ).assign(validation_accuracy=80.0)
    words = answers.repeated(many)
    assert words.startswith("100 runs of each network. **Above zero:** Cora, 1 hidden layer (AE +1.00 [+")
    assert "**Below zero:** Pubmed, 1 hidden layer (FR −2.00 [−" in words
    assert "**Not clear:** Cora, 5 hidden layers (ER +0.00 [−" in words
    assert answers.repeated(pd.DataFrame()) == "No place has been measured with more runs yet."


def test_our_baseline_is_held_against_the_papers_and_its_best_network():
    """The paper's plain network has 69.8 % on Citeseer, its best 71.1; with five layers on Cora 16.5 and 51.1."""
    cells = {("citeseer", 1): 70.9, ("cora", 1): 81.2, ("cora", 5): 65.0}
    results = pd.concat([runs({"GCN": mean, "AE": mean}, 1.0, cell, 100) for cell, mean in cells.items()])
    assert answers.above_the_papers(results) == (
        "Our plain GCN is higher than the paper's by more than two standard errors of the difference: Citeseer, 1 "
        "hidden layer; Cora, 5 hidden layers, and higher even than the paper's best network with tasks: Cora, 5 hidden "
        "layers."
    )
    assert answers.above_the_papers(results[:0]).endswith("best network with tasks: nowhere.")
