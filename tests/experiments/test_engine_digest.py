"""The digest of the engine follows what the sources do, not how they look."""

import shutil
from pathlib import Path

import pytest

from mtgcn.experiments import engine_digest
from mtgcn.experiments.engine_digest import PACKAGE, ROOMS


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for room in ROOMS:
        shutil.copytree(PACKAGE / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def digest(package: Path) -> str:
    return engine_digest.engine_digest.__wrapped__(package)


def test_comments_docstrings_and_layout_do_not_count(package: Path) -> None:
    before = digest(package)
    assert before == digest(PACKAGE)
    path = package / "experiments" / "plateau.py"
    text = path.read_text()
    assert '"""Take the validation losses' in text
    path.write_text("# a remark\n\n" + text.replace('"""Take the validation losses', '"""Take all the losses'))
    assert digest(package) == before


@pytest.mark.parametrize(
    ("file", "right", "wrong"),
    [
        ("engine/adam.py", "BETA_1, BETA_2 = 0.9, 0.999", "BETA_1, BETA_2 = 0.9, 0.998"),
        ("experiments/plateau.py", "self._bad >= self.patience", "self._bad > self.patience"),
        ("data/arrays.py", "total[total == 0] = 1", "total[total == 0] = 2"),
    ],
)
def test_a_changed_number_or_comparison_counts(package: Path, file: str, right: str, wrong: str) -> None:
    before, path = digest(package), package / file
    assert path.read_text().count(right) == 1
    path.write_text(path.read_text().replace(right, wrong))
    assert digest(package) != before


def test_a_new_file_and_a_new_name_count_but_not_the_benchmark(package: Path) -> None:
    before = digest(package)
    (package / "experiments" / "bench" / "speed.py").write_text("nothing = 0\n")
    assert digest(package) == before
    (package / "model" / "tasks" / "more.py").write_text("nothing = 0\n")
    assert digest(package) != before


def test_none_is_told_from_other_constants() -> None:
    shapes = {engine_digest._shape(engine_digest.ast.parse(text)) for text in ("x = None", "x = 0", "x = ''", "x = []")}
    assert len(shapes) == 4
