"""The program in forked processes: bounded in memory and time, with what it said and how it ended.

A fork begins with everything imported, so a command takes milliseconds where a new process would take seconds.
"""

import fcntl
import io
import json
import os
import resource
import select
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

MEMORY = 6 * 2**30  # bytes of address space, of which torch alone takes a good part
SECONDS = 60  # of processor time for one command; those that are refused take a fraction of one
CRASHED, HUNG = 70, 71  # exit codes that no command has
HEARD = 1 << 20  # bytes that a process may say


@dataclass(frozen=True)
class Ended:
    """The exit code of a command (below zero: the signal that ended it) and what it said."""

    code: int
    said: str

    @property
    def refused(self) -> bool:
        """Whether it ended as it should with bad input: with words, and not those of Python."""
        return self.code in (1, 2) and bool(self.said.strip()) and "Traceback" not in self.said

    @property
    def accepted(self) -> bool:
        """Whether it did what it was asked."""
        return self.code == 0


def mtgcn(*arguments: str) -> int:
    """Run the program in this process; return its exit code."""
    from mtgcn.cli import main

    sys.argv = ["mtgcn", *arguments]
    try:
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return CRASHED
    return 0


def forked(
    work: Callable[[], int],
    prepare: Callable[[], None] | None = None,
    seconds: float | None = None,
    strike: Callable[[int], None] = lambda pid: os.kill(pid, signal.SIGKILL),
    memory: int = MEMORY,
) -> Ended:
    """Do ``work`` in a process of its own; after so many ``seconds`` ``strike`` is told its id, if it still runs."""
    mouth, ear = _pipe()
    pid = os.fork()
    if pid == 0:
        _begin(mouth, prepare, memory)
        os._exit(work() & 0xFF)
    os.close(mouth)
    ends = os.pidfd_open(pid)
    if seconds is not None and not select.select([ends], [], [], seconds)[0]:
        strike(pid)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    said = os.read(ear, HEARD) if select.select([ear], [], [], 0)[0] else b""
    os.close(ends)
    os.close(ear)
    return Ended(code, said.decode(errors="replace"))


def started(work: Callable[[], None], log: Path, prepare: Callable[[], None] | None = None) -> int:
    """Do ``work`` in a process of its own that goes on by itself, and return its id."""
    with log.open("ab") as out:
        pid = os.fork()
        if pid == 0:
            _begin(out.fileno(), prepare)
            work()
            os._exit(0)
    return pid


def ended(pid: int) -> None:
    """Kill a process that this one has started, and wait for its end."""
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def _pipe() -> tuple[int, int]:
    """Return where a process writes what it says, and where that is read: no file, for a disk may be full."""
    ear, mouth = os.pipe()
    fcntl.fcntl(mouth, fcntl.F_SETPIPE_SZ, HEARD)
    return mouth, ear


def many(folder: Path, lines: Sequence[Sequence[str]], prepare: Callable[[], None] | None = None) -> Iterator[Ended]:
    """Run one command line after another in ``folder``; a new process goes on where one has died."""
    left = list(lines)
    while left:
        with tempfile.TemporaryDirectory(prefix="drill-") as place:
            told = Path(place, "told")

            def work(told: Path = told, todo: Sequence[Sequence[str]] = tuple(left)) -> int:
                os.chdir(folder)
                with told.open("w") as out:
                    for line in todo:
                        print(json.dumps(_alone(line)), file=out, flush=True)
                return 0

            died = forked(work, prepare=prepare)
            results = [Ended(*json.loads(line)) for line in told.read_text().splitlines() if line.endswith("]")]
        yield from results
        left = left[len(results) :]
        if left:  # the next one ended its process
            yield died
            left = left[1:]


def _alone(line: Sequence[str]) -> tuple[int, str]:
    """Run one of many commands, after its settings, with an alarm; return its exit code and what it said."""
    said = io.StringIO()
    while line and line[0].startswith("MTGCN_"):
        name, _, value = line[0].partition("=")
        os.environ[name], line = value, line[1:]
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    with redirect_stdout(said), redirect_stderr(said):
        try:
            code = mtgcn(*line)
        except _Alarm:
            code = HUNG
    signal.setitimer(signal.ITIMER_PROF, 0)
    return code, said.getvalue()[-2000:]


class _Alarm(BaseException):
    pass


def _ring(*_: object) -> None:
    raise _Alarm


def _begin(log: int, prepare: Callable[[], None] | None, memory: int = MEMORY) -> None:
    """Make this fork one of its own: bounded, silent, and deaf to the tools of the one that it comes from."""
    try:
        os.setsid()
        os.dup2(log, 1)
        os.dup2(log, 2)
        sys.stdout, sys.stderr = os.fdopen(1, "w", buffering=1), os.fdopen(2, "w", buffering=1)
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        signal.signal(signal.SIGPROF, _ring)
        if prepare is not None:
            prepare()
    except BaseException:
        traceback.print_exc()
        os._exit(CRASHED)
