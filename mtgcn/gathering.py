"""The studies of several pages as one, for the page that compares depths, data sets and remedies."""

from dataclasses import dataclass

import pandas as pd

from mtgcn import maps, results
from mtgcn.comparison import NEEDED
from mtgcn.measures import COLUMNS as MEASURED
from mtgcn.smoothing import ENERGIES

KEPT = ("measures", "curves", "examples", "maps")
RELATIVE = "relative_energy"


@dataclass(frozen=True)
class Studies:
    """The tables of `mtgcn.depths.Study`, each row with its ``dataset`` and ``remedy``; empty where there is nothing.

    ``measures`` has a column more, the normalised Dirichlet energy divided by the squared norm: ``relative_energy``.
    """

    table: pd.DataFrame
    measures: pd.DataFrame
    curves: pd.DataFrame
    examples: pd.DataFrame
    maps: pd.DataFrame

    def of(self, dataset: str | None = None, remedy: str | None = None) -> "Studies":
        """Return the part of one data set, of one remedy, or of both."""

        def part(table: pd.DataFrame) -> pd.DataFrame:
            chosen = pd.Series(True, table.index)
            for name, value in (("dataset", dataset), ("remedy", remedy)):
                if value is not None:
                    chosen &= table[name] == value
            return table[chosen].reset_index(drop=True)

        return Studies(*(part(table) for table in (self.table, self.measures, self.curves, self.examples, self.maps)))

    @property
    def datasets(self) -> list[str]:
        """The names of the data sets, as they come."""
        return list(dict.fromkeys(self.table["dataset"]))

    def runs(self) -> pd.DataFrame:
        """Return the runs with the measures of their last hidden layer at the best epoch."""
        last = self.measures[self.measures["layer"] == self.measures["hidden_layers"]]
        keys = ["dataset", "remedy", "network", "hidden_layers", "seed"]
        return self.table.merge(last.drop(columns=["epoch", "layer", "results"]), on=keys)


def gather(*patterns: str) -> Studies:
    """Read the studies whose names match ``patterns``."""
    table = results.read(*patterns)
    if table.empty:
        table = pd.DataFrame(columns=[*NEEDED, "remedy", "chance", "results"])
    pages = table.drop_duplicates("results").set_index("results")[["dataset", "remedy"]]
    kept = {name: results.read(*patterns, kept=f"{name}.csv") for name in KEPT}
    columns = {"measures": [*MEASURED, "hidden_layers"], "maps": maps.COLUMNS}
    for name, one in kept.items():
        if one.empty:
            one = pd.DataFrame(
                columns=[*columns.get(name, ["network", "hidden_layers", "seed", "run", "epoch"]), "results"]
            )
        kept[name] = one.join(pages, on="results")
    measures = kept["measures"]
    energy, norm = measures[ENERGIES[1]], measures[ENERGIES[2]]
    kept["measures"] = measures.assign(**{RELATIVE: (energy / norm.where(norm > 0)).astype(float)})
    return Studies(table, **kept)
