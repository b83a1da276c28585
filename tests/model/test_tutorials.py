"""The tutorials followed as a user would, in a copy of the package: code into the file named, the registry edited."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mtgcn.model.tasks import TASKS

ROOT = Path(__file__).parents[2]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "mtgcn", tmp_path / "mtgcn", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


class Tutorial:
    """What a chapter says to do."""

    def __init__(self, name: str) -> None:
        self.text = (ROOT / "book" / f"{name}.md").read_text(encoding="utf-8")

    def blocks(self, language: str) -> list[str]:
        return re.findall(rf"^```{language}\n(.*?)^```", self.text, re.DOTALL | re.MULTILINE)

    def code_of(self, name: str) -> str:
        """The block with this class."""
        (code,) = (block for block in self.blocks("python") if f"\nclass {name}(" in f"\n{block}")
        return code

    def file_before(self, block: str) -> str:
        """The file that was named last before a block."""
        return re.findall(r"`(mtgcn/[\w/]+\.py)`", self.text[: self.text.index(block)])[-1]

    def edit_registry(self, copy: Path) -> None:
        """Put the added lines of each part of the diff in the place of the removed ones."""
        (diff,) = self.blocks("diff")
        path = copy / self.file_before(diff)
        text = path.read_text(encoding="utf-8")
        for part in diff.split("@@\n"):
            old, new = (
                "".join(f"{line[1:]}\n" for line in part.splitlines() if line[0] in kinds) for kinds in (" -", " +")
            )
            assert text.count(old) == 1, f"{path} has no longer the lines that the tutorial changes"
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")

    def train(self, copy: Path) -> str:
        """Train by the command of the chapter, for a few epochs."""
        (command,) = (line for line in "".join(self.blocks("console")).splitlines() if line.startswith("$ mtgcn train"))
        return mtgcn(copy, *command.replace("epochs=60", "epochs=6").split()[2:])


def loads_torch(copy: Path) -> bool:
    """Whether checking parameters loads torch in this copy."""
    code = "import sys, mtgcn.experiments.parameters\nprint('torch' in sys.modules)"
    environment = os.environ | {"PYTHONPATH": str(copy)}
    done = subprocess.run([sys.executable, "-c", code], cwd=copy, env=environment, capture_output=True, check=True)
    return done.stdout.strip() != b"False"


def mtgcn(copy: Path, *arguments: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(copy), "COLUMNS": "200", "NO_COLOR": "1"}
    program = [sys.executable, "-c", "from mtgcn.cli import main; main()", *arguments]
    done = subprocess.run(program, cwd=copy, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_task_is_added_as_the_tutorial_says(copy: Path) -> None:
    tutorial = Tutorial("add_task")
    code = tutorial.code_of("Degree")
    path = copy / tutorial.file_before(code)
    assert not path.exists()
    path.write_text(code, encoding="utf-8")
    tutorial.edit_registry(copy)
    assert not loads_torch(copy)
    assert "toy, AE+DE, 1 hidden layer: " in tutorial.train(copy)
    assert f"{', '.join(TASKS)}, DE" in " ".join(mtgcn(copy, "train", "--help").split())


@pytest.mark.slow
def test_a_layer_is_added_as_the_tutorial_says(copy: Path) -> None:
    tutorial = Tutorial("add_layer")
    code = tutorial.code_of("GCS")
    path = copy / tutorial.file_before(code)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("\nLAYERS:", f"\n{code}\n\nLAYERS:"), encoding="utf-8")
    tutorial.edit_registry(copy)
    assert not loads_torch(copy)
    assert "toy, AE, 1 hidden layer: " in tutorial.train(copy)


def test_the_help_names_the_tasks_and_the_command_line_starts_without_them() -> None:
    assert f"{', '.join(TASKS)}, in this order" in " ".join(mtgcn(ROOT, "train", "--help").split())
    code = "import sys\nfrom mtgcn.cli import bench, data, run, search, train\nprint('torch' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "False"
