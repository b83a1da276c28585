"""What shapes a network: its layers and units, and what is done against the loss with depth."""

from collections.abc import Mapping
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, Field, SerializeAsAny, ValidationInfo, field_validator

from mtgcn.errors import nearest
from mtgcn.experiments.training_settings import MOST, TrainingSettings
from mtgcn.model.layer import LayerSettings
from mtgcn.model.layers import LAYERS
from mtgcn.model.remedies import REMEDIES, Remedy

MOST_LAYERS = 1_000  # beyond this, as beyond `MOST`, nobody means it
M = TypeVar("M", bound=BaseModel)


class NetworkSettings(TrainingSettings):
    """Layers, units and remedy of every network of an experiment, and how it is trained."""

    hidden_layers: int = Field(1, ge=1, le=MOST_LAYERS, description="hidden layers of the encoder")
    hidden_units: int = Field(16, ge=1, le=MOST, description="units of every hidden layer")
    layer: str = Field("GC", description="the graph layer of encoder and heads")
    layer_settings: SerializeAsAny[LayerSettings] = Field(
        default_factory=LayerSettings,
        validate_default=True,
        description="settings of the layer, which only GAT has: heads, output_heads, attention_dropout",
    )
    adjacency: Literal["symmetric", "row"] = Field(
        "symmetric", description="Â is D̃^-1/2 (A + I) D̃^-1/2, as in the paper, or D̃^-1 (A + I), whose rows add up to 1"
    )
    remedy: str = Field(
        "none", description="what is done against the loss with depth: none, residual, pairnorm, dropedge or gcnii"
    )
    remedy_settings: SerializeAsAny[Remedy] = Field(
        default_factory=Remedy,
        validate_default=True,
        description="settings of the remedy; what is not set has its default",
    )

    @field_validator("layer", "remedy")
    @classmethod
    def _known(cls, name: str, info: ValidationInfo) -> str:
        registry: Mapping[str, Any] = LAYERS if info.field_name == "layer" else REMEDIES
        if name not in registry:
            raise ValueError(f"there is no {info.field_name} '{name}'{nearest(name, registry)}")
        return name

    @field_validator("layer_settings", mode="before")
    @classmethod
    def _settings_of_the_layer(cls, given: Any, info: ValidationInfo) -> Any:
        if "layer" not in info.data or "hidden_units" not in info.data:  # refused already
            return LayerSettings()
        name = info.data["layer"]
        settings = _settings(f"the layer '{name}'", LAYERS[name].Settings, given)
        if problem := settings.check(info.data["hidden_units"]):
            raise ValueError(f"{problem}.")
        return settings

    @field_validator("remedy_settings", mode="before")
    @classmethod
    def _settings_of_the_remedy(cls, given: Any, info: ValidationInfo) -> Any:
        if "remedy" not in info.data or "layer" not in info.data:  # refused already
            return Remedy()
        name, layer = info.data["remedy"], info.data["layer"]
        model = REMEDIES[name]
        if model.layers is not None and layer not in model.layers:
            raise ValueError(f"the remedy '{name}' is not defined for the layer '{layer}'.")
        return _settings(f"the remedy '{name}'", model, given)


def _settings(whose: str, model: type[M], given: Any) -> M:
    """Return the settings as those of ``model``, or say in a sentence which one ``whose`` has not."""
    values = given.model_dump() if isinstance(given, BaseModel) else given
    for setting in values if isinstance(values, Mapping) else ():
        if setting not in model.model_fields:
            known = nearest(str(setting), model.model_fields) if model.model_fields else "; it has none."
            raise ValueError(f"{whose} has no setting '{setting}'{known}")
    return model.model_validate(values)
