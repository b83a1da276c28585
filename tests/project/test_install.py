import os
import re
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
PYTHONS = ("3.11", "3.12")


def pins(python):
    """The versions that constraints.txt gives a Python, by package."""
    lines = (line.split("#")[0].strip() for line in (ROOT / "constraints.txt").read_text().splitlines())
    found = {}
    for requirement in (Requirement(line) for line in lines if line):
        environment = default_environment() | {"python_version": python, "python_full_version": f"{python}.0"}
        if requirement.marker is None or requirement.marker.evaluate(environment):
            (specifier,) = requirement.specifier
            assert specifier.operator == "==", f"{requirement} is no exact version"
            assert canonicalize_name(requirement.name) not in found, f"{requirement.name} is pinned twice"
            found[canonicalize_name(requirement.name)] = specifier.version
    return found


def makefile_extras():
    return re.search(r"^EXTRAS := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[1].split(",")


# The three files agree


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("line", sorted({*PROJECT["dependencies"], *chain(*EXTRAS.values())}))
def test_every_direct_requirement_has_a_pin_within_its_range(line, python):
    requirement = Requirement(line)
    pin = pins(python).get(canonicalize_name(requirement.name))
    assert pin is not None, f"{requirement.name} has no line in constraints.txt"
    assert requirement.specifier.contains(pin, prereleases=True)
    assert not any(specifier.operator == "==" for specifier in requirement.specifier), "a range is wanted here"


def test_each_python_gets_the_torch_and_the_dgl_that_work_together():
    assert {python: (pins(python)["torch"], pins(python)["dgl"]) for python in PYTHONS} == {
        "3.11": ("2.13.0", "1.1.3"),
        "3.12": ("2.13.0", "2.1.0"),
    }


def test_conda_environment_installs_what_make_installs():
    environment = YAML(typ="safe").load((ROOT / "environment.yml").read_text())["dependencies"]
    (python,) = [entry.split("=")[1] for entry in environment if str(entry).startswith("python=")]
    assert python in PYTHONS
    (by_pip,) = [entry["pip"] for entry in environment if isinstance(entry, dict)]
    assert by_pip == ["--constraint constraints.txt", f"--editable .[{','.join(makefile_extras())}]"]
    assert set(makefile_extras()) <= set(EXTRAS)
    makefile = (ROOT / "Makefile").read_text()
    assert "CONSTRAINTS ?= constraints.txt" in makefile
    assert re.search(r"pip install .*--constraint \$\(CONSTRAINTS\) --editable", makefile)


def test_pythons_are_those_that_have_dgl():
    assert [f"3.{minor}" for minor in range(8, 16) if f"3.{minor}" in SpecifierSet(PROJECT["requires-python"])] == [
        *PYTHONS
    ]


def test_installed_packages_fit_together():
    check = subprocess.run([sys.executable, "-m", "pip", "check"], capture_output=True, text=True)
    assert check.returncode == 0, check.stdout


# import


def run(code, home, **environment):
    """Run Python code with ``home`` as the home directory."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "MPL", "DGL", "MTGCN"))}
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=home,
        env=kept | {"HOME": str(home)} | environment,
    )
    assert result.returncode == 0, result.stderr
    return result


def test_import_prints_nothing_and_writes_nothing_into_the_home(tmp_path):
    result = run(
        "import mtgcn, mtgcn.cli, mtgcn.data.datasets, mtgcn.engine.propagation; mtgcn.engine.propagation.dgl_module()",
        tmp_path,
    )
    assert (result.stdout, result.stderr) == ("", "")
    assert not list(tmp_path.rglob("*"))


@pytest.mark.slow
def test_every_module_is_imported_without_a_word_and_without_a_trace(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    code = """
import importlib, pkgutil, mtgcn
for module in pkgutil.walk_packages(mtgcn.__path__, "mtgcn."):
    importlib.import_module(module.name)
"""
    # matplotlib notes down the fonts it finds, wherever it is first imported; that is its own affair.
    result = run(code, home, MPLCONFIGDIR=str(tmp_path))
    assert (result.stdout, result.stderr) == ("", "")
    assert not list(home.rglob("*"))


# DGL


PROPAGATION = """
import numpy as np, torch
from mtgcn.engine.graph import Graph
from mtgcn.engine.propagation import dgl_module
edges = np.array([[0, 0, 1, 3], [1, 2, 2, 4]])
adjacency = np.eye(5)
adjacency[edges[0], edges[1]] = adjacency[edges[1], edges[0]] = 1
scale = adjacency.sum(axis=1) ** -0.5
x = np.random.default_rng(0).normal(size=(2, 5, 3))
made = Graph(edges, 5, 2, torch.device("cpu"), torch.float64, "dgl").propagate(torch.from_numpy(x))
np.testing.assert_allclose(made, scale[:, None] * (adjacency @ (scale[:, None] * x)))
print(dgl_module().__version__)
"""


@pytest.fixture(scope="session")
def dgl2(tmp_path_factory):
    """A folder with the DGL that newer Pythons have, beside the installed one."""
    folder = tmp_path_factory.mktemp("dgl2")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
    command += ["--retries", "1", "--timeout", "15", "--no-deps", "--target", str(folder), "dgl==2.1.0"]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        pytest.skip(f"dgl 2.1.0 cannot be had here: {result.stderr.strip().splitlines()[-1]}")
    return folder


def test_propagation_works_with_the_installed_dgl(tmp_path):
    assert run(PROPAGATION, tmp_path).stdout.strip() in ("1.1.3", "2.1.0")


def test_propagation_works_with_dgl_2_1(tmp_path, dgl2):
    result = run(PROPAGATION, tmp_path, PYTHONPATH=str(dgl2))
    assert (result.stdout, result.stderr) == ("2.1.0\n", "")
    assert not list(tmp_path.rglob("*"))


def test_notebooks_leave_it_to_the_module_to_import_dgl():
    """The newer DGL is imported only with a part of it stubbed; for mtgcn itself the contract on imports says so."""
    paths = [path for path in (ROOT / "notebooks").iterdir() if path.suffix in (".py", ".ipynb")]
    assert paths
    for path in paths:
        assert not re.search(r"(?m)^[\s\"]*(import|from) dgl\b", path.read_text(encoding="utf-8")), path.name


def test_every_pin_has_its_hashes():
    """Made by .github/hashes.py; torch is the exception, for the reason that the file gives."""
    lines = (line.split("#")[0].strip() for line in (ROOT / "constraints.txt").read_text().splitlines())
    entries = (ROOT / "hashes.txt").read_text().replace(" \\\n", " ").splitlines()
    hashed = {re.split(r"\s+--hash", entry)[0]: re.findall(r"--hash=sha256:[0-9a-f]{64}\b", entry) for entry in entries}
    for line in filter(None, lines):
        assert line.startswith("torch==") or hashed[line], f"{line} has no hash: python .github/hashes.py"


def test_what_builds_the_package_is_pinned():
    (line,) = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    assert pins("3.11")["setuptools"] == line.removeprefix("setuptools==")
