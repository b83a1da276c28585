"""Remedies against the loss of accuracy with depth: small changes of the encoder, one class each.

A remedy of your own is a subclass of `Remedy`, whose fields are its settings, and a line in `REMEDIES`. As with tasks
and layers, torch and the engine are imported for types, and in the methods that compute.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from mtgcn.model.layer import Activation, Layer, activated
from mtgcn.model.layers import Dense

if TYPE_CHECKING:
    from torch import Tensor

    from mtgcn.engine.graph import Graph


class Remedy(BaseModel):
    """The encoder without a remedy, H_l+1 = ReLU(GC(H_l)), and the places where one can change it."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    all_nodes: ClassVar[bool] = False  # whether an output depends on every node, however far away
    layers: ClassVar[tuple[str, ...] | None] = None  # the only layers that it is defined for

    @property
    def ends(self) -> Layer | None:
        """The layer that comes before the hidden ones and the one that gives the classes; none: as without remedy."""
        return None

    def convolve(
        self, layer: Layer, graph: Graph, weights: dict[str, Tensor], h: Tensor, states: Sequence[Tensor]
    ) -> Tensor:
        """Return what takes the place of GC(H_l), (runs, n, units), where ``h`` is H_l after dropout.

        ``states`` are H_1 to H_l, each (runs, n, units). The first layer, which reads the features, is left alone.
        """
        return layer.apply(graph, weights, h)

    def activate(self, convolved: Tensor, states: Sequence[Tensor], activation: Activation = "relu") -> Tensor:
        """Return H_l+1 from GC(H_l), both (runs, n, units), and H_1 to H_l; for the first layer there are none yet."""
        return activated(convolved, activation)

    def training_graph(self, graph: Graph, seeds: Sequence[int]) -> Graph:
        """Return the graph of the training passes; evaluation keeps the one given."""
        return graph

    def l2_of(self, further: Iterable[str]) -> dict[str, float]:
        """Return L2 coefficients of its own for weights of the ``further`` layers, by their names."""
        return {}


class Residual(Remedy):
    """Residual connections: H_l+1 = ReLU(GC(H_l)) + H_l (Kipf & Welling 2017, appendix B)."""

    def activate(self, convolved: Tensor, states: Sequence[Tensor], activation: Activation = "relu") -> Tensor:  # noqa: D102  (see Remedy)
        h = activated(convolved, activation)
        return h + states[-1] if states else h


class PairNorm(Remedy):
    """PairNorm: what a layer gives is centred and scaled before the rectifier (Zhao & Akoglu 2020)."""

    all_nodes = True

    scale: float = Field(1.0, gt=0, description="s: root mean square of the norms of the embeddings")

    def activate(self, convolved: Tensor, states: Sequence[Tensor], activation: Activation = "relu") -> Tensor:  # noqa: D102
        from mtgcn.engine.pair_norm import pair_norm

        return activated(pair_norm(convolved, self.scale), activation)


class DropEdge(Remedy):
    """DropEdge: every training epoch goes without a share of the edges, drawn anew (Rong et al. 2020).

    Encoder and heads see the same edges within an epoch; evaluation sees all. A share of one half is our choice.
    """

    rate: float = Field(0.5, ge=0, lt=1, description="share of the edges that an epoch goes without")

    def training_graph(self, graph: Graph, seeds: Sequence[int]) -> Graph:  # noqa: D102
        from mtgcn.engine.dropedge import ThinnedGraph

        return ThinnedGraph(graph, seeds, self.rate)


class GCNII(Remedy):
    """GCNII: initial residual and identity mapping (Chen et al. 2020), the first hidden layer being H_0 there.

    H_l+1 = ReLU(((1 − α) Â H_l + α H_1) ((1 − β_l) I + β_l B_l)) with β_l = log(λ / l + 1). With ``dense_ends`` the
    first of these is a dense layer of the features, as there, and all hidden layers come after it.
    """

    layers = ("GC",)

    alpha: float = Field(0.1, ge=0, le=1, description="α: share of the first hidden layer in every other one")
    strength: float = Field(0.5, gt=0, description="λ: with it weights count more, and less with every layer")
    l2: float | None = Field(None, ge=0, description="L2 of the weights beside the identity; not set: as elsewhere")
    dense_ends: bool = Field(
        False,
        description="whether dense layers lead from the features to the hidden layers and from these to the classes",
    )

    @property
    def ends(self) -> Layer | None:  # noqa: D102
        return Dense() if self.dense_ends else None

    def convolve(  # noqa: D102
        self, layer: Layer, graph: Graph, weights: dict[str, Tensor], h: Tensor, states: Sequence[Tensor]
    ) -> Tensor:
        import torch

        from mtgcn.engine.products import product

        z, b = layer.factors(graph, weights, h)
        beta = math.log(self.strength / len(states) + 1)
        mapping = (1 - beta) * torch.eye(b.shape[1], device=b.device, dtype=b.dtype) + beta * b
        return product((1 - self.alpha) * z + self.alpha * states[0], mapping)

    def l2_of(self, further: Iterable[str]) -> dict[str, float]:  # noqa: D102
        return {} if self.l2 is None else dict.fromkeys(further, self.l2)


REMEDIES: dict[str, type[Remedy]] = {
    "none": Remedy,
    "residual": Residual,
    "pairnorm": PairNorm,
    "dropedge": DropEdge,
    "gcnii": GCNII,
}
