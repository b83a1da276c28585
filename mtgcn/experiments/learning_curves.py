"""Learning curves made small enough to be kept."""

import numpy as np
import pandas as pd


def thinned(curves: pd.DataFrame, epochs: int = 40) -> pd.DataFrame:
    """Return learning curves at about so many epochs, evenly spaced in the logarithm, and at each run's end."""
    last = curves["epoch"].max()
    kept = np.unique(np.geomspace(1, last, epochs).round().astype(int))
    ends = curves.groupby(["network", "seed"])["epoch"].transform("max")
    shown = curves[curves["epoch"].isin(kept) | (curves["epoch"] == ends)].reset_index(drop=True)
    for name in ("training_loss", "validation_loss", "validation_accuracy"):
        shown[name] = [float(f"{value:.6g}") for value in shown[name]]  # what single precision can say
    return shown
