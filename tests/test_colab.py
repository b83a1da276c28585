"""A notebook as Colab meets it: torch and Jupyter are there, this project is not, and torch has to stay."""

import json
import os
import re
import shutil
import subprocess
import sys
import venv
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from built_book import REPOSITORY, ROOT

BARE = ("torch", "papermill", "ipykernel", "pip")
# Colab has these too; with them the set-up cell installs little besides DGL and this project.
FULL = (*BARE, "scipy", "pandas", "matplotlib", "seaborn", "pydantic", "typer", "safetensors", "platformdirs")


def test_the_set_up_cells_install_a_pinned_reference_of_the_repository() -> None:
    sources = sorted((ROOT / "notebooks").glob("*.py"))
    assert sources
    for path in sources:
        text = path.read_text(encoding="utf-8")
        assert re.search(rf'"git\+{re.escape(REPOSITORY)}@v\d+\.\d+\.\d+"', text), path.name


@pytest.mark.slow
@pytest.mark.parametrize(("dgl", "there"), [("2.1.0", BARE), ("1.1.3", FULL)], ids=["only torch", "as in Colab"])
def test_a_notebook_installs_what_it_needs_and_leaves_torch(dgl: str, there: tuple[str, ...], tmp_path: Path) -> None:
    python = environment(tmp_path / "venv", there)
    assert imports(python, "torch") == "" != imports(python, "mtgcn")
    source = tmp_path / "source"
    shutil.copytree(ROOT / "mtgcn", source / "mtgcn", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    constraint = tmp_path / "constraint.txt"
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    constraint.write_text("\n".join([*(pin for pin in pins if not pin.startswith("dgl=")), f"dgl=={dgl}"]))
    settings = {"MTGCN_SOURCE": str(source), "PIP_CONSTRAINT": str(constraint), "PIP_NO_COMPILE": "1"}
    output = tmp_path / "out.ipynb"
    notebook = str(ROOT / "notebooks" / "experiment.ipynb")
    command = [str(python), "-m", "papermill", notebook, str(output), "-k", "python3", "-p", "epochs", "20"]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | settings, cwd=tmp_path)
    if "No matching distribution" in done.stderr or "ConnectionError" in done.stderr:
        pytest.skip(f"the packages cannot be had here: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr[-3000:]
    cells = [cell for cell in json.loads(output.read_text())["cells"] if cell["cell_type"] == "code"]
    said = "".join(cells[0]["outputs"][-1]["text"])
    torch_version = distribution("torch").version
    assert re.fullmatch(rf"mtgcn \S+ with torch {re.escape(torch_version)} and dgl {re.escape(dgl)}, on .*\.\n", said)
    assert len(said.splitlines()) == 1
    # The links still point at the torch that was there before.
    assert (python.parents[1] / "lib" / python_folder() / "site-packages" / "torch").is_symlink()


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
