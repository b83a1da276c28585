"""What a stored run was made from, and whether that is still what the project holds."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from pydantic import BaseModel, ValidationError


@dataclass(frozen=True)
class Fingerprint:
    """Everything that decides a run's outcome: digests of sources and inputs, the parameters as they are."""

    notebook: str
    title: str
    parameters: Mapping[str, Any]
    data: str
    results_version: int
    results: Mapping[str, str]

    def record(self) -> dict[str, Any]:
        """Return the fingerprint as JSON holds it."""
        return asdict(self)

    def changes(self, stored: Mapping[str, Any], model: type[BaseModel] | None = None) -> list[str]:
        """Say what is different from the ``stored`` record, nothing when the run is up to date.

        With a ``model`` the stored parameters are read by it first: a setting that did not exist when the run was
        made has its default then, and a program that has learnt something new leaves old runs as fresh as they are.
        """
        found = []
        if stored.get("notebook") != self.notebook:
            found.append("notebook changed")
        if stored.get("title") != self.title:
            found.append("title changed")
        if changed := _changed_parameters(stored.get("parameters", {}), self.parameters, model):
            found.append("parameters changed: " + ", ".join(changed))
        if stored.get("data") != self.data:
            found.append("data changed")
        if stored.get("results_version") != self.results_version:
            found.append(f"results version {stored.get('results_version')} is now {self.results_version}")
        before = stored.get("results", {})
        for name in sorted({*before, *self.results}):
            if name not in before:
                found.append(f"results of {name} are new")
            elif name not in self.results:
                found.append(f"results of {name} are gone")
            elif before[name] != self.results[name]:
                found.append(f"results of {name} changed")
        return found


def _changed_parameters(
    stored: Mapping[str, Any], current: Mapping[str, Any], model: type[BaseModel] | None
) -> list[str]:
    if model is not None:
        try:
            stored = model.model_validate(stored).model_dump(mode="json")
        except ValidationError:
            return ["they are of an older kind"]
    return [name for name in sorted({*stored, *current}) if stored.get(name) != current.get(name)]
