"""GCo: rebuild a node's features, of reduced dimension, from its neighbours alone (You et al. 2020)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from mtgcn.model.tasks.base import Task, TaskParameters

if TYPE_CHECKING:
    from torch import Tensor

    from mtgcn.data.arrays import Arrays
    from mtgcn.engine.part import NodeSet
    from mtgcn.engine.sparse import Features
    from mtgcn.model.batch import Batch
    from mtgcn.model.forward import Pass

SCALE = 100.0  # theirs: a column of U has the norm 1, so its entries are small


class GraphCompletionParameters(TaskParameters):
    """Parameters of GCo."""

    weight: float = Field(0.5, ge=0, allow_inf_nan=False, description="weight w_GCo of the risk in the objective")
    size: int = Field(32, ge=1, description="the number of left singular vectors of the features to rebuild")


class GraphCompletion(Task):
    """100 times the mean over nodes and columns of |u_i − f_GCo(x_i)|, the encoder and the head without self-loops.

    u_i are the first entries of row i of U in X = U S Vᵀ. Without self-loops the encoder sees no features of the node
    itself, as far as these do not come back from its neighbours.
    """

    name = "GCo"
    Parameters = GraphCompletionParameters
    layers = 1
    likelihood = "laplace"
    whole_graph = True
    features: Features  # the clean ones, which go through the encoder a second time

    def __init__(self, parameters: GraphCompletionParameters, batch: Batch) -> None:
        import torch

        from mtgcn.engine.graph import adjacency_of
        from mtgcn.engine.pseudo_labels import left_singular_vectors
        from mtgcn.engine.rewired import RewiredGraph

        super().__init__(parameters, batch)
        data = batch.dataset
        target = left_singular_vectors(data.features, parameters.size)
        self.target = torch.from_numpy(target).to(batch.device, batch.dtype)  # (n, size)
        self.features = batch.features
        self.graph = RewiredGraph(batch.graph, [adjacency_of(data.edges, data.nodes, loops=False)] * batch.runs)

    @staticmethod
    def check(parameters: TaskParameters, data: Arrays, hidden_units: int) -> str | None:  # noqa: D102
        assert isinstance(parameters, GraphCompletionParameters)
        if parameters.size < min(data.features.shape):
            return None
        nodes, features = data.features.shape
        return f"size {parameters.size} has to be less than the {nodes} nodes and the {features} features of the data"

    @property
    def outputs(self) -> int:
        """As many as there are singular vectors."""
        return self.target.shape[1]

    def risk(self, forward: Pass, nodes: NodeSet | None) -> Tensor:
        """Return R_GCo, (runs,)."""
        import torch

        from mtgcn.engine.products import product

        without_loops = forward.on(self.graph)
        embedding = without_loops.encode(self.features, f"{self.name}.encoder")
        rebuilt = product(*without_loops.head(embedding, self.name, nodes, self.layers))
        target = forward.graph.take(self.target[None], nodes)
        return SCALE * (target - rebuilt).abs().mean((1, 2), dtype=torch.float64)
