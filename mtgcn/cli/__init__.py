"""The command line: each command is a thin file of its own, heavy imports happen inside the commands."""

import sys

import typer

from mtgcn.errors import MtgcnError

app = typer.Typer(
    name="mtgcn",
    help="Rerun the paper: data, training, papermill runs, search.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """Run the program; a user's mistake ends in one sentence and exit code 2."""
    from mtgcn.cli import bench, data, run, search, train  # noqa: F401  (importing a command registers it)

    try:
        app()
    except MtgcnError as error:
        print(f"mtgcn: {error}", file=sys.stderr)
        sys.exit(2)
