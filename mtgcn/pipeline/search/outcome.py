"""The outcome of a search: a compact table of all its points, and the best ones for the parameter file."""

import re
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd
from ruamel.yaml import YAML

from mtgcn import files
from mtgcn.analysis.comparison import PLAIN
from mtgcn.errors import MtgcnError
from mtgcn.experiments.parameters import Parameters
from mtgcn.experiments.problems import experiment_problems
from mtgcn.pipeline import yaml_file
from mtgcn.pipeline.search import stages
from mtgcn.pipeline.search.space import Point, Space

SCORE = ["stage", "runs", "first_seed", "validation_accuracy", "sem", "chosen"]


def table(space: Space, scores: stages.Scores) -> pd.DataFrame:
    """Return one row a point in the order of the grid: network, values, stage, runs, mean and standard error.

    The columns of the values are called as in ``FR.size``, and empty where a network has no such task. A row
    counts the runs of its last complete stage; ``chosen`` marks the best point of each network.
    """
    rows: dict[Point, dict[str, Any]] = {}
    for network in space.networks:
        best = stages.chosen(space, network, scores)
        for stage in stages.stages(space, network, scores):
            seeds = space.seeds(stage.runs)
            complete = [point for point in stage.points if all(s in scores.get(point, {}) for s in seeds)]
            for point in complete:
                known = pd.Series([scores[point][seed] for seed in seeds])
                rows[point] = {
                    "network": network,
                    **dict(point.values),
                    "stage": stage.name,
                    "runs": stage.runs,
                    "first_seed": space.first_seed,
                    "validation_accuracy": known.mean(),
                    "sem": known.sem(),
                    "chosen": point == best,
                }
            if len(complete) < len(stage.points):
                break
    values = [f"{task}.{name}" for task, grid in space.grid.items() for name in grid]
    columns = ["network", *values, *SCORE]
    in_order = [point for task, grid in space.grid.items() for point in space.points(task, grid["weight"])]
    places = {point: place for place, point in enumerate(in_order)}
    ordered = sorted(rows, key=lambda p: (space.networks.index(p.network), places.get(p, len(places))))
    return pd.DataFrame([rows[point] for point in ordered], columns=columns)


def write(path: Path, rows: pd.DataFrame) -> None:
    """Write the table as CSV, with so many digits as it has to say."""
    rounded = rows.round({"validation_accuracy": 4, "sem": 4})
    files.write_text(path, rounded.to_csv(index=False, float_format="%.10g", lineterminator="\n"))


def apply(path: Path, source: str, space: Space, rows: pd.DataFrame) -> None:
    """Write the chosen points into the ``networks`` of the parameter file ``path``, and leave its rest as it is.

    Networks that the search has not finished, or knows nothing of, stay as they were. A file that is not there
    begins with the data set and the depth; a search with a remedy needs one that has it. ``source`` is the name of
    the search file.
    """
    if path.exists():
        file, text = yaml_file.read(path), path.read_bytes().decode()
    else:
        text = f"dataset: {space.dataset}\nhidden_layers: {space.hidden_layers}\n"
        file = yaml_file.parse(text, path)
    _refuse(file, _known(file.data))
    networks = dict(file.data.get("networks") or {})
    for key, said, searched in (
        ("dataset", file.data["dataset"], space.dataset),
        ("hidden_layers", file.data.get("hidden_layers", 1), space.hidden_layers),
        ("remedy", file.data.get("remedy", PLAIN), space.settings.get("remedy", PLAIN)),
    ):
        if said != searched:
            raise MtgcnError(f"{file.where((key,))}: {key} is {said}, but {source} is about {searched}.")
    comments = {}
    for _, row in rows[rows["chosen"]].iterrows():
        name = str(row["network"])
        networks[name] = Point(name, _values(space, row)).tasks
        last = row["first_seed"] + row["runs"] - 1
        sem = "" if pd.isna(row["sem"]) else f" ± {row['sem']:.2f}"
        score = f"{row['validation_accuracy']:.2f}{sem} %"
        comments[name] = f"validation {score}, {row['runs']} runs, seeds {row['first_seed']} to {last}"
    if not comments:
        raise MtgcnError(f"{source} has no outcome to apply yet: run 'mtgcn search {source}' first.")
    block = [f"networks:  # values of {source}, by mean validation accuracy"]
    block += [_network(name, tasks, comments.get(name)) for name, tasks in networks.items()]
    after = _replaced(text, "\n".join(block) + "\n")
    _check(file, space, after)
    files.write_text(path, after)


def _known(data: dict[str, Any]) -> dict[str, Any]:
    """Return what a file says about the experiment; `networks` without anything are as if not there."""
    given = {name: value for name, value in data.items() if name in Parameters.model_fields}
    return {name: value for name, value in given.items() if name != "networks" or value is not None}


def _refuse(file: yaml_file.YamlFile, known: dict[str, Any]) -> None:
    for problem in experiment_problems(known):
        raise MtgcnError(f"{file.where(problem.location)}: {problem.message}")


def _values(space: Space, row: "pd.Series[Any]") -> tuple[tuple[str, Any], ...]:
    """Return a row's values as the search file has them, since a column of a table turns 4 into 4.0."""
    tasks = Point(str(row["network"])).tasks
    named = [(task, name) for task in tasks for name in space.grid[task]]
    chosen = [(f"{task}.{name}", space.grid[task][name], row[f"{task}.{name}"]) for task, name in named]
    return tuple((name, next(value for value in choices if value == cell)) for name, choices, cell in chosen)


def _network(name: str, tasks: dict[str, Any], comment: str | None) -> str:
    """Return the lines of a network, one for each of its tasks."""
    first = f"  {name}:" + ("" if tasks else " {}") + (f"  # {comment}" if comment else "")
    return "\n".join([first, *(f"    {task}: {_flow(values or {})}" for task, values in tasks.items())])


def _flow(values: dict[str, Any]) -> str:
    short = {name: int(v) if isinstance(v, float) and v.is_integer() else v for name, v in values.items()}
    text, yaml = StringIO(), YAML()
    yaml.default_flow_style, yaml.width = True, 10**6
    yaml.dump(short, text)
    return text.getvalue().strip()


def _replaced(text: str, block: str) -> str:
    """Return ``text`` with another ``networks``: its line and the indented ones after it, or new lines at the end.

    All else keeps its bytes, which no dump of the whole file would do (spaces, ``~``, folded lines).
    """
    block = block.replace("\n", "\r\n") if "\r\n" in text else block
    found = re.search(r"^networks:.*\n?(?:(?:[ \t\r]*\n)*[ \t]+\S.*\n?)*", text, re.MULTILINE)
    if found is None:
        return text.rstrip("\n") + "\n" + block
    return text[: found.start()] + block + text[found.end() :]


def _check(file: yaml_file.YamlFile, space: Space, text: str) -> None:
    """Refuse to write what would change other keys, be no experiment, or report a run that the search has seen."""
    try:
        after = yaml_file.parse(text, file.path)
    except MtgcnError:
        after = yaml_file.YamlFile(file.path, {}, None)
    if {**file.data, "networks": None} != {**after.data, "networks": None}:
        where = file.where(("networks",))
        raise MtgcnError(f"{where}: write 'networks:' as indented lines, so that they can be replaced.")
    known = _known(after.data)
    _refuse(after, known)
    parameters, searched = Parameters(**known), set(space.seeds(space.most_runs))
    if shared := searched.intersection(parameters.seeds):
        where = file.where(("first_seed",) if "first_seed" in known else ("runs",))
        raise MtgcnError(f"{where}: the seed {min(shared)} would be reported, with which the search was made.")
    first = parameters.split_seed or 0
    if space.split_each_run and (shared := searched.intersection(range(first, first + parameters.splits))):
        where = file.where(("split_seed",) if "split_seed" in known else ("splits",))
        raise MtgcnError(f"{where}: the split {min(shared)} would be reported, on which the search was made.")
