"""The notebooks beyond the experiment, end to end on the toy graph, with results and without."""

from pathlib import Path

import nbformat
import pandas as pd
import pytest
from support import tiny_project as tiny
from support.search_files import TOY
from support.synthetic import search_table

from mtgcn.pipeline.project import Project
from mtgcn.pipeline.search import outcome

ROOT = Path(__file__).parents[2]
SPLITS = "notebook: splits\ndataset: toy\nsplits: 3\nruns: 2\nepochs: 5\nnetworks: {GCN: {}, AE: {}}\n"
HUNDRED = "dataset: toy\nruns: 12\nepochs: 5\nnetworks: {GCN: {}, AE: {}}\n"
OPEN = "notebook: open_points\ndataset: toy\nruns: 2\nepochs: 5\nnetworks: {GCN: {}, AE: {}, FR: {}, ER: {}}\n"
GATHER = {"more_runs": "notebook: more_runs\n", "grid-search": "notebook: search\n"}
PATTERNS = {"more_runs": "results: ['hundred-*', 'splits-*']\n", "grid-search": "results: ['search/*']\n"}


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


@pytest.mark.slow
def test_pages_that_gather_show_nothing_where_there_is_nothing(tmp_path: Path) -> None:
    project = checkout(tmp_path)
    assert tiny.run(project)[0] == {}
    assert shown(project, "more_runs").count("Empty DataFrame") == 2
    assert project.book.notebook("grid-search").exists()


@pytest.mark.slow
def test_pages_that_train_and_those_that_gather_them(tmp_path: Path) -> None:
    project = checkout(tmp_path, **{"splits-toy-1": SPLITS, "hundred-toy-1": HUNDRED, "open-points-1": OPEN})
    outcome.write(project.book.results / "search" / "toy-1.csv", search_table(TOY))
    assert tiny.run(project)[0] == {}

    splits = pd.read_csv(project.book.file("splits-toy-1", "results.csv"))
    assert splits.groupby("split").size().to_dict() == {0: 4, 1: 4, 2: 4}
    assert "splits above 0" in shown(project, "splits-toy-1")
    assert "splits 3" in shown(project, "splits-toy-1")
    first = nbformat.read(project.book.notebook("splits-toy-1"), as_version=4).cells[0].source
    assert first.startswith("# Toy, 1 hidden layer: random splits\n")

    assert shown(project, "more_runs").count("Toy, 1 hidden layer  ") == 2
    assert len(pd.read_csv(project.book.file("more_runs", "hundred.csv"))) == 1

    runs = pd.read_csv(project.book.file("open-points-1", "results.csv"))
    assert runs.groupby("network")["reading"].nunique().to_dict() == {"AE": 8, "ER": 2, "FR": 2, "GCN": 7}
    assert "One answer for all test nodes" in shown(project, "open-points-1")

    assert "Toy, 1 hidden layer" in shown(project, "grid-search")
    tables = sorted(path.name for path in (project.book.results / "search").iterdir())
    assert tables == ["toy-1.csv"], "a page must not take the tables of the searches away"
    assert not any(tiny.status(project).values())
    outcome.write(
        project.book.results / "search" / "toy-1.csv", search_table(TOY.replace("best_runs: 4", "best_runs: 3"))
    )
    assert tiny.status(project)["grid-search"] == ["results of search/toy-1 changed"]


@pytest.mark.parametrize("name", GATHER)
def test_the_committed_files_gather_by_the_same_patterns(name: str) -> None:
    assert PATTERNS[name] in (ROOT / "params" / f"{name}.yaml").read_text()
