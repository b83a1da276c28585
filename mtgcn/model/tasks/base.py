"""What an auxiliary task is: its parameters, its head's size, its risk.

Parameter files are checked against the tasks, by commands that compute nothing. So a task's file imports torch and the
engine for types only, and again in the methods that compute.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from torch import Tensor

    from mtgcn.data.arrays import Arrays
    from mtgcn.engine.part import NodeSet
    from mtgcn.engine.sparse import Features
    from mtgcn.model.batch import Batch
    from mtgcn.model.forward import Pass
    from mtgcn.model.layer import Layer

NodesOfRisk = Literal["labelled", "unlabelled", "all"]
Likelihood = Literal["gaussian", "laplace", "softmax"]  # of squared errors, absolute errors, cross-entropy


class TaskParameters(BaseModel):
    """What every task has."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    weight: float = Field(1.0, ge=0, allow_inf_nan=False, description="weight of the task's risk in the objective")
    nodes: NodesOfRisk = Field(
        "all", description="nodes of the risk: V_l (labelled), V without V_l (unlabelled) or V (all)"
    )


class Task(ABC):
    """An auxiliary task for all runs of a batch.

    A task of your own is a subclass in a file of its own and a line in `tasks.TASKS`.
    """

    name: ClassVar[str]
    Parameters: ClassVar[type[TaskParameters]]
    layers: ClassVar[int] = 2  # between the embedding and the risk: those of the head
    whole_graph: ClassVar[bool] = False  # whether a risk over some nodes needs states of all
    likelihood: ClassVar[Likelihood] = "gaussian"  # whose negative logarithm the risk is, but for a factor
    features: Features | None = None  # other features that the task has encoded, where it does

    def __init__(self, parameters: TaskParameters, batch: Batch) -> None:
        self.batch = batch
        self.nodes = {"labelled": batch.labelled, "unlabelled": batch.unlabelled, "all": None}[parameters.nodes]

    @staticmethod
    def check(parameters: TaskParameters, data: Arrays, hidden_units: int) -> str | None:
        """Return what is impossible about the parameters on these data, or ``None``."""
        return None

    @property
    @abstractmethod
    def outputs(self) -> int:
        """The number of values that the head rebuilds for a node."""

    def sites(self) -> Sequence[tuple[Layer, int, int]]:
        """The layers of the head, from the embedding on, each with its inputs and outputs."""
        architecture = self.batch.architecture
        widths = [*[architecture.hidden_units] * self.layers, self.outputs]
        layers = [*[architecture.layer] * (self.layers - 1), architecture.layer.decoder]
        return [(layer, widths[number], widths[number + 1]) for number, layer in enumerate(layers)]

    @abstractmethod
    def risk(self, forward: Pass, nodes: NodeSet | None) -> Tensor:
        """Return the task's empirical risk over these nodes (all for ``None``), one value a run, (runs,)."""
