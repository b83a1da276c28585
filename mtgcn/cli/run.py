"""``mtgcn run`` and ``mtgcn status``: parameter files become pages of the book."""

import os
import textwrap
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mtgcn.cli import app
from mtgcn.cli.settings import setting
from mtgcn.errors import MtgcnError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mtgcn.execute import Failure
    from mtgcn.pipeline import Executor
    from mtgcn.project import Project

Files = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[FILE|FOLDER]...", help="Parameter files; all of params/ when none is given."),
]


@app.command()
def run(
    files: Files = None,
    force: Annotated[bool, typer.Option("--force", help="Run what is up to date too.")] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Another value for a trial, stored in trials/."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Store in this folder instead of book/.")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Run on the cluster of this Dask scheduler, tcp://host:8786.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Run on so many Dask workers of this machine.")
    ] = None,
) -> None:
    """Run the notebooks of parameter files that are not up to date, and store pages and results."""
    if scheduler is not None and workers is not None:
        raise MtgcnError("--scheduler and --workers exclude each other: a scheduler has its own workers.")
    overrides = dict(setting(text) for text in settings or [])

    from mtgcn import pipeline
    from mtgcn.display import Display
    from mtgcn.project import Project

    project = Project.find()
    runs = pipeline.plan(project, files or [], overrides, output)
    display = Display([one.name for one in runs])
    try:
        with _executor(scheduler, workers) as executor, display:
            failures = pipeline.run(runs, display, executor, force, project.failed)
    except KeyboardInterrupt:
        display.console.print("Interrupted. Finished runs are stored; the next call goes on with the others.")
        raise typer.Exit(130) from None
    for name, failure in failures.items():
        _explain(project, name, failure)
    if failures:
        raise typer.Exit(1)


@app.command()
def status(files: Files = None) -> None:
    """Show which runs are fresh, stale (and why) or missing."""
    from rich.console import Console

    from mtgcn import pipeline
    from mtgcn.project import Project

    reasons = pipeline.status(pipeline.plan(Project.find(), files or []))
    width = max(len(name) for name in reasons)
    console = Console(highlight=False, soft_wrap=True)
    for name, why in reasons.items():
        state = "fresh" if not why else "missing" if why == [pipeline.MISSING] else "stale"
        colour = {"fresh": "green", "stale": "yellow", "missing": "red"}[state]
        console.print(f"{name:{width}}  [{colour}]{state:7}[/]  ", end="")
        console.print("; ".join(why) if state == "stale" else "", markup=False)


@contextmanager
def _executor(scheduler: str | None, workers: int | None) -> "Iterator[Executor]":
    """Give what runs the notebooks: this machine by itself, or a cluster."""
    from mtgcn import pipeline

    if scheduler is None and workers is None:
        yield pipeline.here
        return
    try:
        from mtgcn import cluster
    except ImportError as error:
        raise MtgcnError(f"a cluster needs Dask ({error}): pip install 'mtgcn[cluster]'.") from error
    # On this machine the workers share its cores; a cluster's workers were told theirs when they started.
    threads = None if workers is None else max(1, (os.cpu_count() or 1) // workers)
    with cluster.connect(scheduler, workers) as client:
        yield cluster.executor(client, threads)


def _explain(project: "Project", name: str, failure: "Failure") -> None:
    """Print the cell that failed, its error, and where the notebook lies."""
    typer.echo(f"\n{name} failed: {failure.error}", err=True)
    if failure.cell:
        typer.echo(f"in cell {failure.cell}:", err=True)
        typer.echo(textwrap.indent(failure.source, "    "), err=True)
        left = (project.failed / f"{name}.ipynb").relative_to(project.root)
        typer.echo(f"The notebook as far as it came: {left}", err=True)
