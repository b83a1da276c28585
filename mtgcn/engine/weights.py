"""The weights of all runs in one buffer."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from mtgcn.engine.randomness import stream


class Weights(Mapping[str, Tensor]):
    """Named weights with a leading runs axis, views of one flat buffer, and their gradients likewise.

    One buffer lets the optimiser work in a handful of operations whatever the number of heads.

    Args:
        shapes: shape of each weight of one run; the order is the order in the buffer.
        seeds: one seed a run; initialisation is Glorot's, each run and weight from a stream of its own.
    """

    def __init__(
        self, shapes: dict[str, tuple[int, ...]], seeds: Sequence[int], device: torch.device, dtype: torch.dtype
    ) -> None:
        self.shapes = shapes
        self.runs = len(seeds)
        sizes = {name: self.runs * int(np.prod(shape)) for name, shape in shapes.items()}
        self.flat = torch.empty(sum(sizes.values()), device=device, dtype=dtype)
        self.grad = torch.zeros_like(self.flat)
        self.offsets: dict[str, slice] = {}
        self._views: dict[str, Tensor] = {}
        self._groups: dict[str, dict[str, Tensor]] = {}
        start = 0
        for name, shape in shapes.items():
            self.offsets[name] = slice(start, start + sizes[name])
            view = self._view(self.flat, name)
            view.copy_(torch.from_numpy(np.stack([glorot(stream(seed, name), shape) for seed in seeds])))
            self._views[name] = view.detach().requires_grad_()
            self._views[name].grad = self._view(self.grad, name)
            start += sizes[name]

    def _view(self, flat: Tensor, name: str) -> Tensor:
        """Return what belongs to a weight, (runs, …); one with more outputs than inputs is stored by its columns.

        That is how sparse products read the wide weights of reconstructions.
        """
        shape, part = self.shapes[name], flat[self.offsets[name]]
        if len(shape) == 2 and shape[1] > shape[0]:
            return part.view(self.runs, shape[1], shape[0]).transpose(1, 2)
        return part.view(self.runs, *shape)

    def __getitem__(self, name: str) -> Tensor:
        return self._views[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._views)

    def __len__(self) -> int:
        return len(self._views)

    def gradient(self, name: str) -> Tensor:
        """Return the gradient of a weight, (runs, …), which lies in the one buffer of all."""
        return self._view(self.grad, name)

    def of(self, prefix: str) -> dict[str, Tensor]:
        """Return the weights called ``prefix.*`` by the rest of their names."""
        if prefix not in self._groups:  # asked for in every pass
            own = {name: view for name, view in self.items() if name.startswith(prefix + ".")}
            self._groups[prefix] = {name[len(prefix) + 1 :]: view for name, view in own.items()}
        return self._groups[prefix]

    def per_run(self, values: Sequence[float]) -> Tensor:
        """Spread one value a run over the flat buffer."""
        column = torch.tensor(values, device=self.flat.device, dtype=self.flat.dtype)
        parts = [column.repeat_interleave(int(np.prod(shape))) for shape in self.shapes.values()]
        return torch.cat(parts)


def glorot(generator: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Return uniform values within ±√(6 / (inputs + outputs)); a weight with one axis (a bias) starts at 0."""
    if len(shape) < 2:
        return np.zeros(shape, np.float32)
    limit = np.sqrt(6.0 / (shape[-2] + shape[-1]))
    return generator.uniform(-limit, limit, shape).astype(np.float32)
