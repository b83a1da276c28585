"""Pictures that are drawn while the book is built: the network, and the answer from stored results."""

from pathlib import Path

import pandas as pd

from mtgcn.analysis import figures, paper_tables, wording
from mtgcn.analysis.comparison import cells_of

ANSWER = (*paper_tables.TABLE_1, ("cora", 5))  # what the first page shows: one and five layers


def draw(folder: Path, results: Path) -> None:
    """Write every drawing into ``folder`` as SVG; ``results`` is the folder of the tidy tables."""
    figures.architecture().save(folder / "architecture.svg")
    answer = folder / "answer.svg"
    answer.unlink(missing_ok=True)
    runs = pd.concat([paper_tables.runs_in(results, name).assign(protocol=name) for name in wording.PROTOCOLS])
    there = [cell for cell in ANSWER if cell in cells_of(runs)]
    if there:
        figures.means_by_protocol(runs, there).save(answer)
