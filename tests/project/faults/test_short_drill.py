"""The drill in its short form: some of every kind; `make drill` does thousands."""

import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

TESTS = Path(__file__).parents[2]


@pytest.mark.slow
def test_hostile_inputs_are_refused_or_accepted(tmp_path: Path) -> None:
    """In a process of its own with one thread: one with several must not fork."""
    command = [sys.executable, "-m", "project.faults.drill", "--inputs", "240", "--output", str(tmp_path / "drill.csv")]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(TESTS)}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=500)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    table = pd.read_csv(tmp_path / "drill.csv")
    assert table["tried"].tolist() == [40] * 6
    assert (table["refused"] > 25).all()
    assert (table["refused"] + table["accepted"]).equals(table["tried"])
