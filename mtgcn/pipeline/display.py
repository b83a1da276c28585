"""What one sees while runs go on: a live table in a terminal, plain lines elsewhere."""

import threading
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from mtgcn.pipeline.trainings import Failure

STYLES = {"waiting": "dim", "running": "yellow", "done": "green", "fresh": "green", "failed": "bold red"}


class Display:
    """The state of every run, safe to be told of changes from several threads."""

    def __init__(self, names: Sequence[str], console: Console | None = None) -> None:
        self.console = console or Console()
        self._states = dict.fromkeys(names, ("waiting", ""))
        self._beginnings: dict[str, str] = {}
        self._started: dict[str, float] = {}
        self._seconds: dict[str, float] = {}
        self._lock = threading.Lock()
        self._live = Live(console=self.console, get_renderable=self._table) if self.console.is_terminal else None

    def __enter__(self) -> Self:
        if self._live:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._live.stop()

    def fresh(self, name: str) -> None:
        """Say that a run is up to date."""
        self._set(name, "fresh", "up to date")

    def running(self, name: str, detail: str) -> None:
        """Say where a run stands; without a live table, a line for each that begins differently from the last."""
        start = detail.split(",")[0]
        with self._lock:
            self._started.setdefault(name, time.monotonic())
            known = self._beginnings.get(name) == start
            self._beginnings[name] = start
        self._set(name, "running", detail, known)

    def done(self, name: str) -> None:
        """Say that a run is stored."""
        self._set(name, "done", "stored")

    def failed(self, name: str, failure: Failure) -> None:
        """Say why a run failed."""
        where = f"cell {failure.cell}: " if failure.cell else ""
        self._set(name, "failed", where + failure.error)

    def _set(self, name: str, state: str, detail: str, quiet: bool = False) -> None:
        """Change a state; where there is no live table a line says so, unless it would be one of too many."""
        with self._lock:
            self._states[name] = (state, detail)
            if state in ("done", "failed") and name in self._started:
                self._seconds[name] = time.monotonic() - self._started[name]
            took = self._took(name)
        if self._live is None and not quiet:
            self.console.print(f"{name}: {state}, {detail}{took}", markup=False, highlight=False, soft_wrap=True)

    def _took(self, name: str) -> str:
        if name not in self._started:
            return ""
        seconds = self._seconds.get(name, time.monotonic() - self._started[name])
        minutes, rest = divmod(round(seconds), 60)
        return f" ({minutes} min {rest:02d} s)" if minutes else f" ({rest} s)"

    def _table(self) -> Table:
        table = Table(box=None, pad_edge=False)
        for column in ("run", "state", "", "time"):
            table.add_column(column, no_wrap=column != "")
        with self._lock:
            for name, (state, detail) in self._states.items():
                took = Text(self._took(name).strip(" ()"))
                table.add_row(Text(name), Text(state, STYLES[state]), Text(detail), took)
        return table
