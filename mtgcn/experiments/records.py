"""What a table of results was made with: NAME.json beside NAME.csv, and how results are found by their parameters."""

import json
import platform
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from mtgcn.data import datasets
from mtgcn.experiments.engine_digest import engine_digest
from mtgcn.experiments.parameters import Parameters

RESULTS_VERSION = 1  # raised by every change that alters results; results of an older one are stale
PACKAGES = ("mtgcn", "torch", "dgl", "numpy", "scipy", "pandas")
WHERE = frozenset({"device", "backend"})  # parameters that say where something is computed, not what


class Record(BaseModel):
    """Everything that is needed to compute results again, and what it took.

    ``engine`` is the digest of the sources that trained ("" where nobody wrote it down), ``verified`` that of the last
    ones that gave the same runs again. ``files`` has a digest of each table.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    parameters: dict[str, Any]
    seeds: list[int]
    data: str
    results_version: int
    engine: str
    verified: str = ""
    versions: dict[str, str]
    seconds: float
    files: dict[str, str] = {}

    @classmethod
    def of(cls, parameters: Parameters, data: str, seconds: float) -> "Record":
        """Return the record of what has just been trained here on the data with this digest."""
        return cls(
            parameters=parameters.model_dump(mode="json"),
            seeds=parameters.seeds,
            data=data,
            results_version=RESULTS_VERSION,
            engine=engine_digest(),
            versions={"Python": platform.python_version(), **{name: version(name) for name in PACKAGES}},
            seconds=round(seconds, 1),
        )

    @property
    def trusted(self) -> bool:
        """Whether today's engine made these results, or was seen to give the same."""
        return engine_digest() in (self.engine, self.verified)

    def changes(self, parameters: Parameters) -> list[str]:
        """Say why these are not the results of ``parameters``, nothing when they are."""
        found = []
        try:  # read by today's model: a setting that did not exist then has its default
            before = _identity(Parameters.model_validate(self.parameters))
        except ValidationError:
            return ["the parameters are of an older kind"]
        now = _identity(parameters)
        if changed := [name for name in now if before[name] != now[name]]:
            found.append("parameters changed: " + ", ".join(changed))
        if self.data != datasets.digest_of(parameters.dataset):
            found.append("data changed")
        if self.results_version != RESULTS_VERSION:
            found.append(f"results version {self.results_version} is now {RESULTS_VERSION}")
        return found

    def text(self) -> str:
        """Return the record as its file has it."""
        return json.dumps(self.model_dump(), indent=1, ensure_ascii=False) + "\n"


def read(path: Path) -> Record | None:
    """Return the record in a file, None where there is none that can be read."""
    try:
        return Record.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None


def find(parameters: Parameters, folder: Path) -> str | None:
    """Return the name of the results in ``folder`` that have just these parameters, data and version."""
    return next((name for name, record in _all(folder) if not record.changes(parameters)), None)


def _all(folder: Path) -> Iterator[tuple[str, Record]]:
    for path in sorted(folder.glob("*.json")):
        if (record := read(path)) is not None:
            yield path.stem, record


def _identity(parameters: Parameters) -> Mapping[str, Any]:
    return parameters.model_dump(mode="json", exclude=set(WHERE))
