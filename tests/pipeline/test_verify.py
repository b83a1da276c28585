"""Stored runs are trained again and compared; what is equal is stamped."""

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from support import tiny_project as tiny
from typer.testing import CliRunner, Result

from mtgcn.cli import app
from mtgcn.errors import MtgcnError
from mtgcn.experiments.engine_digest import engine_digest
from mtgcn.pipeline import pages, verify

PLAIN = "notebook: train\ndataset: toy\nruns: 3\nepochs: 6\nnetworks: {GCN: {}, AE: {}}\n"
DEPTHS = "notebook: train\ndataset: toy\ndepths: [1, 2]\nruns: 2\nepochs: 6\nnetworks: {GCN: {}, ER: {}}\n"
SPLITS = "notebook: train\ndataset: toy\nsplits: 2\nruns: 2\nepochs: 6\n"
OPEN = "notebook: train\ndataset: toy\nopen_points: true\nruns: 1\nepochs: 6\nnetworks: {AE: {}, FR: {}}\n"
pytestmark = pytest.mark.slow


def call(*arguments: str) -> Result:
    import mtgcn.cli.run
    import mtgcn.cli.verify  # noqa: F401 (registers the command)

    return CliRunner().invoke(app, list(arguments))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> tiny.Project:
    made = tiny.make(tmp_path_factory.mktemp("verify"), plain=PLAIN, depths=DEPTHS, splits=SPLITS, open=OPEN)
    assert tiny.run(made)[0] == {}
    return made


def as_if_trained_before(project: tiny.Project, name: str) -> Path:
    """Let the record say that an older engine has trained the results."""
    path = project.book.record_file(name)
    path.write_text(json.dumps({**json.loads(path.read_text()), "engine": "0" * 64, "verified": ""}))
    return path


def test_every_run_of_every_kind_comes_out_again(project: tiny.Project) -> None:
    planned = {page.name: page for page in pages.plan(project, [project.root / "params"])}
    for name, count in {"plain": 6, "depths": 8, "splits": 4, "open": 8 + 2}.items():
        table = pd.read_csv(project.book.file(name, "results.csv"))
        chosen = verify.checks(planned[name], table, everything=True)
        assert len(chosen) == len(table) == count
        assert {verify.verdict(check).word for check in chosen} == {verify.EQUAL}
        sample = verify.checks(planned[name], table)
        assert [check.run["network"] for check in sample] == list(dict.fromkeys(table["network"]))


def test_a_changed_engine_leaves_results_unverified_until_they_are_verified(
    project: tiny.Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.root)
    assert call("status", "--check").exit_code == 0
    path = as_if_trained_before(project, "plain")
    rows = {row["name"]: row["state"] for row in json.loads(call("status", "--json").output)}
    assert rows == {"depths": "fresh", "open": "fresh", "plain": "unverified", "splits": "fresh"}
    assert call("status", "--check").exit_code == 1
    assert tiny.run(project, tiny.no_training)[0] == {}  # nothing is trained because sources have changed
    before = project.book.file("plain", "results.csv").read_bytes()
    result = call("verify", "--json", "--processes", "1")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout[result.stdout.index("[") :])
    assert [(one["page"], one["word"]) for one in found] == [("plain", "equal")] * 2
    assert json.loads(path.read_text())["verified"] == engine_digest()
    assert project.book.file("plain", "results.csv").read_bytes() == before
    assert call("status", "--check").exit_code == 0
    assert "nothing to verify" in call("verify").output


def test_a_row_that_does_not_come_out_is_told_and_not_stamped(
    project: tiny.Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.root)
    path = as_if_trained_before(project, "splits")
    monkeypatch.setattr(verify, "verdicts", lambda chosen, processes: map(_worse, chosen))
    result = call("verify", "splits")
    assert result.exit_code == 1
    assert "1 different" in result.output
    assert json.loads(path.read_text())["verified"] == ""


def _worse(check: verify.Check) -> verify.Verdict:
    row = {**check.row, "test_accuracy": check.row["test_accuracy"] - 30}
    return verify.Verdict(check.page, check.run, *verify.compared(row, check.row))


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({}, verify.EQUAL),
        ({"seconds": 99.0}, verify.EQUAL),
        ({"best_epoch": 7}, verify.CLOSE),
        ({"test_accuracy": 81.0, "validation_accuracy": 79.2}, verify.CLOSE),
        ({"test_accuracy": 79.9}, verify.DIFFERENT),
        ({"test_accuracy": float("nan")}, verify.DIFFERENT),
        ({"diverged": True}, verify.DIFFERENT),
    ],
)
def test_equal_within_tolerance_and_different(change: dict, word: str) -> None:
    row = {"seed": 0, "test_accuracy": 81.5, "validation_accuracy": 79.0, "best_epoch": 5, "diverged": False}
    assert verify.compared({**row, "seconds": 1.0, **change}, {**row, "seconds": 2.0})[0] == word


def test_results_that_are_not_there(project: tiny.Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project.root)
    result = call("verify", "plane")
    assert isinstance(result.exception, MtgcnError)
    assert "there is no parameter file 'plane' in params/; did you mean 'plain'?" in str(result.exception)


class Executed:
    """Executes Python where it arrives, in the process that is to train."""

    def __init__(self, code: str) -> None:
        self.code = code

    def __reduce__(self) -> tuple:
        return exec, (self.code,)


def test_a_process_that_dies_is_told_in_a_sentence() -> None:
    with pytest.raises(MtgcnError, match="a process that trained has died, perhaps for want of memory"):
        list(verify.verdicts([Executed("import os; os._exit(9)")], 1))


WAITS = """
import sys
from mtgcn.pipeline import verify

class Executed:
    def __reduce__(self):
        code = "import os, sys, time; from pathlib import Path; Path(%r).write_text(str(os.getpid())); time.sleep(600)"
        return exec, (code % sys.argv[1],)

if __name__ == "__main__":
    list(verify.verdicts([Executed()], 1))
"""


def test_processes_end_with_the_program_that_is_killed(tmp_path: Path) -> None:
    program, told = tmp_path / "program.py", tmp_path / "told"
    program.write_text(WAITS)
    with subprocess.Popen([sys.executable, str(program), str(told)]) as running:
        tiny.wait_for(lambda: told.exists() and told.read_text() != "", "process that trains")
        running.kill()
    tiny.wait_for(lambda: not tiny.alive(int(told.read_text())), "end of the process that trained")
