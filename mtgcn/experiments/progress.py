"""The progress of a training: a bar, nothing, or whatever a caller wants to be told."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial

from tqdm import tqdm

from mtgcn.experiments.training import Progress

Report = Callable[[str, Progress], None]  # told what trains, and where it stands after an epoch
Shown = bool | Report  # a bar, nothing, or a report


def shown(label: str, epochs: int, how: Shown) -> AbstractContextManager[Callable[[Progress], None] | None]:
    """Return what is told of every epoch of the training called ``label`` while its block lasts."""
    if callable(how):
        return nullcontext(partial(how, label))
    return _Bar(label, epochs) if how else nullcontext()


class _Bar:
    """Epoch, mean validation accuracy, runs still moving, time left."""

    def __init__(self, label: str, epochs: int) -> None:
        self.bar = tqdm(total=epochs, desc=label, unit="epoch", dynamic_ncols=True)

    def __enter__(self) -> "_Bar":
        return self

    def __call__(self, progress: Progress) -> None:
        if progress.epoch % 10 == 0 or progress.epoch == 1:
            text = f"validation {progress.validation_accuracy:.1f} %, {progress.moving} moving"
            self.bar.set_postfix_str(text, refresh=False)
        self.bar.update()

    def __exit__(self, *_: object) -> None:
        self.bar.close()
