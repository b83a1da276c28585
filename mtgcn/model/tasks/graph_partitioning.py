"""GP: predict the part of the graph that a node is in, of parts between which there are few edges (You et al. 2020)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from mtgcn.model.tasks.base import TaskParameters
from mtgcn.model.tasks.node_labels import NodeLabels

if TYPE_CHECKING:
    from mtgcn.data.arrays import Arrays
    from mtgcn.model.batch import Batch


class GraphPartitioningParameters(TaskParameters):
    """Parameters of GP."""

    weight: float = Field(1.0, ge=0, allow_inf_nan=False, description="weight w_GP of the risk in the objective")
    parts: int = Field(14, ge=2, description="the number of parts of about equal size")


class GraphPartitioning(NodeLabels):
    """Cross-entropy with the part of the graph that a node is in."""

    name = "GP"
    Parameters = GraphPartitioningParameters

    def __init__(self, parameters: GraphPartitioningParameters, batch: Batch) -> None:
        super().__init__(parameters, batch)
        self._parts = parameters.parts

    @staticmethod
    def check(parameters: TaskParameters, data: Arrays, hidden_units: int) -> str | None:  # noqa: D102
        assert isinstance(parameters, GraphPartitioningParameters)
        if parameters.parts <= data.nodes:
            return None
        return f"parts {parameters.parts} is more than the {data.nodes} nodes of the data"

    @staticmethod
    def labels_of(parameters: TaskParameters, batch: Batch) -> np.ndarray:  # noqa: D102
        from mtgcn.engine.pseudo_labels import parts

        assert isinstance(parameters, GraphPartitioningParameters)
        return parts(batch.dataset.edges, batch.dataset.nodes, parameters.parts)

    @property
    def outputs(self) -> int:
        """As many as there are parts."""
        return self._parts
