"""Long training: killed three times, it goes on where it was and ends with the bytes of one that was never killed."""

from pathlib import Path

from project.faults.bounded import MEMORY
from project.faults.commands import Command
from project.faults.injected import BEFORE_A_CHANGE, Fault, after_states, states_counted
from project.faults.scene import Scene, Told

from mtgcn.data import datasets, toy

KILLS, BETWEEN, EPOCHS = 3, 2, 9  # states between two kills, of which there is one an epoch
LARGE, NEEDS = 1_000_000, 12 << 30  # nodes of the largest graph, and bytes of memory for it


def command(nodes: int) -> Command:
    """Return the training of one run with all tasks on a generated graph."""

    def make(project: Path) -> None:
        arrays = toy.generate(nodes, features=1_000, average_degree=10, words=20)
        datasets.save(project / "graph.npz", datasets.from_arrays(arrays, "graph", "generated", normalise=False))

    def line(project: Path) -> list[str]:
        own = ["--network", "AE+FR+ER", "--runs", "1", "--set", f"epochs={EPOCHS}"]
        out = ["--table", str(project / "runs.csv"), "--state", str(project / "best.safetensors")]
        return ["train", "graph.npz", *own, *out]  # by its name alone, which the state holds

    return Command(f"train, {nodes:,} nodes", line, make, memory=max(MEMORY, NEEDS), stores=False)


def resumed(nodes: int) -> Told:
    """Kill a training three times, let it end, and compare it with one that was left alone."""
    undisturbed = Scene(command(nodes))
    assert (ended := undisturbed.call()).accepted, ended.said
    scene = Scene(command(nodes), like=undisturbed)
    found = []
    for number in range(KILLS):
        ended = scene.call(Fault(BEFORE_A_CHANGE, within=lambda: after_states(scene.cache, BETWEEN)))
        if ended.code != -9:
            found.append(f"kill {number + 1} did not come: {ended.code}, {ended.said[-1000:]}")
    with states_counted(scene.cache) as (within, told):
        ended = scene.call(Fault(BEFORE_A_CHANGE, within=within))
    if not ended.accepted or scene.seen() != undisturbed.seen():
        found.append(f"another outcome: {ended.said[-1000:]}")
    if told.value != EPOCHS - KILLS * BETWEEN:
        found.append(f"{told.value} epochs were left, not {EPOCHS - KILLS * BETWEEN}")
    found += [f"left or missing: {name}" for name in sorted(scene.everything() ^ undisturbed.everything())]
    scene.remove()
    undisturbed.remove()
    return Told(True, found, ended)
