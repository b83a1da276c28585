"""AE: rebuild the features of a node from its embedding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from mtgcn.model.tasks.base import Task, TaskParameters

if TYPE_CHECKING:
    from torch import Tensor

    from mtgcn.engine.part import NodeSet
    from mtgcn.model.forward import Pass


class AutoencodingParameters(TaskParameters):
    """Parameters of AE."""

    weight: float = Field(100.0, ge=0, allow_inf_nan=False, description="weight w_AE of the risk in the objective")


class Autoencoding(Task):
    """Mean over V_AE of ‖x_i − f_AE(x_i)‖² (section 3.2.2 of the paper)."""

    name = "AE"
    Parameters = AutoencodingParameters

    @property
    def outputs(self) -> int:
        """As many as there are features."""
        return self.batch.features.columns

    def risk(self, forward: Pass, nodes: NodeSet | None) -> Tensor:
        """Return R_AE, (runs,)."""
        from mtgcn.engine.reconstruction import reconstruction_risk

        z, b = forward.head(forward.embedding, self.name, nodes)
        return reconstruction_risk(z, b, self.batch.features.at(nodes))
