"""``mtgcn train``: one network on one data set, with a live progress bar."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperOption

from mtgcn.cli import app
from mtgcn.cli.settings import setting
from mtgcn.errors import MtgcnError, nearest

if TYPE_CHECKING:
    import pandas as pd


# Parameters that the command has a place of its own for, and what to do instead of setting them.
OWN = {
    "dataset": "give the data set as the argument",
    "networks": "name the network by --network, and set its tasks as in AE.weight=30",
    "hidden_layers": "use --hidden-layers",
    "runs": "use --runs",
}
NETWORK = "GCN, or the names of tasks joined by +, such as AE+FR."


class _Command(TyperCommand):
    """Names the tasks in its help; only then are they, and torch with them, imported for it."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        from mtgcn.model.tasks import TASKS

        for option in self.params:
            if isinstance(option, TyperOption) and option.name == "network":
                option.help = f"{NETWORK} The tasks are {', '.join(TASKS)}, in this order."
        super().format_help(ctx, formatter)


@app.command(cls=_Command)
def train(
    dataset: Annotated[str, typer.Argument(help="cora, citeseer, pubmed, toy, or the path of a .npz file.")],
    network: Annotated[str, typer.Option(help=NETWORK)] = "GCN",
    hidden_layers: Annotated[int, typer.Option(help="Hidden layers of the encoder.")] = 1,
    runs: Annotated[int, typer.Option(help="Runs, with the seeds 0, 1, …, trained together.")] = 10,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Another parameter: epochs=200, AE.weight=30, FR.size=400."),
    ] = None,
    table: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the table of runs to this CSV file.")
    ] = None,
    state: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the best epochs' weights to this safetensors file.")
    ] = None,
) -> None:
    """Train a network and print mean ± SEM of its test accuracy; Ctrl-C shows what was reached."""
    values = _values(dataset, network, hidden_layers, runs, settings or [])

    from mtgcn import files
    from mtgcn.experiments import checkpoint as states
    from mtgcn.experiments import experiment

    parameters = experiment.parameters_of(**values)
    data = experiment.data_of(parameters)
    for target in (table, state):
        if target is not None:
            files.check_target(target)
    try:
        outcome = experiment.run(parameters, data)
    except KeyboardInterrupt as interrupt:
        reached = interrupt.args[0] if interrupt.args else None
        typer.echo("\nInterrupted." if reached is None else "\nInterrupted; reached so far:", err=True)
        if reached is not None:
            _show(reached)
        raise typer.Exit(130) from None
    _show(outcome.table)
    if state is not None:  # first: the table has been shown already
        states.save(state, states.State.of(parameters, network, data, outcome.trained[network]))
    if table is not None:
        files.write_text(table, outcome.table.to_csv(index=False))


def _values(dataset: str, network: str, hidden_layers: int, runs: int, settings: list[str]) -> dict[str, Any]:
    from mtgcn.experiments.parameters import Parameters
    from mtgcn.model.tasks import TASKS

    tasks: dict[str, Any] = {}
    values: dict[str, Any] = {"dataset": dataset, "hidden_layers": hidden_layers, "runs": runs}
    for text in settings:
        name, value = setting(text)
        if name[0] in OWN:
            raise MtgcnError(f"--set {text}: {OWN[name[0]]}.")
        if len(name) == 1:
            values[name[0]] = value
            continue
        if len(name) > 2:
            raise MtgcnError(f"--set {text}: expected NAME=VALUE or TASK.NAME=VALUE, such as AE.weight=30.")
        if name[0] not in TASKS and name[0] not in Parameters.model_fields:
            hint = nearest(name[0], [*TASKS, *Parameters.model_fields])
            raise MtgcnError(f"--set {text}: there is no task or parameter '{name[0]}'{hint}")
        inner = (tasks if name[0] in TASKS else values).setdefault(name[0], {})
        if not isinstance(inner, dict):
            raise MtgcnError(f"--set {text}: '{name[0]}' holds no names.")
        inner[name[1]] = value
    return {**values, "networks": {network: tasks}}


def _show(table: "pd.DataFrame") -> None:
    """Print the table of runs and mean ± SEM."""
    from rich.console import Console
    from rich.table import Table

    from mtgcn.analysis import wording
    from mtgcn.experiments.experiment import summary

    shown = Table("seed", "test %", "validation %", "best epoch", "epochs", "learning rate", "seconds")
    for column in shown.columns:
        column.justify = "right"
    for row in table.to_dict("records"):
        mark = " (diverged)" if row["diverged"] else ""
        shown.add_row(
            f"{row['seed']}{mark}",
            f"{row['test_accuracy']:.2f}",
            f"{row['validation_accuracy']:.2f}",
            str(row["best_epoch"]),
            str(row["epochs"]),
            f"{row['learning_rate']:g}",
            f"{row['seconds']:.1f}",
        )
    console = Console(highlight=False)
    console.print(shown)
    for line in summary(table).to_dict("records"):
        depth = wording.layers(line["hidden_layers"])
        mean = f"[bold]{wording.with_error(line['mean'], line['sem'])} %[/]"
        number = f"{line['runs']} run{'s' if line['runs'] != 1 else ''}"
        console.print(f"{line['dataset']}, {line['network']}, {depth}: {mean} test accuracy, {number}")
