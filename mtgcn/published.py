"""Accuracies of others (``published.yaml``), to stand beside what is measured here, marked as theirs."""

from functools import cache
from pathlib import Path

import pandas as pd
import yaml

COLUMNS = ["source", "dataset", "remedy", "layers", "hidden_layers", "accuracy"]


@cache
def _printed() -> list[dict]:
    return yaml.safe_load(Path(__file__).with_name("published.yaml").read_text(encoding="utf-8"))


def accuracies() -> pd.DataFrame:
    """Return `COLUMNS`, in per cent: the plain network without tasks by data set, remedy and depth.

    ``layers`` is the source's own count, ``hidden_layers`` what that is here.
    """
    rows = [
        (entry["source"], dataset, remedy, layers, layers + entry["hidden"], value)
        for entry in _printed()
        for dataset, remedies in entry["accuracy"].items()
        for remedy, values in remedies.items()
        for layers, value in zip(entry["layers"], values, strict=True)
        if value is not None
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def sources() -> dict[str, str]:
    """Return where the figures of each source were read."""
    return {entry["source"]: entry["from"] for entry in _printed()}
