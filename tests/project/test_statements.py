"""What people wrote on the summary pages is what the committed results say; its phrases are in statements/."""

import re
from functools import cache
from importlib import import_module
from pathlib import Path

import jupytext
import pytest
from project.statements import Statement
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
FIRST = ROOT / "book" / "index.md"
PAGES = sorted(path.stem for path in (Path(__file__).parent / "statements").glob("[!_]*.py"))
NUMBER = re.compile(r"(?<![\w.])[+−]?\d+(?:,\d{3})*(?:\.\d+)?")  # not that of L2
SENTENCE = re.compile(r"(?<=\.) (?=[A-Z])")


def statements(page: str) -> list[Statement]:
    return import_module(f"project.statements.{page}").STATEMENTS


EVERY = [(page, statement) for page in PAGES for statement in statements(page)]


@cache
def cells(page: str) -> list[tuple[str, bool]]:
    """Return the Markdown of each cell, on one line without asterisks and headings, and whether it is the answer.

    The first page is a chapter: its answer is the paragraph of that class.
    """
    if page == "index":
        (answer,) = re.findall(r"^\{\.answer\}\n(.*?)\n\n", FIRST.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
        return [(plain(answer), True)]
    notebook = jupytext.read(ROOT / "notebooks" / f"{page}.py")
    texts = [cell for cell in notebook.cells if cell.cell_type == "markdown"]
    return [(plain(cell.source), "answer" in cell.metadata.get("tags", [])) for cell in texts]


def plain(text: str) -> str:
    """Return Markdown on one line, without headings, asterisks and the addresses of links."""
    text = re.sub(r"^#+ .*$|\*", "", text, flags=re.MULTILINE)
    return " ".join(re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text).split())


def problem(page: str, statement: Statement) -> str | None:
    """Say what is wrong with a statement, None when nothing is."""
    if not any(statement.phrase in text for text, _ in cells(page)):
        return f"{page} does not say '{statement.phrase}'"
    written = NUMBER.findall(statement.phrase)
    said = statement.said()
    if isinstance(said, bool):
        return None if said and not written else f"'{statement.phrase}' is not so, or its numbers are not computed"
    return None if list(said) == written else f"'{statement.phrase}': the results say {', '.join(said)}"


@pytest.mark.parametrize(
    ("page", "statement"), EVERY, ids=lambda value: value if isinstance(value, str) else value.phrase
)
def test_a_phrase_is_in_its_notebook_and_says_what_the_results_say(page: str, statement: Statement) -> None:
    assert problem(page, statement) is None


@pytest.mark.parametrize("page", PAGES)
def test_the_first_cell_is_the_answer_and_nothing_in_it_is_left_unchecked(page: str) -> None:
    (answer, tagged), *others = cells(page)
    assert tagged
    assert not any(also for _, also in others)
    left = answer
    for statement in statements(page):
        left = left.replace(statement.phrase, "…")
    assert NUMBER.findall(left) == [], left
    bare = [sentence for sentence in SENTENCE.split(answer) if not any(s.phrase in sentence for s in statements(page))]
    assert bare == [], "a sentence without a statement"


def test_readme_and_abstract_give_the_answer_of_the_first_page() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    ((answer, _),) = cells("index")
    assert answer in plain(readme[: readme.index("![")])
    assert answer in YAML(typ="safe").load(ROOT / "metadata.yaml")["abstract"]


def test_a_wrong_number_a_lost_phrase_and_a_false_verdict_are_found() -> None:
    page, said = next((page, one) for page, one in EVERY if page == "tables" and NUMBER.findall(one.phrase))
    assert problem(page, Statement(said.phrase, lambda: ["7", "9"])) == f"'{said.phrase}': the results say 7, 9"
    assert "does not say" in (problem(page, Statement("It was all quite different.", lambda: True)) or "")
    verdict = next(one for where, one in EVERY if where == page and not NUMBER.findall(one.phrase))
    assert "is not so" in (problem(page, Statement(verdict.phrase, lambda: False)) or "")
    assert "not computed" in (problem(page, Statement(said.phrase, lambda: True)) or "")
    assert NUMBER.findall("L2 has 1,024 of +0.53, −0.19 and 33.1 %.") == ["1,024", "+0.53", "−0.19", "33.1"]
