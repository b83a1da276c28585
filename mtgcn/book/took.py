"""How long the training behind each page took, from the seconds that its results state."""

from pathlib import Path

import pandas as pd

from mtgcn.store import SECONDS
from mtgcn.tables import CELLS

TABLES = {f"{dataset}-{depth}" for dataset, depth in CELLS}


def minutes(results: Path) -> pd.DataFrame:
    """Return a row for each page that trained: page, runs, minutes; below those of the tables and below all, the sum.

    ``results`` is the folder of the tidy tables; those without a column ``seconds`` gather what others trained.
    """
    rows = []
    for path in sorted(results.glob("*.csv")):
        table = pd.read_csv(path)
        if SECONDS in table and "seed" in table:
            rows.append((path.stem, len(table), table[SECONDS].sum() / 60))
    shown = [row for row in rows if row[0] in TABLES]
    if shown:
        shown.append(_sum("Tables 1 to 3", shown))
    shown += [row for row in rows if row[0] not in TABLES]
    if rows:
        shown.append(_sum("everything", rows))
    return pd.DataFrame(shown, columns=["page", "runs", "minutes"])


def _sum(name: str, rows: list[tuple[str, int, float]]) -> tuple[str, int, float]:
    return name, sum(row[1] for row in rows), sum(row[2] for row in rows)
