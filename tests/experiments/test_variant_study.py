"""Training under several settings."""

import pytest
from support.small import parameters

from mtgcn.data.datasets import load
from mtgcn.errors import MtgcnError
from mtgcn.experiments import experiment, variant_study
from mtgcn.experiments.problems import checked

VARIANTS = {"as it is": {}, "decayed": {"l2": 0.1, "l2_layers": "all"}}


def test_each_variant_is_the_experiment_with_those_settings() -> None:
    chosen = parameters("AE", epochs=5, runs=2, variants=VARIANTS)
    table, kept = variant_study.run(chosen, progress=False)
    assert table["variant"].tolist() == ["as it is"] * 2 + ["decayed"] * 2
    alone = experiment.run(parameters("AE", epochs=5, runs=2, **VARIANTS["decayed"]), load("toy"), progress=False).table
    again = table[table["variant"] == "decayed"].drop(columns=["variant", "seconds"]).reset_index(drop=True)
    assert again.equals(alone.drop(columns="seconds"))
    assert kept == {}


def test_measures_are_kept_by_variant() -> None:
    chosen = parameters("GCN", epochs=30, runs=2, hidden_layers=2, variants=VARIANTS, measure_every=10)
    _, kept = variant_study.run(chosen, progress=False)
    assert set(kept) == {"measures", "course"}
    assert kept["measures"].groupby("variant").size().tolist() == [4, 4]  # two runs, two layers
    end = kept["course"].query("epoch == epoch.max() and layer == 1").set_index("variant")["weight_norm"]
    assert end["decayed"] < end["as it is"]


@pytest.mark.parametrize(
    ("variants", "reason"),
    [
        ({"a": {"l3": 1}}, "'a' changes 'l3', which is no setting"),
        ({"a": {"runs": 3}}, "'a' changes 'runs', which is no setting"),
        ({"a": {"l2": -1}}, "'a' cannot be: l2 "),
    ],
)
def test_what_is_no_setting_is_refused(variants: dict, reason: str) -> None:
    with pytest.raises(MtgcnError, match=reason):
        checked({"dataset": "toy", "variants": variants})


def test_a_protocol_sets_what_is_not_set() -> None:
    matched = checked({"dataset": "toy", "protocol": "matched", "l2_layers": "first"})
    assert (matched.l2_counts, matched.best_epoch_by, matched.l2_layers) == ("whole", "loss", "first")
    assert checked({"dataset": "toy"}).best_epoch_by == "accuracy"
    with pytest.raises(MtgcnError, match="protocol"):
        checked({"dataset": "toy", "protocol": "mached"})
