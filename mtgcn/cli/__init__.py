"""The command line: each command is a thin file of its own, heavy imports happen inside the commands."""

import re
import signal
import sys
from typing import Annotated, NoReturn

import typer

from mtgcn.errors import MtgcnError
from mtgcn.files import sweep_temporary

LONG = re.compile(r"\S{300,}")
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
    """Run the program; a user's mistake ends in one sentence and exit code 2, as does what the system refuses."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends like Ctrl-C: a message, nothing left behind
    try:
        # Importing a command registers it.
        from mtgcn.cli import bench, data, predict, run, search, train, verify  # noqa: F401

        sweep_temporary()
        app()
    except KeyboardInterrupt:  # before the command has begun
        _interrupted()
    except SystemExit as end:
        if isinstance(getattr(end.__context__, "__cause__", None), KeyboardInterrupt):  # typer ends without a word
            _interrupted()
        raise
    except MtgcnError as error:
        _refuse(str(error))
    except MemoryError:
        _refuse("there was not enough memory: train fewer units, layers or runs, or on a smaller graph.")
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _refuse(f"{where}{error.strerror or error}.")


def _interrupted() -> NoReturn:
    """Say that the user has ended the program, where no command knows more about it."""
    print("mtgcn: interrupted.", file=sys.stderr)
    sys.exit(130)


def _refuse(sentence: str) -> NoReturn:
    """Say what is wrong and end; a name that fills screens is cut."""
    print(f"mtgcn: {LONG.sub(lambda word: word[0][:100] + '…', sentence)}", file=sys.stderr)
    sys.exit(2)
