"""``mtgcn predict``: the classes that a trained network gives to the nodes of a graph."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mtgcn.cli import app
from mtgcn.errors import MtgcnError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


@app.command()
def predict(
    state: Annotated[Path, typer.Argument(metavar="STATE", help="What mtgcn train --state has written.")],
    graph: Annotated[str, typer.Argument(metavar="GRAPH", help="A data set, or the path of a .npz file.")],
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write to this CSV file instead of the terminal.")
    ] = None,
) -> None:
    """Give every node of a graph a class: a CSV table of node, class, and the share of the runs that agree.

    The graph may be another one than that of the training, as long as its features mean the same.
    """
    from mtgcn import files
    from mtgcn.data import datasets
    from mtgcn.experiments import checkpoint

    if output is not None:
        files.check_target(output)
    trained = checkpoint.load(state)
    data = datasets.load(graph, trained.parameters.normalise_features, trained.parameters.self_loops == "kept")
    if data.digest != trained.digest:
        if trained.features != data.features.shape[1]:
            raise MtgcnError(
                f"{state} was trained on {trained.features} features, but '{data.name}' has {data.features.shape[1]}."
            )
        typer.echo(f"mtgcn: '{data.name}' is not the graph that {state} was trained on.", err=True)
    text = _table(trained.on(data).predict().cpu().numpy()).to_csv(index=False)
    if output is None:
        typer.echo(text, nl=False)
    else:
        files.write_text(output, text)


def _table(classes: "np.ndarray") -> "pd.DataFrame":
    """Return a row for each node from the classes by run, (runs, n); of classes named equally often the first."""
    import numpy as np
    import pandas as pd

    votes = np.stack([(classes == number).mean(0) for number in range(classes.max() + 1)])
    return pd.DataFrame({"node": range(classes.shape[1]), "class": votes.argmax(0), "share": votes.max(0).round(4)})
