"""The auxiliary tasks by name; a new one is added to the tuple here, in the order in which names are written."""

from mtgcn.model.tasks.autoencoding import Autoencoding
from mtgcn.model.tasks.base import Task, TaskParameters
from mtgcn.model.tasks.corrupted_embeddings import CorruptedEmbeddings
from mtgcn.model.tasks.corrupted_features import CorruptedFeatures

IN_ORDER: tuple[type[Task], ...] = (Autoencoding, CorruptedFeatures, CorruptedEmbeddings)
TASKS = {task.name: task for task in IN_ORDER}

__all__ = ["TASKS", "Task", "TaskParameters"]
