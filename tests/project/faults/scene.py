"""A command in a place of its own, an undisturbed call of it, a disturbed one, and what must hold after that."""

import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from project.faults.bounded import Ended, forked, mtgcn
from project.faults.commands import Command, content
from project.faults.injected import Course, Fault, counted, shared_number
from project.faults.stand_in import Internet, cut_off
from support import tiny_project as tiny

from mtgcn.data import cache, planetoid

MARK = "MTGCN_DRILL_PLACE"  # in the environment of everything that a command starts
NONE = Fault("none")
Options = Callable[[], tuple[str, ...]]
PATIENCE = 60  # seconds for what a killed command has started to end by itself, on a busy machine


class Scene:
    """A command, its project, and a cache and a folder for temporary files that nobody else uses.

    Args:
        internet: what stands for the internet; without it a fork reaches nothing.
        options: gives further words of the command line, for each call.
        like: a scene of the same command, whose project is taken over as it was made.
    """

    def __init__(
        self,
        command: Command,
        internet: Internet | None = None,
        options: Options = tuple,
        like: "Scene | None" = None,
    ) -> None:
        self.command, self.internet, self.options = command, internet, options
        self.place = Path(tempfile.mkdtemp(prefix="drill-"))
        self.project, self.cache, self.temporary = (self.place / name for name in ("project", "cache", "temporary"))
        for folder in (self.project, self.cache, self.temporary, self.place / "home"):
            folder.mkdir()
        (self.place / "outside.txt").write_text("precious")
        for kernels in cache.folder().glob("kernels-*.so"):  # not to be compiled for every fault
            shutil.copy(kernels, self.cache)
        if like is not None:
            shutil.copytree(like.made, self.project, dirs_exist_ok=True)
            return
        command.make(self.project)
        for line in command.before:
            ended = self._call(line)
            assert ended.accepted, ended.said
        command.then(self.project)
        self.made = self.place / "made"
        shutil.copytree(self.project, self.made)

    def call(self, fault: Fault = NONE) -> Ended:
        """Call the command, with a fault or undisturbed; ``struck`` tells whether a kill came before its end."""

        def strike(process: int) -> None:
            self.struck = True
            fault.strike(process)

        self.struck = False
        line = [*self.command.line(self.project), *self.options()]
        fault.before()
        try:
            return self._call(line, fault.within, fault.seconds, strike)
        finally:
            fault.after()

    def _call(
        self,
        line: list[str],
        within: Callable[[], None] = NONE.within,
        seconds: float | None = None,
        strike: Callable[[int], None] = NONE.strike,
    ) -> Ended:
        def prepare() -> None:
            os.chdir(self.project)
            own = {"MTGCN_CACHE": self.cache, "TMPDIR": self.temporary, "HOME": self.place / "home", MARK: self.place}
            os.environ.update({name: str(path) for name, path in own.items()})
            os.environ["MTGCN_CHECKPOINT_SECONDS"] = "1e-9"  # a state after every epoch
            os.environ.pop("MTGCN_DATA", None)
            tempfile.tempdir = None
            sys.dont_write_bytecode = True
            cut_off() if self.internet is None else self.internet.stand_in()
            within()

        return forked(lambda: mtgcn(*line), prepare, seconds, strike, self.command.memory)

    def course(self) -> Course:
        """Make an undisturbed call and return its course."""
        told = shared_number()
        start = time.monotonic()
        ended = self._call([*self.command.line(self.project), *self.options()], lambda: counted(self.place, told))
        seconds = time.monotonic() - start
        assert ended.accepted, ended.said
        largest = max((path.stat().st_size for path in _files(self.project) + _files(self.cache)), default=0)
        return Course(seconds, told.value, largest)

    def seen(self) -> dict[str, str]:
        """Return what the files of the project say that somebody reads: no temporary ones, nor what has failed."""
        return {name: content(path) for name, path in self._own() if not _hidden(name)}

    def raw(self) -> dict[str, bytes]:
        """Return these files as they are."""
        return {name: path.read_bytes() for name, path in self._own() if not _hidden(name)}

    def everything(self) -> set[str]:
        """Return the names of all files here, but for those in which a failure is told."""
        others = [path for folder in (self.cache, self.temporary) for path in _files(folder)]
        beside = {path.relative_to(self.place).as_posix() for path in others if not path.name.startswith("kernels-")}
        return {name for name, _ in self._own()} | beside

    def _own(self) -> list[tuple[str, Path]]:
        named = [(path.relative_to(self.project).as_posix(), path) for path in _files(self.project)]
        return [(name, path) for name, path in named if not name.startswith("failed/")]

    def asked(self) -> list[str]:
        """Return the files that somebody asked what stands for the internet for."""
        return self.internet.asked() if self.internet else []

    def cached(self) -> set[str]:
        """Return the raw files of the data sets that the cache holds whole."""
        sets = [planetoid.file_sets(name)[0] for name in planetoid.NAMES]
        return {file for files in sets if all((self.cache / file).exists() for file in files) for file in files}

    def untouched(self) -> bool:
        """Tell whether what lies beside the folders is as it was."""
        names = {path.name for path in self.place.iterdir()}
        expected = {"project", "cache", "temporary", "home", "outside.txt"}
        return names - {"made"} == expected and (self.place / "outside.txt").read_text() == "precious"

    def processes(self) -> list[int]:
        """Return the processes that commands here have started and that still run."""
        mark = f"{MARK}={self.place}".encode()
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (folder / "environ").read_bytes().split(b"\0") and tiny.alive(int(folder.name)):
                    found.append(int(folder.name))
            except OSError:  # gone, or somebody else's
                continue
        return found

    def quiet(self) -> bool:
        """Wait for the end of what a killed command has started; tell whether it came."""
        end = time.monotonic() + PATIENCE
        while self.processes():
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True

    def remove(self) -> None:
        """Take the place away."""
        shutil.rmtree(self.place)


@dataclass(frozen=True)
class Told:
    """Whether a fault came before the end of a command, what was not as it should be (nothing, as a rule), its end."""

    struck: bool
    troubles: list[str]
    ended: Ended


def disturb(scene: Scene, undisturbed: Scene, fault: Fault) -> Told:
    """Disturb a command, call it again, and hold what there is then to be what an undisturbed call gives."""
    before, final = scene.seen(), undisturbed.seen()
    ended = scene.call(fault)
    struck = scene.struck if fault.seconds is not None else not (fault.kills and ended.accepted)
    found = [] if scene.quiet() else ["something that it started goes on"]
    half = sorted(name for name, text in scene.seen().items() if not _whole(text, name, before, final))
    found += [f"half-written or foreign: {name}" for name in half]
    if not (ended.accepted or ended.refused or (ended.code == -signal.SIGKILL and fault.kills)):
        found.append(f"ended with {ended.code}: {ended.said[-1500:]}")
    if ended.accepted and scene.seen() != final:
        found.append("ended well with another outcome")

    kept, cached = scene.raw(), scene.cached()
    asked = scene.asked()
    again = scene.call()
    if not again.accepted:
        found.append(f"the next call ended with {again.code}: {again.said[-1500:]}")
    elif scene.seen() != final:
        found.append(f"another outcome: {_different(scene.seen(), final)}")
    found += [f"fetched twice: {name}" for name in scene.asked()[len(asked) :] if name in cached]
    if scene.command.stores:  # a journal grows; that it has nothing twice is part of what it says
        done = [name for name in kept if name in final and name not in before and not name.endswith(".journal")]
        found += [f"done twice: {name}" for name in done if scene.raw().get(name) != kept[name]]
    found += [f"left or missing: {name}" for name in sorted(scene.everything() ^ undisturbed.everything())]
    if not scene.untouched():
        found.append("something was written outside")
    return Told(struck, found, ended)


def _whole(text: str, name: str, before: dict[str, str], final: dict[str, str]) -> bool:
    if name.endswith(".journal"):  # it grows by whole trials, each once
        lines = text.splitlines()
        return len(lines) == len(set(lines)) and set(lines) <= set(final[name].splitlines())
    return ".lock" in name or text in (before.get(name), final.get(name))


def _different(one: dict[str, str], other: dict[str, str]) -> list[str]:
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() or path.is_symlink())


def _hidden(name: str) -> bool:
    return any(part.startswith(".") for part in name.split("/"))
