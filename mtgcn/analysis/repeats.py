"""What ten runs on one split cannot say: which network is worth a hundred runs, and runs on random splits."""

import pandas as pd

from mtgcn.analysis.comparison import BASELINE, CELL, in_order
from mtgcn.errors import MtgcnError


def best_network(results: pd.DataFrame) -> str:
    """Return the network with auxiliary tasks that has the highest mean validation accuracy in one cell.

    By the validation nodes: a network that was chosen by its test accuracy would be flattered by it.
    """
    tried = results[results["network"] != BASELINE]
    if tried.empty or len(results.drop_duplicates(CELL)) != 1:
        raise MtgcnError("the best network is chosen among the networks with tasks of one data set at one depth.")
    means = tried.groupby("network")["validation_accuracy"].mean()
    return str(means.reindex(in_order(tried["network"].tolist())).idxmax())  # of equal ones the paper's first
