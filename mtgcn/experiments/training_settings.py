"""How a network is trained: the settings of the protocol."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from mtgcn.experiments.protocols import Rule

# Beyond this nobody means it; what fits into the machine depends on the data set, too, and `memory` looks at that.
MOST = 1_000_000


class TrainingSettings(BaseModel):
    """Optimiser, regularisation, objective, plateau and best epoch; the defaults are the paper's words."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    epochs: int = Field(5000, ge=1, le=MOST, description="epochs at the most")
    learning_rate: float = Field(0.01, gt=0, description="Adam's learning rate at the start")
    adam_epsilon: float = Field(1e-8, gt=0, lt=1, description="Adam's ε; Keras has 1e-7")
    dropout: float = Field(0.5, ge=0, lt=1, description="dropout rate before every layer")
    l2: float = Field(5e-4, ge=0, description="L2 regularisation λ")
    l2_layers: Literal["first", "all"] = Field("first", description="L2 on the first layer or on all layers")
    l2_counts: Literal["half", "whole"] = Field(
        "half", description="the penalty is λ/2 ‖B‖², as in Kipf & Welling's code, or λ ‖B‖², as in Keras"
    )
    l2_in_validation_loss: bool = Field(
        False, description="the validation loss that steers plateau and best epoch has the penalty in it, as in Keras"
    )
    main_weight: float = Field(1.0, ge=0, description="weight w_main of the main risk in the objective")
    weighting: Literal["static", "equal", "uncertainty", "gradnorm"] = Field(
        "static",
        description="the weights of the risks: those given, 1 for all, or learned by uncertainty (Kendall et al. 2018) "
        "or GradNorm (Chen et al. 2018); unless they are static, a task's weight says only whether it takes part",
    )
    gradnorm_alpha: float = Field(1.5, ge=0, description="α of GradNorm: how much slow tasks are favoured")
    plateau_patience: int = Field(
        40, ge=1, le=MOST, description="epochs without improvement that cut the learning rate"
    )
    plateau_factor: float = Field(0.1, gt=0, lt=1, description="what the learning rate is multiplied by")
    plateau_tolerance: float = Field(
        1e-4, ge=0, lt=1, description="decrease of the validation loss that counts as an improvement"
    )
    plateau_counts: Literal["relative", "absolute"] = Field(
        "relative", description="that decrease is a share of the loss, as in torch, or a difference, as in Keras"
    )
    stop_below: float = Field(
        5e-7,
        ge=0,
        description="a run ends once its learning rate is below this, where nothing moves; 0: never",
    )
    best_epoch_by: Rule = Field(
        "accuracy",
        description="the best epoch has the highest validation accuracy (of equal ones the first, the last or the one "
        "of the lowest loss), or the lowest multi-task or main loss on the validation nodes",
    )
    validation_risk_nodes: Literal["validation", "all"] = Field(
        "validation", description="nodes of the auxiliary risks in the validation loss"
    )
