"""ER: rebuild the embedding from a copy in which some of its columns are zeroed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field

from mtgcn.engine.randomness import stream
from mtgcn.model.tasks.base import Task, TaskParameters

if TYPE_CHECKING:
    from torch import Tensor

    from mtgcn.data.arrays import Arrays
    from mtgcn.engine.part import NodeSet
    from mtgcn.model.batch import Batch
    from mtgcn.model.forward import Pass


class CorruptedEmbeddingsParameters(TaskParameters):
    """Parameters of ER."""

    weight: float = Field(0.1, ge=0, allow_inf_nan=False, description="weight w_ER of the risk in the objective")
    size: int = Field(4, ge=1, description="the number of embedding columns that are zeroed, |N|")
    reconstruct: Literal["full", "partial"] = Field("full", description="rebuild the whole embedding, or only N")
    detach_target: bool = Field(False, description="hold the target g_sh(x) fixed instead of training through it")


class CorruptedEmbeddings(Task):
    """Mean over V_ER of ‖g_sh(x_i) − f_ER(P_N g_sh(x_i))‖², or of the columns in N alone (equation 4)."""

    name = "ER"
    Parameters = CorruptedEmbeddingsParameters

    def __init__(self, parameters: CorruptedEmbeddingsParameters, batch: Batch) -> None:
        import torch

        super().__init__(parameters, batch)
        units = batch.architecture.hidden_units
        self.detach = parameters.detach_target
        drawn = [np.sort(stream(seed, "ER.N").choice(units, parameters.size, replace=False)) for seed in batch.seeds]
        self.n = torch.from_numpy(np.stack(drawn)).to(batch.device)  # (runs, size)
        self.clean = torch.ones(batch.runs, 1, units, device=batch.device, dtype=batch.dtype)
        self.clean.scatter_(2, self.n.unsqueeze(1), 0.0)  # the diagonal of P_N
        self.partial = parameters.reconstruct == "partial"

    @staticmethod
    def check(parameters: TaskParameters, data: Arrays, hidden_units: int) -> str | None:  # noqa: D102
        assert isinstance(parameters, CorruptedEmbeddingsParameters)
        if parameters.size <= hidden_units:
            return None
        return f"size {parameters.size} is more than the {hidden_units} hidden units of the embedding"

    @property
    def outputs(self) -> int:
        """The embedding's columns, or as many as there are in N."""
        return self.n.shape[1] if self.partial else self.clean.shape[2]

    def risk(self, forward: Pass, nodes: NodeSet | None) -> Tensor:
        """Return R_ER, (runs,)."""
        import torch

        from mtgcn.engine.products import product

        z, b = forward.head(forward.embedding * self.clean, self.name, nodes)
        target = forward.embedding.detach() if self.detach else forward.embedding
        target = forward.graph.take(target, nodes)
        if self.partial:
            target = target.gather(2, self.n.unsqueeze(1).expand(-1, target.shape[1], -1))
        return (target - product(z, b)).square().sum(2).mean(1, dtype=torch.float64)
