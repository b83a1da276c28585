"""How long the training behind each page took, from the seconds that its results state."""

from pathlib import Path

import pandas as pd

SECONDS = "seconds"


def minutes(results: Path) -> pd.DataFrame:
    """Return a row for each page that trained: page, runs, minutes; and, below them, the sum.

    ``results`` is the folder of the tidy tables; those without a column ``seconds`` gather what others trained.
    """
    rows = []
    for path in sorted(results.glob("*.csv")):
        table = pd.read_csv(path)
        if SECONDS in table and "seed" in table:
            rows.append((path.stem, len(table), table[SECONDS].sum() / 60))
    if rows:
        rows.append(("together", sum(row[1] for row in rows), sum(row[2] for row in rows)))
    return pd.DataFrame(rows, columns=["page", "runs", "minutes"])
