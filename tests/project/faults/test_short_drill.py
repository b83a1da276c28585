"""The drill in its short form: some of every kind; `make drill` does hundreds and thousands."""

import pytest
from project.faults import drill

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_thread")]


def test_hostile_inputs_are_refused_or_accepted() -> None:
    told: list[str] = []
    rows = list(drill.hostile(240, 1, told.append))
    assert told == []
    assert sum(row["failed"] for row in rows) == 0
    assert sum(row["refused"] for row in rows) > 120
