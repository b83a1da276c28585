"""The auxiliary tasks by name; a new one is added to the tuple here, in the order in which names are written."""

from mtgcn.model.tasks.autoencoding import Autoencoding
from mtgcn.model.tasks.base import Task, TaskParameters
from mtgcn.model.tasks.corrupted_embeddings import CorruptedEmbeddings
from mtgcn.model.tasks.corrupted_features import CorruptedFeatures
from mtgcn.model.tasks.edge_masking import EdgeMasking
from mtgcn.model.tasks.graph_completion import GraphCompletion
from mtgcn.model.tasks.graph_partitioning import GraphPartitioning
from mtgcn.model.tasks.node_clustering import NodeClustering
from mtgcn.model.tasks.pairwise_distance import PairwiseDistance

IN_ORDER: tuple[type[Task], ...] = (
    Autoencoding,
    CorruptedFeatures,
    CorruptedEmbeddings,
    NodeClustering,
    GraphPartitioning,
    GraphCompletion,
    EdgeMasking,
    PairwiseDistance,
)
TASKS = {task.name: task for task in IN_ORDER}

__all__ = ["TASKS", "Task", "TaskParameters"]
