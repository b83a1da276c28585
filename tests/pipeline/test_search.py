"""The search: what it computes, with which seeds, and that a kill changes nothing."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from ruamel.yaml import YAML
from support.search_files import TOY

from mtgcn.cli.search import search as command
from mtgcn.data import datasets
from mtgcn.errors import MtgcnError
from mtgcn.experiments import build, experiment, training
from mtgcn.experiments.parameters import Parameters
from mtgcn.pipeline import search
from mtgcn.pipeline.search import batches, journal, stages
from mtgcn.pipeline.search.search_file import read
from mtgcn.pipeline.search.space import Space

REPOSITORY = Path(__file__).parents[2]


def checkout(root: Path, text: str = TOY) -> search.Search:
    """Make a checkout with one search file and return its search."""
    for folder in ("params/search", "notebooks"):
        (root / folder).mkdir(parents=True)
    (root / "params/search/toy.yaml").write_text(text)
    return search.Search.of(root / "params/search/toy.yaml", root)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> search.Search:
    """A complete search, computed in this process."""
    made = checkout(tmp_path_factory.mktemp("finished"))
    search.run(made)
    return made


@pytest.fixture(scope="module")
def table(finished: search.Search) -> pd.DataFrame:
    return pd.read_csv(finished.table)


def trials(made: search.Search) -> list[dict]:
    """Return the trials as the journal's lines have them, without Optuna's help."""
    records = [json.loads(line) for line in made.journal.read_text().splitlines()]
    return [record for record in records if "params" in record]


def test_a_final_gives_the_few_best_points_more_runs_and_their_mean_decides(tmp_path: Path) -> None:
    text = TOY.replace("best_runs: 4", "best_runs: 3\nfinalists: 2\nfinal_runs: 7").replace("epochs: 12", "epochs: 4")
    made = checkout(tmp_path, text)
    search.run(made)
    table = pd.read_csv(made.table)
    for network, rows in table[table["network"] != "GCN"].groupby("network"):
        final, best = rows[rows["stage"] == "final"], rows[rows["stage"] == "best"]
        points = len(rows)
        assert len(final) == min(2, -(-points // 4)), network
        assert final["runs"].eq(7).all()
        assert best["runs"].eq(3).all()
        assert rows.loc[rows["chosen"], "validation_accuracy"].item() == final["validation_accuracy"].max()
    known = made.open().scores
    assert sum(made.done(made.open()).values()) <= sum(stages.expected(made.space).values())
    weights = {task: stages.chosen(made.space, task, known).tasks[task]["weight"] for task in ("AE", "FR", "ER")}
    outer = {"AE": (1, 100), "FR": (1, 100), "ER": (0.1, 10)}
    edges = {task: weight for task, weight in weights.items() if weight in outer[task]}
    assert stages.at_the_edge(made.space, known) == edges


def test_score_is_that_of_the_run_alone(finished: search.Search, table: pd.DataFrame) -> None:
    row = table[table["chosen"] & (table["network"] == "AE+FR")].iloc[0]
    tasks = {
        "AE": {"weight": row["AE.weight"], "nodes": row["AE.nodes"]},
        "FR": {"weight": row["FR.weight"], "size": int(row["FR.size"]), "reconstruct": row["FR.reconstruct"]},
    }
    parameters = Parameters(dataset="toy", epochs=12, runs=1, networks={"AE+FR": tasks})
    alone = []
    for seed in range(1000, 1004):
        network = build.build(parameters, "AE+FR", datasets.load("toy"), [seed])
        alone.append(training.train(network, parameters).validation_accuracy[0])
    assert row["validation_accuracy"] == pytest.approx(sum(alone) / 4, abs=1e-3)
    assert row["sem"] == pytest.approx(pd.Series(alone).sem(), abs=1e-3)


def test_every_point_of_the_paper_is_in_the_table(table: pd.DataFrame) -> None:
    assert list(table["network"].unique()) == ["GCN", "AE", "FR", "ER", "AE+FR", "AE+FR+ER"]
    assert len(table[table["network"] == "AE"]) == 6
    for task, sizes in (("FR", [20, 60]), ("ER", [2, 4])):
        rows = table[table["network"] == task]
        assert set(zip(rows[f"{task}.size"], rows[f"{task}.reconstruct"], strict=True)) == {
            (size, kind) for size in sizes for kind in ("full", "partial")
        }
        # One of the four structures, the one of the best point at the screening weight, has all weights.
        counts = rows.groupby([f"{task}.size", f"{task}.reconstruct"]).size()
        assert sorted(counts) == [1, 1, 1, 3]
    assert table.groupby("network")["chosen"].sum().eq(1).all()


def test_the_best_quarter_has_more_runs_and_decides(finished: search.Search, table: pd.DataFrame) -> None:
    by_seed: dict[tuple, dict[int, float]] = {}
    for trial in trials(finished):
        key = (trial["study_id"], json.dumps(trial["user_attrs"]["point"]))
        by_seed.setdefault(key, {}).update({int(k): v for k, v in trial["user_attrs"]["scores"].items()})
    for study in {study for study, _ in by_seed}:
        scores = [value for (of, _), value in by_seed.items() if of == study]
        first = sorted((value[1000] + value[1001] for value in scores), reverse=True)
        most = [value for value in scores if len(value) == 4]
        assert len(most) == -(-len(scores) // 4)
        assert min(value[1000] + value[1001] for value in most) >= first[len(most) - 1]
    for _, rows in table.groupby("network"):
        assert rows[rows["chosen"]]["runs"].item() == 4
        assert (
            rows[rows["chosen"]]["validation_accuracy"].item() == rows[rows["runs"] == 4]["validation_accuracy"].max()
        )
        assert (rows["runs"] == 4).equals(rows["stage"] == "best")


def test_no_reported_seed_is_used(finished: search.Search) -> None:
    used = {int(seed) for trial in trials(finished) for seed in trial["user_attrs"]["scores"]}
    assert used == {1000, 1001, 1002, 1003}
    with pytest.raises(MtgcnError, match=r"toy.yaml:12: first_seed is 50: .*1000"):
        _read(finished.root, TOY + "first_seed: 50\n")
    for path in (REPOSITORY / "params").glob("*.yaml"):
        said = YAML(typ="safe").load(path.read_text())
        assert said.get("first_seed", 0) + said.get("runs", 10) <= 1000, path


def test_nothing_about_the_test_nodes_is_stored(
    finished: search.Search, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Turning the labels of all test nodes round changes nothing."""
    original = datasets.load("toy")
    labels = original.labels.copy()
    labels[original.test] = (labels[original.test] + 1) % original.classes
    turned = type(original)(**{**vars(original), "labels": labels})
    monkeypatch.setattr(batches, "load", lambda name, normalise, self_loops=False: turned)
    again = checkout(tmp_path)
    search.run(again)
    assert again.table.read_bytes() == finished.table.read_bytes()
    assert "test" not in finished.journal.read_text() + finished.table.read_text()


def test_combined_networks_keep_what_single_tasks_chose(table: pd.DataFrame) -> None:
    chosen = {row["network"]: row for _, row in table[table["chosen"]].iterrows()}
    for network in ("AE+FR", "AE+FR+ER"):
        rows = table[table["network"] == network]
        for task in network.split("+"):
            values = [name for name in table if name.startswith(f"{task}.") and name != f"{task}.weight"]
            for name in values:
                assert set(rows[name]) == {chosen[task][name]}
    weights = [1, 10, 100]
    place = {task: weights.index(chosen[task][f"{task}.weight"]) for task in ("AE", "FR")}
    near = {task: weights[max(0, at - 1) : at + 2] for task, at in place.items()}
    pairs = table[table["network"] == "AE+FR"][["AE.weight", "FR.weight"]]
    assert {tuple(pair) for pair in pairs.to_numpy()} == {(a, f) for a in near["AE"] for f in near["FR"]}


def test_a_complete_search_computes_nothing(finished: search.Search) -> None:
    before = finished.journal.read_bytes()
    finished.table.unlink()
    search.run(finished, _refuse)
    assert finished.table.exists()
    assert finished.journal.read_bytes() == before


@pytest.mark.slow
def test_killed_and_resumed_gives_the_same_table(finished: search.Search, tmp_path: Path) -> None:
    made = checkout(tmp_path)
    program = "from mtgcn.cli import main; import sys; sys.argv = ['mtgcn', 'search', '--workers', '1']; main()"
    kills = 0
    while kills < 2:
        process = subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path, stdout=subprocess.DEVNULL)
        had = len(trials(made)) if made.journal.exists() else 0
        while process.poll() is None and (not made.journal.exists() or len(trials(made)) < had + 4):
            time.sleep(0.01)
        assert process.poll() is None, "it ended before it could be killed"
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        kills += 1
    with made.journal.open("ab") as file:
        file.write(b'{"op_code": 4, "worker')  # a line that was cut off
    lock = Path(f"{made.journal}.lock")  # Optuna's lock of the killed process, which may have left one itself
    lock.unlink(missing_ok=True)
    lock.symlink_to("nowhere")
    search.run(made)
    assert made.table.read_bytes() == finished.table.read_bytes()
    points = [(trial["study_id"], str(trial["user_attrs"])) for trial in trials(made)]
    assert len(points) == len(set(points)), "something was computed twice"


def test_two_searches_do_not_write_to_one_journal(finished: search.Search) -> None:
    with journal.locked(finished.journal), pytest.raises(MtgcnError, match="another mtgcn search is writing"):
        search.run(finished)


@pytest.mark.slow
def test_dask_workers_give_the_same_table(finished: search.Search, tmp_path: Path) -> None:
    from mtgcn.pipeline import cluster

    made = checkout(tmp_path)
    with cluster.connect(None, 2) as client:
        search.run(made, batches.on(client))
    assert made.table.read_bytes() == finished.table.read_bytes()


@pytest.mark.slow
def test_a_line_that_kills_its_worker_is_told_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import dask

    from mtgcn.pipeline import cluster

    def die(line: batches.Line) -> None:  # of a function, so that it goes to the worker as it is
        os._exit(9)

    monkeypatch.setattr(batches, "score", die)
    made = checkout(tmp_path, "dataset: toy\ngrid: {AE: {weight: 1}}\nruns: 1\nbest_runs: 1\n")
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        cluster.connect(None, 1) as client,
        pytest.raises(MtgcnError) as refused,
    ):
        search.run(made, batches.on(client))
    assert re.fullmatch(
        "a line of '(GCN|AE)' on toy came to nothing, every worker that tried it died, perhaps for want of"
        " memory: the others are in the journal, and the next call goes on from there.",
        str(refused.value),
    )


def test_other_settings_leave_old_scores_aside(finished: search.Search, tmp_path: Path) -> None:
    made = checkout(tmp_path, TOY.replace("epochs: 12", "epochs: 13"))
    made.journal.parent.mkdir(parents=True)
    made.journal.write_bytes(finished.journal.read_bytes())
    assert made.open().scores == {}
    more_weights = Space(
        **YAML(typ="safe").load(TOY.replace("[1, 10, 100], nodes: [l", "[1, 10, 100, 1000], nodes: [l"))
    )
    known = journal.Journal(finished.journal, more_weights, finished.data).scores
    wants = stages.todo(more_weights, known)
    assert {(want.point.network, dict(want.point.values)["AE.weight"]) for want in wants} == {("AE", 1000)}


def test_expected_runs_bound_those_that_are_made(finished: search.Search) -> None:
    done = finished.done(finished.open())
    expected = stages.expected(finished.space)
    for network in ("GCN", "AE", "FR", "ER"):
        assert done[network] == expected[network]
    assert all(done[network] <= expected[network] for network in done)


def test_progress_counts_what_the_present_grid_asks_for(finished: search.Search, tmp_path: Path) -> None:
    """The journal of a larger grid, with more runs, is no progress beyond the smaller one."""
    text = TOY.replace("AE: {weight: [1, 10, 100]", "AE: {weight: [10]").replace("best_runs: 4", "best_runs: 3")
    made = checkout(tmp_path, text)
    made.journal.parent.mkdir(parents=True)
    made.journal.write_bytes(finished.journal.read_bytes())
    reports: list[dict[str, int]] = []
    search.run(made, report=reports.append)
    expected = stages.expected(made.space)
    assert all(done[network] <= expected[network] for done in reports for network in done)
    assert reports[0]["GCN"] == 3
    assert reports[-1]["AE"] == expected["AE"] == 2 * 2 + 1


def test_apply_writes_chosen_values_and_leaves_the_rest(finished: search.Search, table: pd.DataFrame) -> None:
    finished.parameters.write_text(
        "# Kept.\ndataset: toy\nruns: 3  # kept too\nnetworks:\n  # old\n  AE: {AE: {weight: 5}}\n\n"
        "  AE+ER: {ER: {size: 3}}\n# About epochs.\nepochs: 7\n"
    )
    search.apply(finished)
    text = finished.parameters.read_text()
    assert text.startswith("# Kept.\ndataset: toy\nruns: 3  # kept too\nnetworks:  # values of params/search/toy.yaml")
    assert text.endswith("# About epochs.\nepochs: 7\n")
    assert "# old" not in text
    parameters = Parameters(**YAML(typ="safe").load(text))
    assert parameters.epochs == 7
    assert parameters.networks["AE+ER"]["ER"].size == 3, "a network that was not searched stays"
    for _, row in table[table["chosen"]].iterrows():
        said = parameters.networks[row["network"]]
        for name in table.columns[1 : table.columns.get_loc("stage")]:
            task, parameter = name.split(".")
            if task in said:
                assert getattr(said[task], parameter) == row[name]
        score = f"validation {row['validation_accuracy']:.2f} ± {row['sem']:.2f} %, 4 runs, seeds 1000 to 1003"
        assert score in next(line for line in text.splitlines() if line.startswith(f"  {row['network']}:"))
    search.apply(finished)
    assert finished.parameters.read_text() == text


def test_apply_makes_a_file_or_refuses(finished: search.Search) -> None:
    finished.parameters.unlink(missing_ok=True)
    search.apply(finished)
    made = Parameters(**YAML(typ="safe").load(finished.parameters.read_text()))
    assert (made.dataset, list(made.networks)) == ("toy", finished.space.networks)
    for text, message in (
        ("dataset: cora\n", ":1: dataset is cora, but params/search/toy.yaml is about toy."),
        (
            "dataset: toy\nhidden_layers: 2\n",
            ":2: hidden_layers is 2, but params/search/toy.yaml is about 1.",
        ),
        (
            "dataset: toy\nremedy: gcnii\n",
            ":2: remedy is gcnii, but params/search/toy.yaml is about none.",
        ),
        ("runs: 3\n", ": the parameter 'dataset' is missing."),
        (
            "dataset: toy\nfirst_seed: 1000\n",
            ":2: the seed 1000 would be reported, with which the search was made.",
        ),
        (
            "dataset: toy\nnetworks: {GCN: {}\n}\n",
            ":2: write 'networks:' as indented lines, so that they can be replaced.",
        ),
        (
            "dataset: toy\nnetworks:\n  AE: 5\n",
            ":3: 'AE' has to name the parameters of its tasks; {} takes the defaults.",
        ),
        ("dataset: toy\nnetworks: [AE]\n", ":2: networks is ['AE']: input should be a valid dictionary."),
    ):
        finished.parameters.write_text(text)
        with pytest.raises(MtgcnError) as refused:
            search.apply(finished)
        assert str(refused.value) == f"{finished.parameters}{message}"
        assert finished.parameters.read_text() == text


def test_apply_to_all_searches_makes_no_page_that_nobody_asked_for(
    finished: search.Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(finished.root)
    finished.parameters.unlink(missing_ok=True)
    command(apply=True, workers=1)
    assert not finished.parameters.exists()
    command([finished.source], apply=True, workers=1)
    assert finished.parameters.exists()


def test_apply_keeps_the_bytes_of_all_other_lines(finished: search.Search) -> None:
    before = b"# \xc3\xbcber\r\ntitle: \"a\"   # as it is\r\ndataset:   'toy'\r\nepochs: +7\r\n"
    after = b"\r\n# Other.\r\nremedy_settings:\r\n    {  }\r\nruns: 3"
    finished.parameters.write_bytes(before + b"networks:\r\n    GCN: {}\r\n" + after)
    search.apply(finished)
    written = finished.parameters.read_bytes()
    assert written.startswith(before)
    assert written.endswith(after)
    block = written.removeprefix(before).removesuffix(after)
    assert block.count(b"\r\n") == block.count(b"\n") == len(block.splitlines())


def test_apply_fills_empty_networks(finished: search.Search) -> None:
    finished.parameters.write_text("dataset: toy\nnetworks:\nruns: 3\n")
    search.apply(finished)
    made = Parameters(**YAML(typ="safe").load(finished.parameters.read_text()))
    assert (made.runs, list(made.networks)) == (3, finished.space.networks)


def _read(root: Path, text: str) -> Space:
    path = root / "toy.yaml"
    path.write_text(text.lstrip("\n"))
    return read(path)


WEIGHTS_OF_AE = "weight: [1, 10, 100], nodes: [labelled"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("runs: 2", "rums: 2"), "9: there is no key 'rums'; did you mean 'runs'?"),
        (
            ("dataset: toy", "dataset: tory"),
            "1: there is no data set 'tory', nor is it a .npz file; did you mean 'toy'?",
        ),
        (("  AE: {", "  AX: {"), "4: there is no task 'AX'; did you mean 'AE'?"),
        (("size: [20, 60]", "sise: [20, 60]"), "5: there is no parameter 'sise'; did you mean 'size'?"),
        (("size: [20, 60]", "size: []"), "5: FR.size is []: it needs a value at least."),
        (
            ("nodes: [labelled, all]", "nodes: [some]"),
            "4: nodes is 'some': input should be 'labelled', 'unlabelled' or 'all'.",
        ),
        ((WEIGHTS_OF_AE, "weight: [.inf], nodes: [labelled"), "4: weight is inf: input should be a finite number."),
        ((WEIGHTS_OF_AE, "nodes: [labelled"), "4: the task 'AE' needs weights, such as 'weight: [1, 10, 100]'."),
        *(
            (
                (WEIGHTS_OF_AE, f"weight: {written}, nodes: [labelled"),
                f"4: AE.weight is {value}: it has to be a number above 0, or a list of such.",
            )
            for written, value in (("[0, 10]", "0.0"), ("[x]", "'x'"), ("", "None"), ("true", "True"))
        ),
        (
            ("FR: {weight: [1,", "FR: {weight: [{},"),
            "5: FR.weight is {}: it has to be a number above 0, or a list of such.",
        ),
        (("FR: [10]", "FR: [11]"), "7: the weights of 'FR' have to be some of those in its grid."),
        (("FR: [10]", "RF: [10]"), "7: the grid has no task 'RF'; did you mean 'FR'?"),
        (("combined: {AE+FR:", "combined: {FR+AE:"), "8: there is no network 'FR+AE'; did you mean 'AE+FR'?"),
        (
            ("combined: {AE+FR:", "combined: {AE:"),
            "8: 'AE' has not several tasks: it is searched without being named here.",
        ),
        (
            ("AE+FR: [-1, 0, 1]", "AE+FR: [5]"),
            "8: from some weight of 'AE' the steps [5] all leave its grid: let 0 be one of them.",
        ),
        (
            ("AE+FR: [-1, 0, 1]", "AE+FR: []"),
            "8: AE+FR is []: it needs steps on the grids of weights, such as [-1, 0, 1].",
        ),
        (
            ("AE+FR: [-1, 0, 1]", "AE+FR: [0.5]"),
            "8: AE+FR is 0.5: input should be a valid integer, got a number with a fractional part.",
        ),
        (("epochs: 12", "runs: 12"), "2: 'runs' has a place of its own in a search file."),
        (("epochs: 12", "epoch: 12"), "2: there is no parameter 'epoch'; did you mean 'epochs'?"),
        (
            ("best_runs: 4", "best_runs: 4\nfinal_runs: 3"),
            "11: final_runs is 3: it has to be at least as large as best_runs, 4.",
        ),
        (("best_runs: 4", "best_runs: 1"), "10: best_runs is 1: it has to be at least as large as runs, 2."),
    ],
)
def test_mistakes_are_told_with_their_line(tmp_path: Path, change: tuple[str, str], sentence: str) -> None:
    assert change[0] in TOY
    with pytest.raises(MtgcnError) as refused:
        _read(tmp_path, TOY.replace(*change, 1))
    # Another network can lack the same thing, in a sentence of its own.
    assert str(refused.value).splitlines()[0] == f"{tmp_path}/toy.yaml:{sentence}"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("grid: {FR: {weight: [1], size: [50, 400]}}", "2: size 400 does not fit the 120 features of the data."),
        ("grid:\n  ER:\n    weight: 1\n    size:\n    - 8\n    - 50", "7: size 50 is more than the 16 hidden units"),
        # Each value alone would do.
        ("grid: {FR: {weight: 1, size: 120, size_means: [zeroed, kept]}}", "2: size 120 does not fit the 120 features"),
        ("settings: {hidden_units: 3}\ngrid:\n  ER: {weight: 1}", "4: size 4 is more than the 3 hidden units"),
    ],
)
def test_values_are_checked_against_the_data_first(tmp_path: Path, text: str, sentence: str) -> None:
    made = checkout(tmp_path, f"dataset: toy\n{text}\n")
    with pytest.raises(MtgcnError) as refused:
        search.run(made, _refuse)
    assert str(refused.value).startswith(f"{made.source}:{sentence}")
    assert "\n" not in str(refused.value)


def test_defaults_that_do_not_fit_are_no_mistake_where_the_grid_has_others(tmp_path: Path) -> None:
    text = (
        "dataset: toy\nsettings: {hidden_units: 3, epochs: 2}\ngrid: {ER: {weight: 1, size: 2}}\nruns: 1\nbest_runs: 1"
    )
    made = checkout(tmp_path, text)
    search.run(made)
    assert made.table.exists()


def test_a_graph_with_negative_features_is_searched_as_it_is(tmp_path: Path) -> None:
    toy = datasets.load("toy", normalise=False)
    features = toy.features.copy()
    features.data[0] = -1.0
    path = tmp_path / "negative.npz"
    datasets.save(path, replace(toy, features=features))
    text = f"dataset: {path}\nsettings: {{epochs: 2}}\ngrid: {{AE: {{weight: 1}}}}\nruns: 1\nbest_runs: 1\n"
    with pytest.raises(MtgcnError, match="normalise_features: false"):
        search.run(checkout(tmp_path / "normalised", text))
    made = checkout(tmp_path / "as it is", text.replace("epochs: 2", "epochs: 2, normalise_features: false"))
    search.run(made)
    assert pd.read_csv(made.table)["network"].tolist() == ["GCN", "AE"]


def _refuse(some: object) -> Iterator[batches.Scored]:
    raise AssertionError("computed")


@pytest.mark.network
@pytest.mark.parametrize("path", sorted((REPOSITORY / "params/search").glob("*.yaml")), ids=lambda path: path.stem)
def test_the_project_s_searches_are_what_the_paper_says(path: Path) -> None:
    space = read(path)
    assert space.first_seed >= 1000
    assert path.stem == f"{space.dataset}-{space.hidden_layers}"
    assert space.networks == ["GCN", "AE", "FR", "ER", "AE+FR", "AE+ER", "AE+FR+ER"]
    assert space.grid["FR"]["size"] == ([50, 100, 200] if space.dataset == "pubmed" else [100, 200, 400, 800])
    assert space.grid["ER"]["size"] == [2, 4, 8]
    for task in space.grid:
        assert set(space.grid[task]["nodes"]) == {"labelled", "all"}
        assert task == "AE" or set(space.grid[task]["reconstruct"]) == {"full", "partial"}
        weights = space.grid[task]["weight"]
        assert max(weights) / min(weights) >= 1000
    dataset = datasets.load(space.dataset)
    for task in space.grid:
        for point in space.points(task, space.grid[task]["weight"]):
            experiment.check(space.parameters(point), dataset)
