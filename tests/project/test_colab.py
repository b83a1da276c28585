"""A notebook as Colab meets it: torch and Jupyter are there, this project is not, and torch has to stay."""

import json
import os
import re
import subprocess
import sys
import venv
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pandas as pd
import pytest
from support.built_book import REPOSITORY, ROOT

from mtgcn.pipeline import paired

BARE = ("torch", "papermill", "ipykernel", "pip")
# Colab has these too; with them the set-up cell installs little besides DGL and this project.
FULL = (*BARE, "scipy", "pandas", "matplotlib", "seaborn", "pydantic", "typer", "safetensors", "platformdirs")


NOTEBOOKS = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
SET_UP = f"""\
# In Colab this fetches the project with its results, and installs what it needs beside the torch that is there.
import importlib.util
import os
import subprocess
import sys

if importlib.util.find_spec("mtgcn") is None:
    address = os.environ.get("MTGCN_REPOSITORY", "{REPOSITORY}")
    subprocess.run(["git", "clone", "--quiet", "--depth", "1", address, "mtgcn-checkout"], check=True)
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--editable", "./mtgcn-checkout"], check=True)
    sys.path.insert(0, os.path.abspath("mtgcn-checkout"))
"""


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_the_set_up_cell_is_the_same_everywhere_and_comes_first(name: str) -> None:
    cells = paired.read(ROOT / "notebooks" / f"{name}.py").cells
    first = next(cell for cell in cells if cell.cell_type == "code")
    assert (first.source + "\n").startswith(SET_UP)
    assert first.metadata["tags"] == ["hide-input"]


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Python in an environment with torch and Jupyter, and nothing of this project."""
    python = environment(tmp_path_factory.mktemp("bare") / "venv", BARE)
    assert imports(python, "torch") == "" != imports(python, "mtgcn")
    return python


@pytest.fixture(scope="module")
def set_up(bare: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same Python after the set-up cell of a notebook that trains has run in it."""
    folder = tmp_path_factory.mktemp("quickstart")
    run(bare, "quickstart", "2.1.0", folder)
    assert (folder / "mtgcn-checkout" / "book" / "results").is_dir()
    # The links still point at the torch that was there before.
    assert (bare.parents[1] / "lib" / python_folder() / "site-packages" / "torch").is_symlink()
    return bare


@pytest.mark.slow
@pytest.mark.network
def test_results_come_with_the_project(set_up: Path, tmp_path: Path) -> None:
    runs = pd.read_csv(ROOT / "book" / "results" / "cora-5.csv").query("network == 'GCN'")["test_accuracy"]
    assert f"{runs.mean():.2f} ± {runs.sem():.2f}" in run(set_up, "tables", "2.1.0", tmp_path)


@pytest.mark.slow
@pytest.mark.network
def test_whatever_a_notebook_imports_is_there_then(set_up: Path) -> None:
    """A notebook that runs here runs there, if it finds all that it imports: no need to start a kernel for each."""
    sources = [cell.source for name in NOTEBOOKS for cell in paired.read(ROOT / "notebooks" / f"{name}.py").cells]
    lines = {line for source in sources for line in source.splitlines() if re.match(r"(import|from \S+ import) ", line)}
    assert "import mtgcn" in lines
    said = subprocess.run([str(set_up), "-c", "\n".join(sorted(lines))], capture_output=True, text=True)
    assert said.returncode == 0, said.stderr[-2000:]


@pytest.mark.slow
@pytest.mark.network
def test_what_colab_has_stays_and_the_older_dgl_serves_too(tmp_path: Path) -> None:
    run(environment(tmp_path / "venv", FULL), "experiment", "1.1.3", tmp_path)


def run(python: Path, name: str, dgl: str, folder: Path) -> str:
    """Run a notebook in an empty folder, the repository's address pointing here; return the text that it shows."""
    constraint = folder / "constraint.txt"
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    constraint.write_text("\n".join([*(pin for pin in pins if not pin.startswith("dgl=")), f"dgl=={dgl}"]))
    settings = {"MTGCN_REPOSITORY": ROOT.as_uri(), "PIP_CONSTRAINT": str(constraint), "PIP_NO_COMPILE": "1"}
    hidden = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    output = folder / "out.ipynb"
    notebook = str(ROOT / "notebooks" / f"{name}.ipynb")
    command = [str(python), "-m", "papermill", notebook, str(output), "-k", "python3"]
    done = subprocess.run(command, capture_output=True, text=True, env=hidden | settings, cwd=folder)
    if "No matching distribution" in done.stderr or "ConnectionError" in done.stderr:
        pytest.skip(f"the packages cannot be had here: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr[-3000:]
    cells = [cell for cell in json.loads(output.read_text())["cells"] if cell["cell_type"] == "code"]
    outputs = [output for cell in cells for output in cell["outputs"]]
    return "".join("".join(out.get("text") or out["data"].get("text/plain", "")) for out in outputs)


def environment(folder: Path, there: tuple[str, ...]) -> Path:
    """Create an environment that sees, through links, the packages ``there`` of this one with what they need."""
    venv.create(folder, with_pip=False, symlinks=True)
    site = folder / "lib" / python_folder() / "site-packages"
    for name in sorted(closure(there)):
        found = distribution(name)
        tops = {file.parts[0] for file in found.files or [] if file.parts[0] not in ("..", "__pycache__")}
        for top in tops:
            target = Path(str(found.locate_file(top)))
            if target.exists() and not (site / top).exists():
                (site / top).symlink_to(target)
    return folder / "bin" / "python"


def closure(names: tuple[str, ...]) -> set[str]:
    """Return the installed packages that ``names`` need, themselves included."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in found:
            continue
        try:
            needed = distribution(name).requires or []
        except PackageNotFoundError:
            continue
        found.add(name)
        waiting += [re.split(r"[^\w.-]", need, maxsplit=1)[0] for need in needed if "extra ==" not in need]
    return found


def imports(python: Path, module: str) -> str:
    """Return what goes wrong when ``module`` is imported, "" for nothing."""
    done = subprocess.run([str(python), "-c", f"import {module}"], capture_output=True, text=True, cwd=python.parent)
    return "" if done.returncode == 0 else done.stderr


def python_folder() -> str:
    """Return the name of the library folder, such as python3.11."""
    return f"python{sys.version_info.major}.{sys.version_info.minor}"
