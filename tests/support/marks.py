"""Marks that tests have by the fixtures they use."""

import pytest

# Who uses such a fixture has the mark by that; other tests carry it themselves.
BY_FIXTURE = {
    "browser": {"browser"},
    "network": {"real", "wheel_files", "raw_folder", "dgl2"},
    "slow": {"html"},
}
FAST_SECONDS = 300  # a test without the mark slow takes a few; this is for a machine that has much else to do
COLLECTED = pytest.StashKey[list[pytest.Item]]()  # all tests of the session, also those that are not chosen


def mark(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Give tests the marks of their fixtures, and those without the mark slow little time."""
    session.stash[COLLECTED] = list(items)
    for item in items:
        for name, fixtures in BY_FIXTURE.items():
            if fixtures.intersection(getattr(item, "fixturenames", ())):
                item.add_marker(name)
        if item.get_closest_marker("slow") is None:
            item.add_marker(pytest.mark.timeout(FAST_SECONDS))
