"""The drill in its short form: some of every kind; `make drill` does hundreds of faults and thousands of inputs."""

import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

TESTS = Path(__file__).parents[2]


@pytest.mark.slow
def test_faults_are_survived_and_hostile_inputs_refused_or_accepted(tmp_path: Path) -> None:
    """In a process of its own with one thread: one with several must not fork."""
    command = [sys.executable, "-m", "project.faults.drill", "--short", "--inputs", "240", "--output", str(tmp_path)]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(TESTS)}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=550)
    assert ended.returncode == 0, ended.stdout + ended.stderr

    befallen = pd.read_csv(tmp_path / "drill-faults.csv")
    assert befallen["survived"].equals(befallen["injected"])
    assert set(befallen["command"].str.split().str[0]) == {"data", "train", "search", "run"}
    assert befallen["injected"].sum() >= 30

    tried = pd.read_csv(tmp_path / "drill.csv")
    assert tried["tried"].tolist() == [40] * 6
    assert (tried["refused"] > 25).all()
    assert (tried["refused"] + tried["accepted"]).equals(tried["tried"])
