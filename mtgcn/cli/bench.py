"""``mtgcn bench``: speed as ratios against peers, growth with the size of the graph, accuracy of the plain GCN."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mtgcn.cli import app
from mtgcn.errors import MtgcnError

if TYPE_CHECKING:
    from rich.console import Console


@app.command()
def bench(
    output: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the tables go.")] = Path("book/results"),
    seconds: Annotated[float, typer.Option(min=0.1, help="Time spent on each measurement.")] = 4.0,
) -> None:
    """Measure the engine against its peers, its kernels and itself on larger graphs; each table goes to a CSV file."""
    try:
        import torch_geometric  # noqa: F401
    except ImportError as error:
        raise MtgcnError("the benchmark compares with PyTorch Geometric: pip install 'mtgcn[bench]'.") from error
    from rich.console import Console

    from mtgcn.experiments.bench import conditions, growth, limit, speed, start

    console = Console(highlight=False)
    tables = {
        "bench-conditions": ("Where and with what", conditions.conditions()),
        "bench": ("A run and epoch, ten runs together", speed.ratios(seconds=seconds)),
        "bench-limit": ("An epoch of ten runs, one thread", limit.distances(seconds=seconds)),
        "bench-start": ("Start, seconds of a core", start.starts()),
        "bench-growth": ("Growth, one run", growth.growth()),
        "bench-accuracy": ("Plain GCN, one hidden layer", speed.accuracies()),
    }
    for name, (title, rows) in tables.items():
        _show(console, title, rows, output / f"{name}.csv")


def _show(console: "Console", title: str, rows: Iterable[dict[str, object]], path: Path) -> None:
    """Print the rows as a table and write them as CSV."""
    import pandas as pd
    from rich.table import Table

    from mtgcn import files

    frame = pd.DataFrame(list(rows))
    table = Table(*map(str, frame.columns), title=title, title_justify="left")
    for row in frame.itertuples(index=False):
        table.add_row(*map(str, row))
    console.print(table)
    files.write_text(path, frame.to_csv(index=False))
