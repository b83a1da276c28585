"""``mtgcn data``: which data sets there are, what is in them and where they came from."""

import json
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mtgcn.cli import app
from mtgcn.errors import MtgcnError

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from mtgcn.data.datasets import Dataset

COUNTS = ("nodes", "edges", "features", "classes")


@app.command()
def data(
    fetch: Annotated[bool, typer.Option("--fetch", help="Fill the cache in the user's cache directory.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a list of objects, one a data set.")] = False,
) -> None:
    """Show the three data sets beside the paper's figures; those that are not here yet are downloaded."""
    from mtgcn.data import cache, datasets, planetoid

    if fetch:
        _fetch(planetoid.NAMES)
        typer.echo(f"cache: {cache.folder()}", err=as_json)
    loaded, faults = [], []
    for name in planetoid.NAMES:
        try:
            loaded.append(datasets.load(name))
        except MtgcnError as error:
            faults.append(str(error))
    if as_json:
        print(json.dumps([_described(one) for one in loaded], indent=2))
    elif loaded:
        _show(loaded)
    if faults:
        raise MtgcnError("\n\n".join(faults))


def _fetch(names: tuple[str, ...]) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    from mtgcn.data import sources

    columns = (
        TextColumn("{task.description:<8}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[source]}"),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        for name in names:
            task = progress.add_task(name, total=1.0, source="")
            report = partial(_advance, progress, task)
            report(sources.fill_cache(name, report), 1.0)


def _advance(progress: "Progress", task: "TaskID", source: str, done: float) -> None:
    progress.update(task, completed=done, source=source)


def _show(loaded: list["Dataset"]) -> None:
    from rich.console import Console
    from rich.table import Table

    from mtgcn.analysis import literature

    printed = {row["dataset"]: row for row in literature.datasets().to_dict("records")}
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("data set", no_wrap=True)
    for heading in (*COUNTS, "split"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("source")
    table.add_column("digest", no_wrap=True)
    for one in loaded:
        ours = _described(one)
        counts = [ours[column] for column in COUNTS]
        table.add_row(one.name, *_numbers(counts, [*ours["split"].values()]), one.source, one.digest[:8])
        theirs = printed[one.name]
        counts = [theirs[column] for column in COUNTS]
        split = [theirs["training_per_class"] * theirs["classes"], theirs["validation"], theirs["test"]]
        table.add_row("  paper", *_numbers(counts, split), style="dim")
    console = Console()
    console.print(table)
    console.print(
        "Here an edge counts once, whatever its direction, and self-loops are left out; the paper's counts"
        " include the repeated edges and self-loops of the raw files.",
        style="dim",
    )


def _described(one: "Dataset") -> dict[str, Any]:
    """Return what there is to say about a data set, as JSON holds it."""
    counts = (one.nodes, one.edges.shape[1], one.features.shape[1], one.classes)
    split = {"train": len(one.train), "validation": len(one.validation), "test": len(one.test)}
    where = {"source": one.source, "digest": one.digest}
    return {"name": one.name, **dict(zip(COUNTS, counts, strict=True)), "split": split, **where}


def _numbers(counts: list[int], split: list[int]) -> list[str]:
    return [*(f"{count:,}" for count in counts), "/".join(f"{part:,}" for part in split)]
