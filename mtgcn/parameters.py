"""The parameters of an experiment: one data set at one depth, any number of networks.

A YAML file, a notebook and Python say the same thing through this one model.
"""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializeAsAny, ValidationInfo, field_validator

from mtgcn import paper
from mtgcn.errors import nearest
from mtgcn.layers import LAYERS
from mtgcn.remedies import REMEDIES, Remedy
from mtgcn.tasks import TASKS, TaskParameters

Tasks = dict[str, SerializeAsAny[TaskParameters]]


class Parameters(BaseModel):
    """Everything that determines the outcome of an experiment, and where it runs."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    dataset: str = Field(description="cora, citeseer, pubmed, toy, or the path of a .npz file")
    networks: dict[str, Tasks] = Field(
        {"GCN": {}},
        min_length=1,
        description="networks by name, such as AE+FR, each with its tasks' parameters",
    )
    hidden_layers: int = Field(1, ge=1, description="hidden layers of the encoder")
    hidden_units: int = Field(16, ge=1, description="units of every hidden layer")
    layer: str = Field("GC", description="the graph layer of encoder and heads")
    remedy: str = Field(
        "none", description="what is done against the loss with depth: none, residual, pairnorm, dropedge or gcnii"
    )
    remedy_settings: SerializeAsAny[Remedy] = Field(
        default_factory=Remedy,
        validate_default=True,
        description="settings of the remedy; what is not set has its default",
    )
    runs: int = Field(10, ge=1, description="runs of each network, each with its own seed")
    first_seed: int = Field(0, ge=0, description="the runs have the seeds first_seed, first_seed + 1, …")
    epochs: int = Field(5000, ge=1, description="epochs at the most")
    learning_rate: float = Field(0.01, gt=0, description="Adam's learning rate at the start")
    dropout: float = Field(0.5, ge=0, lt=1, description="dropout rate before every layer")
    l2: float = Field(5e-4, ge=0, description="L2 regularisation λ, as λ/2 ‖B‖²")
    l2_layers: Literal["first", "all"] = Field("first", description="L2 on the first layer or on all layers")
    main_weight: float = Field(1.0, ge=0, description="weight w_main of the main risk in the objective")
    plateau_patience: int = Field(40, ge=1, description="epochs without improvement that cut the learning rate")
    plateau_factor: float = Field(0.1, gt=0, lt=1, description="what the learning rate is multiplied by")
    plateau_tolerance: float = Field(
        1e-4, ge=0, lt=1, description="relative decrease of the validation loss that counts as an improvement"
    )
    stop_below: float = Field(
        5e-7,
        ge=0,
        description="a run ends once its learning rate is below this, where nothing moves; 0: never",
    )
    best_epoch_by: Literal["accuracy", "loss"] = Field(
        "accuracy",
        description="the best epoch has the highest validation accuracy or the lowest validation loss",
    )
    validation_risk_nodes: Literal["validation", "all"] = Field(
        "validation", description="nodes of the auxiliary risks in the validation loss"
    )
    split_seed: int | None = Field(
        None,
        ge=0,
        description="the data set's own split when not given; a number draws one at random, of the usual sizes: "
        "20 training nodes a class, 500 for validation, 1,000 for testing",
    )
    measure_every: int = Field(
        0, ge=0, description="measures of over-smoothing are taken at epochs 1, 1 + this, … and at the best; 0: never"
    )
    normalise_features: bool = Field(True, description="divide each row of the features by its sum")
    device: Literal["auto", "cpu", "cuda"] = Field("auto", description="auto takes a GPU when there is one")
    backend: Literal["auto", "dgl", "torch"] = Field(
        "auto",
        description="propagation through DGL or torch; auto takes DGL where its build supports the device",
    )

    @property
    def seeds(self) -> list[int]:
        """The seeds of the runs."""
        return list(range(self.first_seed, self.first_seed + self.runs))

    @field_validator("layer", "remedy")
    @classmethod
    def _known(cls, name: str, info: ValidationInfo) -> str:
        registry: Mapping[str, Any] = LAYERS if info.field_name == "layer" else REMEDIES
        if name not in registry:
            raise ValueError(f"there is no {info.field_name} '{name}'{nearest(name, registry)}")
        return name

    @field_validator("remedy_settings", mode="before")
    @classmethod
    def _settings_of_the_remedy(cls, given: Any, info: ValidationInfo) -> Any:
        if "remedy" not in info.data or "layer" not in info.data:  # refused already
            return Remedy()
        name, layer = info.data["remedy"], info.data["layer"]
        model = REMEDIES[name]
        if model.layers is not None and layer not in model.layers:
            raise ValueError(f"the remedy '{name}' is not defined for the layer '{layer}'.")
        values = given.model_dump() if isinstance(given, Remedy) else given
        for setting in values if isinstance(values, Mapping) else ():
            if setting not in model.model_fields:
                known = nearest(str(setting), model.model_fields) if model.model_fields else "; it has none."
                raise ValueError(f"the remedy '{name}' has no setting '{setting}'{known}")
        return model.model_validate(values)

    @field_validator("networks", mode="before")
    @classmethod
    def _known_networks(cls, networks: Any) -> Any:
        if not isinstance(networks, Mapping):
            return networks
        return {name: tasks_of(name, given) for name, given in networks.items()}


class SplitsParameters(Parameters):
    """An experiment that is repeated on several random splits."""

    splits: int = Field(10, ge=1, description="random splits, drawn from the seeds split_seed (or 0) and following")


def tasks_of(network: str, given: Mapping[str, Any] | None = None) -> dict[str, TaskParameters]:
    """Return the tasks that a network's name lists, in order, with the parameters given or their defaults."""
    names = [] if network == "GCN" else str(network).split("+")
    ordered = [name for name in TASKS if name in names]
    if names != ordered:
        hint = nearest(str(network), paper.NETWORKS)
        if ordered and set(names) == set(ordered):  # only their order or number is wrong
            hint = f"; did you mean '{'+'.join(ordered)}'?"
        raise ValueError(f"there is no network '{network}'{hint}")
    given = given or {}
    for name in given:
        if name not in names:
            raise ValueError(f"network '{network}' has no task '{name}'{nearest(str(name), names or ['GCN'])}")
    return {name: _task_parameters(name, given.get(name) or {}) for name in names}


def _task_parameters(name: str, given: Any) -> TaskParameters:
    model = TASKS[name].Parameters
    return given if isinstance(given, model) else model.model_validate(given)
