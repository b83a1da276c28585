"""The rooms of the module: names that are found, files read in one go, tests where they would be looked for."""

import ast
from collections import Counter
from pathlib import Path

import jupytext
import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "mtgcn"
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.name != "__init__.py")
ROOMS = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def notebook_parameters() -> dict[str, str]:
    """The names in the parameters cells of the notebooks, each with a notebook that has it."""
    found = {}
    for path in sorted((ROOT / "notebooks").glob("*.py")):
        cells = [cell for cell in jupytext.read(path).cells if "parameters" in cell.metadata.get("tags", [])]
        statements = [node for cell in cells for node in ast.parse(cell.source).body]
        assigned = [node for node in statements if isinstance(node, ast.Assign | ast.AnnAssign)]
        targets = [node.targets[0] if isinstance(node, ast.Assign) else node.target for node in assigned]
        found |= {target.id: path.name for target in targets if isinstance(target, ast.Name)}
    return found


def test_no_two_modules_share_a_name() -> None:
    """But for commands, which are called like what they do."""
    packages = [path.parent.name for path in PACKAGE.rglob("*/__init__.py")]
    names = Counter([path.stem for path in MODULES if path.parent.name != "cli"] + packages)
    assert [name for name, number in names.items() if number > 1] == []


def test_no_module_has_the_name_of_a_notebook_parameter() -> None:
    """A notebook that imports the one would lose the other."""
    parameters = notebook_parameters()
    assert {"runs", "epochs", "results"} <= set(parameters)
    assert [name_of(path) for path in MODULES if path.stem in parameters] == []


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_file_is_read_in_one_go(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 250


def test_the_tests_have_the_same_rooms() -> None:
    folders = {path.name for path in (ROOT / "tests").iterdir() if list(path.glob("*.py"))}
    assert folders == {*ROOMS, "project", "support"}
    assert {path.name for path in (ROOT / "tests").glob("*.py")} == {"conftest.py"}
