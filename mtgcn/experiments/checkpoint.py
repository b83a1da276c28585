"""Trained networks as files: the weights of every run's best epoch, with all that is needed to use them."""

import json
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from pydantic import BaseModel, ConfigDict, NonNegativeInt, ValidationError
from safetensors import SafetensorError, safe_open
from safetensors.torch import save as serialised
from torch import Tensor

from mtgcn.data.datasets import Dataset
from mtgcn.errors import MtgcnError, short
from mtgcn.experiments import build
from mtgcn.experiments.memory import check_memory
from mtgcn.experiments.parameters import Parameters
from mtgcn.experiments.training import Trained
from mtgcn.files import replacing
from mtgcn.model.network import Network

MARK = "mtgcn"  # the one name in the metadata: safetensors writes several in any order, and equal states differ


class _About(BaseModel):
    """What the metadata say of the weights."""

    model_config = ConfigDict(extra="forbid", strict=True)

    parameters: dict[str, object]
    network: str
    seeds: list[NonNegativeInt]
    digest: str


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

    @property
    def features(self) -> int:
        """How many features the nodes have."""
        return self._size("encoder.0.B", -2)

    def _size(self, name: str, axis: int) -> int:
        return self.weights[name].shape[axis] if name in self.weights else 0

    def restore(self, dataset: Dataset) -> Network:
        """Return the network with these weights, on the graph that it was trained on."""
        if dataset.digest != self.digest:
            raise MtgcnError(
                f"this state was trained on data with the digest {short(self.digest, 12)}, but '{dataset.name}' has"
                f" {short(dataset.digest, 12)}; load the data set '{short(self.parameters.dataset)}'."
            )
        return self._built(self.parameters, dataset)

    def on(self, dataset: Dataset) -> Network:
        """Return the network with these weights on any graph with the same features and classes."""
        # The split of the graph at hand plays no part, and neither does how many of the classes it shows.
        return self._built(self.parameters.model_copy(update={"split_seed": None}), dataset)

    def _built(self, parameters: Parameters, dataset: Dataset) -> Network:
        dataset = replace(dataset, classes=max(dataset.classes, self._size("main.B", -1)))
        check_memory(parameters, dataset, self.network, len(self.seeds))
        return build.restore(parameters, self.network, dataset, self.seeds, self.weights)

    def embeddings(self, dataset: Dataset) -> Tensor:
        """Return g_sh of every node, (runs, n, hidden units)."""
        return self.restore(dataset).embed()[-1]

    def predictions(self, dataset: Dataset) -> Tensor:
        """Return the class predicted for every node, (runs, n)."""
        return self.restore(dataset).predict()


def save(path: Path | str, state: State) -> None:
    """Write ``state`` as a safetensors file, whole or not at all; equal states give equal bytes."""
    about = _About(
        parameters=state.parameters.model_dump(mode="json"),
        network=state.network,
        seeds=state.seeds,
        digest=state.digest,
    )
    weights = {name: value.cpu().contiguous() for name, value in state.weights.items()}
    content = serialised(weights, {MARK: json.dumps(about.model_dump(), sort_keys=True)})
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def load(path: Path | str) -> State:
    """Read what `save` has written; anything else is refused in one sentence."""
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  (not a dict)
    except (OSError, SafetensorError, ValueError) as error:
        raise MtgcnError(f"{path} cannot be read as a safetensors file ({short(error, 200)}).") from error
    if MARK not in metadata:
        raise MtgcnError(f"{path} is a safetensors file, but not one that mtgcn has written.")
    try:
        about = _About.model_validate_json(metadata[MARK])
        parameters = Parameters.model_validate(about.parameters)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise MtgcnError(f"{path}: its metadata are not those of a state ({short(place)}: {first['msg']}).") from error
    if problem := _problem(parameters, about, weights):
        raise MtgcnError(f"{path}: {problem}.")
    return State(parameters, about.network, list(about.seeds), about.digest, weights)


def _problem(parameters: Parameters, about: _About, weights: dict[str, Tensor]) -> str:
    """Say what does not fit together in a state, "" when all does."""
    if about.network not in parameters.networks:
        return f"its network '{short(about.network)}' is not among those of its parameters"
    runs = len(about.seeds)
    for name, value in weights.items():
        if value.dtype != torch.float32 or value.ndim < 2 or len(value) != runs or runs == 0:
            kind = f"{tuple(value.shape)} of {value.dtype}"
            return f"the weights '{short(name)}' are {short(kind)}, they should be float32 with {runs} runs first"
    return ""
