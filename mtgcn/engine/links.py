"""Attention: each link of a graph is weighed by itself, for all runs and heads, without an n × n matrix.

Row i of A + I has a link for every node that i looks at. Links are numbered over the whole graph, so that random
numbers for them do not depend on the part of it that is at hand. The kernels in C walk along a row for all heads at
once; where there are none, torch gathers and adds by link.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from scipy import sparse
from torch import Tensor
from torch.nn.functional import leaky_relu

from mtgcn.engine.compiled import library
from mtgcn.engine.dropout import Mask

SLOPE = 0.2  # of LeakyReLU where a score is negative


@dataclass(eq=False)
class Links:
    """The links of some rows (n_out, n_in) of A + I, in every run the same or others.

    Attributes:
        matrices: one for all runs or one a run, whose values are the numbers of the links.
        total: links of the whole graph.
        present: (runs, total) bytes, 0 for links that count for nothing; none where all count.
    """

    matrices: Sequence[sparse.csr_matrix]
    runs: int
    total: int
    device: torch.device
    backend: str
    present: Tensor | None = None

    @property
    def own(self) -> bool:
        """Whether every run has links of its own."""
        return len(self.matrices) > 1

    @cached_property
    def stored(self) -> int:
        """The number of links of all runs."""
        return sum(matrix.nnz for matrix in self.matrices) * (1 if self.own else self.runs)

    @cached_property
    def by_row(self) -> list[Tensor]:
        """Ends of rows, columns and numbers of the links, run after run."""
        return _joined(self.matrices)

    @cached_property
    def by_column(self) -> list[Tensor]:
        """The same of the transpose, and the place of each link among those by row."""
        turned, places, start = [], [], 0
        for matrix in self.matrices:
            at = sparse.csr_matrix((np.arange(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)
            at = at.T.tocsr()
            turned.append(sparse.csr_matrix((matrix.data[at.data], at.indices, at.indptr), shape=at.shape))
            places.append(at.data + start)
            start += matrix.nnz
        return [*_joined(turned), torch.from_numpy(np.concatenate(places).astype(np.int64))]

    @cached_property
    def by_link(self) -> tuple[Tensor, Tensor, Tensor]:
        """For every link of all runs its row and its column among those of all runs, and its number likewise."""
        rows, columns = self.matrices[0].shape
        chosen = self.matrices if self.own else [self.matrices[0]] * self.runs
        coo = [matrix.tocoo() for matrix in chosen]
        found = [
            np.concatenate([run * size + getattr(one, part) for run, one in enumerate(coo)])
            for part, size in (("row", rows), ("col", columns), ("data", self.total))
        ]
        row, column, number = (torch.from_numpy(part.astype(np.int64)).to(self.device) for part in found)
        return row, column, number

    def attend(self, left: Tensor, right: Tensor, x: Tensor, mask: Mask | None = None) -> Tensor:
        """Return Σ_j m_ij α_ij x_j of each head, (runs, n_out, heads * units), α_ij being its softmax over i's links.

        Args:
            left, right: (runs, n_out, heads) and (runs, n_in, heads), whose sum, through LeakyReLU, is a link's score.
            x: (runs, n_in, heads * units).
            mask: what drops links, a byte for each run, link of the whole graph and head.
        """
        return self._attend(left, right, x, x.shape[2] // left.shape[2], False, mask)

    def attend_shared(self, left: Tensor, right: Tensor, x: Tensor, mask: Mask | None = None) -> Tensor:
        """Return the same where all heads read the same x, (runs, n_in, units)."""
        return self._attend(left, right, x, x.shape[2], True, mask)

    def _attend(self, left: Tensor, right: Tensor, x: Tensor, units: int, shared: bool, mask: Mask | None) -> Tensor:
        if self.backend == "compiled":
            return _Attention.apply(left, right, x, self, units, shared, mask)
        row, column, number = self.by_link
        size, heads = self.runs * left.shape[1], left.shape[2]
        scores = leaky_relu(left.flatten(0, 1)[row] + right.flatten(0, 1)[column], SLOPE)
        if self.present is not None:
            scores = scores.masked_fill(self.present.flatten()[number][:, None] == 0, -torch.inf)
        places = row[:, None].expand_as(scores)
        top = scores.new_full((size, heads), -torch.inf).scatter_reduce(0, places, scores.detach(), "amax")
        parts = (scores - top[row]).exp()
        shares = parts / scores.new_zeros(size, heads).index_add(0, row, parts)[row]
        if mask is not None:
            shares = shares * mask.factors(mask.kept).view(-1, heads)[number]
        values = x.flatten(0, 1).view(x.shape[0] * x.shape[1], -1, units)[column]
        out = x.new_zeros(size, heads, units).index_add(0, row, shares[..., None] * values)
        return out.view(self.runs, -1, heads * units)


class _Attention(torch.autograd.Function):
    """The kernels in C, forth and back."""

    @staticmethod
    def forward(
        ctx: Any, left: Tensor, right: Tensor, x: Tensor, links: Links, units: int, shared: bool, mask: Mask | None
    ) -> Tensor:
        left, right, x = left.contiguous(), right.contiguous(), x.contiguous()
        runs, rows, heads = left.shape
        shares, out = x.new_empty(links.stored * heads), x.new_empty(runs, rows, heads * units)
        sizes = runs, rows, right.shape[1], heads, units, links.total, links.own, shared
        present = None if links.present is None else links.present.data_ptr()
        given = (SLOPE, *_places(links.by_row), present, *_of(mask), *_places([left, right, x]))
        library(x.dtype).attend(torch.get_num_threads(), *sizes, *given, *_places([shares, out]))
        ctx.save_for_backward(left, right, x, shares)
        ctx.links, ctx.mask, ctx.sizes, ctx.given = links, mask, sizes, given
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        left, right, x, shares = ctx.saved_tensors
        gradient = grads[0].contiguous()
        threads, kernels = torch.get_num_threads(), library(x.dtype)
        pull = torch.empty_like(shares)
        to_left, to_right, to_x = torch.empty_like(left), torch.empty_like(right), torch.empty_like(x)
        kernels.attend_rows(threads, *ctx.sizes, *ctx.given, *_places([shares, gradient, pull, to_left]))
        found = _places([shares, gradient, pull, to_right, to_x])
        kernels.attend_columns(threads, *ctx.sizes, *_places(ctx.links.by_column), *_of(ctx.mask), *found)
        return to_left, to_right, to_x, None, None, None, None


def _joined(matrices: Sequence[sparse.csr_matrix]) -> list[Tensor]:
    starts = np.cumsum([0, *(matrix.nnz for matrix in matrices)])
    ends = np.concatenate([[0], *(start + one.indptr[1:] for start, one in zip(starts, matrices, strict=False))])
    parts = [np.concatenate([getattr(matrix, part) for matrix in matrices]) for part in ("indices", "data")]
    return [torch.from_numpy(ends.astype(np.int64)), *(torch.from_numpy(part.astype(np.int32)) for part in parts)]


def _places(tensors: Sequence[Tensor]) -> list[int]:
    return [tensor.data_ptr() for tensor in tensors]


def _of(mask: Mask | None) -> tuple[int | None, int, float]:
    return (None, 0, 1.0) if mask is None else (mask.kept.data_ptr(), mask.bit, mask.scale)
