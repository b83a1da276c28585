"""Killed at any moment, nothing half-written is left, and the next call goes on."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support import tiny_project as tiny

from mtgcn.pipeline.store import Store

# What changes files; Python announces each before doing it.
EVENTS = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "shutil.rmtree"}


def contents(version: str) -> tuple[str, dict[str, bytes]]:
    files = {"results.csv": version.encode(), f"only-{version}.csv": version.encode()}
    record = {"version": version, "files": dict.fromkeys(files, "")}
    return json.dumps({"metadata": {"mtgcn": record}}), files


def put_and_die(store: Store, after: int) -> bool:
    """Store the new version in a process that is killed before its n-th change; tell whether it was."""
    pid = os.fork()
    if pid == 0:
        remaining = after

        def die(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal remaining
            if event in EVENTS and str(store.root) in str(arguments):
                remaining -= 1
                if remaining < 0:
                    tiny.kill(os.getpid())

        sys.addaudithook(die)
        with store.locked():
            store.put_page("run", *contents("new"))
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(pid, 0)[1])


def test_whenever_the_kill_comes_page_and_table_belong_together(tmp_path: Path) -> None:
    seen = []
    for after in range(100):
        store = Store.book(tmp_path / str(after))
        with store.locked():
            store.put_page("run", *contents("old"))
        killed = put_and_die(store, after)
        with store.locked():
            pass
        version = (store.page("run") or {})["version"]
        assert tiny.tree(store.root) == {
            "runs/run.ipynb": contents(version)[0].encode(),
            "results/run.csv": version.encode(),
            f"results/run/only-{version}.csv": version.encode(),
        }, f"killed before change {after}"
        seen.append(version)
        if not killed:
            break
    # Old up to one moment, new ever after, and both happened often enough to mean something.
    assert seen == sorted(seen, reverse=True)
    assert seen.count("old") > 5
    assert seen.count("new") > 5


def started_kernel(project: tiny.Project, program: "subprocess.Popen[str]") -> int:
    """Wait until the notebook that waits is running; return the process id of its kernel."""
    note = project.root / "started"
    tiny.wait_for(lambda: note.exists() and note.read_text() != "", "second run", program)
    return int(note.read_text())


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files that only this test uses."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


@pytest.mark.slow
def test_a_killed_program_goes_on_where_it_was_and_what_it_left_is_swept(tmp_path: Path, temporary: Path) -> None:
    project = tiny.make(tmp_path, a="notebook: count\n", b=f"notebook: wait\nfolder: {tmp_path}\n")
    with tiny.started(project, "run") as program:
        kernel = started_kernel(project, program)
        tiny.kill(program.pid)
    tiny.wait_for(lambda: not tiny.alive(kernel), "end of the kernel")
    assert sorted(tiny.tree(project.book.root)) == [
        "results/a.csv",
        "results/a/extra/numbers.csv",
        "runs/a.ipynb",
    ]
    assert tiny.status(project) == {"a": [], "b": ["missing"]}

    assert [path.name.split("-")[0] for path in temporary.iterdir()] == ["mtgcn"]
    tiny.output_of(project, "data", "--help")  # whatever is called next
    assert list(temporary.iterdir()) == []
    (tmp_path / "go").touch()
    output = tiny.output_of(project, "run")
    assert "a: fresh" in output
    assert "b: done" in output
    assert tiny.status(project) == {"a": [], "b": []}


@pytest.mark.slow
@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_stops_kernel_and_program_and_leaves_nothing(
    which: signal.Signals, tmp_path: Path, temporary: Path
) -> None:
    project = tiny.make(tmp_path, a="notebook: count\n", b=f"notebook: wait\nfolder: {tmp_path}\n")
    with tiny.started(project, "run") as program:
        kernel = started_kernel(project, program)
        program.send_signal(which)
        output, _ = program.communicate(timeout=300)
    assert program.returncode == 130
    assert output.splitlines()[-1].startswith("Interrupted. Finished runs are stored")
    assert "Traceback" not in output
    tiny.wait_for(lambda: not tiny.alive(kernel), "end of the kernel")
    assert tiny.status(project) == {"a": [], "b": ["missing"]}
    assert list(temporary.iterdir()) == []
    assert not [name for name in tiny.tree(tmp_path) if "/." in name]


@pytest.mark.slow
def test_a_closed_terminal_does_not_end_a_run(tmp_path: Path) -> None:
    project = tiny.make(tmp_path, a=f"notebook: wait\nfolder: {tmp_path}\n", b="notebook: count\n")
    screen, terminal = os.openpty()
    command = [sys.executable, "-c", "from mtgcn.cli import main; main()", "run"]
    program = subprocess.Popen(
        command, cwd=project.root, stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True, text=True
    )
    os.close(terminal)
    started_kernel(project, program)
    os.close(screen)
    program.send_signal(signal.SIGHUP)
    (tmp_path / "go").touch()
    assert program.wait(120) == 0
    assert tiny.status(project) == {"a": [], "b": []}
