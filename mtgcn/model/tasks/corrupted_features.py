"""FR: rebuild features from the embedding of a copy in which some columns are zeroed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field
from scipy import sparse

from mtgcn.engine.randomness import stream
from mtgcn.model.tasks.base import Task, TaskParameters

if TYPE_CHECKING:
    from torch import Tensor

    from mtgcn.data.arrays import Arrays
    from mtgcn.engine.part import NodeSet
    from mtgcn.engine.sparse import Features
    from mtgcn.model.batch import Batch
    from mtgcn.model.forward import Pass


class CorruptedFeaturesParameters(TaskParameters):
    """Parameters of FR."""

    weight: float = Field(100.0, ge=0, allow_inf_nan=False, description="weight w_FR of the risk in the objective")
    size: int = Field(100, ge=1, description="the number of features k that fixes the size of M")
    size_means: Literal["zeroed", "kept"] = Field(
        "zeroed",
        description="k features are zeroed, |M| = k, or all but k are, |M| = d − k (the paper's footnote)",
    )
    reconstruct: Literal["full", "partial"] = Field("full", description="rebuild all features, or only those in M")


class CorruptedFeatures(Task):
    """Mean over V_FR of ‖x_i − f_FR(P_M x_i)‖², or of the columns in M alone (equations 2 and 3)."""

    name = "FR"
    Parameters = CorruptedFeaturesParameters
    features: Features  # P_M X, with another M in each run

    def __init__(self, parameters: CorruptedFeaturesParameters, batch: Batch) -> None:
        super().__init__(parameters, batch)
        features = batch.dataset.features
        columns = features.shape[1]
        size = parameters.size if parameters.size_means == "zeroed" else columns - parameters.size
        self.m = [np.sort(stream(seed, "FR.M").choice(columns, size, replace=False)) for seed in batch.seeds]
        self.features = batch.blocks([without_columns(features, m) for m in self.m])
        self.target = batch.features
        if parameters.reconstruct == "partial":
            self.target = batch.blocks([features[:, m] for m in self.m])

    @staticmethod
    def check(parameters: TaskParameters, data: Arrays, hidden_units: int) -> str | None:  # noqa: D102
        assert isinstance(parameters, CorruptedFeaturesParameters)
        features = data.features.shape[1]
        if parameters.size < features or (parameters.size == features and parameters.size_means == "zeroed"):
            return None
        return f"size {parameters.size} does not fit the {features} features of the data"

    @property
    def outputs(self) -> int:
        """All features, or as many as there are in M."""
        return self.target.columns

    def risk(self, forward: Pass, nodes: NodeSet | None) -> Tensor:
        """Return R_FR, (runs,)."""
        from mtgcn.engine.reconstruction import reconstruction_risk

        embedding = forward.encode(self.features, f"{self.name}.encoder")
        z, b = forward.head(embedding, self.name, nodes)
        return reconstruction_risk(z, b, self.target.at(nodes))


def without_columns(features: sparse.csr_matrix, columns: np.ndarray) -> sparse.csr_matrix:
    """Return P_M X: (n, d) with these columns zeroed, and the zeros not stored."""
    keep = np.ones(features.shape[1], dtype=features.dtype)
    keep[columns] = 0
    corrupted = sparse.csr_matrix(features @ sparse.diags(keep, dtype=features.dtype))
    corrupted.eliminate_zeros()
    corrupted.sort_indices()  # as those of the features are
    return corrupted
