"""Which faults befall which commands, and how often; a row of the table for each kind."""

import random
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
from project.faults import dask_deaths, injected, long_training, same
from project.faults.commands import FETCH, RUN, SEARCHED, TRAIN, VERIFY, Command
from project.faults.dask_deaths import Cluster, death, scene_on
from project.faults.scene import Scene, Told, disturb
from project.faults.stand_in import Internet

Tell = Callable[[str], None]
Row = dict[str, object]
ON_A_CLUSTER = dask_deaths.COMMANDS
# How often each kind of fault comes, in the order of `injected.KINDS`, or on a cluster of `dask_deaths.KINDS`.
SHORT = {FETCH: (2, 2, 2, 1, 1), TRAIN: (2, 2, 2, 1, 1), SEARCHED: (2, 2, 2, 1, 1), RUN: (1, 1, 0, 0, 0)}
SHORT |= {ON_A_CLUSTER[0]: (1, 0, 0)}
LONG = {FETCH: (16, 16, 6, 3, 3), TRAIN: (16, 16, 6, 3, 3), SEARCHED: (14, 14, 6, 3, 3), RUN: (12, 10, 5, 3, 2)}
LONG |= {VERIFY: (4, 2, 2, 1, 1), ON_A_CLUSTER[0]: (10, 6, 6), ON_A_CLUSTER[1]: (4, 3, 3)}
MISSES = 5  # kills that come too late, after which a command counts as one that cannot be met
SMALL = 300  # nodes of the graph on which the short form looks at a long training


def faults(long: bool, seed: int, tell: Tell) -> Iterator[Row]:
    """Let the faults of the long or the short form befall the commands, and give a row for each kind."""
    for command, numbers in (LONG if long else SHORT).items():
        rng = random.Random(f"{seed} {command.name}")
        if command in ON_A_CLUSTER:
            yield from _in_a_cluster(command, numbers, rng, tell)
        else:
            yield from _alone(command, numbers, rng, tell)
    yield _row("train", "killed three times", [long_training.resumed(SMALL)], tell, long_training.KILLS)
    if long:
        yield _row("search of 500 on 4 workers", "two workers killed", [dask_deaths.load(random.Random(seed))], tell, 2)
        yield from _largest(tell)
        for what, troubles in same.conditions():
            yield _row("train and verify", what, troubles, tell)


def _alone(command: Command, numbers: tuple[int, ...], rng: random.Random, tell: Tell) -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="drill-") as folder:
        internet = Internet(Path(folder)) if command is FETCH else None
        undisturbed = Scene(command, internet)
        course = undisturbed.course()

        def one(kind: str) -> Told:
            scene = Scene(command, internet, like=undisturbed)
            told = disturb(scene, undisturbed, injected.drawn(kind, rng, scene.place, command.writes, course))
            scene.remove()
            return told

        for kind, number in zip(injected.KINDS, numbers, strict=True):
            if number:
                yield _row(command.name, kind, _struck(number, one, kind), tell)
        undisturbed.remove()
        if internet is not None:
            internet.end()


def _in_a_cluster(command: Command, numbers: tuple[int, ...], rng: random.Random, tell: Tell) -> Iterator[Row]:
    cluster = Cluster(2)
    undisturbed = scene_on(cluster, command)
    course = undisturbed.course()
    for kind, number in zip(dask_deaths.KINDS, numbers, strict=True):
        if number:
            found = _struck(number, lambda kind: death(kind, rng, cluster, undisturbed, course.seconds), kind)
            yield _row(command.name, kind, found, tell)
    undisturbed.remove()
    cluster.remove()


def _struck(number: int, one: Callable[[str], Told], kind: str) -> list[Told]:
    """Return what came of so many faults; one that came after the end of its command was none, and is not counted."""
    found: list[Told] = []
    missed = 0
    while len(found) < number and missed < MISSES * number:
        told = one(kind)
        if told.struck or told.troubles:
            found.append(told)
        else:
            missed += 1
    return found


def _largest(tell: Tell) -> Iterator[Row]:
    """Give the row of a training on a million nodes, where there is memory for it."""
    free = psutil.virtual_memory().available
    if free < long_training.NEEDS:
        tell(f"no training on a million nodes: {free >> 30} GB are free, it needs {long_training.NEEDS >> 30}")
        return
    told = long_training.resumed(long_training.LARGE)
    yield _row("train, a million nodes", "killed three times", [told], tell, long_training.KILLS)


def _row(command: str, fault: str, found: list[Told], tell: Tell, each: int = 1) -> Row:
    for told in found:
        for trouble in told.troubles:
            tell(f"{command}, {fault}: {trouble}")
    survived = sum(not told.troubles for told in found)
    row: Row = {"command": command, "fault": fault, "injected": each * len(found), "survived": each * survived}
    tell(f"{command}, {fault}: {row['survived']} of {row['injected']}")
    return row
