"""Layers behind one interface: the graph convolution, exchangeable, and the dense layer that a remedy may need.

Parameter files are checked against their names, by commands that compute nothing. So torch and the engine are imported
for types only, and again in the methods that compute.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol, TypeAlias

if TYPE_CHECKING:
    from torch import Tensor

    from mtgcn.engine.graph import Graph
    from mtgcn.engine.linear import Linear
    from mtgcn.engine.part import NodeSet

# Z (runs, n or |rows|, c) and B (runs, c, outputs): their product is the output, which a reconstruction never needs.
Factors: TypeAlias = "tuple[Tensor, Tensor]"


class Layer(Protocol):
    """A layer of all runs; it holds no weights of its own, they are handed to it.

    ``weights`` maps the names of ``shapes`` to tensors with a leading runs axis. ``hops`` says how many edges away
    an output looks: what no risk can see is not computed.
    """

    hops: ClassVar[int]

    @staticmethod
    def shapes(inputs: int, outputs: int) -> dict[str, tuple[int, ...]]:
        """Return the shape of each weight of one run."""

    @staticmethod
    def first(graph: Graph, weights: dict[str, Tensor], x: Linear) -> Tensor:
        """Apply the layer to sparse features X, (runs, n, inputs), of which only X B can be had: (runs, n, outputs)."""

    @classmethod
    def apply(cls, graph: Graph, weights: dict[str, Tensor], x: Tensor, rows: NodeSet | None = None) -> Tensor:
        """Apply the layer to (runs, n, inputs): (runs, n or |rows|, outputs)."""
        from mtgcn.engine.products import product

        z, b = cls.factors(graph, weights, x, rows)
        return product(z, b)

    @staticmethod
    def factors(graph: Graph, weights: dict[str, Tensor], x: Tensor, rows: NodeSet | None = None) -> Factors:
        """Return the output for (runs, n, inputs), or some of its rows, as two factors."""


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


def with_bias(z: Tensor, b: Tensor, bias: Tensor) -> Factors:
    """Return the factors of Z B + bias: a column of ones beside Z makes the (runs, outputs) bias a row of B."""
    import torch

    with_ones = torch.cat([z, torch.ones_like(z[..., :1])], dim=2)
    return with_ones, torch.cat([b, bias[:, None]], dim=1)


LAYERS: dict[str, type[Layer]] = {"GC": GC, "GC+bias": BiasedGC, "SAGE": SAGE}
