"""Three failures with one accuracy, told apart on runs whose measures are made up, and their tables."""

import re

import numpy as np
import pandas as pd
import pytest

from mtgcn import depth_tables, diagnosis, published

CELL = {"dataset": "cora", "remedy": "none", "network": "GCN", "hidden_layers": 2}
HEALTHY = {"epoch": 90, "effective_rank": 6.0, "mad_remote": 0.4, "gradient_norm": 0.05, "dead_units": 0.1}


def runs(*changes: dict, accuracy: float = 16.0) -> pd.DataFrame:
    """Diagnose runs with two hidden layers, each healthy but for some measures of the last (or first) layer."""
    table, rows = [], []
    for seed, change in enumerate(changes):
        table.append(CELL | {"seed": seed, "test_accuracy": change.pop("accuracy", accuracy), "chance": 31.9})
        first = {name[6:]: change.pop(name) for name in list(change) if name.startswith("first_")}
        rows += [CELL | {"seed": seed, "layer": layer} | HEALTHY | own for layer, own in ((1, first), (2, change))]
    return diagnosis.diagnose(pd.DataFrame(table), pd.DataFrame(rows))


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        ({}, "none of the three"),
        ({"effective_rank": 1.1}, "over-smoothing"),
        ({"mad_remote": 0.05}, "over-smoothing"),
        ({"gradient_norm": 1e-5}, "vanishing gradients"),
        ({"dead_units": 15 / 16}, "dead units"),
        ({"first_dead_units": 1.0}, "dead units"),
        ({"first_effective_rank": 1.0}, "none of the three"),
        ({"effective_rank": 1.0, "gradient_norm": 1e-7}, "over-smoothing and vanishing gradients"),
        ({"effective_rank": 0.0, "mad_remote": np.nan, "dead_units": 1.0}, "over-smoothing and dead units"),
        ({"effective_rank": 1.1, "accuracy": 80.0}, "learns"),
        ({"effective_rank": 1.1, "accuracy": 36.0}, "over-smoothing"),
        ({"accuracy": np.nan}, "diverged"),
    ],
    ids=str,
)
def test_the_verdict_of_a_run(change, verdict):
    assert runs(dict(change))["verdict"].tolist() == [verdict]


def test_failures_by_depth_count_the_plain_network_and_the_others():
    found = runs({"effective_rank": 1.1}, {"accuracy": 80.0})
    both = pd.concat([found, found.assign(network="AE", hidden_layers=8)], ignore_index=True)
    text = depth_tables.failures_by_depth(both).text
    assert text.index.tolist() == ["2", "8"]
    assert text["GCN"].loc["2"].tolist() == ["1 of 2", "1", "0", "0", "0"]
    assert text["with tasks"].loc["8"].tolist() == ["1 of 2", "1", "0", "0", "0"]
    assert set(text["GCN"].loc["8"]) == {"–"}
    assert "over-smoothing" in depth_tables.failures_by_depth(both)._repr_html_()


def test_runs_like_the_papers_are_those_of_the_plain_network_near_its_mean():
    found = runs({"effective_rank": 1.1}, {"gradient_norm": 0.0}, {"effective_rank": 1.1}, {"accuracy": 31.0})
    text = depth_tables.runs_like_the_papers(found).text
    assert text["runs"].to_dict() == {"over-smoothing": "2", "vanishing gradients": "1"}
    assert text.columns.name == "11.5 to 21.5 %"  # the paper's 16.47 with five points on both sides
    assert depth_tables.runs_like_the_papers(found.iloc[:0]).text.empty


def test_accuracy_by_depth_has_means_errors_and_the_best_bold():
    rows = [(network, depth, seed) for network in ("GCN", "AE") for depth in (2, 8) for seed in range(2)]
    table = pd.DataFrame(rows, columns=["network", "hidden_layers", "seed"])
    table["test_accuracy"] = [80.0, 82.0, 50.0, 50.0, 70.0, 70.0, 60.0, 60.0]
    assert depth_tables.accuracy_by_depth(table).text.index.tolist() == ["GCN", "AE"]
    table = table.assign(remedy="none", tuned_for=1)
    others = [table[:2].assign(remedy="gcnii"), table[6:].assign(tuned_for=8)]
    shown = depth_tables.accuracy_by_depth(pd.concat([table, *others]))
    assert shown.text.index.tolist() == ["GCN", "AE", "AE, tuned for 8 layers", "GCN, gcnii"]
    assert shown.text["2"].tolist() == ["81.0 ± 1.0", "70.0 ± 0.0", "–", "81.0 ± 1.0"]
    assert shown.text["8"].tolist() == ["50.0 ± 0.0", "60.0 ± 0.0", "60.0 ± 0.0", "–"]
    assert shown.bold["2"].tolist() == [True, False, False, True]
    assert shown.bold["8"].tolist() == [False, True, True, False]


def test_tables_on_one_page_do_not_share_their_bold_cells():
    table = pd.DataFrame({"network": ["GCN", "AE"], "hidden_layers": 2, "test_accuracy": [80.0, 70.0]})
    one = depth_tables.accuracy_by_depth(table.assign(dataset="cora"))
    other = depth_tables.accuracy_by_depth(table.assign(dataset="pubmed", test_accuracy=[70.0, 80.0]))
    assert one.name == other.name
    (first,), (second,) = (re.findall(r"#(\S+row\d_col\d) {\s+font-weight: bold", t.html()) for t in (one, other))
    assert first not in other.html()
    assert second not in one.html()
    assert one.text.columns.name == "Cora, hidden layers"


def test_gains_by_depth_are_paired_with_the_plain_network_of_the_same_remedy():
    rows = [(network, depth, seed) for network in ("GCN", "AE") for depth in (2, 8) for seed in range(3)]
    table = pd.DataFrame(rows, columns=["network", "hidden_layers", "seed"]).assign(remedy="none")
    table["test_accuracy"] = [80.0, 82.0, 84.0, 50.0, 50.0, 50.0, 81.0, 83.5, 85.5, 49.0, 51.0, 51.0]
    table["tuned_for"] = 1
    mended = table.assign(remedy="gcnii", test_accuracy=[90.0] * 9 + [89.0, 88.0, 87.0])
    tuned = mended[6:9].assign(tuned_for=2, test_accuracy=[90.5, 91.0, 91.5])  # AE at one of the depths
    shown = depth_tables.gains_by_depth(pd.concat([table, mended, tuned]))
    assert shown.text.loc["AE, gcnii, tuned for 2 layers"].tolist() == ["+1.0 [−0.2, +2.2]", "–"]
    shown = depth_tables.gains_by_depth(pd.concat([table, mended]))
    assert shown.text.index.tolist() == ["AE", "AE, gcnii"]
    # Gains of 1, 1.5 and 1.5: mean 4/3, standard error 1/6, t 4.30 with two degrees of freedom.
    assert shown.text["2"].tolist() == ["+1.3 [+0.6, +2.1]", "+0.0 [+0.0, +0.0]"]
    assert shown.text["8"].tolist() == ["+0.3 [−2.5, +3.2]", "−2.0 [−4.5, +0.5]"]
    assert shown.bold.to_numpy().tolist() == [[True, False], [False, False]]
    assert depth_tables.gains_by_depth(table[:3]).text.empty


def test_published_figures_say_whose_they_are_and_where_they_were_read():
    table = published.accuracies()
    rong = table[table["source"] == "Rong et al. (2020)"]
    assert (rong["layers"] - rong["hidden_layers"] == 1).all()
    at_eight = rong.query("dataset == 'cora' and layers == 8").set_index("remedy")["accuracy"]
    assert at_eight.to_dict() == {"none": 69.5, "dropedge": 75.8, "residual": 75.6}
    assert set(published.sources()) == set(table["source"])
    assert all("README.md of https://github.com/" in where for where in published.sources().values())


def test_ours_stand_below_what_others_have_published_for_the_same_depth():
    depths = [1, 2, 3, 32, 64, 64]  # of a plain network one and three are two and four of theirs, and the others none
    runs = pd.DataFrame({"dataset": "cora", "network": "GCN", "hidden_layers": depths, "seed": [0, 0, 0, 0, 0, 1]})
    runs["test_accuracy"] = [81.0, 1.0, 79.0, 80.0, 84.0, 86.0]
    mended = [runs.assign(remedy=remedy) for remedy in ("none", "gcnii, authors' settings", "pairnorm")]
    tasks = mended[0].assign(network="AE", test_accuracy=0.0)
    text = depth_tables.published_by_depth(pd.concat([*mended, tasks]), "cora").text
    assert text.columns.tolist() == ["2", "4", "8", "16", "32", "64"]
    assert text.loc["gcnii, Chen et al. (2020)"].tolist() == ["–"] * 5 + ["85.5"]
    assert text.loc["gcnii, Chen et al. (2021)"].tolist() == ["–"] * 4 + ["85.3", "–"]
    assert text.loc["gcnii, authors' settings, here"].tolist() == ["1.0", "–", "–", "–", "80.0", "85.0 ± 1.0"]
    assert text.loc["no remedy, here"].tolist() == ["81.0", "79.0", "–", "–", "–", "–"]
    assert [name for name in text.index if name.endswith("here")] == [
        "no remedy, here",
        "gcnii, authors' settings, here",
    ]
    assert depth_tables.published_by_depth(runs.assign(remedy="none"), "toy").text.empty
