"""Faults: what befalls a command on its way, and when."""

import ctypes
import errno
import itertools
import mmap
import os
import random
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

# What changes files; Python announces each before doing it.
CHANGES = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "shutil.rmtree"}
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
FUTURE = 10 * 365 * 86_400  # seconds by which files are ahead of a clock that was set back
ANY_MOMENT, BEFORE_A_CHANGE = "killed at any moment", "killed before a file changes"
FULL, READ_ONLY, CLOCK = "disk full", "read-only folder", "clock set back"
KINDS = (ANY_MOMENT, BEFORE_A_CHANGE, FULL, READ_ONLY, CLOCK)


@dataclass(frozen=True)
class Fault:
    """What happens to the process of a command: before its start, within it, and after so many seconds (a kill)."""

    kind: str
    before: Callable[[], None] = lambda: None
    within: Callable[[], None] = lambda: None
    after: Callable[[], None] = lambda: None
    seconds: float | None = None
    strike: Callable[[int], None] = lambda pid: os.kill(pid, signal.SIGKILL)

    @property
    def kills(self) -> bool:
        """Whether the command itself has no chance to say a word."""
        return self.kind in (ANY_MOMENT, BEFORE_A_CHANGE)


@dataclass(frozen=True)
class Course:
    """An undisturbed call: how long it took, how often it changed a file, and its largest file in bytes."""

    seconds: float
    changes: int
    bytes: int


def drawn(kind: str, rng: random.Random, place: Path, writes: Sequence[str], course: Course) -> Fault:
    """Return a fault of a kind, at a random moment, for a command that works below ``place`` and ``writes`` there."""
    if kind == ANY_MOMENT:
        return Fault(kind, seconds=rng.uniform(0, course.seconds))
    number = rng.randrange(max(1, course.changes))
    if kind == BEFORE_A_CHANGE:
        return Fault(kind, within=lambda: _at_change(place, number, _die))
    if kind == FULL:
        size = rng.randrange(course.bytes + 1)
        if rng.random() < 0.5:
            return Fault(kind, within=lambda: _no_larger_file(size))
        return Fault(kind, within=lambda: _at_change(place, number, _no_space))
    if kind == READ_ONLY:
        folder = place / rng.choice(writes)
        return Fault(kind, lambda: _modes(folder, 0o555, 0o444), _obey_modes, lambda: _modes(folder, 0o755, 0o644))
    return Fault(CLOCK, lambda: _into_the_future(place), _backwards)


def counted(place: Path, told: "ctypes.c_int64") -> None:
    """Count in ``told`` how often this process changes files below ``place``."""

    def count(number: int, creates: bool) -> None:
        told.value = number + 1

    _on_changes(place, count)


def after_states(folder: Path, number: int) -> None:
    """Kill this process when it is about to put the state of a training into ``folder`` after so many others."""

    def tell(now: int) -> None:
        if now > number:
            _die(False)

    _on_states(folder, tell)


def _on_states(folder: Path, tell: Callable[[int], None]) -> None:
    numbers = itertools.count(1)

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event == "os.rename" and str(folder) in str(arguments) and ".safetensors" in str(arguments):
            tell(next(numbers))

    sys.addaudithook(hook)


@contextmanager
def states_counted(folder: Path) -> Iterator[tuple[Callable[[], None], "ctypes.c_int64"]]:
    """Give what counts the states that a process puts into ``folder``, and the number."""
    told = shared_number()

    def tell(now: int) -> None:
        told.value = now

    yield lambda: _on_states(folder, tell), told


def shared_number() -> "ctypes.c_int64":
    """Return a number that a fork of this process can change."""
    return ctypes.c_int64.from_buffer(mmap.mmap(-1, 8))


def _on_changes(place: Path, tell: Callable[[int, bool], None]) -> None:
    """Call ``tell`` before every change of files, with its number and whether it needs space."""
    numbers = itertools.count()

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event not in CHANGES or str(place) not in str(arguments):
            return
        if event != "open" or (isinstance(arguments[2], int) and arguments[2] & WRITES):
            tell(next(numbers), event in ("open", "os.mkdir"))

    sys.addaudithook(hook)


def _at_change(place: Path, number: int, happen: Callable[[bool], None]) -> None:
    def tell(now: int, creates: bool) -> None:
        if now >= number:
            happen(creates)

    _on_changes(place, tell)


def _die(creates: bool) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _no_space(creates: bool) -> None:
    """Let nothing be created or opened for writing any more, as on a disk without a free block; files may still go."""
    if creates:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _no_larger_file(size: int) -> None:
    """Let every write beyond so many bytes of a file fail: the kernel refuses it, whoever asks."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def _modes(folder: Path, of_folders: int, of_files: int) -> None:
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            path.chmod(of_folders if path.is_dir() else of_files)


def _obey_modes() -> None:
    """Give up what lets root write wherever it likes: CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH, by capset(2)."""
    if os.geteuid() != 0:
        return
    system = ctypes.CDLL(None, use_errno=True)
    header, rights = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    system.capget(header, rights)
    for word in range(3):  # effective, permitted and inheritable rights, the first 32 of each
        rights[word] &= ~0b110
    if system.capset(header, rights):
        raise OSError(ctypes.get_errno(), "capset")


def _into_the_future(place: Path) -> None:
    then = time.time() + FUTURE
    for path in place.rglob("*"):
        os.utime(path, (then, then), follow_symlinks=False)


def _backwards() -> None:
    """Let the clock of this process run backwards; that for measuring times goes on, as it does on every system."""
    real = time.time
    start = real()
    time.time = lambda: 2 * start - real()
