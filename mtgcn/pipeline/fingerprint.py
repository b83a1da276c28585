"""What a rendered page was made from, and whether that is still what the project holds."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Fingerprint:
    """Everything that decides what a page shows: digests of its notebook and of the results that it reads.

    ``engine`` is that of a page that trains something by itself, "" for one that reads results.
    """

    notebook: str
    title: str
    answer: str
    parameters: Mapping[str, Any]
    results: Mapping[str, str]
    engine: str = ""

    def record(self) -> dict[str, Any]:
        """Return the fingerprint as JSON holds it."""
        return asdict(self)

    def changes(self, known: Mapping[str, Any]) -> list[str]:
        """Say what is different from the record ``known``, nothing when the page is up to date."""
        names = ("notebook", "title", "answer", "engine")
        found = [f"{name} changed" for name in names if known.get(name) != getattr(self, name)]
        if known.get("parameters") != self.parameters:
            found.append("parameters of the page changed")
        before = known.get("results", {})
        for name in sorted({*before, *self.results}):
            if name not in before:
                found.append(f"results of {name} are new")
            elif name not in self.results:
                found.append(f"results of {name} are gone")
            elif before[name] != self.results[name]:
                found.append(f"results of {name} changed")
        return found
