"""Statements of the page on how few labels will do."""

from functools import cache

import pandas as pd
from project.statements import Statement, page, side, signed

TUNED, SMALL = "-tuned", "-small"


@cache
def accuracies(dataset: str, labels: int, way: str = "") -> pd.DataFrame:
    """Return the test accuracies (splits, networks) with so many labels a class."""
    runs = page(f"labels-{dataset}{way}").query("labels == @labels")
    return runs.pivot_table("test_accuracy", "split", "network")


def gains(dataset: str, labels: int, network: str, way: str = "") -> pd.Series:
    """Return the gains (splits,) over the plain GCN on the same splits."""
    wide = accuracies(dataset, labels, way)
    return wide[network] - wide["GCN"]


def mean(dataset: str, labels: int, network: str, way: str = "") -> str:
    """Return a mean gain as it is printed; one that is told of as a gain or loss has to be clear."""
    values = gains(dataset, labels, network, way)
    assert side(values) == (1 if values.mean() > 0 else -1), (dataset, labels, network, way)
    return signed(values.mean())


def sizes(dataset: str, way: str = "") -> list[int]:
    """Return the numbers of labels a class that were tried."""
    return sorted(page(f"labels-{dataset}{way}")["labels"].unique())


def ae_on_citeseer() -> list[str]:
    assert [side(gains("citeseer", each, "AE")) for each in (1, 2, 3, 5, 10, 20)] == [1] * 6
    assert side(gains("citeseer", 40, "AE")) == 0
    return [mean("citeseer", 2, "AE"), "2", mean("citeseer", 10, "AE"), "10", mean("citeseer", 20, "AE"), "20", "40"]


def ae_on_cora() -> list[str]:
    assert all(side(gains("cora", each, "AE")) == 0 for each in sizes("cora") if each >= 10)
    return [mean("cora", 3, "AE"), "3", "10"]


def er_with_few() -> list[str]:
    return [mean("cora", 3, "ER"), "3"]


def a_loss_with_many() -> list[str]:
    return [mean("citeseer", 80, "AE"), "80"]


def same_at_both() -> bool:
    """Every network of Citeseer but ER gains at each number of labels up to 20."""
    return all(side(gains("citeseer", each, name)) == 1 for each in (1, 2, 3, 5, 10, 20) for name in ("AE", "FR", "AE+FR+ER"))


STATEMENTS: list[Statement] = []
