"""The parameters of an experiment: one data set, any number of networks, and what it is repeated over.

A YAML file, a notebook and Python say the same thing through this one model.
"""

from collections.abc import Mapping
from typing import Any, Literal, TypeVar

from pydantic import Field, SerializeAsAny, ValidationError, ValidationInfo, field_validator, model_validator

from mtgcn.data.label_splits import LARGEST
from mtgcn.errors import nearest
from mtgcn.experiments.network_names import tasks_of
from mtgcn.experiments.network_settings import MOST_LAYERS, NetworkSettings
from mtgcn.experiments.protocols import PROTOCOLS, Protocol
from mtgcn.experiments.training_settings import MOST
from mtgcn.model.tasks import TaskParameters

LAST_SEED = 2**62  # beyond this, as beyond `MOST`, nobody means it
Tasks = dict[str, SerializeAsAny[TaskParameters]]
T = TypeVar("T")


class Parameters(NetworkSettings):
    """Everything that determines the outcome of an experiment, and where it runs."""

    dataset: str = Field(description="cora, citeseer, pubmed, toy, or the path of a .npz file")
    networks: dict[str, Tasks] = Field(
        {"GCN": {}},
        min_length=1,
        description="networks by name, such as AE+FR, each with its tasks' parameters",
    )
    protocol: Protocol = Field(
        "text",
        description="a reading of the paper's protocol: its words (text), or what its GCN figures fit (matched); "
        "it sets what is not set here: "
        + ", ".join(f"{name} to {value}" for name, value in PROTOCOLS["matched"].items()),
    )
    depths: list[int] = Field(
        [],
        description="several numbers of hidden layers in place of one; every network is trained at each, and measured",
    )
    runs: int = Field(10, ge=1, le=MOST, description="runs of each network, each with its own seed")
    first_seed: int = Field(0, ge=0, le=LAST_SEED, description="the runs have the seeds first_seed, first_seed + 1, …")
    split_seed: int | None = Field(
        None,
        ge=0,
        le=LAST_SEED,
        description="the data set's own split when not given; a number draws one at random, of the usual sizes: "
        "20 training nodes a class, 500 for validation, 1,000 for testing",
    )
    splits: int = Field(
        0,
        ge=0,
        le=MOST,
        description="random splits to repeat everything on, drawn from split_seed (or 0) and following; 0: none",
    )
    labels: list[int] = Field(
        [],
        description="training nodes of each class, 1 to 80, in place of 20; with splits, one number after the other",
    )
    small_validation: bool = Field(
        False, description="with labels: as many validation nodes as training nodes, and 500 at the most"
    )
    variants: dict[str, dict[str, Any]] = Field(
        {}, description="settings to repeat everything under, by a name of your choice: each changes some parameters"
    )
    open_points: bool = Field(False, description="train every other reading of what the paper leaves open, too")
    measure_every: int = Field(
        0,
        ge=0,
        le=MOST,
        description="measures of over-smoothing are taken at epochs 1, 1 + this, … and at the best; "
        "0: every 25 epochs with several depths, never with one",
    )
    maps: list[str] = Field(
        [],
        description="networks whose embeddings are mapped, with several depths; none named: GCN and the best one",
    )
    tuned_for: int = Field(
        1, ge=1, le=MOST_LAYERS, description="hidden layers that the tasks' weights were tuned for: a mark, no more"
    )
    settings: str = Field(
        "", description="whose settings remedy and training have, where they are not this project's: a mark, no more"
    )
    normalise_features: bool = Field(True, description="divide each row of the features by its sum")
    self_loops: Literal["dropped", "kept"] = Field(
        "dropped",
        description="what becomes of links of a node with itself in the raw files (Citeseer 124, Pubmed 3): "
        "kept, as in Kipf & Welling's code, they count beside the one that every node has",
    )
    device: Literal["auto", "cpu", "cuda"] = Field("auto", description="auto takes a GPU when there is one")
    backend: Literal["auto", "compiled", "dgl", "torch"] = Field(
        "auto",
        description="what multiplies sparse matrices: kernels in C, DGL or torch; auto takes the first that can be had",
    )

    @property
    def measured_every(self) -> int:
        """Epochs between two measures, 0 for none."""
        return self.measure_every or (25 if self.depths else 0)

    @property
    def seeds(self) -> list[int]:
        """The seeds of the runs."""
        return list(range(self.first_seed, self.first_seed + self.runs))

    def at(self, **changes: Any) -> "Parameters":
        """Return the parameters of one experiment: without what these are repeated over, and with ``changes``."""
        one = {"depths": [], "splits": 0, "variants": {}, "open_points": False, "maps": []}
        return Parameters.model_validate({**self.model_dump(), **one, "measure_every": self.measured_every, **changes})

    @model_validator(mode="before")
    @classmethod
    def _as_the_protocol_has_it(cls, given: Any) -> Any:
        preset = PROTOCOLS.get(given.get("protocol", "text"), {}) if isinstance(given, Mapping) else {}
        return {**preset, **given} if preset else given

    @field_validator("depths")
    @classmethod
    def _each_once(cls, depths: list[int], info: ValidationInfo) -> list[int]:
        if depths and min(depths) < 1:
            raise ValueError(f"depths holds {min(depths)}, but an encoder has one hidden layer at least")
        if depths and max(depths) > MOST_LAYERS:
            raise ValueError(f"depths holds {max(depths)}, but an encoder has {MOST_LAYERS:,} hidden layers at most")
        if len(set(depths)) < len(depths):
            raise ValueError(f"depths names a number twice: {', '.join(map(str, depths))}")
        if depths and info.data.get("hidden_layers", 1) != 1:
            raise ValueError("depths, a list, takes the place of hidden_layers: leave one of them out")
        return depths

    @field_validator("splits", "variants", "open_points")
    @classmethod
    def _repeated_once(cls, value: T, info: ValidationInfo) -> T:
        if value and any(info.data.get(name) for name in ("depths", "splits", "variants")):
            raise ValueError("depths, splits, variants and open_points exclude each other: give each a file of its own")
        return value

    @model_validator(mode="after")
    def _variants_are_settings(self) -> "Parameters":
        for name, changes in self.variants.items():
            for setting in changes:
                if setting not in VARIED:
                    raise ValueError(
                        f"variants: '{name}' changes '{setting}', which is no setting{nearest(setting, VARIED)}"
                    )
            try:
                self.at(**changes)
            except ValidationError as refused:
                error = refused.errors()[0]
                raise ValueError(
                    f"variants: '{name}' cannot be: {error['loc'][-1] if error['loc'] else ''} {error['msg']}"
                ) from None
        return self

    @field_validator("labels")
    @classmethod
    def _sizes(cls, labels: list[int], info: ValidationInfo) -> list[int]:
        for each in labels:
            if not 1 <= each <= LARGEST:
                raise ValueError(f"labels holds {each}, but a split has 1 to {LARGEST} training nodes of each class")
        if len(set(labels)) < len(labels):
            raise ValueError(f"labels names a number twice: {', '.join(map(str, labels))}")
        if len(labels) > 1 and not info.data.get("splits"):
            raise ValueError("labels names several numbers: say with 'splits' on how many splits each is trained")
        return labels

    @field_validator("small_validation")
    @classmethod
    def _of_label_splits(cls, small: bool, info: ValidationInfo) -> bool:
        if small and not info.data.get("labels"):
            raise ValueError("small_validation goes with labels: say how many training nodes each class has")
        return small

    @field_validator("maps")
    @classmethod
    def _trained_here(cls, maps: list[str], info: ValidationInfo) -> list[str]:
        networks = info.data.get("networks", {})  # not there if refused already
        for name in maps if networks else ():
            if name not in networks:
                raise ValueError(f"maps names '{name}', which is not among the networks{nearest(name, networks)}")
        return maps

    @field_validator("networks", mode="before")
    @classmethod
    def _known_networks(cls, networks: Any) -> Any:
        if not isinstance(networks, Mapping):
            return networks
        return {name: tasks_of(name, given) for name, given in networks.items()}


# What a variant may change: all but what it is repeated over, what it runs on and how often.
VARIED = sorted(
    set(Parameters.model_fields)
    - {
        "dataset",
        "networks",
        "depths",
        "splits",
        "variants",
        "open_points",
        "maps",
        "runs",
        "first_seed",
        "hidden_layers",
    }
)
