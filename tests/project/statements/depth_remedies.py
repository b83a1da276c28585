"""Statements of the page on what mends depth."""

import pandas as pd
from project.statements import RESULTS, Statement, page, side
from project.statements._depth import clear, gains, means, study

from mtgcn.analysis import literature

DEEP = 30  # every remedy was trained with more layers than that


def authors() -> pd.DataFrame:
    return pd.concat([page("remedy-gcnii-cora-authors"), page("remedy-gcnii-cora-authors-64")])


def tuned() -> pd.DataFrame:
    return pd.concat([page("remedy-gcnii-cora-authors-tuned"), page("remedy-gcnii-cora-authors-tuned-64")])


def gcnii_alone_mends() -> list[str]:
    """A remedy mends depth if a deep plain network with it is within ten points of its best depth."""
    every = pd.concat([page(path.stem) for path in sorted(RESULTS.glob("remedy-*.csv"))])
    mends = set()
    for (remedy, _), runs in every[every["network"] == "GCN"].fillna({"settings": ""}).groupby(["remedy", "settings"]):
        accuracy = means(runs)
        assert accuracy.index.max() > DEEP, remedy
        if accuracy[accuracy.index > DEEP].min() > accuracy.max() - 10:
            mends.add(remedy)
    assert mends == {"gcnii"}
    return [f"{means(authors())[64]:.1f}", "64", f"{means(study('cora'))[32]:.1f}", "32"]


def a_tuned_task_adds_nothing() -> list[str]:
    signs = {depth: clear(tuned(), depth, authors()) for depth in means(authors()).index}
    assert all(1 not in found.values() for found in signs.values())
    assert signs[64] == {"ER": -1}
    return [f"{-gains(tuned(), 'ER', 64, authors()).mean():.1f}", "64"]


def a_gain_over_a_weak_remedy() -> list[str]:
    own = page("remedy-gcnii-cora")
    assert clear(own, 8) == clear(own, 16) == {"ER": 1}
    assert (means(own, "ER") < means(authors()).reindex(means(own).index)).all()
    return [text for depth in (8, 16) for text in (f"{gains(own, 'ER', depth).mean():.1f}", str(depth))]


def no_gain_there() -> bool:
    return all(side(gains(tuned(), "ER", depth, authors())) < 1 for depth in means(authors()).index)


def as_published() -> bool:
    theirs = (
        literature.remedies().query("dataset == 'cora' and remedy == 'gcnii'").set_index("hidden_layers")["accuracy"]
    )
    return bool(((means(authors())[theirs.index] - theirs).abs() < 1).all())


STATEMENTS = [
    Statement(
        "Of the remedies tried, GCNII alone mends depth: with its authors' settings it has 85.1 % with 64 hidden "
        "layers on Cora, where the plain GCN has 22.5 % with 32",
        gcnii_alone_mends,
    ),
    Statement(
        "ER, with a weight tuned for it, clearly gains at no depth, and clearly loses 3.7 points with 64",
        a_tuned_task_adds_nothing,
    ),
    Statement(
        "ER clearly gains 2.5 points on GCNII with 8 and 3.4 points with 16 hidden layers, but stays below GCNII with "
        "its authors' settings",
        a_gain_over_a_weak_remedy,
    ),
    Statement("There the gain is lost", no_gain_there),
    Statement(
        "With its authors' settings GCNII is here within a point of what is published, where both have a figure",
        as_published,
    ),
]
