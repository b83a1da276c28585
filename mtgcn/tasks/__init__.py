"""The auxiliary tasks by name; a new one adds its line here, in the order in which names are written."""

from mtgcn.tasks.autoencoding import Autoencoding
from mtgcn.tasks.base import Task, TaskParameters
from mtgcn.tasks.corrupted_embeddings import CorruptedEmbeddings
from mtgcn.tasks.corrupted_features import CorruptedFeatures

TASKS: dict[str, type[Task]] = {task.name: task for task in (Autoencoding, CorruptedFeatures, CorruptedEmbeddings)}

__all__ = ["TASKS", "Task", "TaskParameters"]
