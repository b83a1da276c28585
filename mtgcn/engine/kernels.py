"""Calls of the kernels in C, for states (runs, n, c) of all runs."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from mtgcn.engine.compiled import library
from mtgcn.engine.dropout import Mask
from mtgcn.engine.linear import Map
from mtgcn.engine.part import numbered, stripes


class Stack:
    """R sparse matrices X (n, d), one after the other, or the one that all runs share; and their transposes."""

    def __init__(self, matrices: Sequence[sparse.csr_matrix], dtype: torch.dtype) -> None:
        self.runs = len(matrices)
        own = list({id(matrix): matrix for matrix in matrices}.values())
        own = own if len(own) == 1 else list(matrices)
        values = _joined([matrix.data for matrix in own]).to(dtype)
        self._own, self._forward = own, _Rows(own, values)

    @cached_property
    def _transposed(self) -> list[tuple[int, Tensor, "_Rows"]]:
        """The stripes of the transposes: the first row of X, where their values stand among those of X, and themselves.

        Made when they are needed: who only evaluates never asks for a gradient.
        """
        starts = np.cumsum([0, *(matrix.nnz for matrix in self._own)])
        made = []
        for place in stripes(self._own[0].shape[0], self._own[0].shape[0]):
            parts = [numbered(matrix)[place].T.tocsr() for matrix in self._own]
            order = _joined([part.data + at if at else part.data for at, part in zip(starts, parts, strict=False)])
            made.append((place.start, order, _Rows(parts, self._forward.values.index_select(0, order))))
        return made

    def forward(self, mask: Mask | None) -> Map:
        """Return W to X W, (runs, d, c) to (runs, n, c)."""
        return lambda x: self._forward.product(x, mask, None if mask is None else mask.kept)

    def transposed(self, mask: Mask | None) -> Map:
        """Return Z to Xᵀ Z, (runs, n, c) to (runs, d, c)."""

        def product(x: Tensor) -> Tensor:
            total = None
            for number, (start, _, rows) in enumerate(self._transposed):
                total = rows.product(x, mask, None if mask is None else mask.again[number], start, total)
            assert total is not None
            return total

        return product

    def reorder(self, kept: Tensor) -> list[Tensor]:
        """Bring what belongs to the stored values of all runs into the order of the transpose, stripe by stripe."""
        by_run = kept.view(1 if self._forward.own else self.runs, -1)
        return [by_run.index_select(1, order) for _, order, _ in self._transposed]


class _Rows:
    """Sparse (n_out, n_in) matrices of all runs row by row: their stored ``values``, and where they stand."""

    def __init__(self, matrices: Sequence[sparse.csr_matrix], values: Tensor) -> None:
        self.rows, self.own, self.values = matrices[0].shape[0], len(matrices) > 1, values
        starts = np.cumsum([0, *(matrix.nnz for matrix in matrices)])
        ends = [start + matrix.indptr[1:] for start, matrix in zip(starts, matrices, strict=False)]
        self._pointers = torch.from_numpy(np.concatenate([[0], *ends]).astype(np.int64))
        self._columns = _joined([matrix.indices for matrix in matrices]).int()
        self._places = [part.data_ptr() for part in (self._pointers, self._columns, self.values)]

    def product(
        self, x: Tensor, mask: Mask | None, kept: Tensor | None, start: int = 0, total: Tensor | None = None
    ) -> Tensor:
        """Return the product with x (runs, n_in, c), or add it to ``total``, (runs, n_out, c).

        Args:
            kept: the bytes of ``mask`` in the order of the values, run after run.
            start: the row of x that the first column stands for.
        """
        x = x.contiguous()
        runs, inputs, channels = x.shape
        out = x.new_empty(runs, self.rows, channels) if total is None else total
        dropped = (None, 0, 1.0) if mask is None or kept is None else (kept.data_ptr(), mask.bit, mask.scale)
        library(x.dtype).product(
            *(torch.get_num_threads(), runs, self.rows, inputs, channels, self.own),
            *self._places,
            *dropped,
            *(total is not None, x.data_ptr() + start * channels * x.element_size(), out.data_ptr()),
        )
        return out


def _joined(arrays: Sequence[np.ndarray]) -> Tensor:
    """Return arrays one after the other; a single one is not copied."""
    return torch.from_numpy(arrays[0] if len(arrays) == 1 else np.concatenate(arrays))


def propagation(
    matrix: sparse.csr_matrix, out_scale: np.ndarray, in_scale: np.ndarray, runs: int, dtype: torch.dtype
) -> Map:
    """Return S_out A S_in, with A (n_out, n_in) of ones, as a map of states, (runs, n_in, c) to (runs, n_out, c)."""
    rows, inputs = matrix.shape
    pointers, columns = torch.from_numpy(matrix.indptr.astype(np.int64)), torch.from_numpy(matrix.indices).int()
    constant = pointers, columns, *(torch.from_numpy(scale).to(dtype) for scale in (in_scale, out_scale))

    def propagate(x: Tensor) -> Tensor:
        x = x.contiguous()
        out = x.new_empty(runs, rows, x.shape[2])
        places = [part.data_ptr() for part in (*constant, x, out)]
        library(dtype).propagate(torch.get_num_threads(), runs, rows, inputs, x.shape[2], *places)
        return out

    return propagate


def dense(x: Tensor, w: Tensor, less: Tensor | None = None) -> Tensor:
    """Return x w for (runs, n, a) and (runs, a, b), a and b multiples of 16.

    With ``less``, x w − ``less`` takes the place of that.
    """
    x, w = x.contiguous(), w.contiguous()
    out = x.new_empty(*x.shape[:2], w.shape[2]) if less is None else less
    places = [part.data_ptr() for part in (x, w, out)]
    library(x.dtype).dense(torch.get_num_threads(), *x.shape, w.shape[2], less is not None, *places)
    return out


def across(x: Tensor, y: Tensor) -> Tensor:
    """Return xᵀ y for (runs, n, a) and (runs, n, b), a and b multiples of 16: (runs, a, b)."""
    x, y = x.contiguous(), y.contiguous()
    out = x.new_empty(x.shape[0], x.shape[2], y.shape[2])
    places = [part.data_ptr() for part in (x, y, out)]
    library(x.dtype).across(torch.get_num_threads(), *x.shape, y.shape[2], *places)
    return out


def drop(x: Tensor, mask: Mask, rectify: bool = False) -> Tensor:
    """Apply dropout to (runs, n, c), or to what a rectifier leaves of it."""
    return _Drop.apply(x, mask, rectify)


class _Drop(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, mask: Mask, rectify: bool) -> Tensor:
        x = x.contiguous()
        ctx.mask = mask
        ctx.save_for_backward(x if rectify else None)
        return _dropped(x, mask, x if rectify else None)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        (gate,) = ctx.saved_tensors
        return _dropped(grads[0].contiguous(), ctx.mask, gate), None, None


def _dropped(x: Tensor, mask: Mask, gate: Tensor | None) -> Tensor:
    out = torch.empty_like(x)
    places = x.data_ptr(), None if gate is None else gate.data_ptr(), out.data_ptr()
    kept = mask.kept.data_ptr(), mask.bit, mask.scale
    library(x.dtype).drop(torch.get_num_threads(), x.numel(), *kept, *places)
    return out


def residual(cross: Tensor, weights: Tensor, gram: Tensor, wanted: bool) -> tuple[Tensor, Tensor | None]:
    """Return the sum of (fitted − 2 cross) weights of each run in float64, (runs,), and fitted − cross if ``wanted``.

    Fitted is weights gram; the others are (runs, d, c), ``gram`` is (runs, c, c), and c a multiple of 16.
    """
    cross, weights, gram = cross.contiguous(), weights.contiguous(), gram.contiguous()
    inner = cross.new_empty(len(cross), dtype=torch.float64)
    left = torch.empty_like(cross) if wanted else None
    places = [part.data_ptr() if part is not None else None for part in (cross, weights, gram, left, inner)]
    library(cross.dtype).residual(torch.get_num_threads(), *cross.shape, *places)
    return inner, left


def moments(
    weights: Tensor, gradient: Tensor, mean: Tensor, square: Tensor, l2: float, beta_1: float, beta_2: float
) -> None:
    """Let a gradient, (values,) and so are the others, move Adam's moments, and clear it."""
    places = [part.data_ptr() for part in (weights, gradient, mean, square)]
    factors = l2, 1 - beta_1, 1 - beta_2, beta_2
    library(mean.dtype).moments(torch.get_num_threads(), mean.numel(), *factors, *places)


def step(
    rates: Tensor, weights: Tensor, mean: Tensor, root: Tensor, bias_1: float, bias_2: float, epsilon: float
) -> None:
    """Take Adam's step with a learning rate for each run, (runs,); ``root`` is that of the square, (values,)."""
    runs = len(rates)
    places = [part.data_ptr() for part in (rates, mean, root, weights)]
    library(mean.dtype).step(torch.get_num_threads(), runs, mean.numel() // runs, bias_2, epsilon, -1 / bias_1, *places)
