"""What a long study has finished is kept until all of it is: after a kill the next one goes on with what is missing."""

from collections.abc import Callable
from contextlib import suppress
from math import nan

import pandas as pd

from mtgcn.data.datasets import Dataset
from mtgcn.experiments.parameters import Parameters
from mtgcn.experiments.progress import Shown
from mtgcn.experiments.training import Progress
from mtgcn.experiments.unfinished import Unfinished
from mtgcn.files import replacing


class Finished:
    """The tables of the pieces of a study, in the folder where `Unfinished` keeps what belongs to it.

    Args:
        parameters, dataset: of the whole study.
        progress: is told of pieces that are there already.
    """

    def __init__(self, parameters: Parameters, dataset: Dataset, progress: Shown) -> None:
        self._unfinished, self._dataset, self._progress = Unfinished(parameters, dataset), dataset, progress

    def table(self, name: str, train: Callable[[], pd.DataFrame]) -> pd.DataFrame:
        """Return the table of the piece called ``name``: what ``train`` gives now, or gave before a kill."""
        path = self._unfinished.folder / f"{name}.csv"
        with suppress(OSError, ValueError):  # not there, or damaged
            known = pd.read_csv(path).assign(dataset=self._dataset.name)
            if callable(self._progress):
                self._progress(name, Progress(0, nan, 0, begins=len(known)))
            return known
        table = train()
        if self._unfinished.every > 0:
            with suppress(OSError), replacing(path) as temporary:  # a full disk costs the way back, no more
                table.to_csv(temporary, index=False)
        return table

    def complete(self) -> None:
        """Remove what was kept: all of the study is in the hands of who asked for it."""
        self._unfinished.complete()
