"""Stored runs with few and many labels agree with what else is stored."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

RESULTS = Path(__file__).parents[2] / "book/results"
pytestmark = pytest.mark.parametrize("dataset", ["cora", "citeseer", "pubmed"])


def stored(name: str) -> pd.DataFrame:
    if not (RESULTS / f"{name}.csv").is_file():
        pytest.skip(f"{name} has not been computed yet")
    return pd.read_csv(RESULTS / f"{name}.csv")


def test_twenty_labels_are_as_good_as_random_splits_with_twenty(dataset: str) -> None:
    labels, random = stored(f"labels-{dataset}").query("labels == 20"), stored(f"splits-{dataset}-1")
    both = set(labels["network"]) & set(random["network"])
    assert "GCN" in both
    for network in both:
        means = [one[one["network"] == network].groupby("split")["test_accuracy"].mean() for one in (labels, random)]
        assert abs(means[0].mean() - means[1].mean()) < 4 * np.hypot(*[mean.sem() for mean in means]), network


def test_the_plain_network_has_no_weights_to_tune(dataset: str) -> None:
    """It meets the same splits with the same seeds in both studies."""
    where = ["labels", "split", "seed"]
    plain = [stored(name).query("network == 'GCN'") for name in (f"labels-{dataset}", f"labels-{dataset}-tuned")]
    both = plain[0].merge(plain[1], on=where, suffixes=("", "_tuned"))
    assert len(both) == len(plain[1]) > 0
    # Another processor rounds in another way.
    assert (both["test_accuracy"] - both["test_accuracy_tuned"]).abs().mean() < 0.2


@pytest.mark.parametrize("way", ["", "-tuned", "-small"])
def test_every_size_has_all_splits_and_twenty_labels_are_better_than_one(dataset: str, way: str) -> None:
    runs = stored(f"labels-{dataset}{way}")
    assert (runs.groupby(["labels", "network"])["split"].nunique() >= 30).all()
    assert not runs.duplicated(["labels", "network", "split", "seed"]).any()
    plain = runs[runs["network"] == "GCN"].groupby("labels")["test_accuracy"].mean()
    assert plain[20] > plain[1] + 5
