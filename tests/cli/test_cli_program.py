"""The program itself: version and completion in the shell."""

import os
import subprocess
import sys
from importlib.metadata import version

import pytest

from mtgcn import cli

PROGRAM = [sys.executable, "-c", "import sys; sys.argv[0] = 'mtgcn'; from mtgcn.cli import main; main()"]


def output(*arguments: str, **environment: str) -> str:
    done = subprocess.run([*PROGRAM, *arguments], capture_output=True, text=True, env=os.environ | environment)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_version() -> None:
    assert output("--version") == f"mtgcn {version('mtgcn')}\n"


@pytest.mark.parametrize(
    ("words", "offered"),
    [("mtgcn sta", {"status"}), ("mtgcn run --wo", {"--workers"}), ("mtgcn train --ta", {"--table"})],
)
def test_the_shell_completes(words: str, offered: set[str]) -> None:
    place = str(len(words.split()) - 1)
    said = output(_MTGCN_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=place)
    assert set(said.split()) == offered


@pytest.mark.parametrize("command", ["data", "status"])
def test_an_interrupt_that_no_command_expects_is_one_sentence(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("mtgcn.data.datasets.load", interrupted)
    monkeypatch.setattr("mtgcn.pipeline.project.Project.find", interrupted)
    monkeypatch.setattr(sys, "argv", ["mtgcn", command])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "mtgcn: interrupted.\n"
