"""The workflows: read as YAML, bounded in time, and calling what there is."""

import re
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def read(path: Path) -> dict[str, Any]:
    return YAML(typ="safe").load(path)


def steps(job: dict[str, Any]) -> list[str]:
    return [step["run"] for step in job.get("steps", []) if "run" in step]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_job_ends_in_time_and_calls_targets_that_are_there(path: Path) -> None:
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    jobs = read(path)["jobs"]
    for name, job in jobs.items():
        if "uses" in job:  # another workflow of this folder, whose jobs have limits of their own
            assert (ROOT / job["uses"]).exists()
            continue
        assert 0 < job["timeout-minutes"] <= 90, name
        for command in steps(job):
            if made := re.match(r"make (\w+)", command):
                assert made[1] in targets


def test_the_book_needs_the_tests_and_trains_nothing() -> None:
    jobs = read(ROOT / ".github/workflows/book.yml")["jobs"]
    assert jobs["tests"]["uses"] == "./.github/workflows/tests.yml"
    assert jobs["build"]["needs"] == "tests"
    assert jobs["publish"]["needs"] == "build"
    commands = steps(jobs["build"])
    checked = [place for place, command in enumerate(commands) if "mtgcn status --check" in command]
    built = [place for place, command in enumerate(commands) if command.startswith("make book")]
    assert checked < built


def test_lint_comes_first_and_every_python_is_tested() -> None:
    jobs = read(ROOT / ".github/workflows/tests.yml")["jobs"]
    assert any(command.startswith("make lint") for command in steps(jobs["lint"]))
    assert jobs["test"]["needs"] == "lint"
    assert jobs["test"]["strategy"]["matrix"]["python"] == ["3.11", "3.12"]


def test_the_weekly_run_tries_pinned_and_newest_versions() -> None:
    workflow = read(ROOT / ".github/workflows/weekly.yml")
    assert len(workflow["on"]["schedule"]) == 1
    assert workflow["jobs"]["test"]["strategy"]["matrix"]["constraints"] == ["constraints.txt", "/dev/null"]
    assert all("CONSTRAINTS=${{ matrix.constraints }}" in c for c in steps(workflow["jobs"]["test"]) if "make" in c)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_actions_by_commit_and_rights_by_job(path: Path) -> None:
    for used in re.findall(r"uses: (\S+)", path.read_text()):
        assert used.startswith("./") or re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", used), used
    workflow = read(path)
    assert workflow["permissions"] == {}
    for name, job in workflow["jobs"].items():
        allowed = {"pages": "write", "id-token": "write"} if name == "publish" else {"contents": "read"}
        assert job["permissions"] == allowed, name


def test_what_is_installed_is_checked_every_week() -> None:
    commands = "\n".join(steps(read(ROOT / ".github/workflows/weekly.yml")["jobs"]["supply"]))
    assert "--require-hashes --requirement hashes.txt" in commands
    assert "pip-audit" in commands
