"""Parameter files that follow from a measured cell: a hundred runs, and random splits, of GCN and the best network.

``python -m mtgcn.follow_up cora-1`` writes params/hundred-cora-1.yaml and params/splits-cora-1.yaml from
params/cora-1.yaml and book/results/cora-1.csv; without a name it does so for every cell of Tables 1 and 2.
"""

import sys
from collections.abc import Mapping
from typing import Any

import pandas as pd
import yaml

from mtgcn import files, runfile
from mtgcn.comparison import BASELINE
from mtgcn.errors import MtgcnError
from mtgcn.more_runs import best_network
from mtgcn.project import Project
from mtgcn.runfile import NOTEBOOK, TITLE
from mtgcn.tables import CELLS

HUNDRED = {"runs": 100}
SPLITS = {"runs": 3, "splits": 10}


def texts(name: str, title: str, parameters: Mapping[str, Any], results: pd.DataFrame) -> dict[str, str]:
    """Return the two parameter files by name, made from those of the cell ``name`` and its results.

    Everything but the networks, the numbers of runs and the titles stays as it is in the cell's own file.
    """
    best = best_network(results)
    given = parameters["networks"]
    networks = {network: given.get(network) or {} for network in (BASELINE, best)}
    remark = f"# {BASELINE} and the network with the highest mean validation accuracy in book/results/{name}.csv.\n"

    def text(title: str, notebook: str | None, numbers: Mapping[str, int]) -> str:
        head = {TITLE: title} if notebook is None else {NOTEBOOK: notebook, TITLE: title}
        content = {**head, **{**parameters, **numbers, "networks": networks}}
        return remark + yaml.safe_dump(content, sort_keys=False, default_flow_style=None, width=120, allow_unicode=True)

    return {
        f"hundred-{name}": text(f"{title}: a hundred runs", None, HUNDRED),
        f"splits-{name}": text(f"{title}: random splits", "splits", SPLITS),
    }


def write(project: Project, name: str) -> list[str]:
    """Write both files of the cell ``name`` into params/ and return their names."""
    file = runfile.load(project.root / "params" / f"{name}.yaml", project.notebooks)
    table = project.book.file(name, "results.csv")
    if not table.is_file():
        raise MtgcnError(f"{name} has no results yet, so its best network is not known: run it first.")
    made = texts(name, file.title, file.parameters, pd.read_csv(table))
    for page, text in made.items():
        files.write_text(project.root / "params" / f"{page}.yaml", text)
    return list(made)


def main(names: list[str]) -> None:
    """Write the files of the cells called ``names``, of all cells when there are none."""
    project = Project.find()
    for name in names or [f"{dataset}-{depth}" for dataset, depth in CELLS]:
        for page in write(project, name):
            print(f"params/{page}.yaml")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except MtgcnError as error:
        sys.exit(f"mtgcn: {error}")
