"""What a graph layer is: its weights, its settings, and what it makes of states.

Parameter files are checked against the layers, by commands that compute nothing. So torch and the engine are imported
for types only, and again in the methods that compute.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from torch import Tensor

    from mtgcn.engine.dropout import Mask
    from mtgcn.engine.graph import Graph
    from mtgcn.engine.linear import Linear
    from mtgcn.engine.part import NodeSet

# Z (runs, n or |rows|, c) and B (runs, c, outputs): their product is the output, which a reconstruction never needs.
Factors: TypeAlias = "tuple[Tensor, Tensor]"
Activation = Literal["relu", "elu"]


class LayerSettings(BaseModel):
    """The settings of a layer; most have none."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    def check(self, hidden_units: int) -> str | None:
        """Return what is impossible about the settings with so many hidden units, or ``None``."""
        return None


class Layer:
    """A layer of all runs; it holds no weights of its own, they are handed to it.

    ``weights`` maps the names of ``shapes`` to tensors with a leading runs axis. ``hops`` says how many edges away
    an output looks: what no risk can see is not computed.
    """

    Settings: ClassVar[type[LayerSettings]] = LayerSettings
    hops: ClassVar[int]
    activation: ClassVar[Activation] = "relu"  # what follows it unless it is the last one
    link_values: int = 0  # values that it keeps for each link of a node, where it weighs them one by one
    link_dropout: float = 0.0  # the rate at which these are dropped

    def __init__(self, settings: LayerSettings | None = None) -> None:
        """Take the settings, an instance of `Settings`; most layers have none."""

    @property
    def classifier(self) -> Layer:
        """The layer that gives the classes of a network of such layers."""
        return self

    @property
    def decoder(self) -> Layer:
        """The layer that gives what a task predicts in a network of such layers."""
        return self

    def dropping(self, mask: Mask) -> Layer:
        """Return the layer as it is in a pass that drops links; asked for where it has a ``link_dropout``."""
        return self

    def shapes(self, inputs: int, outputs: int) -> dict[str, tuple[int, ...]]:
        """Return the shape of each weight of one run."""
        raise NotImplementedError

    def first(self, graph: Graph, weights: dict[str, Tensor], x: Linear) -> Tensor:
        """Apply the layer to sparse features X, (runs, n, inputs), of which only X B can be had: (runs, n, outputs)."""
        raise NotImplementedError

    def apply(self, graph: Graph, weights: dict[str, Tensor], x: Tensor, rows: NodeSet | None = None) -> Tensor:
        """Apply the layer to (runs, n, inputs): (runs, n or |rows|, outputs)."""
        from mtgcn.engine.products import product

        return product(*self.factors(graph, weights, x, rows))

    def factors(self, graph: Graph, weights: dict[str, Tensor], x: Tensor, rows: NodeSet | None = None) -> Factors:
        """Return the output for (runs, n, inputs), or some of its rows, as two factors."""
        raise NotImplementedError


def activated(x: Tensor, activation: Activation) -> Tensor:
    """Return ReLU(x), or ELU(x)."""
    from torch.nn.functional import elu

    return x.relu() if activation == "relu" else elu(x)


def with_bias(z: Tensor, b: Tensor, bias: Tensor) -> Factors:
    """Return the factors of Z B + bias: a column of ones beside Z makes the (runs, outputs) bias a row of B."""
    import torch

    with_ones = torch.cat([z, torch.ones_like(z[..., :1])], dim=2)
    return with_ones, torch.cat([b, bias[:, None]], dim=1)
