"""The progress bar of a training."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from tqdm import tqdm

from mtgcn.training import Progress


def bar(label: str, epochs: int, shown: bool) -> AbstractContextManager[Callable[[Progress], None] | None]:
    """Return what shows the progress of so many epochs while its block lasts, or nothing."""
    return _Bar(label, epochs) if shown else nullcontext()


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
