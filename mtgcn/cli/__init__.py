"""The command line: each command is a thin file of its own, heavy imports happen inside the commands."""

import sys
from typing import Annotated

import typer

from mtgcn.errors import MtgcnError

app = typer.Typer(
    name="mtgcn",
    help="Rerun the paper: data, training, papermill runs, search.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:
    """Print the version and end."""
    if asked:
        import mtgcn

        typer.echo(f"mtgcn {mtgcn.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and end.")
    ] = False,
) -> None:
    """Take the options that belong to no command."""


def main() -> None:
    """Run the program; a user's mistake ends in one sentence and exit code 2."""
    from mtgcn.cli import bench, data, run, search, train, verify  # noqa: F401  (importing a command registers it)

    try:
        app()
    except MtgcnError as error:
        print(f"mtgcn: {error}", file=sys.stderr)
        sys.exit(2)
