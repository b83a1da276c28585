"""Numbers beyond sense: one sentence before anything is trained, whatever the machine."""

from pathlib import Path

import numpy as np
import pytest
from support import tiny_project as tiny

from mtgcn.data import datasets
from mtgcn.errors import MtgcnError
from mtgcn.experiments import experiment, memory

HUGE = "9" * 400


@pytest.mark.parametrize(
    "setting",
    [
        f"runs={10**12}",
        f"runs={HUGE}",
        f"hidden_units={10**11}",
        "hidden_units=999999",
        f"epochs={10**15}",
        f"first_seed={10**30}",
        f"split_seed={10**30}",
        f"learning_rate={HUGE}",
        "x" * 5000 + "=1",
        f"layer={'x' * 5000}",
        f"FR.size={10**12}",
        f"AE.weight={'9' * 5000}",
    ],
)
def test_one_sentence(
    tmp_path: Path, setting: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from mtgcn.cli import main

    monkeypatch.setattr(memory, "available", lambda: 2**30)
    network = "FR" if setting.startswith("FR") else "AE"
    monkeypatch.setattr("sys.argv", ["mtgcn", "train", "toy", "--network", network, "--set", setting][: 6 + 1])
    if setting.startswith("runs"):
        monkeypatch.setattr("sys.argv", ["mtgcn", "train", "toy", "--runs", setting[5:]])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capfd.readouterr().err
    assert ended.value.code == 2
    assert "Traceback" not in said
    assert len(said) < 1500


@pytest.mark.parametrize("path", ["x" * 5000, "x" * 5000 + ".npz", "/" + "d/" * 3000 + "x.npz", "a\0b.npz"])
def test_a_path_beyond_sense(path: str) -> None:
    with pytest.raises(MtgcnError, match="there is no"):
        experiment.parameters_of(dataset=path)


def test_the_estimate_is_a_lower_bound_that_grows_with_all_that_counts() -> None:
    data = datasets.load("toy")

    def need(runs: int = 1, **values: int) -> int:
        return memory.needed(experiment.parameters_of(dataset="toy", **values), data, "GCN", runs)

    usual = need()
    weights = data.features.shape[1] * 16 + 16 * data.classes
    assert usual >= 4 * (4 * weights + data.nodes * 16)
    assert usual < 2**24  # the toy graph fits anywhere
    assert need(runs=2) > usual
    assert need(hidden_units=32) > usual
    assert need(hidden_layers=3) > usual


def test_features_of_half_precision(tmp_path: Path) -> None:
    data = datasets.load("toy", normalise=False)
    arrays = {"edges": data.edges, "labels": data.labels, "features": data.features.toarray().astype(np.float16)}
    split = {"train": data.train, "validation": data.validation, "test": data.test}
    np.savez(tmp_path / "half.npz", **arrays, **split)
    assert datasets.load(tmp_path / "half.npz").nodes == data.nodes
    parts = ("data", "indices", "indptr")
    sparse = {f"features_{part}": getattr(data.features, part) for part in parts}
    sparse["features_data"] = sparse["features_data"].astype(np.float16)
    np.savez(
        tmp_path / "sparse.npz",
        edges=data.edges,
        labels=data.labels,
        **split,
        **sparse,
        features_shape=data.features.shape,
    )
    loaded = datasets.load(tmp_path / "sparse.npz")
    assert loaded.features.dtype == np.float32
    assert loaded.digest == datasets.load(tmp_path / "half.npz").digest


def test_what_the_system_refuses_is_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import mtgcn.cli

    for raised, said in (
        (MemoryError(), "there was not enough memory"),
        (OSError(28, "No space left on device", "/x"), "/x: No space left on device."),
    ):

        def fail(raised: BaseException = raised) -> None:
            raise raised

        monkeypatch.setattr(mtgcn.cli, "app", fail)
        with pytest.raises(SystemExit) as ended:
            mtgcn.cli.main()
        assert ended.value.code == 2
        assert said in capfd.readouterr().err
    assert tiny.tree(tmp_path) == {}
