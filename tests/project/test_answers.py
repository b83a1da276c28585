"""The sentence at the head of each page that trains: its numbers are those of the page's results."""

import re
from pathlib import Path

import jupytext
import pandas as pd
import pytest

from mtgcn.experiments.readings import LABELS
from mtgcn.model.tasks import TASKS
from mtgcn.pipeline import parameter_file
from mtgcn.pipeline.project import Project

PROJECT = Project(Path(__file__).parents[2])
FILES = {
    path.stem: file
    for path in PROJECT.parameter_files([])
    if (file := parameter_file.load(path, PROJECT.notebooks)).experiment is not None
}
# Pages that show what others trained; the tutorials among them teach, and have no answer of their own.
SUMMARIES = [path for path in PROJECT.parameter_files([]) if path.stem not in FILES]
OPEN = {"model", "quickstart"}
NAMES = "|".join(TASKS)
NETWORK = rf"\b((?:GCN|{NAMES})(?:\+(?:{NAMES}))*)"
# "GCN 65.5 %", of one depth, or of so many labels, "with 5", of one reading or variant "(L2 on all layers)";
# "ER gains −0.17 points", of so many labels "with 3".
MEAN = re.compile(NETWORK + r" (\d+\.\d) %(?: with (\d+)\b| \(([^)]*)\))?")
GAIN = re.compile(NETWORK + r" gains ([+−]\d+\.\d\d) points(?: with (\d+) labels)?")


@pytest.mark.parametrize("name", FILES)
def test_the_numbers_of_the_answer_are_those_of_the_results(name: str) -> None:
    answer = FILES[name].answer
    table = pd.read_csv(PROJECT.book.file(name, "results.csv"))
    means, gains = MEAN.findall(answer), GAIN.findall(answer)
    for network, said, depth, reading in means:
        own = table[table["network"] == network]
        own = own[own["labels" if "labels" in own else "hidden_layers"] == int(depth)] if depth else own
        if reading:
            own = own[(own["reading"].map(LABELS) if "reading" in own else own["variant"]) == reading]
        assert len(set(own["hidden_layers"])) == 1
        assert all(len(set(own[name])) == 1 for name in ("reading", "variant", "labels") if name in own)
        assert f"{own['test_accuracy'].mean():.1f}" == said
    for network, said, labels in gains:
        pair = [name for name in ("split", "seed") if name in table]
        assert bool(labels) == ("labels" in table)
        own = table[table["labels"] == int(labels)] if labels else table
        wide = own.pivot_table("test_accuracy", pair, "network")
        assert f"{(wide[network] - wide['GCN']).mean():+.2f}".replace("-", "−") == said
    assert means
    assert not re.search(r"\d+\.\d+", GAIN.sub("", MEAN.sub("", answer))), "a number that no test looks at"


@pytest.mark.parametrize("path", SUMMARIES, ids=lambda path: path.stem)
def test_a_page_that_gathers_results_begins_with_its_answer(path: Path) -> None:
    notebook = jupytext.read(parameter_file.load(path, PROJECT.notebooks).notebook.with_suffix(".py"))
    first = notebook.cells[0]
    heading, _, answer = first.source.partition("\n\n")
    assert heading.startswith("# ")
    assert len(heading.removeprefix("# ")) < 60
    assert "answer" in first.metadata.get("tags", []) or path.stem in OPEN
    assert re.search(r"\w+[.?]", answer), "no sentence under the title"


@pytest.mark.parametrize("name", FILES)
def test_the_title_of_a_page_that_trains_is_short(name: str) -> None:
    assert len(FILES[name].title) < 60


@pytest.mark.parametrize("what", ["at best", "is the highest mean"])
def test_the_best_is_the_best(what: str) -> None:
    for name, file in FILES.items():
        if what not in file.answer:
            continue
        table = pd.read_csv(PROJECT.book.file(name, "results.csv"))
        highest = table.groupby("network")["test_accuracy"].mean().idxmax()
        named = file.answer[: file.answer.index(what)]
        assert MEAN.findall(named)[-1][0] == highest, name
