"""NC: predict the class whose labelled nodes are nearest to a node's cluster (You et al. 2020)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field
from scipy import sparse

from mtgcn.model.tasks.base import NodesOfRisk, TaskParameters
from mtgcn.model.tasks.node_labels import NodeLabels

if TYPE_CHECKING:
    from mtgcn.data.arrays import Arrays
    from mtgcn.model.batch import Batch


class NodeClusteringParameters(TaskParameters):
    """Parameters of NC."""

    weight: float = Field(1.0, ge=0, allow_inf_nan=False, description="weight w_NC of the risk in the objective")
    nodes: NodesOfRisk = Field("unlabelled", description="nodes of the risk, by default those without a label")
    clusters: int = Field(200, ge=1, description="the number of k-means clusters of the features")


class NodeClustering(NodeLabels):
    """Cross-entropy with the class whose centroid is nearest to that of the node's k-means cluster.

    Clusters are those of the features; a class has the mean features of its labelled nodes as centroid.
    """

    name = "NC"
    Parameters = NodeClusteringParameters

    @staticmethod
    def check(parameters: TaskParameters, data: Arrays, hidden_units: int) -> str | None:  # noqa: D102
        assert isinstance(parameters, NodeClusteringParameters)
        if parameters.clusters <= data.nodes:
            return None
        return f"clusters {parameters.clusters} is more than the {data.nodes} nodes of the data"

    @staticmethod
    def labels_of(parameters: TaskParameters, batch: Batch) -> np.ndarray:  # noqa: D102
        from mtgcn.engine.pseudo_labels import clusters

        assert isinstance(parameters, NodeClusteringParameters)
        data = batch.dataset
        cluster = clusters(data.features, parameters.clusters)
        centroids = means(data.features, cluster, parameters.clusters)
        of_cluster = np.apply_along_axis(nearest_class, -1, data.train, data, centroids)
        return of_cluster[..., cluster]

    @property
    def outputs(self) -> int:
        """As many as there are classes."""
        return self.batch.dataset.classes


def nearest_class(train: np.ndarray, data: Arrays, centroids: np.ndarray) -> np.ndarray:
    """Return the class whose (m,) training nodes have the mean features that are nearest to each centroid, (k,)."""
    classes = means(data.features[train], data.labels[train], data.classes)
    # ‖a − b‖² without ‖a‖², which is the same for every class; a class without labelled nodes is no one's.
    distances = (classes**2).sum(1) - 2 * centroids @ classes.T
    distances[:, np.bincount(data.labels[train], minlength=data.classes) == 0] = np.inf
    return distances.argmin(1)


def means(rows: sparse.csr_matrix, group: np.ndarray, groups: int) -> np.ndarray:
    """Return the mean of the rows of each group, (n, d) to (groups, d); 0 for a group without rows."""
    sizes = np.maximum(np.bincount(group, minlength=groups), 1)
    member = sparse.csr_matrix((1.0 / sizes[group], (group, np.arange(len(group)))), shape=(groups, len(group)))
    return (member @ rows.astype(np.float64)).toarray()
