"""No test lacks its mark: it has it by its fixtures, or is kept from what it would need."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.marks import BY_FIXTURE, COLLECTED

from mtgcn.data import datasets
from mtgcn.errors import MtgcnError

TESTS = Path(__file__).parents[1]


def test_every_test_has_the_marks_of_its_fixtures_or_little_time(request: pytest.FixtureRequest) -> None:
    for test in request.session.stash[COLLECTED]:
        names = {mark.name for mark in test.iter_markers()}
        wanted = {mark for mark, fixtures in BY_FIXTURE.items() if fixtures.intersection(test.fixturenames)}
        assert wanted <= names, test.nodeid
        assert ("slow" in names) != ("timeout" in names), test.nodeid


def test_fixtures_that_give_a_mark_are_there() -> None:
    """One that is renamed would take its mark away from all that use it."""
    text = "".join(path.read_text(encoding="utf-8") for path in TESTS.rglob("*.py"))
    assert [name for fixtures in BY_FIXTURE.values() for name in fixtures if f"\ndef {name}(" not in text] == []


def test_who_knows_the_browser_has_its_mark(request: pytest.FixtureRequest) -> None:
    """All tests of a file that speaks of Chromium, as one may start it in a program of its own."""
    for test in request.session.stash[COLLECTED]:
        if test.path != Path(__file__) and "CHROMIUM" in test.path.read_text(encoding="utf-8"):
            assert test.get_closest_marker("browser") is not None, test.nodeid


def test_without_the_mark_network_no_data_set_can_be_had() -> None:
    with pytest.raises(MtgcnError, match="cannot be had from any source"):
        datasets.load("cora")


def test_without_the_mark_network_nothing_can_be_installed(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--dest", str(tmp_path), "pip"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0
    assert "No matching distribution" in done.stderr
