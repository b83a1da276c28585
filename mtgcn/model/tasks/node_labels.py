"""What tasks share that give every node a label: a head of one layer, and cross-entropy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mtgcn.model.tasks.base import Task, TaskParameters

if TYPE_CHECKING:
    from torch import Tensor

    from mtgcn.engine.part import NodeSet
    from mtgcn.model.batch import Batch
    from mtgcn.model.forward import Pass


class NodeLabels(Task):
    """Mean over the nodes of the cross-entropy between a softmax of the head and labels made from the data alone."""

    layers = 1
    likelihood = "softmax"

    def __init__(self, parameters: TaskParameters, batch: Batch) -> None:
        import torch

        super().__init__(parameters, batch)
        self.labels = torch.from_numpy(self.labels_of(parameters, batch)).to(batch.device)  # (n,) or (runs, n)

    @staticmethod
    def labels_of(parameters: TaskParameters, batch: Batch) -> np.ndarray:
        """Return the label of each node, (n,) int64, or (runs, n) where those of the runs differ."""
        raise NotImplementedError

    def risk(self, forward: Pass, nodes: NodeSet | None) -> Tensor:
        """Return the mean cross-entropy over these nodes, (runs,)."""
        import torch
        from torch.nn.functional import cross_entropy

        from mtgcn.engine.part import rows_of
        from mtgcn.engine.products import product

        logits = product(*forward.head(forward.embedding, self.name, nodes, self.layers))
        labels = torch.atleast_2d(self.labels)
        labels = labels if nodes is None else rows_of(labels, nodes.index)
        losses = cross_entropy(logits.flatten(0, 1), labels.expand(len(logits), -1).flatten(), reduction="none")
        return losses.view(len(logits), -1).mean(1, dtype=torch.float64)
