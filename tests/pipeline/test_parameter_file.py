"""Mistakes in parameter files are refused before a kernel starts, with file, line and the nearest right name."""

import dataclasses
from pathlib import Path

import pytest

from mtgcn.data import datasets, toy
from mtgcn.errors import MtgcnError
from mtgcn.pipeline import parameter_file

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
GOOD = """\
dataset: toy
hidden_layers: 2
epochs: 10
networks:
  GCN: {}
  AE+FR:
    AE: {weight: 5e1}
    FR: {weight: 1, size: 30}
"""


def load(folder: Path, text: str, **overrides: object) -> parameter_file.ParameterFile:
    (folder / "x.yaml").write_text(text)
    places = {tuple(name.split("__")): value for name, value in overrides.items()}
    return parameter_file.load(folder / "x.yaml", NOTEBOOKS, places)


def test_a_good_file(tmp_path: Path) -> None:
    file = load(tmp_path, GOOD)
    assert file.name == "x"
    assert file.notebook == NOTEBOOKS / "experiment.py"
    assert file.title == "Toy, 2 hidden layers"
    assert file.experiment is not None
    assert file.experiment.networks["AE+FR"]["AE"].model_dump() == {"weight": 50, "nodes": "all"}
    assert file.experiment.learning_rate == 0.01
    assert file.experiment.runs == 3  # as in the notebook's own cell
    file.check_data()


def test_other_notebooks_that_train_are_checked_by_a_model_too(tmp_path: Path) -> None:
    file = load(tmp_path, f"notebook: splits\nsplits: 4\n{GOOD}")
    assert file.title == "Toy, 2 hidden layers: random splits"
    assert file.experiment is not None
    assert (file.experiment.splits, file.experiment.learning_rate) == (4, 0.01)
    file.check_data()
    with pytest.raises(MtgcnError, match=r"x\.yaml:2: splits is -1: input should be greater"):
        load(tmp_path, f"notebook: splits\nsplits: -1\n{GOOD}")
    with pytest.raises(MtgcnError, match=r"x\.yaml:2: depths, splits, variants and open_points exclude each other"):
        load(tmp_path, f"splits: 4\nopen_points: true\n{GOOD}")


def test_the_name_of_the_searches_is_taken(tmp_path: Path) -> None:
    with pytest.raises(MtgcnError, match="'search' would replace those of the searches"):
        parameter_file.load(tmp_path / "search.yaml", NOTEBOOKS)


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("epochs: 10", "epoch: 10", r"x\.yaml:3: there is no parameter 'epoch'; did you mean 'epochs'\?"),
        ("epochs: 10", "epochs: many", r"x\.yaml:3: epochs is 'many': input should be a valid integer"),
        ("epochs: 10", "epochs: 0", r"x\.yaml:3: epochs is 0: input should be greater than or equal to 1"),
        ("epochs: 10", "epochs: 1.5", r"x\.yaml:3: epochs is 1\.5: input should be a valid integer"),
        ("epochs: 10", "dropout: 1", r"x\.yaml:3: dropout is 1: input should be less than 1"),
        ("epochs: 10", "l2_layers: frist", r"x\.yaml:3: l2_layers is 'frist': input should be 'first' or 'all'"),
        ("epochs: 10", "layer: GCC", r"x\.yaml:3: there is no layer 'GCC'; did you mean 'GC'"),
        ("dataset: toy", "dataset: corra", r"x\.yaml:1: there is no data set 'corra'.*did you mean 'cora'\?"),
        ("dataset: toy", "dataset: none.npz", r"x\.yaml:1: there is no file none\.npz"),
        ("dataset: toy", f"dataset: {'a' * 300}.npz", r"x\.yaml:1: there is no file a+…"),
        ("dataset: toy", "runs: 1", r"x\.yaml: the parameter 'dataset' is missing"),
        (
            "dataset: toy",
            "notebook: experimnt\ndataset: toy",
            r"x\.yaml:1: there is no notebook 'experimnt'.*'experiment'",
        ),
        ("dataset: toy", "title: 5\ndataset: toy", r"x\.yaml:1: 'title' has to be text"),
        ("dataset: toy", "answer: [a]\ndataset: toy", r"x\.yaml:1: 'answer' has to be text"),
        ("  GCN: {}", "  GCM: {}", r"x\.yaml:5: there is no network 'GCM'; did you mean 'GCN'\?"),
        ("  GCN: {}", "  FR+AE: {}", r"x\.yaml:5: there is no network 'FR\+AE'; did you mean"),
        ("  GCN: {}", "  GCN: 5", r"x\.yaml:5: 'GCN' has to name the parameters of its tasks"),
        ("    AE: {", "    ER: {", r"x\.yaml:7: the network 'AE\+FR' has no task 'ER'"),
        ("weight: 5e1", "wieght: 5", r"x\.yaml:7: there is no parameter 'wieght'; did you mean 'weight'\?"),
        ("weight: 5e1", "weight: -1", r"x\.yaml:7: weight is -1: input should be greater than or equal to 0"),
        ("weight: 5e1", "weight: .inf", r"x\.yaml:7: weight is inf: input should be a finite number"),
        ("size: 30", "size: [3]", r"x\.yaml:8: size is \[3\]: input should be a valid integer"),
        ("    AE: {weight: 5e1}", "    AE: 5", r"x\.yaml:7: .*input should be a valid dictionary"),
    ],
)
def test_mistakes(tmp_path: Path, right: str, wrong: str, message: str) -> None:
    assert right in GOOD
    with pytest.raises(MtgcnError, match=message):
        load(tmp_path, GOOD.replace(right, wrong))


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    text = GOOD.replace("epochs: 10", "epoch: 10").replace("5e1", "-1").replace("size: 30", "sise: 3")
    with pytest.raises(MtgcnError) as caught:
        load(tmp_path, text)
    lines = str(caught.value).splitlines()
    assert [line.split(":")[1] for line in lines] == ["3", "7", "8"]


def test_what_the_data_cannot_give(tmp_path: Path) -> None:
    file = load(tmp_path, GOOD.replace("size: 30", "size: 30000"))
    with pytest.raises(MtgcnError, match=r"x\.yaml:8: size 30000 does not fit the 120 features"):
        file.check_data()


def test_overrides(tmp_path: Path) -> None:
    file = load(tmp_path, GOOD, epochs=3, networks__GCN={}, networks__ER__ER__weight=2)
    assert file.parameters["epochs"] == 3
    assert file.experiment is not None
    assert file.experiment.networks["ER"]["ER"].weight == 2
    assert "epochs" in file.origin
    with pytest.raises(MtgcnError, match=r"^--set epochs: epochs is 'x': input should be a valid integer"):
        load(tmp_path, GOOD, epochs="x")
    with pytest.raises(MtgcnError, match=r"^--set epochs\.deep: 'epochs' holds no names"):
        load(tmp_path, GOOD, epochs__deep=1)


def test_a_task_that_is_no_text(tmp_path: Path) -> None:
    with pytest.raises(MtgcnError, match=r"^--set networks: the network 'AE' has no task '1'"):
        load(tmp_path, GOOD, networks={"AE": {1: {}}})


@pytest.mark.parametrize("title", ["0", "[]", "false"])
def test_a_title_that_is_no_text(tmp_path: Path, title: str) -> None:
    with pytest.raises(MtgcnError, match=r"x\.yaml:1: 'title' has to be text"):
        load(tmp_path, f"title: {title}\n{GOOD}")


@pytest.mark.parametrize("wrong", ["1", "'**'", "'a/**'", "/abs/*", "[a]", "''", "../x", "a//b", "null", '"a\\0b"'])
def test_results_are_named_by_relative_patterns(tmp_path: Path, wrong: str) -> None:
    with pytest.raises(MtgcnError, match=r"^\S+x\.yaml:4: .* is no name of results and no pattern such as") as caught:
        load(tmp_path, f"notebook: tables\nresults:\n- cora-1\n- {wrong}\n")
    assert "\n" not in str(caught.value)


def test_results_are_a_list(tmp_path: Path) -> None:
    for wrong in ("cora-1", "null", "2024-01-02"):
        with pytest.raises(MtgcnError, match=r"^\S+x\.yaml:2: 'results' has to be a list of names\.$"):
            load(tmp_path, f"notebook: tables\nresults: {wrong}\n")
    assert load(tmp_path, "notebook: tables\nresults: [cora-1, 'h*', 'search/*']\n").gathers == [
        "cora-1",
        "h*",
        "search/*",
    ]


def test_negative_features_that_are_not_normalised(tmp_path: Path) -> None:
    graph = toy.generate()
    datasets.save(tmp_path / "own.npz", dataclasses.replace(graph, features=-graph.features))
    text = GOOD.replace("dataset: toy", f"dataset: {tmp_path}/own.npz")
    file = load(tmp_path, f"{text}normalise_features: false\n")
    file.check_data()
    with pytest.raises(MtgcnError, match="normalise_features: false"):
        load(tmp_path, text).check_data()


def test_names_of_other_notebooks_are_those_of_their_parameters_cell(tmp_path: Path) -> None:
    with pytest.raises(MtgcnError, match=r"x\.yaml:2: there is no parameter 'epochs'"):
        load(tmp_path, "notebook: quickstart\nepochs: 3\n")
