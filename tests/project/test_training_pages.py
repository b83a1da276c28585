"""The notebooks beyond the experiment, end to end on the toy graph, with results and without."""

import re
import runpy
import xml.etree.ElementTree as ET
from itertools import combinations
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import QuadMesh
from scipy import stats
from support import tiny_project as tiny
from support.search_files import TOY
from support.synthetic import search_table

from mtgcn.experiments import stored
from mtgcn.pipeline.project import Project
from mtgcn.pipeline.search import outcome

ROOT = Path(__file__).parents[2]
SPLITS = "notebook: splits\ndataset: toy\nsplits: 3\nruns: 2\nepochs: 5\nnetworks: {GCN: {}, AE: {}}\n"
FIFTY = "dataset: toy\nruns: 12\nepochs: 5\nnetworks: {GCN: {}, AE: {}}\n"
OPEN = "notebook: open_points\ndataset: toy\nruns: 2\nepochs: 5\nnetworks: {GCN: {}, AE: {}, FR: {}, ER: {}}\n"
GATHER = {"more_runs": "notebook: more_runs\n", "grid-search": "notebook: search\n"}
PATTERNS = {"more_runs": "results: ['toy-*', 'splits-*']\n", "grid-search": "results: ['search/*']\n"}


def checkout(root: Path, **params: str) -> Project:
    for folder in ("params", "book"):
        (root / folder).mkdir()
    (root / "notebooks").symlink_to(ROOT / "notebooks")
    for name, text in params.items():
        tiny.write(root, name, text)
    for name, text in GATHER.items():
        tiny.write(root, name, text + PATTERNS[name])
    return Project(root)


def shown(project: Project, name: str) -> str:
    notebook = nbformat.read(project.book.notebook(name), as_version=4)
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    return "\n".join(output.get("text") or output["data"].get("text/plain", "") for output in outputs)


def dots(project: Project, name: str) -> int:
    """The runs that the only figure of a page shows as points."""
    notebook = nbformat.read(project.book.notebook(name), as_version=4)
    outputs = [output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])]
    (svg,) = (data["image/svg+xml"] for data in outputs if "image/svg+xml" in data)
    groups = [part for part in ET.fromstring(svg).iter() if part.get("id", "").startswith("PathCollection")]
    return sum(part.tag.endswith("use") for group in groups for part in group.iter())


def executed(notebook: str, results: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Run a notebook that gathers as a script and return its names."""
    monkeypatch.setenv(stored.RESULTS, str(results))
    return runpy.run_path(str(ROOT / "notebooks" / f"{notebook}.py"))


@pytest.mark.slow
def test_pages_that_gather_show_nothing_where_there_is_nothing(tmp_path: Path) -> None:
    project = checkout(tmp_path)
    assert tiny.run(project)[0] == {}
    assert shown(project, "more_runs").count("Empty DataFrame") == 2
    assert "0 searches, 0 points, 0 runs." in shown(project, "grid-search")


@pytest.mark.slow
def test_pages_that_train_and_those_that_gather_them(tmp_path: Path) -> None:
    project = checkout(tmp_path, **{"splits-toy-1": SPLITS, "toy-1": FIFTY, "open-points-1": OPEN})
    outcome.write(project.book.results / "search" / "toy-1.csv", search_table(TOY))
    assert tiny.run(project)[0] == {}

    splits = pd.read_csv(project.book.file("splits-toy-1", "results.csv"))
    assert splits.groupby("split").size().to_dict() == {0: 4, 1: 4, 2: 4}
    gains = splits.pivot_table("test_accuracy", "split", "network").eval("AE - GCN")
    low, high = stats.t.interval(0.95, 2, gains.mean(), stats.sem(gains))
    row = [*(round(value, 3) for value in (gains.mean(), low, high)), (gains.round(9) > 0).sum()]
    words = " ".join(shown(project, "splits-toy-1").split())
    assert f"gain low high splits above zero p AE {' '.join(map(str, row))} " in words
    assert dots(project, "splits-toy-1") == 6
    assert "splits 3" in shown(project, "splits-toy-1")
    first = nbformat.read(project.book.notebook("splits-toy-1"), as_version=4).cells[0].source
    assert first.startswith("# Toy, 1 hidden layer: random splits\n")

    assert shown(project, "more_runs").count("Toy, 1 hidden layer, as the paper says  ") == 2
    assert len(pd.read_csv(project.book.file("more_runs", "fifty.csv"))) == 1

    runs = pd.read_csv(project.book.file("open-points-1", "results.csv"))
    assert runs.groupby("network")["reading"].nunique().to_dict() == {"AE": 8, "ER": 2, "FR": 2, "GCN": 7}
    assert "One answer for all test nodes" in shown(project, "open-points-1")
    assert dots(project, "open-points-1") == len(runs) == 38

    assert "Toy, 1 hidden layer" in shown(project, "grid-search")
    tables = sorted(path.name for path in (project.book.results / "search").iterdir())
    assert tables == ["toy-1.csv"], "a page must not take the tables of the searches away"
    assert not any(tiny.status(project).values())
    outcome.write(
        project.book.results / "search" / "toy-1.csv", search_table(TOY.replace("best_runs: 4", "best_runs: 3"))
    )
    assert tiny.status(project)["grid-search"] == ["results of search/toy-1 changed"]


def test_the_searches_are_told_apart_and_their_chosen_points_framed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = TOY.replace("reconstruct: [full, partial]", "size_means: [zeroed, kept]", 1)
    outcome.write(tmp_path / "search" / "gcnii-toy-8.csv", search_table(other))
    outcome.write(tmp_path / "search" / "not-finished.csv", search_table(TOY).assign(chosen=False))
    outcome.write(tmp_path / "search" / "toy-2.csv", search_table(TOY))
    names = executed("search", tmp_path, monkeypatch)
    points, table = names["points"], names["table"]
    searches = ["Toy with gcnii, 8 hidden layers", "not-finished", "Toy, 2 hidden layers"]
    assert points["search"].unique().tolist() == searches
    assert points["first_seed"].min() >= 1000
    assert not any("test" in name for name in points)
    assert table.loc["not-finished", ["validation", "runs"]].drop_duplicates().to_numpy().tolist() == [["–", ""]]

    here = points[points["search"] == searches[-1]]
    axes = {ax.get_title().split("\n")[0]: ax for ax in names["figure"].axes if ax.get_title()}
    assert sorted(axes) == sorted(set(here["network"]) - {"GCN"})
    for network, ax in axes.items():
        own = here[here["network"] == network]
        (best,) = own[own["chosen"].astype(bool)].to_dict("records")
        row = table.loc[searches[-1], network]
        assert row["validation"] == f"{best['validation_accuracy']:.2f} ± {best['sem']:.2f}"
        assert (row["points"], row["runs"], row["runs in all"]) == (len(own), "4", own["runs"].sum())
        assert row["AE.weight"] == (f"{best['AE.weight']:g}" if "AE" in network else "")
        (mesh,) = (part for part in ax.collections if isinstance(part, QuadMesh))
        shades = np.ma.masked_invalid(mesh.get_array())
        assert sorted(shades.compressed()) == pytest.approx(sorted(own["validation_accuracy"]))
        (frame,) = ax.patches
        column, line = map(int, frame.get_xy())
        assert shades[line, column] == pytest.approx(best["validation_accuracy"])
        across = re.search(r"\n(\S+) →", ax.get_title())[1]
        assert ax.get_xticklabels()[column].get_text() == f"{best[across]:g}"
    assert names["figure"].svg() == executed("search", tmp_path, monkeypatch)["figure"].svg()


def test_ten_runs_mislead_as_often_as_every_choice_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong_sign = executed("more_runs", ROOT / "book/results", monkeypatch)["wrong_sign"]
    gains = [0.9, 0.4, -0.3, -0.5, 0.2, -0.1, 0.6]
    expected = np.mean([sum(choice) < 1e-9 for choice in combinations(gains, 3)])  # a mean of zero misleads too
    assert wrong_sign(gains, 3) == pytest.approx(expected, abs=0.01)
    assert wrong_sign(-np.array(gains), 3) == pytest.approx(expected, abs=0.01)
    assert wrong_sign(np.full(100, 0.3)) == 0
    assert np.isnan([wrong_sign(gains), wrong_sign([1.0, -1.0, 0.5, -0.5], 2), wrong_sign([])]).all()


@pytest.mark.parametrize(("name", "pattern"), [("more_runs", "'splits-*'"), ("grid-search", "'search/*'")])
def test_the_committed_files_gather_by_the_same_patterns(name: str, pattern: str) -> None:
    assert pattern in PATTERNS[name]
    assert pattern in (ROOT / "params" / f"{name}.yaml").read_text()
