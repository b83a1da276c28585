"""States: equal runs give equal bytes, and what is not a state is refused in one sentence."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.torch import save_file

from mtgcn.data import datasets
from mtgcn.errors import MtgcnError
from mtgcn.experiments import checkpoint

SAVE = """\
import sys
from mtgcn.data import datasets
from mtgcn.experiments import checkpoint, experiment
parameters = experiment.parameters_of(dataset="toy", runs=2, epochs=3, networks={"AE+ER": {}})
data = datasets.load("toy")
trained = experiment.run(parameters, data, progress=False).trained["AE+ER"]
checkpoint.save(sys.argv[1], checkpoint.State.of(parameters, "AE+ER", data, trained))
"""


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("state") / "state.safetensors"
    subprocess.run([sys.executable, "-c", SAVE, str(path)], check=True)
    return path


def parts(path: Path) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    with safe_open(path, framework="pt") as file:
        return {name: file.get_tensor(name) for name in file.keys()}, json.loads(file.metadata()["mtgcn"])  # noqa: SIM118


def test_equal_runs_give_equal_bytes(state: Path, tmp_path: Path) -> None:
    """Also in another process with another order of sets and hash tables."""
    again = tmp_path / "again.safetensors"
    subprocess.run([sys.executable, "-c", SAVE, str(again)], check=True, env=os.environ | {"PYTHONHASHSEED": "7"})
    assert again.read_bytes() == state.read_bytes()
    checkpoint.save(again, checkpoint.load(state))
    assert again.read_bytes() == state.read_bytes()


def _drop(name: str) -> Callable[[dict[str, Any], dict[str, Any]], Any]:
    return lambda weights, about: weights.pop(name)


def _put(name: str, value: Any) -> Callable[[dict[str, Any], dict[str, Any]], Any]:
    return lambda weights, about: (weights if name in weights else about).update({name: value})


CHANGES = {
    "a weight is missing": _drop("encoder.0.B"),
    "the main head is missing": _drop("main.B"),
    "half a head is missing": _drop("AE.1.B"),
    "another shape": _put("main.B", torch.zeros(2, 5, 4)),
    "a shape that would be spread": _put("main.B", torch.zeros(2, 1, 1)),
    "other runs": _put("main.B", torch.zeros(3, 16, 4)),
    "no axis": _put("main.B", torch.zeros(())),
    "integers": _put("main.B", torch.zeros((2, 16, 4), dtype=torch.int64)),
    "half precision": _put("main.B", torch.zeros((2, 16, 4), dtype=torch.float16)),
    "one weight more": lambda weights, about: weights.update({"x": torch.zeros(2, 3)}),
    "another network": _put("network", "FR"),
    "no network": lambda weights, about: about.pop("network"),
    "seeds that are text": _put("seeds", "0"),
    "seeds below zero": _put("seeds", [-1, 0]),
    "no seeds": _put("seeds", []),
    "too many seeds": _put("seeds", list(range(1000))),
    "parameters that are none": _put("parameters", {"dataset": "toy", "bogus": 1}),
    "parameters that are a list": _put("parameters", []),
    "units beyond sense": lambda weights, about: about["parameters"].update(hidden_units=10**12),
    "other units": lambda weights, about: about["parameters"].update(hidden_units=17),
    "a digest that is a number": _put("digest", 1),
    "something else besides": _put("extra", 1),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_does_not_fit_is_refused(state: Path, tmp_path: Path, what: str) -> None:
    weights, about = parts(state)
    CHANGES[what](weights, about)
    path = tmp_path / "changed.safetensors"
    save_file(weights, path, {"mtgcn": json.dumps(about)})
    with pytest.raises(MtgcnError) as refused:
        checkpoint.load(path).predictions(datasets.load("toy"))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("text", ["", "{", "null", "[]", "\ud800".encode("utf-8", "replace").decode()])
def test_foreign_metadata(state: Path, tmp_path: Path, text: str) -> None:
    weights, _ = parts(state)
    save_file(weights, tmp_path / "x.safetensors", {"mtgcn": text})
    with pytest.raises(MtgcnError, match="its metadata are not those of a state"):
        checkpoint.load(tmp_path / "x.safetensors")
    save_file(weights, tmp_path / "x.safetensors", {"format": "pt"})
    with pytest.raises(MtgcnError, match="not one that mtgcn has written"):
        checkpoint.load(tmp_path / "x.safetensors")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(places=st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), max_size=4), length=st.integers(0, 10**6))
def test_damaged_bytes(state: Path, tmp_path: Path, places: list[tuple[int, int]], length: int) -> None:
    """A state with other bytes is refused, or is one with other weights; nothing else."""
    content = bytearray(state.read_bytes()[: length if length % 2 else None])
    for place, byte in places:
        if content:
            content[place % len(content)] = byte
    path = tmp_path / "damaged.safetensors"
    path.write_bytes(content)
    try:
        found = checkpoint.load(path).predictions(datasets.load("toy"))
    except MtgcnError:
        return
    assert found.shape[0] == 2


@pytest.mark.parametrize("path", ["", ".", "none.safetensors", "/dev/null"])
def test_no_file(path: str) -> None:
    with pytest.raises(MtgcnError, match="cannot be read as a safetensors file"):
        checkpoint.load(path)


def test_classes_from_the_command_line(state: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    import pandas as pd
    from typer.testing import CliRunner

    from mtgcn.cli import app, predict  # noqa: F401

    data = datasets.load("toy")
    classes = checkpoint.load(state).predictions(data).numpy()
    target = tmp_path / "classes.csv"
    assert CliRunner().invoke(app, ["predict", str(state), "toy", "--output", str(target)]).exit_code == 0
    table = pd.read_csv(target)
    assert table.columns.tolist() == ["node", "class", "share"]
    agree = (classes[0] == classes[1]).mean()
    assert np.isclose((table["share"] == 1).mean(), agree)
    assert (table["class"] == classes.min(0)).all()  # of two runs that differ, the lower class

    other = datasets.from_arrays(datasets.toy.generate(seed=1), "other", "generated", normalise=False)
    datasets.save(tmp_path / "other.npz", other)
    outcome = CliRunner().invoke(app, ["predict", str(state), str(tmp_path / "other.npz")])
    assert outcome.exit_code == 0
    assert len(outcome.stdout.splitlines()) >= other.nodes + 1
    assert "is not the graph that" in outcome.output
