"""What makes a stored page stale, and what does not."""

from dataclasses import replace
from typing import Any

import pytest

from mtgcn.pipeline.fingerprint import Fingerprint
from mtgcn.pipeline.store import result_digest

NOW = Fingerprint("n", "t", "a", {"a": 1, "b": {"c": 2}}, {"x": "1", "y": "2"})


@pytest.mark.parametrize(
    ("change", "reasons"),
    [
        ({}, []),
        ({"notebook": "m"}, ["notebook changed"]),
        ({"title": "u"}, ["title changed"]),
        ({"answer": "u"}, ["answer changed"]),
        ({"engine": "e"}, ["engine changed"]),
        ({"parameters": {"a": 1, "b": {"c": 3}}}, ["parameters of the page changed"]),
        ({"results": {"x": "1", "y": "3"}}, ["results of y changed"]),
        ({"results": {"x": "1"}}, ["results of y are gone"]),
        ({"results": {"x": "1", "y": "2", "z": "3"}}, ["results of z are new"]),
        ({"notebook": "m", "engine": "e"}, ["notebook changed", "engine changed"]),
    ],
)
def test_each_part_is_told_apart(change: dict[str, Any], reasons: list[str]) -> None:
    assert replace(NOW, **change).changes(NOW.record()) == reasons


def test_a_notebook_without_a_record_is_stale() -> None:
    assert "notebook changed" in NOW.changes({})


def test_recorded_seconds_do_not_count_and_everything_else_does() -> None:
    table = b"seed,seconds,accuracy\n0,1.25,81.5\n"
    assert result_digest("results.csv", table) == result_digest("results.csv", table.replace(b"1.25", b"7"))
    for other in (table.replace(b"81.5", b"81.6"), table.replace(b"\n0,", b"\n1,"), table + b"1,1,1\n"):
        assert result_digest("results.csv", other) != result_digest("results.csv", table)
    assert result_digest("x.tex", table) != result_digest("x.tex", table.replace(b"1.25", b"7"))
