"""Deaths in a cluster: of workers, of the scheduler, of the program that waits for them, while it searches or runs."""

import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

from project.faults import bounded
from project.faults.commands import RUN, SEARCHED, Command, trials
from project.faults.injected import ANY_MOMENT, Fault
from project.faults.scene import Scene, Told, disturb
from support import tiny_project as tiny

WORKER, SCHEDULER = "a worker killed", "the scheduler killed"
KINDS = (WORKER, SCHEDULER, ANY_MOMENT)
COMMANDS = tuple(
    Command(f"{one.name} on a cluster", lambda project, word=one.name: [word], one.make) for one in (SEARCHED, RUN)
)
POINTS = 500
LARGE = f"""
dataset: toy
settings: {{epochs: 2}}
grid:
  AE: {{weight: [{", ".join(str(number) for number in range(1, POINTS // 2 + 1))}], nodes: [labelled, all]}}
runs: 1
best_runs: 1
batch: 5
"""


class Cluster:
    """A scheduler and workers, each a process of its own that nothing but `address` brings back."""

    def __init__(self, workers: int) -> None:
        self._number = workers
        self.folder = Path(tempfile.mkdtemp(prefix="drill-cluster-"))
        self.scheduler, self.workers = 0, [0] * workers

    def address(self) -> str:
        """Start whoever is dead or has lost the scheduler, and return the address."""
        told = self.folder / "scheduler.json"
        if not self.scheduler:
            told.unlink(missing_ok=True)
            self.kill(*filter(None, self.workers))
            place = ["--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(told)]
            self.scheduler = self._start("scheduler", *place)
            tiny.wait_for(lambda: told.exists() and told.read_text().strip().endswith("}"), "scheduler")
        found = json.loads(told.read_text())["address"]
        own = ["--nthreads", "1", "--no-nanny", "--host", "127.0.0.1", "--local-directory", str(self.folder)]
        self.workers = [worker or self._start("worker", found, *own) for worker in self.workers]
        return found

    def kill(self, *processes: int) -> None:
        """Kill some of the processes."""
        for process in processes:
            bounded.ended(process)
        self.scheduler = 0 if self.scheduler in processes else self.scheduler
        self.workers = [0 if worker in processes else worker for worker in self.workers]

    def remove(self) -> None:
        """Kill whatever is left, and take the folder away."""
        self.kill(*filter(None, [*self.workers, self.scheduler]))
        shutil.rmtree(self.folder)

    def _start(self, what: str, *arguments: str) -> int:
        def work() -> None:
            from distributed.cli import dask_scheduler, dask_worker

            os.chdir(self.folder)
            os.environ["MTGCN_CACHE"] = str(self.folder / "cache")
            main = dask_scheduler.main if what == "scheduler" else dask_worker.main
            sys.argv = ["dask"]
            main([*arguments, "--no-dashboard"])

        return bounded.started(work, self.folder / "log")


def scene_on(cluster: Cluster, command: Command) -> Scene:
    """Return the scene of a command that goes to a cluster."""
    return Scene(command, options=lambda: ("--scheduler", cluster.address()))


def death(kind: str, rng: random.Random, cluster: Cluster, undisturbed: Scene, seconds: float) -> Told:
    """Kill a worker, the scheduler or the program at a random moment of a command that takes so many ``seconds``."""

    def strike(process: int) -> None:
        if kind == ANY_MOMENT:
            os.kill(process, signal.SIGKILL)
        else:
            cluster.kill(rng.choice(cluster.workers) if kind == WORKER else cluster.scheduler)

    scene = scene_on(cluster, undisturbed.command)
    cluster.address()
    told = disturb(scene, undisturbed, Fault(kind, seconds=rng.uniform(0, seconds), strike=strike))
    if kind == WORKER and not told.ended.accepted:
        told.troubles.append(f"the others did not do its work: {told.ended.said[-1000:]}")
    scene.remove()
    return told


def load(rng: random.Random) -> Told:
    """Search 500 points on 4 workers, two of which are killed on the way, one after the other."""

    def make(project: Path) -> None:
        SEARCHED.make(project)
        (project / "params" / "search" / "toy.yaml").write_text(LARGE)

    command = Command("search of 500 on 4 workers", lambda project: ["search"], make)
    cluster = Cluster(4)
    undisturbed, scene = (scene_on(cluster, command) for _ in range(2))
    course = undisturbed.course()
    cluster.address()
    first, second = rng.sample(cluster.workers, 2)

    def strike(process: int) -> None:
        cluster.kill(first)
        time.sleep(course.seconds / 5)
        cluster.kill(second)

    told = disturb(scene, undisturbed, Fault(WORKER, seconds=course.seconds / 2, strike=strike))
    points = trials((scene.project / "trials" / "search" / "toy.journal").read_bytes())
    single = [point for point in points if point["study"].startswith("AE")]
    if not told.ended.accepted or len(single) != POINTS or len({str(point["point"]) for point in single}) != POINTS:
        told.troubles.append(f"{len(single)} points instead of {POINTS}: {told.ended.said[-1000:]}")
    for one in (scene, undisturbed, cluster):
        one.remove()
    return told
