"""First page, page of verdicts and tables tell one story, and it is that of the results."""

from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from project.statements import PLACES, TASKS, number, signed, wide
from project.statements import verdicts as checked

from mtgcn.analysis import wording

PROTOCOL = {words: name for name, words in wording.PROTOCOLS.items()}
SIGNS = {"✓": checked.HOLDS, "✗": checked.FAILS, "±": checked.CLOSE}
Rows = dict[str, dict[str, str]]


@pytest.fixture(scope="module")
def verdict_page(html: Path) -> BeautifulSoup:
    page = html / "book" / "runs" / "verdicts.html"
    if not page.exists():
        pytest.skip("there is no page of verdicts yet")
    return soup(page)


def soup(page: Path) -> BeautifulSoup:
    return BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")


def table(page: BeautifulSoup, corner: str) -> Rows:
    """Return the cells of the table whose first column is headed ``corner``, by row and column."""
    for found in page.select("article .cell_output table"):
        lines = [[cell.get_text(" ", strip=True) for cell in row.select("th, td")] for row in found.select("thead tr")]
        if any(line and line[0] == corner for line in lines):
            heads = lines[0][1:]
            return {
                cells[0]: dict(zip(heads, cells[1:], strict=True)) for cells in map(words, found.select("tbody tr"))
            }
    raise AssertionError(f"no table with the corner '{corner}'")


def words(row: Tag) -> list[str]:
    return [cell.get_text(" ", strip=True) for cell in row.select("th, td")]


def place(words: str) -> str:
    """Return "cora-5" for "Cora 5" and for "Cora, 5 hidden layers"."""
    dataset, depth = words.replace(",", "").split()[:2]
    return f"{dataset.lower()}-{depth}"


def test_the_first_page_has_the_verdicts_of_the_results(html: Path, verdict_page: BeautifulSoup) -> None:
    strip = soup(html / "book/index.html").select_one("table.verdicts")
    assert strip is not None
    spans, heads = strip.select("thead tr")
    protocols = [PROTOCOL[cell.get_text(strip=True).removeprefix("trained ")] for cell in spans.select("th")[1:]]
    assert protocols == checked.protocols()
    places = [place(head) for head in words(heads)[1:]]
    assert len(places) == len(PLACES) * len(protocols)
    for claim, row in enumerate(strip.select("tbody tr"), start=1):
        for column, text in enumerate(words(row)[1:]):
            expected = checked.verdicts(protocols[column // len(PLACES)]).get((claim, places[column]))
            assert (SIGNS[text[0]] if text else None) == expected, (claim, places[column])


def test_the_page_of_verdicts_has_them_too(verdict_page: BeautifulSoup) -> None:
    seen = 0
    for row, cells in table(verdict_page, "claim and place").items():
        claim, where = row.split(". ")
        for head, text in cells.items():
            assert SIGNS[text[0]] == checked.verdicts(PROTOCOL[head])[int(claim), place(where)], (row, head)
            seen += 1
    assert seen == sum(len(checked.verdicts(protocol)) for protocol in checked.protocols())
    for row, cells in table(verdict_page, "claim").items():
        for head, text in cells.items():
            assert SIGNS[text[0]] == checked.together(PROTOCOL[head], int(row[0]))


def test_gains_and_means_are_those_of_the_tables(html: Path, verdict_page: BeautifulSoup) -> None:
    tables = (html / "book/runs/tables.html").read_text(encoding="utf-8")
    gains, means = table(verdict_page, "gain [95 %]"), table(verdict_page, "accuracy")
    for protocol in checked.protocols():
        head = wording.PROTOCOLS[protocol]
        for row, cells in gains.items():
            where, network = row.split(": ")
            mean = signed(checked.gains(protocol, place(where), network).mean())
            assert cells[head].startswith(f"{mean} ["), row
            assert protocol != "text" or cells[head] in tables, row
        for row, cells in means.items():
            accuracies = wide(checked.results(protocol, place(row))).mean()
            expected = accuracies["GCN"] if row.endswith("plain") else accuracies[TASKS].max()
            assert cells[head].startswith(number(expected)), row
            assert cells[head].split(" (")[0] in tables, row
