"""Two readings of the paper's protocol, as settings: its words, and what its figures for the plain GCN fit."""

from collections.abc import Mapping
from typing import Any, Literal

Protocol = Literal["text", "matched"]
Rule = Literal["accuracy", "accuracy-last", "accuracy-loss", "loss", "main-loss"]  # of the best epoch
# ``text`` is every default. ``matched`` is what book/runs/which_protocol finds from the plain GCN alone.
PROTOCOLS: Mapping[Protocol, Mapping[str, Any]] = {
    "text": {},
    "matched": {
        "l2_layers": "all",
        "l2_counts": "whole",
        "l2_in_validation_loss": True,
        "best_epoch_by": "loss",
    },
}
