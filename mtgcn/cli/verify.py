"""``mtgcn verify``: train stored runs again and see whether they come out the same."""

import json
import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from mtgcn.cli import app
from mtgcn.cli.settings import outlive_terminal
from mtgcn.errors import MtgcnError

if TYPE_CHECKING:
    import pandas as pd

    from mtgcn.pipeline.states import Page
    from mtgcn.pipeline.verify import Verdict


@app.command()
def verify(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Results; all that are unverified when none is given."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every run instead of one of each network.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdicts as JSON.")] = False,
    processes: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Processes of one thread each; as many as cores by default.")
    ] = None,
) -> None:
    """Train some stored runs again, compare them row by row, and mark results that come out equal as verified.

    A run is equal when every column but its seconds is; within tolerance when test and validation accuracy differ by
    one point at the most, as on another kind of machine; different otherwise, which ends with exit code 1.
    """
    outlive_terminal()
    from rich.console import Console
    from tqdm import tqdm

    from mtgcn.pipeline import pages
    from mtgcn.pipeline.project import Project
    from mtgcn.pipeline.verify import DIFFERENT, EQUAL, checks, verdicts

    chosen = [page for page in pages.plan(Project.find(), names or []) if page.trains]
    for page in chosen:
        if names and (reasons := page.training_reasons()):
            raise MtgcnError(f"{page.name} has nothing to verify ({'; '.join(reasons)}): mtgcn run {page.name}")
    if not names:
        chosen = [page for page in chosen if not page.training_reasons() and (everything or page.unverified())]
    todo = [check for page in chosen for check in checks(page, _table(page), everything)]
    console = Console(stderr=as_json, highlight=False, soft_wrap=True)
    left = {page.name: sum(check.page == page.name for check in todo) for page in chosen}
    by_name = {page.name: page for page in chosen}
    found: list[Verdict] = []
    try:
        with tqdm(total=len(todo), unit="run", desc="verify", dynamic_ncols=True) as bar:
            for one in verdicts(todo, processes or os.cpu_count() or 1):
                found.append(one)
                left[one.page] -= 1
                bar.update()
                own = [verdict for verdict in found if verdict.page == one.page]
                if left[one.page] == 0 and all(verdict.word == EQUAL for verdict in own):
                    _stamp(by_name[one.page])
                if one.word != EQUAL:
                    bar.write(f"{_where(one)}: {one.word}, {one.differences}")
    except KeyboardInterrupt:
        console.print("Interrupted. What was verified is stamped; the next call goes on with the others.")
        raise typer.Exit(130) from None
    if as_json:
        print(json.dumps([asdict(verdict) for verdict in found], indent=1))
    words = [verdict.word for verdict in found]
    counts = ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(words)) or "nothing to verify"
    console.print(f"{len(found)} runs of {len(chosen)} pages: {counts}.")
    if DIFFERENT in words:
        raise typer.Exit(1)


def _table(page: "Page") -> "pd.DataFrame":
    import pandas as pd

    from mtgcn.experiments import stored

    return pd.read_csv(page.store.file(page.name, stored.MAIN))


def _stamp(page: "Page") -> None:
    """Write into the record that today's engine gives these results."""
    from mtgcn import files
    from mtgcn.experiments.engine_digest import engine_digest

    record = page.store.record(page.name)
    assert record is not None
    files.write_text(page.store.record_file(page.name), record.model_copy(update={"verified": engine_digest()}).text())


def _where(verdict: "Verdict") -> str:
    return f"{verdict.page}, {', '.join(f'{name} {value}' for name, value in verdict.run.items())}"
