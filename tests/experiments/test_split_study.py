"""Training on several random splits."""

from support.small import parameters

from mtgcn.data.datasets import load
from mtgcn.experiments import experiment, split_study

TOY = load("toy")


def test_each_split_is_the_experiment_with_that_seed() -> None:
    chosen = parameters("AE", epochs=5, runs=2, split_seed=3, splits=2)
    table = split_study.run(chosen, TOY, progress=False)
    assert table["split"].tolist() == [3, 3, 4, 4]
    alone = experiment.run(chosen.at(split_seed=4), TOY, progress=False).table
    again = table[table["split"] == 4].drop(columns=["split", "seconds"]).reset_index(drop=True)
    assert again.equals(alone.drop(columns="seconds"))
    assert split_study.run(parameters(epochs=2, runs=1, splits=1), TOY, progress=False)["split"].tolist() == [0]
