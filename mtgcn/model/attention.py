"""Graph attention: a layer that learns how much each neighbour counts (Velickovic et al. 2018).

As in `layer`, torch and the engine are imported for types, and in the methods that compute.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from mtgcn.model.layer import Factors, Layer, LayerSettings, with_bias

if TYPE_CHECKING:
    from torch import Tensor

    from mtgcn.engine.dropout import Mask
    from mtgcn.engine.graph import Graph
    from mtgcn.engine.linear import Linear
    from mtgcn.engine.part import NodeSet

MOST_HEADS = 64  # the kernels in C keep so many sums


class AttentionSettings(LayerSettings):
    """The settings of GAT; the defaults are those of its authors for Cora and Citeseer."""

    heads: int = Field(8, ge=1, le=MOST_HEADS, description="heads of a hidden layer, which share its units")
    output_heads: int = Field(
        1, ge=1, le=MOST_HEADS, description="heads of the layer that gives the classes, which is their mean"
    )
    attention_dropout: float = Field(0.6, ge=0, lt=1, description="dropout rate of the attention itself")

    def check(self, hidden_units: int) -> str | None:  # noqa: D102  (see LayerSettings)
        if hidden_units % self.heads == 0:
            return None
        return f"{self.heads} heads cannot share {hidden_units} hidden units: hidden_units has to be a multiple of them"


class GAT(Layer):
    """GAT_h(X) = α_h X B_h, with a row of α_h for each node: how much every neighbour, and itself, counts for head h.

    α_ij is the softmax over j of LeakyReLU(left · (X B)_i + right · (X B)_j). A hidden layer has its heads side by
    side, the last one of a network takes their mean; that of a task has one head.

    Args:
        heads: of this layer.
        mean: whether their mean is the output.
        mask: what drops links in this pass.
    """

    Settings = AttentionSettings
    hops = 1
    activation = "elu"

    def __init__(
        self,
        settings: AttentionSettings | None = None,
        heads: int | None = None,
        mean: bool = False,
        mask: Mask | None = None,
    ) -> None:
        self.settings = settings or AttentionSettings.model_validate({})
        self.heads = heads or self.settings.heads
        self.mean, self.mask = mean, mask
        self.link_dropout = self.settings.attention_dropout
        self.link_values = self.heads

    @property
    def classifier(self) -> GAT:  # noqa: D102  (see Layer)
        return GAT(self.settings, self.settings.output_heads, mean=True)

    @property
    def decoder(self) -> GAT:  # noqa: D102
        return GAT(self.settings, 1, mean=True)

    def dropping(self, mask: Mask) -> GAT:  # noqa: D102
        return GAT(self.settings, self.heads, self.mean, mask)

    def shapes(self, inputs: int, outputs: int) -> dict[str, tuple[int, ...]]:  # noqa: D102
        units = outputs if self.mean else outputs // self.heads
        b = (self.heads, inputs, outputs) if self.mean else (inputs, outputs)
        return {"B": b, "left": (self.heads, units), "right": (self.heads, units), "bias": (outputs,)}

    def first(self, graph: Graph, weights: dict[str, Tensor], x: Linear) -> Tensor:  # noqa: D102
        return self._side_by_side(graph, weights, x @ weights["B"], None)

    def apply(self, graph: Graph, weights: dict[str, Tensor], x: Tensor, rows: NodeSet | None = None) -> Tensor:  # noqa: D102
        from mtgcn.engine.products import product

        if self.mean:
            return product(*self.factors(graph, weights, x, rows))
        return self._side_by_side(graph, weights, product(x, weights["B"]), rows)

    def factors(self, graph: Graph, weights: dict[str, Tensor], x: Tensor, rows: NodeSet | None = None) -> Factors:
        """Return Z = [α_1 X, α_2 X, …] and, one below the other, the B_h over their number, and the bias."""
        import torch

        from mtgcn.engine.products import product

        if rows is not None and rows.by_run:  # between them the runs want most
            z, stacked = self.factors(graph, weights, x)
            return graph.take(z, rows), stacked
        b = weights["B"]  # (runs, heads, inputs, outputs)
        runs, heads, inputs, outputs = b.shape
        sides = torch.stack([weights["left"], weights["right"]], dim=3).flatten(0, 1)  # (runs * heads, outputs, 2)
        by_input = product(b.flatten(0, 1), sides).view(runs, heads, inputs, 2).permute(0, 2, 3, 1)
        left, right = product(x, by_input.reshape(runs, inputs, 2 * heads)).split(heads, dim=2)
        z = graph.links(rows).attend_shared(graph.take(left, rows), right, x, self.mask)
        return with_bias(z, b.reshape(runs, heads * inputs, outputs) / heads, weights["bias"])

    def _side_by_side(self, graph: Graph, weights: dict[str, Tensor], xb: Tensor, rows: NodeSet | None) -> Tensor:
        """Return the heads of a hidden layer from X B, (runs, n, heads * units)."""
        import torch

        from mtgcn.engine.products import product

        sides = torch.cat([weights["left"], weights["right"]], dim=1)[..., None]  # (runs, 2 * heads, units, 1)
        of_head = torch.eye(self.heads, device=xb.device, dtype=xb.dtype)  # every head reads its own units only
        both = (sides.unflatten(1, (2, self.heads)) * of_head[:, None]).permute(0, 2, 3, 1, 4)
        left, right = product(xb, both.reshape(len(xb), -1, 2 * self.heads)).split(self.heads, dim=2)
        attended = graph.links(rows).attend(graph.take(left, rows), right, xb, self.mask)
        return attended + weights["bias"][:, None]
