"""Trained networks as files: the weights of every run's best epoch, with all that is needed to use them."""

import json
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save as serialised
from torch import Tensor

from mtgcn.data.datasets import Dataset
from mtgcn.errors import MtgcnError
from mtgcn.experiments import build
from mtgcn.experiments.parameters import Parameters
from mtgcn.experiments.training import Trained
from mtgcn.files import replacing
from mtgcn.model.network import Network


@dataclass(frozen=True)
class State:
    """One network of an experiment at the best epochs of its runs.

    ``weights`` have a leading runs axis, in the order of ``seeds``.
    """

    parameters: Parameters
    network: str
    seeds: list[int]
    digest: str  # of the data set it was trained on
    weights: dict[str, Tensor]

    @classmethod
    def of(cls, parameters: Parameters, network: str, dataset: Dataset, trained: Trained) -> "State":
        """Take the best epochs of what `experiment.run` has trained."""
        return cls(parameters, network, trained.seeds, dataset.digest, trained.best_weights)

    def restore(self, dataset: Dataset) -> Network:
        """Return the network with these weights, on the graph that it was trained on."""
        if dataset.digest != self.digest:
            raise MtgcnError(
                f"this state was trained on data with the digest {self.digest[:12]}…, "
                f"but '{dataset.name}' has {dataset.digest[:12]}…; load the data set '{self.parameters.dataset}'."
            )
        return build.restore(self.parameters, self.network, dataset, self.seeds, self.weights)

    def embeddings(self, dataset: Dataset) -> Tensor:
        """Return g_sh of every node, (runs, n, hidden units)."""
        return self.restore(dataset).embed()[-1]

    def predictions(self, dataset: Dataset) -> Tensor:
        """Return the class predicted for every node, (runs, n)."""
        return self.restore(dataset).predict()


def save(path: Path | str, state: State) -> None:
    """Write ``state`` as a safetensors file, whole or not at all."""
    metadata = {
        "parameters": state.parameters.model_dump_json(),
        "network": state.network,
        "seeds": json.dumps(state.seeds),
        "digest": state.digest,
    }
    content = serialised({name: value.cpu().contiguous() for name, value in state.weights.items()}, metadata)
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def load(path: Path | str) -> State:
    """Read what `save` has written."""
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  (not a dict)
    except (OSError, SafetensorError) as error:
        raise MtgcnError(f"{path} cannot be read as a safetensors file ({error}).") from error
    if "parameters" not in metadata:
        raise MtgcnError(f"{path} is a safetensors file, but not one that mtgcn has written.")
    return State(
        Parameters.model_validate_json(metadata["parameters"]),
        metadata["network"],
        json.loads(metadata["seeds"]),
        metadata["digest"],
        {name: torch.as_tensor(value) for name, value in weights.items()},
    )
