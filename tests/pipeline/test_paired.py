"""The paired notebooks: in step, short, and true to what the project says elsewhere."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import jupytext
import nbformat
import papermill
import pytest
from ruamel.yaml import YAML

from mtgcn.experiments.parameters import Parameters
from mtgcn.pipeline import paired as notebooks

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "notebooks").glob("*.py"))
ids = [source.stem for source in SOURCES]


@pytest.mark.parametrize("source", SOURCES, ids=ids)
def test_pairs_are_in_step(source: Path) -> None:
    assert notebooks.drift(source) == "", "run make notebooks"


@pytest.mark.parametrize("source", SOURCES, ids=ids)
def test_notebooks_hold_no_outputs(source: Path) -> None:
    notebook = nbformat.read(source.with_suffix(".ipynb"), as_version=4)
    assert all(not cell.outputs and cell.execution_count is None for cell in notebook.cells if cell.cell_type == "code")


def test_every_notebook_has_its_source() -> None:
    assert {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")} == {source.stem for source in SOURCES}


@pytest.mark.parametrize("change", ["source", "tag", "cell", "kernel"])
def test_drift_is_seen(tmp_path: Path, change: str) -> None:
    source = tmp_path / "x.py"
    source.write_text((ROOT / "notebooks" / "experiment.py").read_text())
    notebook = jupytext.read(source)
    jupytext.write(notebook, source.with_suffix(".ipynb"))
    assert notebooks.drift(source) == ""
    tagged = next(cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", []))
    if change == "source":
        tagged.source += "\nmore = 1"
    elif change == "tag":
        tagged.metadata["tags"] = []
    elif change == "cell":
        notebook.cells.pop()
    else:
        notebook.metadata["kernelspec"]["name"] = "other"
    jupytext.write(notebook, source.with_suffix(".ipynb"))
    assert notebooks.drift(source) != ""


def test_making_notebooks_again_keeps_cell_ids(tmp_path: Path) -> None:
    source = tmp_path / "x.py"
    source.write_text((ROOT / "notebooks" / "quickstart.py").read_text())
    make = [sys.executable, "-m", "jupytext", "--quiet", "--to", "notebook", "--update", str(source)]
    subprocess.run(make, check=True)
    before = [cell.id for cell in nbformat.read(source.with_suffix(".ipynb"), as_version=4).cells]
    source.write_text(source.read_text().replace("first ten minutes", "first nine minutes"))
    subprocess.run(make, check=True)
    after = nbformat.read(source.with_suffix(".ipynb"), as_version=4).cells
    assert "nine" in after[0].source
    assert [cell.id for cell in after][1:] == before[1:]


def test_the_experiment_names_parameters_of_the_model() -> None:
    names = notebooks.defaults(ROOT / "notebooks" / "experiment.py")
    assert names
    assert set(names) - {"retrain"} <= set(Parameters.model_fields)


@pytest.mark.parametrize("source", SOURCES, ids=ids)
def test_parameters_and_title_are_those_that_papermill_and_jupytext_see(source: Path) -> None:
    notebook = notebooks.read(source)
    seen = {name: value["default"] for name, value in papermill.inspect_notebook(notebook).items()}
    assert notebooks.defaults(source) == {name: ast.literal_eval(value) for name, value in seen.items()}
    heading = next(line for cell in notebook.cells for line in cell.source.splitlines() if line.startswith("# "))
    assert notebooks.title(source) == heading.removeprefix("# ")


@pytest.mark.parametrize("source", SOURCES, ids=ids)
def test_the_only_address_is_that_of_the_configuration(source: Path) -> None:
    address = YAML(typ="safe").load((ROOT / "_config.yml").read_text())["repository"]["url"]
    assert re.findall(r"https?://[^\s\"'@)]+", source.read_text()) == [address]


@pytest.mark.parametrize("source", SOURCES, ids=ids)
def test_cells_are_short_and_prose_comes_first(source: Path) -> None:
    cells = notebooks.read(source).cells
    assert cells[0].cell_type == "markdown"
    for cell in cells:
        if cell.cell_type == "code" and "hide-input" not in cell.metadata.get("tags", []):
            longest = 40 if source.stem == "model" else 20  # one class is the whole network
            assert len(cell.source.splitlines()) <= longest, "a cell is read at a glance"
