import errno
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from support import tiny_project as tiny

from mtgcn import cli
from mtgcn.data import datasets
from mtgcn.errors import MtgcnError
from mtgcn.experiments import checkpoint, experiment

PROGRAM = [sys.executable, "-c", "from mtgcn.cli import main; main()", "train"]
SHORT = ["--set", "epochs=20", "--runs", "3"]


def train(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*PROGRAM, *arguments], capture_output=True, text=True, timeout=300)


@pytest.mark.slow
def test_train_prints_what_python_computes_and_writes_table_and_state(tmp_path: Path) -> None:
    table, weights = tmp_path / "runs.csv", tmp_path / "best.safetensors"
    arguments = ["--network", "AE+FR", "--hidden-layers", "2", "--set", "FR.size=20", "--set", "AE.weight=10"]
    result = train("toy", *SHORT, *arguments, "--table", str(table), "--state", str(weights))
    assert result.returncode == 0, result.stderr
    parameters = experiment.parameters_of(
        dataset="toy",
        hidden_layers=2,
        runs=3,
        epochs=20,
        networks={"AE+FR": {"AE": {"weight": 10}, "FR": {"size": 20}}},
    )
    data = datasets.load("toy")
    expected = experiment.run(parameters, data, progress=False).table
    written = pd.read_csv(table)
    pd.testing.assert_frame_equal(written.drop(columns="seconds"), expected.drop(columns="seconds"))
    mean, sem = expected["test_accuracy"].mean(), expected["test_accuracy"].sem()
    assert f"toy, AE+FR, 2 hidden layers: {mean:.2f} ± {sem:.2f} % test accuracy, 3 runs" in result.stdout
    assert "moving" in result.stderr  # the progress bar

    loaded = checkpoint.load(weights)
    predicted = loaded.predictions(data)[:, data.test].numpy()
    accuracy = (predicted == data.labels[data.test]).mean(axis=1) * 100
    assert accuracy.round(4).tolist() == expected["test_accuracy"].tolist()
    assert loaded.embeddings(data).shape == (3, data.nodes, 16)


def test_a_table_of_one_run_has_no_standard_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["mtgcn", "train", "toy", "--runs", "1", "--set", "epochs=5"])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert not ended.value.code
    assert re.search(r"1 hidden layer: \d+\.\d\d % test accuracy, 1 run$", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["coar"], "did you mean 'cora'?"),
        (["toy", "--network", "AE+RF"], "did you mean 'AE+FR'?"),
        (["toy", "--network", "AE", "--set", "AE.wieght=3"], "did you mean 'weight'?"),
        (["toy", "--network", "AE", "--set", "AE.weight=-1"], "greater than or equal to 0"),
        (["toy", "--runs", "0"], "greater than or equal to 1"),
        (["toy", "--set", "epochs"], "expected NAME=VALUE"),
        (["toy", "--set", "a.b.c=1"], "TASK.NAME=VALUE"),
        (["toy", "--network", "FR", "--set", "FR.size=4000"], "does not fit the 120 features"),
        (["toy", "--set", "networks={ER: {}}"], "name the network by --network"),
        (["toy", "--set", "dataset=cora"], "--set dataset=cora: give the data set as the argument."),
        (["toy", "--set", "runs=2"], "--set runs=2: use --runs."),
        (["toy", "--set", "networks.ER.ER.weight=3"], "name the network by --network"),
        (["toy", "--set", "remedy_setings.rate=0.3"], "did you mean 'remedy_settings'?"),
        (["toy", "--set", "remedy=dropedge", "--set", "remedy_settings.rat=0.3"], "did you mean 'rate'?"),
        (["toy", "--set", "remedy_settings=3", "--set", "remedy_settings.rate=0.3"], "holds no names"),
        (["toy", "--set", "ER.weight=3"], "the network 'GCN' has no task 'ER'"),
        (["toy", "--set", "dataset=2024-13-45"], "'2024-13-45' is no possible timestamp; put it in quotes"),
    ],
)
def test_a_mistake_gets_one_sentence(
    arguments: list[str], sentence: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["mtgcn", "train", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    shown = capsys.readouterr().err
    assert shown.startswith("mtgcn: ")
    assert sentence in shown
    assert len(shown.strip().splitlines()) == 1


def test_settings_of_the_remedy_go_by_their_place_as_in_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def run(parameters: experiment.Parameters, data: datasets.Dataset) -> experiment.Outcome:
        seen.append(parameters)
        raise KeyboardInterrupt

    monkeypatch.setattr(experiment, "run", run)
    settings = ["--set", "remedy=dropedge", "--set", "remedy_settings.rate=0.3", "--set", "AE.weight=7"]
    monkeypatch.setattr(sys, "argv", ["mtgcn", "train", "toy", "--network", "AE", *settings])
    with pytest.raises(SystemExit):
        cli.main()
    (parameters,) = seen
    assert parameters.remedy_settings.model_dump()["rate"] == 0.3
    assert parameters.networks["AE"]["AE"].weight == 7


@pytest.mark.parametrize("option", ["--table", "--state"])
@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("/proc/nope/x.csv", "No such file or directory|Permission denied|Read-only"),
        ("", "Is a directory"),
        ("file/x.csv", "Not a directory"),
        ("pipe", "Not a regular file"),
    ],
)
def test_a_target_that_cannot_be_written_is_refused_before_training(
    option: str,
    target: str,
    reason: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr(experiment, "run", lambda parameters, data: pytest.fail("trained for nothing"))
    monkeypatch.setattr(sys, "argv", ["mtgcn", "train", "toy", option, str(tmp_path / target)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    shown = capsys.readouterr().err
    assert re.fullmatch(rf"mtgcn: \S+ cannot be written \(({reason}).*\); name a file in a folder .*\.\n", shown)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "pipe"]


def test_a_state_that_does_not_fit_on_the_disk_gets_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", full)
    empty = checkpoint.State(experiment.parameters_of(dataset="toy"), "GCN", [0], "", {})
    with pytest.raises(MtgcnError, match=r"best\.safetensors cannot be written \(No space left on device\)"):
        checkpoint.save(tmp_path / "best.safetensors", empty)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_says_what_was_reached(which: signal.Signals, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("w") as file:
        process = subprocess.Popen(
            [*PROGRAM, "toy", "--runs", "2", "--set", "epochs=1000000", "--set", "stop_below=0"],
            stdout=subprocess.PIPE,
            stderr=file,
            text=True,
            preexec_fn=tiny.heeding_interrupts,
        )
    try:
        tiny.wait_for(lambda: "moving" in log.read_text(), "progress of the training")
        process.send_signal(which)
        output, _ = process.communicate(timeout=200)
    finally:
        process.kill()  # an endless training must not outlive a test that failed
    assert process.returncode == 130
    assert "reached so far" in log.read_text()
    assert "Traceback" not in log.read_text()
    assert re.search(r"toy, GCN, 1 hidden layer: \d+\.\d\d ± \d+\.\d\d % test accuracy, 2 runs", output)


def test_a_state_fits_only_the_data_it_was_trained_on(tmp_path: Path) -> None:
    data = datasets.load("toy")
    parameters = experiment.parameters_of(dataset="toy", runs=1, epochs=2)
    outcome = experiment.run(parameters, data, progress=False)
    path = tmp_path / "state.safetensors"
    checkpoint.save(path, checkpoint.State.of(parameters, "GCN", data, outcome.trained["GCN"]))
    other = datasets.from_arrays(datasets.toy.generate(seed=1), "other", "generated")
    with pytest.raises(checkpoint.MtgcnError, match="load the data set 'toy'"):
        checkpoint.load(path).embeddings(other)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(checkpoint.MtgcnError, match="cannot be read as a safetensors file"):
        checkpoint.load(path)
