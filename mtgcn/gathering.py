"""The studies of several pages as one, for the page that compares depths, data sets and remedies."""

from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from mtgcn import maps, results
from mtgcn.comparison import NEEDED, WHOSE
from mtgcn.measures import COLUMNS as MEASURED
from mtgcn.smoothing import ENERGIES

KEPT = ("measures", "course", "curves", "examples", "maps")
MARKS = ["dataset", "remedy", "tuned_for"]  # what tells the runs of one study from those of another
RELATIVE = {"relative_energy": ENERGIES[1], "relative_unnormalised_energy": ENERGIES[0]}


class Measure(NamedTuple):
    """A column of measures, what it is called on an axis, and whether the axis is logarithmic."""

    column: str
    label: str
    logarithmic: bool


SHOWN = (
    Measure("relative_energy", "relative energy", True),
    Measure("mad_neighbours", "MAD, neighbours", True),
    Measure("mad_remote", "MAD, remote pairs", True),
    Measure("effective_rank", "effective rank", False),
    Measure("dead_units", "share of dead units", False),
    Measure("gradient_norm", "gradient of the first layer", True),
)


@dataclass(frozen=True)
class Studies:
    """The tables of `mtgcn.depths.Study`, each row with its `MARKS`; empty where there is nothing.

    ``measures`` has two columns more, Dirichlet energies divided by the squared norm: ``relative_energy`` with the
    normalised Laplacian, ``relative_unnormalised_energy`` with the other.
    """

    table: pd.DataFrame
    measures: pd.DataFrame
    course: pd.DataFrame
    curves: pd.DataFrame
    examples: pd.DataFrame
    maps: pd.DataFrame

    def of(self, dataset: str | None = None, remedy: str | None = None, tuned_for: int | None = None) -> "Studies":
        """Return the part that has these marks; a mark that is not given may have any value."""
        wanted = {"dataset": dataset, "remedy": remedy, "tuned_for": tuned_for}

        def part(table: pd.DataFrame) -> pd.DataFrame:
            chosen = pd.Series(True, table.index)
            for name, value in wanted.items():
                if value is not None:
                    chosen &= table[name] == value
            return table[chosen].reset_index(drop=True)

        return Studies(part(self.table), **{name: part(getattr(self, name)) for name in KEPT})

    @property
    def datasets(self) -> list[str]:
        """The names of the data sets, as they come."""
        return list(dict.fromkeys(self.table["dataset"]))

    def runs(self) -> pd.DataFrame:
        """Return the runs with the measures of their last hidden layer at the best epoch."""
        last = self.measures[self.measures["layer"] == self.measures["hidden_layers"]]
        keys = [*MARKS, "network", "hidden_layers", "seed"]
        return self.table.merge(last.drop(columns=["epoch", "layer", "results"]), on=keys)


def gather(*patterns: str) -> Studies:
    """Read the studies whose names match ``patterns``; a remedy with somebody else's settings is one of its own."""
    table = results.read(*patterns)
    if "settings" in table:  # results from before there was that mark have the project's own
        whose = table.pop("settings")
        table["remedy"] = table["remedy"].where(whose.isna(), table["remedy"] + WHOSE + whose.astype(str))
    if table.empty:
        table = pd.DataFrame(columns=[*NEEDED, *MARKS[1:], "chance", "results"])
    pages = table.drop_duplicates("results").set_index("results")[MARKS]
    kept = {name: results.read(*patterns, kept=f"{name}.csv") for name in KEPT}
    columns = {"measures": [*MEASURED, "hidden_layers"], "course": [*MEASURED, "hidden_layers"], "maps": maps.COLUMNS}
    for name, one in kept.items():
        if one.empty:
            one = pd.DataFrame(
                columns=[*columns.get(name, ["network", "hidden_layers", "seed", "run", "epoch"]), "results"]
            )
        kept[name] = one.join(pages, on="results")
    measures = kept["measures"]
    norm = measures[ENERGIES[2]].where(measures[ENERGIES[2]] > 0)
    relative = {name: (measures[energy] / norm).astype(float) for name, energy in RELATIVE.items()}
    kept["measures"] = measures.assign(**relative)
    return Studies(table, **kept)
