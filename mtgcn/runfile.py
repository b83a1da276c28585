"""One parameter file: which notebook it runs, with what, and what is wrong with it, by file and line."""

import json
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from mtgcn import datasets, notebooks, results, yamlfile
from mtgcn.checking import Problem, data_problems, experiment_problems
from mtgcn.depths import DepthParameters
from mtgcn.errors import MtgcnError, nearest
from mtgcn.parameters import Parameters, SplitsParameters
from mtgcn.wording import layers

# Keys of a file that are for the pipeline, not for the notebook.
NOTEBOOK, TITLE = "notebook", "title"
# The parameter by which a notebook that gathers says whose results it reads.
RESULTS = "results"
# The notebooks that train, and what checks their parameters; others just have names.
EXPERIMENT = "experiment"
MODELS: dict[str, type[Parameters]] = {
    EXPERIMENT: Parameters,
    "depth": DepthParameters,
    "open_points": Parameters,
    "splits": SplitsParameters,
}
# The folder of results that belongs to the searches; a page of that name would take it for its own.
TAKEN = "search"
Overrides = Mapping[tuple[str, ...], Any]


@dataclass(frozen=True)
class RunFile:
    """A parameter file that has been checked."""

    source: yamlfile.YamlFile
    notebook: Path
    parameters: Mapping[str, Any]  # for the notebook, as the file and the overrides say them
    overrides: Overrides
    given_title: str | None

    @property
    def name(self) -> str:
        """The name of the run: of its page and its results."""
        return self.source.path.stem

    @property
    def origin(self) -> str:
        """Where the parameters come from, for the page to say."""
        changed = ", ".join(".".join(location) for location in self.overrides)
        return f"params/{self.source.path.name}" + (f", with another value of {changed}" if changed else "")

    @property
    def model(self) -> type[Parameters] | None:
        """What the parameters are checked by; notebooks that train nothing have no model, just names."""
        return model_of(self.notebook)

    @property
    def gathers(self) -> list[str]:
        """The names (or patterns) of the results that the notebook reads."""
        return list(self.parameters.get(RESULTS, []))

    @cached_property
    def complete(self) -> dict[str, Any]:
        """The parameters with the defaults of the model, as JSON holds them."""
        return self.model(**self.parameters).model_dump(mode="json") if self.model else dict(self.parameters)

    @property
    def title(self) -> str:
        """The heading of the page: the file's, or data set and depth, and the notebook's own where it is another."""
        if self.given_title is not None:
            return self.given_title
        if self.model is None:
            return notebooks.title(notebooks.read(self.notebook))
        remedy = "" if self.complete["remedy"] == "none" else f" with {self.complete['remedy']}"
        depths = self.complete.get("depths") or [self.complete["hidden_layers"]]
        many = ", ".join(map(str, depths[:-1]))
        place = f"{label(self.complete['dataset'])}{remedy}, {many + ' and ' if many else ''}{layers(depths[-1])}"
        if self.notebook.stem in (EXPERIMENT, "depth"):
            return place
        own = notebooks.title(notebooks.read(self.notebook))
        return f"{place}: {own[:1].lower()}{own[1:]}"

    @property
    def data(self) -> str:
        """The digest of the data set, "" when the notebook names none."""
        name = self.complete.get("dataset", "")
        return datasets.digest_of(name) if isinstance(name, str) and name else ""

    def check_data(self) -> None:
        """Refuse what cannot work with the data set, and a data set that cannot be had."""
        if self.model is not None:
            parameters = self.model(**self.parameters)
            data = datasets.load(parameters.dataset, parameters.normalise_features)
            _refuse(self.source, self.overrides, data_problems(parameters, data))


def label(dataset: str) -> str:
    """Return the name of a data set as it stands in a heading."""
    return Path(dataset).stem.capitalize() if dataset.endswith(".npz") else dataset.capitalize()


def model_of(notebook: Path) -> type[Parameters] | None:
    """Return the model that the parameters of a notebook are checked by."""
    return MODELS.get(notebook.stem)


def load(path: Path, folder: Path, overrides: Overrides | None = None) -> RunFile:
    """Read and check a parameter file for one of the notebooks in ``folder``.

    ``overrides`` replace values by their place, such as ``("networks", "AE", "AE", "weight")``; a name that the
    notebook does not know is passed over (`check_overrides` refuses one that no notebook knows).
    """
    if path.stem == TAKEN:
        raise MtgcnError(f"{path}: the results of a page '{TAKEN}' would replace those of the searches; rename it.")
    file = yamlfile.read(path)
    given = deepcopy(file.data)
    name, title = given.pop(NOTEBOOK, EXPERIMENT), given.pop(TITLE, None)
    for key, value in ((NOTEBOOK, name), (TITLE, "" if title is None else title)):
        if not isinstance(value, str):
            raise MtgcnError(f"{file.where((key,))}: '{key}' has to be text.")
    try:
        notebook = notebooks.find(folder, name)
    except MtgcnError as error:
        raise MtgcnError(f"{file.where((NOTEBOOK,))}: {error}") from error
    known = known_names(notebook)
    changed = {location: value for location, value in (overrides or {}).items() if location[0] in known}
    for location, value in changed.items():
        _put(given, location, value)
    problems = list(_name_problems(given, known))
    if (model := model_of(notebook)) is not None:
        problems += experiment_problems({key: given[key] for key in given if key in known}, model)
    else:
        problems += _value_problems(given)
    _refuse(file, changed, problems)
    return RunFile(file, notebook, given, changed, title)


def known_names(notebook: Path) -> list[str]:
    """Return every name that a parameter of the notebook can have."""
    model = model_of(notebook)
    return list(model.model_fields) if model else notebooks.parameter_names(notebooks.read(notebook))


def check_overrides(overrides: Overrides, sources: Iterable[Path]) -> None:
    """Refuse an override whose name none of the notebooks in ``sources`` knows."""
    known = {name: None for notebook in sources for name in known_names(notebook)}
    for location in overrides:
        if location[0] not in known:
            raise MtgcnError(f"--set {'.'.join(location)}: there is no such parameter{nearest(location[0], known)}")


def _name_problems(given: Mapping[str, Any], known: list[str]) -> Iterable[Problem]:
    for name in given:
        if name not in known:
            hint = nearest(name, [*known, NOTEBOOK, TITLE])
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
        if problem := results.pattern_problem(pattern):
            yield Problem((RESULTS, index), problem)


def _put(tree: dict[str, Any], location: tuple[str, ...], value: Any) -> None:
    """Set the value at ``location``, making the mappings on the way."""
    *way, last = location
    for depth, key in enumerate(way, start=1):
        tree = tree.setdefault(key, {})
        if not isinstance(tree, dict):
            raise MtgcnError(f"--set {'.'.join(location)}: '{'.'.join(location[:depth])}' holds no names.")
    tree[last] = value


def _refuse(file: yamlfile.YamlFile, changed: Overrides, problems: Iterable[Problem]) -> None:
    if lines := [f"{_where(file, problem.location, changed)}: {problem.message}" for problem in problems]:
        raise MtgcnError("\n".join(lines))


def _where(file: yamlfile.YamlFile, location: yamlfile.Location, changed: Overrides) -> str:
    """Return the line of the file, or the option that put another value there."""
    for place in changed:
        if location[: len(place)] == place:
            return f"--set {'.'.join(place)}"
    return file.where(location)
