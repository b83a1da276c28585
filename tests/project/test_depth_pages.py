"""The three pages on depth, executed as they stand: on made-up runs, on awaited ones, on none."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.drawn import ROOT, executed, line_of, of, starting

from mtgcn.experiments import stored
from mtgcn.experiments.columns import MEASURES
from mtgcn.pipeline import parameter_file
from mtgcn.pipeline.project import Project

PROJECT = Project(ROOT)
PAGES = ("depth_accuracy", "depth_inside", "depth_remedies")
# Those that wait to be computed; once they are, their parameters stand one folder above.
AWAITED = [f"depth-{dataset}-layers" for dataset in ("cora", "citeseer", "pubmed")] + ["layers-matched-cora"]
AWAITED += ["remedy-none-cora-egnn", "remedy-dropedge-cora-egnn-deep", "remedy-dropedge-cora-egnn-shallow"]
AWAITED += ["remedy-pairnorm-cora-authors"]
HEALTHY = {"effective_rank": 6.0, "mad_remote": 0.4, "gradient_norm": 0.05, "dead_units": 0.1}
# What is wrong in the last (or first) of two layers, and what that is called. All but two runs have 16 %.
VERDICTS: list[tuple[dict[str, float], str]] = [
    ({}, "none of the three"),
    ({"effective_rank": 1.1}, "over-smoothing"),
    ({"mad_remote": 0.05}, "over-smoothing"),
    ({"gradient_norm": 1e-5}, "vanishing gradients"),
    ({"dead_units": 15 / 16}, "dead units"),
    ({"first_dead_units": 1.0}, "dead units"),
    ({"first_effective_rank": 1.0}, "none of the three"),
    ({"effective_rank": 1.0, "gradient_norm": 1e-7}, "over-smoothing and vanishing gradients"),
    ({"effective_rank": 0.0, "mad_remote": np.nan, "dead_units": 1.0}, "over-smoothing and dead units"),
    ({"effective_rank": 1.1, "test_accuracy": 80.0}, "learns"),
    ({"effective_rank": 1.1, "test_accuracy": 36.0}, "over-smoothing"),
    ({"test_accuracy": np.nan}, "diverged"),
]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_without_results_is_empty_and_no_mistake(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names, figures = executed(page, tmp_path, monkeypatch)
    assert names["table"].empty
    assert all(figure.svg() for figure in figures)


def test_the_page_says_what_ails_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table, rows = [], []
    marks = {"dataset": "cora", "remedy": "none", "tuned_for": 1, "chance": 31.9, "seconds": 1.0}
    for seed, (wrong, _) in enumerate(VERDICTS):
        run = {"hidden_layers": 2, "seed": seed}
        table += [marks | run | {"network": "AE", "test_accuracy": wrong.get("test_accuracy", 16.0)}]
        table += [marks | run | {"network": "GCN", "test_accuracy": 70.0 + 2 * (seed % 2)}]
        first = {name[6:]: value for name, value in wrong.items() if name.startswith("first_")}
        for layer, own in ((1, first), (2, {name: value for name, value in wrong.items() if name in HEALTHY})):
            measured = dict.fromkeys(MEASURES, 1.0) | HEALTHY | {"epoch": 90, "layer": layer}
            rows += [run | measured | {"network": "GCN"}, run | measured | own | {"network": "AE"}]
    pd.DataFrame(table).to_csv(tmp_path / "depth-x.csv", index=False)
    (tmp_path / "depth-x").mkdir()
    pd.DataFrame(rows).to_csv(tmp_path / "depth-x" / "measures.csv", index=False)

    names, _ = executed("depth_inside", tmp_path, monkeypatch)
    judged = names["judged"].set_index(["network", "seed"])["verdict"]
    assert judged["AE"].tolist() == [verdict for _, verdict in VERDICTS]
    assert set(judged["GCN"]) == {"learns"}
    counts = names["failures"](names["judged"], ["network", "hidden_layers"]).loc["AE", 2]
    assert counts.to_dict() == {
        "runs": 12,
        "failed": 11,
        "over-smoothing": 5,
        "vanishing gradients": 2,
        "dead units": 3,
        "none of the three": 2,
    }


def made_up(name: str, folder: Path, accuracy: float) -> pd.DataFrame:
    """Write what a parameter file that waits would give, three runs each, all but the measures."""
    (path,) = [path for path in (ROOT / "params").glob(f"**/{name}.yaml") if path.parent.name in ("params", "planned")]
    asked = parameter_file.load(path, PROJECT.notebooks).experiment
    assert asked is not None
    rows = [
        {"network": network, "hidden_layers": depth, "seed": seed, "test_accuracy": accuracy + seed}
        for network in asked.networks
        for depth in asked.depths
        for seed in range(3)
    ]
    marks = {name: getattr(asked, name) for name in ("dataset", "protocol", "remedy", "settings", "tuned_for")}
    table = pd.DataFrame(rows).assign(**marks, chance=31.9, seconds=1.0)
    table.to_csv(folder / f"{name}.csv", index=False)
    return table


@pytest.fixture
def awaited(tmp_path: Path) -> Path:
    """A folder of results with one committed study of Cora, and all that waits."""
    pd.read_csv(stored.path("depth-cora-shallow")).to_csv(tmp_path / "depth-cora-shallow.csv", index=False)
    for name, accuracy in zip(AWAITED, (41.0, 42.0, 43.0, 20.0, 60.0, 65.0, 70.0, 55.0), strict=True):
        made_up(name, tmp_path, accuracy)
    return tmp_path


def test_depths_that_wait_join_their_lines_and_another_protocol_has_a_panel_of_its_own(
    awaited: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names, figures = executed("depth_accuracy", awaited, monkeypatch)
    panels = {ax.get_title(): ax for ax in starting(figures, "Test accuracy").axes}
    assert list(panels) == ["Citeseer", "Cora", "Pubmed", "Cora, matched protocol"]
    committed = pd.read_csv(awaited / "depth-cora-shallow.csv").query("network == 'GCN'")
    text = committed.groupby("hidden_layers")["test_accuracy"].mean().to_dict() | dict.fromkeys((7, 15, 31), 42.0)
    assert line_of("GCN", panels["Cora"]) == pytest.approx(text)
    matched = pd.read_csv(awaited / "layers-matched-cora.csv").query("network == 'GCN'")["hidden_layers"]
    assert line_of("GCN", panels["Cora, matched protocol"]) == pytest.approx(dict.fromkeys(matched, 21.0))
    ours = names["beside"].query("source == 'here'").set_index(["dataset", "layers"])["said"]
    assert ours["Cora", 8] == "42.0 ± 0.6"
    assert set(ours.index) == {("Cora", 2), ("Cora", 4)} | {
        (name, layers) for name in ("Cora", "Citeseer", "Pubmed") for layers in (8, 16, 32)
    }
    # What the tasks gain is told at the depths that have tasks.
    tabulated = names["together"](names["plain"]).query("protocol == 'text' and dataset == 'cora'")
    assert set(tabulated["hidden_layers"]) == set(range(1, 7))


def test_remedies_that_wait_stand_beside_their_own_network_without_remedy(
    awaited: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names, figures = executed("depth_remedies", awaited, monkeypatch)
    panels = {ax.get_title(): ax for ax in starting(figures, "Test accuracy").axes}
    egnn, authors = "\nEGNN's settings", "\nauthors' settings"
    assert list(panels) == [f"DropEdge{egnn}", f"no remedy{egnn}", f"PairNorm{authors}"]
    thick = line_of("GCN", panels[f"DropEdge{egnn}"])
    assert thick == pytest.approx(dict.fromkeys((1, 3, 7), 71.0) | dict.fromkeys((15, 31), 66.0))
    thin = {
        title: [line.get_ydata().tolist() for line in of("GCN", ax) if line.get_linewidth() < 1 and line.get_alpha()]
        for title, ax in panels.items()
    }
    assert thin == {f"DropEdge{egnn}": [[61.0] * 5], f"no remedy{egnn}": [], f"PairNorm{authors}": []}
    assert names["published"].loc[("no remedy, EGNN's settings", "here")].tolist()[:5] == ["61.0 ± 0.6"] * 5
    gains = names["gains"].reset_index().set_index(["remedy", "hidden_layers"])["mean"]
    assert gains["dropedge, EGNN's settings", 31] == gains["none, EGNN's settings", 7] == 0
    assert set(names["table"]["protocol"]) == {"text"}


def test_a_run_of_the_study_is_the_run_of_its_place() -> None:
    """The same network, seed, depth and protocol stand in two results, trained apart, and have to be the same."""
    study, place = (
        pd.read_csv(PROJECT.book.file(name, "results.csv")) for name in ("layers-matched-cora", "matched-cora-5")
    )
    both = study.query("hidden_layers == 5").merge(place, on=["network", "seed"], suffixes=("", "_there"))
    assert both.groupby("network").size().to_dict() == {"GCN": 10, "AE": 10, "FR": 10, "ER": 10}
    assert (both["test_accuracy"] == both["test_accuracy_there"]).all()
    assert (both["best_epoch"] == both["best_epoch_there"]).all()
