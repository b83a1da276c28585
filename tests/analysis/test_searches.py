"""The page of the searches: what was chosen and the maps, from tables as the search writes them."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import QuadMesh
from matplotlib.patches import Rectangle
from support.search_files import TOY
from support.synthetic import search_table

from mtgcn.analysis import figures
from mtgcn.analysis import searches as searched
from mtgcn.experiments import stored
from mtgcn.pipeline.search import outcome
from mtgcn.pipeline.search.space import Point


@pytest.fixture
def scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    other = TOY.replace("reconstruct: [full, partial]", "size_means: [zeroed, kept]", 1)
    for name, text in {"toy-2": TOY, "other": other}.items():
        outcome.write(tmp_path / "search" / f"{name}.csv", search_table(text))
    monkeypatch.setenv(stored.RESULTS, str(tmp_path))
    return stored.read("search/*")


def test_searches_are_told_apart(scores: pd.DataFrame) -> None:
    grids = searched.grids(scores)
    assert {name: "FR.size_means" in points for name, points in grids.items()} == {"other": True, "toy-2": False}
    assert searched.title("toy-2") == "Toy, 2 hidden layers"
    assert searched.title("gcnii-toy-8") == "Toy with gcnii, 8 hidden layers"
    assert searched.title("other") == "other"
    assert searched.grids(pd.DataFrame()) == {}


def test_the_table_has_the_chosen_point_of_each_network(scores: pd.DataFrame) -> None:
    grid = searched.grids(scores)["toy-2"]
    table = searched.chosen("toy-2", grid)
    assert list(table.text.index) == ["GCN", "AE", "FR", "ER", "AE+FR", "AE+FR+ER"]
    best = grid[(grid["network"] == "AE") & grid["chosen"]].iloc[0]
    row = table.text.loc["AE"]
    assert row["validation"] == f"{best['validation_accuracy']:.2f} ± {best['sem']:.2f}"
    assert (row["AE.weight"], row["AE.nodes"], row["FR.size"]) == (f"{best['AE.weight']:g}", best["AE.nodes"], "")
    own = grid[grid["network"] == "AE"]
    assert (row["points"], row["runs in all"], row["runs"]) == (str(len(own)), str(own["runs"].sum()), "4")
    assert table.text.loc["AE+FR", "FR.size"] == table.text.loc["FR", "FR.size"] in ("20", "60")
    unfinished = searched.chosen("toy-2", grid.assign(chosen=False)).text
    assert unfinished.loc["FR", "validation"] == "not chosen yet"
    assert table.html()
    assert "test" not in " ".join(table.data.columns)


def test_maps_hold_every_point_and_frame_the_chosen(scores: pd.DataFrame) -> None:
    grid = searched.grids(scores)["toy-2"]
    figure = figures.search_maps("Toy", grid)
    axes = {ax.get_title(): ax for ax in figure.axes if ax.get_title()}
    assert list(axes) == ["AE", "FR", "ER", "AE+FR", "AE+FR+ER"]
    for network, ax in axes.items():
        own = grid[grid["network"] == network]
        (mesh,) = (part for part in ax.collections if isinstance(part, QuadMesh))
        drawn = np.ma.masked_invalid(mesh.get_array()).compressed()
        assert sorted(drawn) == pytest.approx(sorted(own["validation_accuracy"]))
        (frame,) = (patch for patch in ax.patches if isinstance(patch, Rectangle))
        column, row = (int(place) for place in frame.get_xy())
        best = own[own["chosen"]].iloc[0]
        assert np.ma.masked_invalid(mesh.get_array())[row, column] == pytest.approx(best["validation_accuracy"])
        across = ax.get_xlabel()
        assert ax.get_xticklabels()[column].get_text() == f"{best[across]:g}"
    assert axes["AE"].get_xlabel() == "AE.weight"
    assert axes["AE+FR"].get_ylabel() == "FR.weight"
    assert figure.svg() == figures.search_maps("Toy", grid).svg()
    assert figures.search_maps("Toy", grid[grid["network"] == "GCN"]).svg()


def test_every_seed_of_a_search_is_one_that_is_never_reported(scores: pd.DataFrame) -> None:
    assert scores["first_seed"].min() >= 1000
    assert Point("GCN").network in set(scores["network"])
