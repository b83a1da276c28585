"""One parameter file: which notebook it runs, with what, and what is wrong with it, by file and line."""

import json
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from mtgcn.analysis.wording import layers
from mtgcn.data import datasets
from mtgcn.errors import MtgcnError, nearest
from mtgcn.experiments import stored
from mtgcn.experiments.parameters import Parameters
from mtgcn.experiments.problems import Location, Problem, Refused, checked, data_problems
from mtgcn.pipeline import paired, yaml_file
from mtgcn.pipeline.project import check_name

# Keys of a file that are for the pipeline, not for the notebook.
NOTEBOOK, TITLE, ANSWER = "notebook", "title", "answer"
DEFAULT_NOTEBOOK = "experiment"
# A notebook whose parameters name these trains, or gathers the results of others.
NETWORKS, RESULTS = "networks", "results"
# The folder of results that belongs to the searches; a page of that name would take it for its own.
TAKEN = "search"
Overrides = Mapping[tuple[str, ...], Any]


@dataclass(frozen=True)
class ParameterFile:
    """A parameter file that has been checked."""

    source: yaml_file.YamlFile
    notebook: Path
    parameters: Mapping[str, Any]  # for the notebook, as the file and the overrides say them
    experiment: Parameters | None  # what is trained; None where the notebook trains nothing
    overrides: Overrides
    given_title: str | None
    answer: str  # what the page shows, in a sentence that a person has written; "" where there is none

    @property
    def name(self) -> str:
        """The name of the page and of its results."""
        return self.source.path.stem

    @property
    def origin(self) -> str:
        """Where the parameters come from, for the page to say."""
        changed = ", ".join(".".join(location) for location in self.overrides)
        return f"params/{self.source.path.name}" + (f", with another value of {changed}" if changed else "")

    @property
    def gathers(self) -> list[str]:
        """The names (or patterns) of the results that the notebook reads."""
        return list(self.parameters.get(RESULTS, []))

    @cached_property
    def title(self) -> str:
        """The heading of the page: the file's, or data set and depth, and the notebook's own where it is another."""
        if self.given_title is not None:
            return self.given_title
        own = paired.title(self.notebook)
        if self.experiment is None:
            return own
        remedy = "" if self.experiment.remedy == "none" else f" with {self.experiment.remedy}"
        *others, last = self.experiment.depths or [self.experiment.hidden_layers]
        depths = f"{', '.join(map(str, others))} and {layers(last)}" if others else layers(last)
        place = f"{label(self.experiment.dataset)}{remedy}, {depths}"
        return place if self.notebook.stem in (DEFAULT_NOTEBOOK, "depth") else f"{place}: {own[:1].lower()}{own[1:]}"

    def check_data(self) -> None:
        """Refuse what cannot work with the data set, and a data set that cannot be had."""
        if self.experiment is not None:
            data = datasets.load(self.experiment.dataset, self.experiment.normalise_features)
            _refuse(self.source, self.overrides, data_problems(self.experiment, data))


def label(dataset: str) -> str:
    """Return the name of a data set as it stands in a heading."""
    return Path(dataset).stem.capitalize() if dataset.endswith(".npz") else dataset.capitalize()


def load(path: Path, folder: Path, overrides: Overrides | None = None) -> ParameterFile:
    """Read and check a parameter file for one of the notebooks in ``folder``.

    ``overrides`` replace values by their place, such as ``("networks", "AE", "AE", "weight")``; a name that the
    notebook does not know is passed over (`check_overrides` refuses one that no notebook knows).
    """
    if path.stem == TAKEN:
        raise MtgcnError(f"{path}: the results of a page '{TAKEN}' would replace those of the searches; rename it.")
    check_name(path)
    file = yaml_file.read(path)
    given = deepcopy(file.data)
    name, title = given.pop(NOTEBOOK, DEFAULT_NOTEBOOK), given.pop(TITLE, None)
    answer = given.pop(ANSWER, "")
    for key, value in ((NOTEBOOK, name), (TITLE, "" if title is None else title), (ANSWER, answer)):
        if not isinstance(value, str):
            raise MtgcnError(f"{file.where((key,))}: '{key}' has to be text.")
    try:
        notebook = paired.find(folder, name)
    except MtgcnError as error:
        raise MtgcnError(f"{file.where((NOTEBOOK,))}: {error}") from error
    known = known_names(notebook)
    changed = {location: value for location, value in (overrides or {}).items() if location[0] in known}
    for location, value in changed.items():
        _put(given, location, value)
    problems = list(_name_problems(given, known))
    experiment = None
    defaults = paired.defaults(notebook)
    if NETWORKS in defaults:
        # As papermill does: what the file does not say has the value of the notebook's cell, but the data set is said.
        said = {**{name: value for name, value in defaults.items() if name != "dataset"}, **given}
        try:
            experiment = checked({key: said[key] for key in said if key in Parameters.model_fields})
        except Refused as refused:
            problems += refused.problems
    else:
        problems += _value_problems(given)
    _refuse(file, changed, problems)
    return ParameterFile(file, notebook, given, experiment, changed, title, answer.strip())


def known_names(notebook: Path) -> list[str]:
    """Return every name that a parameter of the notebook can have."""
    own = list(paired.defaults(notebook))
    return list(dict.fromkeys([*Parameters.model_fields, *own])) if NETWORKS in own else own


def check_overrides(overrides: Overrides, sources: Iterable[Path]) -> None:
    """Refuse an override whose name none of the notebooks in ``sources`` knows."""
    known = {name: None for notebook in sources for name in known_names(notebook)}
    for location in overrides:
        if location[0] not in known:
            raise MtgcnError(f"--set {'.'.join(location)}: there is no such parameter{nearest(location[0], known)}")


def _name_problems(given: Mapping[str, Any], known: list[str]) -> Iterable[Problem]:
    for name in given:
        if name not in known:
            hint = nearest(name, [*known, NOTEBOOK, TITLE, ANSWER])
            yield Problem((name,), f"there is no parameter '{name}'{hint}")


def _value_problems(given: Mapping[str, Any]) -> Iterable[Problem]:
    """Return which values cannot be given to a notebook, where no model checks them."""
    for name, value in {**given, RESULTS: []}.items():  # those are looked at below
        try:
            json.dumps(value)  # as the page stores them
        except (TypeError, ValueError):
            yield Problem((name,), f"{name} is {value}: no number, text, list or mapping; put a date in quotes.")
    patterns = given.get(RESULTS, [])
    if not isinstance(patterns, list):
        yield Problem((RESULTS,), f"'{RESULTS}' has to be a list of names.")
        return
    for index, pattern in enumerate(patterns):
        if problem := stored.pattern_problem(pattern):
            yield Problem((RESULTS, index), problem)


def _put(tree: dict[str, Any], location: tuple[str, ...], value: Any) -> None:
    """Set the value at ``location``, making the mappings on the way."""
    *way, last = location
    for depth, key in enumerate(way, start=1):
        tree = tree.setdefault(key, {})
        if not isinstance(tree, dict):
            raise MtgcnError(f"--set {'.'.join(location)}: '{'.'.join(location[:depth])}' holds no names.")
    tree[last] = value


def _refuse(file: yaml_file.YamlFile, changed: Overrides, problems: Iterable[Problem]) -> None:
    if lines := [f"{_where(file, problem.location, changed)}: {problem.message}" for problem in problems]:
        raise MtgcnError("\n".join(lines))


def _where(file: yaml_file.YamlFile, location: Location, changed: Overrides) -> str:
    """Return the line of the file, or the option that put another value there."""
    for place in changed:
        if location[: len(place)] == place:
            return f"--set {'.'.join(place)}"
    return file.where(location)
