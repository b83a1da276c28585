"""What makes a stored run stale, and what does not."""

from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel

from mtgcn.fingerprint import Fingerprint
from mtgcn.parameters import Parameters
from mtgcn.store import result_digest

NOW = Fingerprint("n", "t", {"a": 1, "b": {"c": 2}}, "d", 1, {"x": "1", "y": "2"})


@pytest.mark.parametrize(
    ("change", "reasons"),
    [
        ({}, []),
        ({"notebook": "m"}, ["notebook changed"]),
        ({"title": "u"}, ["title changed"]),
        ({"data": "e"}, ["data changed"]),
        ({"results_version": 2}, ["results version 1 is now 2"]),
        ({"parameters": {"a": 1, "b": {"c": 3}}}, ["parameters changed: b"]),
        ({"parameters": {"b": {"c": 2}}}, ["parameters changed: a"]),
        ({"results": {"x": "1", "y": "3"}}, ["results of y changed"]),
        ({"results": {"x": "1"}}, ["results of y are gone"]),
        ({"results": {"x": "1", "y": "2", "z": "3"}}, ["results of z are new"]),
        ({"notebook": "m", "data": "e"}, ["notebook changed", "data changed"]),
    ],
)
def test_each_part_is_told_apart(change: dict[str, Any], reasons: list[str]) -> None:
    assert replace(NOW, **change).changes(NOW.record()) == reasons


def test_a_notebook_without_a_record_is_stale() -> None:
    assert "notebook changed" in NOW.changes({})


class Before(BaseModel, extra="forbid"):
    epochs: int = 5


class After(Before):
    momentum: float = 0.0


def test_a_new_setting_with_its_default_leaves_old_runs_fresh() -> None:
    stored = replace(NOW, parameters=Before().model_dump()).record()
    assert replace(NOW, parameters=After().model_dump()).changes(stored, After) == []
    moved = replace(NOW, parameters=After(momentum=0.9).model_dump())
    assert moved.changes(stored, After) == ["parameters changed: momentum"]


def test_a_setting_that_is_gone_makes_old_runs_stale() -> None:
    stored = replace(NOW, parameters=After(momentum=0.9).model_dump()).record()
    current = replace(NOW, parameters=Before().model_dump())
    assert current.changes(stored, Before) == ["parameters changed: they are of an older kind"]


def test_a_default_written_out_changes_nothing() -> None:
    short = Parameters(dataset="toy", networks={"AE": {}})
    long = Parameters(dataset="toy", networks={"AE": {"AE": {"weight": 100, "nodes": "all"}}}, epochs=5000)
    stored = replace(NOW, parameters=short.model_dump(mode="json")).record()
    assert replace(NOW, parameters=long.model_dump(mode="json")).changes(stored, Parameters) == []
    other = Parameters(dataset="toy", networks={"AE": {"AE": {"weight": 99}}}).model_dump(mode="json")
    assert replace(NOW, parameters=other).changes(stored, Parameters) == ["parameters changed: networks"]


def test_recorded_seconds_do_not_count_and_everything_else_does() -> None:
    table = b"seed,seconds,accuracy\n0,1.25,81.5\n"
    assert result_digest("results.csv", table) == result_digest("results.csv", table.replace(b"1.25", b"7"))
    for other in (table.replace(b"81.5", b"81.6"), table.replace(b"\n0,", b"\n1,"), table + b"1,1,1\n"):
        assert result_digest("results.csv", other) != result_digest("results.csv", table)
    assert result_digest("x.tex", table) != result_digest("x.tex", table.replace(b"1.25", b"7"))
