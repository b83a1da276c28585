"""The layers that an encoder can be made of, by name, and the dense layer that a remedy may need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtgcn.model.attention import GAT
from mtgcn.model.layer import Factors, Layer, with_bias

if TYPE_CHECKING:
    from torch import Tensor

    from mtgcn.engine.graph import Graph
    from mtgcn.engine.linear import Linear
    from mtgcn.engine.part import NodeSet


class GC(Layer):
    """GC(X) = Â X B, without bias (section 3.1 of the paper, after Kipf & Welling)."""

    hops = 1

    @staticmethod
    def shapes(inputs: int, outputs: int) -> dict[str, tuple[int, ...]]:  # noqa: D102  (see Layer)
        return {"B": (inputs, outputs)}

    @staticmethod
    def first(graph: Graph, weights: dict[str, Tensor], x: Linear) -> Tensor:  # noqa: D102
        return graph.propagate(x @ weights["B"])

    @staticmethod
    def factors(graph: Graph, weights: dict[str, Tensor], x: Tensor, rows: NodeSet | None = None) -> Factors:  # noqa: D102
        return graph.propagate(x, rows), weights["B"]


class BiasedGC(Layer):
    """GC(X) = Â X B + b, as Keras' layers have a bias unless told otherwise."""

    hops = 1

    @staticmethod
    def shapes(inputs: int, outputs: int) -> dict[str, tuple[int, ...]]:  # noqa: D102
        return {"B": (inputs, outputs), "bias": (outputs,)}

    @staticmethod
    def first(graph: Graph, weights: dict[str, Tensor], x: Linear) -> Tensor:  # noqa: D102
        return graph.propagate(x @ weights["B"]) + weights["bias"][:, None]

    @staticmethod
    def factors(graph: Graph, weights: dict[str, Tensor], x: Tensor, rows: NodeSet | None = None) -> Factors:  # noqa: D102
        return with_bias(graph.propagate(x, rows), weights["B"], weights["bias"])


class SAGE(Layer):
    """SAGE(X) = M X B + X C: M takes the mean over the neighbours (GraphSAGE with means, Hamilton et al. 2017)."""

    hops = 1

    @staticmethod
    def shapes(inputs: int, outputs: int) -> dict[str, tuple[int, ...]]:  # noqa: D102
        return {"B": (inputs, outputs), "C": (inputs, outputs)}

    @staticmethod
    def first(graph: Graph, weights: dict[str, Tensor], x: Linear) -> Tensor:  # noqa: D102
        return graph.average(x @ weights["B"]) + x @ weights["C"]

    @staticmethod
    def factors(graph: Graph, weights: dict[str, Tensor], x: Tensor, rows: NodeSet | None = None) -> Factors:  # noqa: D102
        import torch

        z = torch.cat([graph.average(x, rows), graph.take(x, rows)], dim=2)
        return z, torch.cat([weights["B"], weights["C"]], dim=1)


class Dense(Layer):
    """X B + b, every node by itself; not a layer to choose, since an encoder of it would not see the graph."""

    hops = 0

    @staticmethod
    def shapes(inputs: int, outputs: int) -> dict[str, tuple[int, ...]]:  # noqa: D102
        return {"B": (inputs, outputs), "b": (outputs,)}

    @staticmethod
    def first(graph: Graph, weights: dict[str, Tensor], x: Linear) -> Tensor:  # noqa: D102
        return x @ weights["B"] + weights["b"][:, None]

    @staticmethod
    def factors(graph: Graph, weights: dict[str, Tensor], x: Tensor, rows: NodeSet | None = None) -> Factors:  # noqa: D102
        return with_bias(graph.take(x, rows), weights["B"], weights["b"])


LAYERS: dict[str, type[Layer]] = {"GC": GC, "GC+bias": BiasedGC, "SAGE": SAGE, "GAT": GAT}
