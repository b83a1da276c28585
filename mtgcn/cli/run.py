"""``mtgcn run`` and ``mtgcn status``: parameter files become pages of the book."""

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mtgcn.cli import app
from mtgcn.cli.settings import Scheduler, client, one_of, outlive_terminal, setting

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.text import Text

    from mtgcn.pipeline.pages import Executor
    from mtgcn.pipeline.project import Project
    from mtgcn.pipeline.states import State
    from mtgcn.pipeline.trainings import Failure

WATCH_SECONDS = 5
Files = Annotated[
    list[str] | None,
    typer.Argument(metavar="[NAME|FILE|FOLDER]...", help="Parameter files; all of params/ when none is given."),
]


@app.command()
def run(
    files: Files = None,
    force: Annotated[bool, typer.Option("--force", help="Train and render what is up to date too.")] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Another value for a trial, stored in trials/."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Store in this folder instead of book/.")
    ] = None,
    scheduler: Scheduler = None,
    workers: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Run on so many Dask workers of this machine.")
    ] = None,
) -> None:
    """Train results and render pages that are not up to date, and store them."""
    one_of(scheduler, workers)
    outlive_terminal()
    overrides = dict(setting(text) for text in settings or [])

    from mtgcn.pipeline import pages
    from mtgcn.pipeline.display import Display
    from mtgcn.pipeline.project import Project

    project = Project.find()
    planned = pages.plan(project, files or [], overrides, output)
    display = Display([page.name for page in planned])
    try:
        with client(scheduler, workers) as connected, display:
            failures = pages.run(planned, display, _executor(connected), force, project.failed)
    except KeyboardInterrupt:
        display.console.print("Interrupted. Finished runs are stored; the next call goes on with the others.")
        raise typer.Exit(130) from None
    for name, failure in failures.items():
        _explain(project, name, failure)
    if failures:
        raise typer.Exit(1)


@app.command()
def status(
    files: Files = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print names, states and reasons as JSON.")] = False,
    check: Annotated[bool, typer.Option("--check", help="End with exit code 1 unless everything is fresh.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Look again every few seconds until all is fresh.")] = False,
) -> None:
    """Show what is fresh, stale (and why), unverified (the engine has changed since) or missing."""
    import json
    import time

    from rich.console import Console
    from rich.live import Live

    from mtgcn.pipeline import pages, states
    from mtgcn.pipeline.project import Project

    def look() -> dict[str, states.State]:
        return states.states(pages.plan(Project.find(), files or []))

    found = look()
    if as_json:
        rows = [{"name": name, "state": state.word, "reasons": state.reasons} for name, state in found.items()]
        print(json.dumps(rows, indent=1, ensure_ascii=False))
    elif watch:
        try:
            with Live(_table(found), auto_refresh=False) as live:
                while any(state.word != states.FRESH for state in found.values()):
                    time.sleep(WATCH_SECONDS)
                    found = look()
                    live.update(_table(found), refresh=True)
        except KeyboardInterrupt:
            raise typer.Exit(130) from None
    else:
        Console(highlight=False, soft_wrap=True).print(_table(found))
    if check and any(state.word != states.FRESH for state in found.values()):
        raise typer.Exit(1)


def _table(found: "Mapping[str, State]") -> "Text":
    """Return a line for each page: name, state, reasons."""
    from rich.text import Text

    from mtgcn.pipeline import states

    colours = {states.FRESH: "green", states.STALE: "yellow", states.UNVERIFIED: "blue", states.MISSING: "red"}
    width = max(len(name) for name in found)
    lines = [
        Text.assemble(f"{name:{width}}  ", (f"{state.word:10}", colours[state.word]), f"  {'; '.join(state.reasons)}")
        for name, state in found.items()
    ]
    return Text("\n").join(lines)


def _executor(connected: Any) -> "Executor":
    """Return what trains: this machine by itself, or a cluster."""
    from mtgcn.pipeline import pages

    if connected is None:
        return pages.here
    from mtgcn.pipeline import cluster

    return cluster.executor(connected)


def _explain(project: "Project", name: str, failure: "Failure") -> None:
    """Print the cell that failed, its error, and where the notebook lies."""
    typer.echo(f"\n{name} failed: {failure.error}", err=True)
    if failure.cell:
        typer.echo(f"in cell {failure.cell}:", err=True)
        typer.echo(textwrap.indent(failure.source, "    "), err=True)
        left = (project.failed / f"{name}.ipynb").relative_to(project.root)
        typer.echo(f"The notebook as far as it came: {left}", err=True)
    elif failure.traceback:
        typer.echo(f"What Python said: {(project.failed / f'{name}.log').relative_to(project.root)}", err=True)
