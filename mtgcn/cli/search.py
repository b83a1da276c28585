"""``mtgcn search``: hyper-parameters by validation accuracy, resumable, on one machine or many."""

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mtgcn.cli import app
from mtgcn.cli.settings import Scheduler, client, one_of, outlive_terminal
from mtgcn.errors import MtgcnError

if TYPE_CHECKING:
    from mtgcn.pipeline.search import Search


@app.command()
def search(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE|FOLDER]...", help="Search files; all of params/search/ when none is given."),
    ] = None,
    status: Annotated[bool, typer.Option("--status", help="Show how far the searches are, and do nothing.")] = False,
    apply: Annotated[
        bool,
        typer.Option(
            "--apply",
            help="Write the chosen values into params/*.yaml at the end; a new file only for searches that are named.",
        ),
    ] = False,
    scheduler: Scheduler = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Processes of one thread on this machine; as many as cores by default."),
    ] = None,
) -> None:
    """Search hyper-parameters by validation accuracy; a search that was stopped goes on where it was."""
    one_of(scheduler, workers)
    outlive_terminal()
    # Read by torch and DGL when they are imported; Dask sets it for its own workers.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    try:
        from mtgcn.pipeline import search as engine
        from mtgcn.pipeline.search import batches
    except ModuleNotFoundError as error:
        raise MtgcnError(f"a search needs Optuna ({error}): pip install 'mtgcn[search]'.") from error
    from mtgcn.pipeline.project import Project

    project = Project.find()
    chosen = project.parameter_files(files or [project.root / "params" / "search"])
    searches = [engine.Search.of(path, project.root) for path in chosen]
    searches.sort(key=lambda one: _size(one.space.dataset))
    if status:
        for one in searches:
            _show(one)
        return
    number = workers or os.cpu_count() or 1
    try:
        with client(scheduler, None if scheduler or number == 1 else number) as connected:
            executor = batches.here if connected is None else batches.on(connected)
            for one in searches:
                engine.run(one, executor, _Progress(one))
                typer.echo(f"{one.name}: complete, {one.table.relative_to(project.root)} written")
                if apply and (files or one.parameters.exists()):  # not every search of the folder has a page of its own
                    engine.apply(one)
                    typer.echo(f"{one.name}: {one.parameters.relative_to(project.root)} has the chosen values")
    except KeyboardInterrupt:
        typer.echo("Interrupted. What was computed is in the journal; the next call goes on from there.", err=True)
        raise typer.Exit(130) from None


def _size(dataset: str) -> int:
    """Order by size, small first, so that the first outcome comes early."""
    known = ["toy", "cora", "citeseer", "pubmed"]
    return known.index(dataset) if dataset in known else len(known)


class _Progress:
    """Lines on how far a search is, and how long it will take at the speed so far."""

    def __init__(self, search: "Search") -> None:
        from mtgcn.pipeline.search import stages

        self._name, self._expected = search.name, stages.expected(search.space)
        self._begin: tuple[float, float] | None = None  # time and cost when it was first told something

    def __call__(self, done: dict[str, int]) -> None:
        from mtgcn.pipeline.search import cost

        now, spent, total = time.monotonic(), cost(done), cost(self._expected)
        self._begin = self._begin or (now, spent)
        left = ""
        if spent > self._begin[1]:
            minutes = (now - self._begin[0]) / (spent - self._begin[1]) * (total - spent) / 60
            left = f", about {minutes:.0f} min left" if minutes >= 1 else ", less than a minute left"
        runs = f"{sum(done.values())} of at most {sum(self._expected.values())} runs"
        typer.echo(f"{self._name}: {runs}, {spent / total:.0%}{left}")


def _show(search: "Search") -> None:
    """Print how far a search is: runs of each network, and its best point once that is known."""
    from mtgcn.pipeline.search import stages

    if not search.journal.exists():
        typer.echo(f"{search.name}: not begun here, {sum(stages.expected(search.space).values())} runs at the most")
        return
    journal = search.open()
    complete = "going on" if stages.todo(search.space, journal.scores) else "complete"
    typer.echo(f"{search.name}: {complete}")
    for network, most in stages.expected(search.space).items():
        best = stages.chosen(search.space, network, journal.scores)
        text = f"  {network:9} {search.done(journal)[network]:4} of at most {most:4} runs"
        if best is not None:
            score = stages.mean(search.space, journal.scores, best, search.space.most_runs)
            values = ", ".join(f"{name} {value}" for name, value in best.values)
            text += f"; {score:.2f} %" + (f" with {values}" if values else "")
        typer.echo(text)
    for task, weight in stages.at_the_edge(search.space, journal.scores).items():
        typer.echo(f"  {task}'s weight {weight:g} is the first or last of its grid: a better one may lie beyond.")
