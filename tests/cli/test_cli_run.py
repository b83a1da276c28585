"""``mtgcn run`` and ``mtgcn status`` as a user meets them."""

import dataclasses
import errno
import io
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from rich.console import Console
from support import tiny_project as tiny
from typer.testing import CliRunner, Result

from mtgcn.cli import app
from mtgcn.data import datasets, toy
from mtgcn.errors import MtgcnError
from mtgcn.pipeline.display import Display
from mtgcn.pipeline.store import Store
from mtgcn.pipeline.trainings import Failure

ROOT = Path(__file__).parents[2]


def call(*arguments: str) -> Result:
    import mtgcn.cli.run  # noqa: F401 (registers the commands)

    return CliRunner().invoke(app, list(arguments), catch_exceptions=True)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tiny.Project:
    made = tiny.make(tmp_path, bad="notebook: broken\n", good="notebook: count\nrows: 2\n")
    monkeypatch.chdir(tmp_path)
    return made


@pytest.mark.slow
def test_run_status_and_a_failure(project: tiny.Project) -> None:
    assert [line.split() for line in call("status").output.splitlines()] == [["bad", "missing"], ["good", "missing"]]
    result = call("run")
    assert result.exit_code == 1
    assert "good: done" in result.output
    assert "bad failed: ZeroDivisionError: division by zero\nin cell 4:\n    1 / divisor\n" in result.output
    assert f"The notebook as far as it came: {Path('failed', 'bad.ipynb')}" in result.output
    assert (project.root / "failed" / "bad.ipynb").exists()
    (project.root / "params" / "good.yaml").write_text("notebook: count\nrows: 3\n")
    result = call("status", "params/good.yaml")
    assert result.output.split(maxsplit=2) == ["good", "stale", "parameters of the page changed\n"]
    result = call("run", "good", "--set", "rows=5")
    assert result.exit_code == 0
    assert (project.root / "trials" / "good" / "good.csv").read_text().count("\n") == 6
    assert call("status", "params/good.yaml").output.split()[1] == "stale"


def test_status_loads_nothing_that_trains_renders_or_draws() -> None:
    code = (
        "import sys\nfrom mtgcn.cli import main\nsys.argv = ['mtgcn', 'status', '--json']\ntry:\n    main()\n"
        "finally:\n    print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "cora-1" in done.stdout
    heavy = {"torch", "dgl", "matplotlib", "seaborn", "sklearn", "pandas", "papermill", "jupytext", "nbformat"}
    assert heavy.isdisjoint(done.stderr.split())


def test_status_looks_again_until_everything_is_fresh(project: tiny.Project, monkeypatch: pytest.MonkeyPatch) -> None:
    from mtgcn.pipeline import states

    looks = iter(
        [{"good": states.State("missing")}, {"good": states.State("stale", ("why",))}, {"good": states.State("fresh")}]
    )
    monkeypatch.setattr(states, "states", lambda pages: next(looks))
    monkeypatch.setattr("mtgcn.cli.run.WATCH_SECONDS", 0)
    result = call("status", "--watch")
    assert result.exit_code == 0
    assert result.output.split()[-2:] == ["good", "fresh"]
    assert next(looks, None) is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "god"], r"^there is no parameter file 'god' in params/; did you mean 'good'\?"),
        (["run", "params/none.yaml"], r"^params/none\.yaml: cannot be read"),
        (["run", "notebooks/count.py"], r"no parameter file: its name has to end in \.yaml"),
        (["run", "book"], r"holds no parameter file"),
        (["run", "--set", "rows"], r"--set rows: expected NAME=VALUE"),
        (["run", "--set", "rows=[1"], r"--set rows: '\[1' is not valid YAML"),
        (["run", "--set", "rowz=1"], r"--set rowz: there is no such parameter; did you mean 'rows'\?"),
        (["run", "--set", "rows=2024-13-45"], r"^--set rows: .* is no possible timestamp; put it in quotes"),
        (["run", "--set", "rows=&x [*x]"], r"^--set rows: .* is not valid YAML, the value stands within itself"),
        (["run", "--set", f"rows={'[' * 5000}"], r"^--set rows: .* is not valid YAML, it has more than 50 levels"),
        (["run", "--set", "rows={1: {}}"], r"^--set rows: .* is not valid YAML, the name 1 has to be text"),
        (["run", "--set", "rows={a: 1, a: 2}"], r"^--set rows: .* is not valid YAML, 'a' stands twice"),
        (["run", "--set", "rows=2024-01-02"], r"^--set rows: rows is 2024-01-02: no number.* put a date in quotes"),
        (["run", "--output", "/proc/x"], r"^/proc/x cannot be written \(.*\); name a folder"),
        (["run", "--output", "/proc"], r"^/proc cannot be written \(.*\); name a folder"),
        (["run", "--output", "params/good.yaml"], r"^params/good\.yaml cannot be written \(Not a directory\)"),
        (["run", "--workers", "2", "--scheduler", "tcp://x:1"], r"exclude each other"),
    ],
)
def test_mistakes(project: tiny.Project, arguments: list[str], message: str) -> None:
    result = call(*arguments)
    assert isinstance(result.exception, MtgcnError)
    with pytest.raises(MtgcnError, match=message):
        raise result.exception


def test_a_store_on_a_full_disk_keeps_what_it_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, content: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    store = Store.book(tmp_path)
    with store.locked():
        store.put_page("run", "{}", {"results.csv": b"old"})
        before = tiny.tree(tmp_path)
        with monkeypatch.context() as patch:
            patch.setattr(Path, "write_bytes", full)
            with pytest.raises(MtgcnError, match=r"cannot be written \(No space left on device\)"):
                store.put_page("run", "{}", {"results.csv": b"new"})
        assert tiny.tree(tmp_path) == before
        store.put_page("other", "{}", {})  # what failed is not in its way
    assert not (tmp_path / ".pending").exists()


@pytest.mark.slow
def test_a_graph_with_negative_features(project: tiny.Project) -> None:
    graph = toy.generate()
    datasets.save(project.root / "own.npz", dataclasses.replace(graph, features=-graph.features))
    tiny.write(
        project.root, "good", "notebook: train\ndataset: own.npz\nruns: 1\nepochs: 2\nnormalise_features: false\n"
    )
    result = call("run", "params/good.yaml")
    assert result.exit_code == 0, result.exception
    assert call("status", "params/good.yaml").output.split() == ["good", "fresh"]


def test_outside_a_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MtgcnError, match="is not inside a checkout"):
        tiny.Project.find()


def test_from_a_folder_inside(project: tiny.Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project.root / "notebooks")
    assert tiny.Project.find() == project
    assert len(call("status").output.splitlines()) == 2


def test_a_terminal_gets_a_live_table() -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=100)
    with Display(["first", "second", "third", "fourth"], console) as display:
        display.fresh("first")
        display.running("second", "AE, epoch 401, validation 80.1 %")
        display.failed("third", Failure("ValueError: [no] markup", cell=2))
    last = screen.getvalue().rsplit("first", 1)[1]  # the last time it was drawn
    for text in ("fresh", "AE, epoch 401, validation 80.1 %", "cell 2: ValueError: [no] markup", "waiting"):
        assert text in last


@pytest.mark.slow
def test_papermill_alone_runs_the_experiment(tmp_path: Path) -> None:
    (tmp_path / "toy.yaml").write_text(
        "dataset: toy\nhidden_layers: 2\nruns: 2\nnetworks: {GCN: {}, ER: {}}\nl2: 5e-4\n"
    )
    source, output = ROOT / "notebooks" / "experiment.ipynb", tmp_path / "out.ipynb"
    command = [sys.executable, "-m", "papermill", str(source), str(output), "-f", str(tmp_path / "toy.yaml")]
    subprocess.run([*command, "-p", "epochs", "5", "--log-level", "ERROR"], check=True, cwd=tmp_path)
    shown = [o for cell in nbformat.read(output, as_version=4).cells for o in cell.get("outputs", [])]
    assert any("2 hidden layers" in str(o.get("data", {}).get("image/svg+xml")) for o in shown)
    assert any("epochs 5," in str(o.get("data", {}).get("text/plain")) for o in shown)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.ipynb", "toy.yaml"]
