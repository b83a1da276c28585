"""What the paper leaves open: each other reading of it as data, switched alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

READING = "reading"


@dataclass(frozen=True)
class Reading:
    """A name for tables, a label for readers, and the settings that differ, a task's with its name before a dot."""

    name: str
    label: str
    changes: Mapping[str, Any]

    @property
    def tasks(self) -> set[str]:
        """The tasks whose settings it changes."""
        return {task for task, dot, _ in (name.partition(".") for name in self.changes) if dot}


DEFAULT = Reading("default", "our default", {})
READINGS = (
    DEFAULT,
    Reading("size-kept", "FR: keep k features", {"FR.size_means": "kept"}),
    Reading("l2-all", "L2 on all layers", {"l2_layers": "all"}),
    Reading("risks-all", "validation risks over all nodes", {"validation_risk_nodes": "all"}),
    Reading("epoch-loss", "best epoch by loss", {"best_epoch_by": "loss"}),
    Reading("er-detached", "ER: target held fixed", {"ER.detach_target": True}),
    Reading("tolerance-0", "any decrease improves", {"plateau_tolerance": 0.0}),
    Reading("tolerance-1e-3", "improvement from 0.001", {"plateau_tolerance": 1e-3}),
    Reading("raw-features", "features not normalised", {"normalise_features": False}),
    Reading("l2-all-epoch-loss", "L2 on all, epoch by loss", {"l2_layers": "all", "best_epoch_by": "loss"}),
)
LABELS = {reading.name: reading.label for reading in READINGS}
