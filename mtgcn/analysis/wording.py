"""How numbers, gains and places are written in tables and headings: one way for all."""

import math
from typing import Any

DASH = "–"
# How the two readings of the paper's protocol are called where people read.
PROTOCOLS = {"text": "as the paper says", "matched": "as its figures suggest"}
REMEDIES = {"none": "no remedy", "dropedge": "DropEdge", "pairnorm": "PairNorm", "gcnii": "GCNII"}


def with_error(mean: float, error: float, unknown: str = "", digits: int = 2) -> str:
    """Return "81.30 ± 0.12"; ``unknown`` follows a mean without error, a dash stands for no mean."""
    if math.isnan(mean):
        return DASH
    return f"{mean:.{digits}f}" + (unknown if math.isnan(error) else f" ± {error:.{digits}f}")


def signed(value: float, digits: int = 2) -> str:
    """Return "+0.52" or "−0.52", or a dash; what rounds to zero is positive."""
    return DASH if math.isnan(value) else f"{round(value, digits) + 0.0:+.{digits}f}".replace("-", "−")


def interval(value: float, low: float, high: float, digits: int = 2) -> str:
    """Return "+0.52 [+0.10, +0.94]", without brackets where there is no interval."""
    mean, *ends = (signed(number, digits) for number in (value, low, high))
    return mean if math.isnan(low) else f"{mean} [{', '.join(ends)}]"


def p_value(p: float) -> str:
    """Return three digits, "<0.001", or a dash."""
    return DASH if math.isnan(p) else "<0.001" if p < 0.0005 else f"{p:.3f}"


def mark(agrees: Any) -> str:
    """Return " ≈" for a mean that agrees with another, " ≠" for one that does not, nothing for an unknown one."""
    import pandas as pd

    return "" if pd.isna(agrees) else " ≈" if agrees else " ≠"


def layers(number: int) -> str:
    """Return e.g. "2 hidden layers"."""
    return f"{number} hidden layer{'' if number == 1 else 's'}"


def remedy(name: str) -> str:
    """Return the name of a remedy as people write it, whoever's settings it has: "GCNII, authors' settings"."""
    bare, comma, whose = name.partition(",")
    return REMEDIES.get(bare, bare) + comma + whose


def cell(dataset: str, hidden_layers: int) -> str:
    """Return e.g. "Cora, 2 hidden layers"."""
    return f"{dataset.capitalize()}, {layers(hidden_layers)}"
