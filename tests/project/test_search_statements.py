"""What people wrote at the top of the page on the search is what the committed results say.

Every word of its cell tagged ``answer`` belongs to a sentence below, with the numbers computed here from book/results,
apart from the notebook's own code, and with the condition under which the sentence is true.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import jupytext
import pandas as pd

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "book" / "results"
Statement = tuple[str, bool]


def answer() -> str:
    """Return the cell tagged answer as one line, without Markdown's marks."""
    cells = jupytext.read(ROOT / "notebooks" / "search.py").cells
    tagged = [cell.source for cell in cells if "answer" in cell.metadata.get("tags", [])]
    assert tagged == [cells[0].source], "the answer is the first cell, and nothing else is"
    title, text = tagged[0].split("\n", 1)
    assert title.startswith("# ")
    return " ".join(re.sub(r"^- |\*", "", text, flags=re.MULTILINE).split())


def on_the_search() -> Iterator[Statement]:
    tables = {path.stem: pd.read_csv(path) for path in sorted((RESULTS / "search").glob("*.csv"))}
    tables = {name: table for name, table in tables.items() if table["chosen"].any()}
    every = pd.concat(tables.values())
    yield (
        "The paper tunes each network by a grid search, but prints neither the grid of weights nor how the best point "
        "was chosen. "
        f"Here the mean validation accuracy decided, over {len(every)} points and {every['runs'].sum():,} runs.",
        all(chosen_is_best(table) for table in tables.values()),
    )
    above = {}
    for name, table in tables.items():
        best = table[table["chosen"]].set_index("network")["validation_accuracy"]
        above[name] = best.max() - best["GCN"]
    shallow = [value for name, value in above.items() if re.fullmatch(r"[a-z]+-[12]", name)]
    (plain,) = tables["cora-5"].query("network == 'GCN'")["sem"]
    yield (
        "What is there to gain? As the paper says it, little: with 1 or 2 hidden layers the best point of a data set "
        f"is at most {max(shallow):.1f} points above the plain GCN on the validation nodes, with 5 on Cora "
        f"{above['cora-5']:.1f}, where the mean of the plain GCN has itself a standard error of {plain:.1f}.",
        len(shallow) == 4 and above["cora-5"] > max(shallow),
    )
    matched = tables["matched-cora-5"].query("chosen").set_index("network")["sem"]
    yield (
        f"As its figures suggest, a lot: with 5 layers {above['matched-cora-5']:.1f} points.",
        above["matched-cora-5"] > 5 * (matched.max() ** 2 + matched["GCN"] ** 2) ** 0.5,
    )
    own = tables["cora-1"].query("network == 'FR'")
    (best,) = own[own["chosen"]]["validation_accuracy"]
    yield (
        "How much does the choice matter? With 1 hidden layer on Cora, "
        f"{(own['validation_accuracy'] >= best - 0.5).sum()} of the {len(own)} points of FR are at most half a point "
        "below the best: another weight would have served as well.",
        True,
    )
    own = tables["cora-5"].query("network == 'FR'")
    (best,) = own[own["chosen"]].itertuples()
    better = own[own["validation_accuracy"] > best.validation_accuracy]
    yield (
        f"With 5, {len(better)} of {len(own)} points look better than the chosen one, but they have had "
        f"{better['runs'].min()} or {better['runs'].max()} runs, and the chosen one {best.runs}: there a few runs say "
        "little.",
        set(better["runs"]) == {3, 6} and best.runs >= 20,
    )
    yield (
        f"Does anything leak? No. A search looks at validation accuracy alone, its seeds are "
        f"{every['first_seed'].min()} or larger, and a run with such a seed is never reported.",
        not any("test" in column for column in every) and largest_reported_seed() < every["first_seed"].min(),
    )
    yield "The best of many points has also been lucky, so the reported runs are new ones.", True


def chosen_is_best(table: pd.DataFrame) -> bool:
    """Tell whether the chosen point of each network is the best of those with the most runs."""
    for _, own in table.groupby("network"):
        most = own[own["runs"] == own["runs"].max()]
        if own.loc[own["chosen"], "validation_accuracy"].item() < most["validation_accuracy"].max():
            return False
    return True


def largest_reported_seed() -> int:
    tables = [pd.read_csv(path) for path in RESULTS.glob("*.csv")]
    return max(int(table["seed"].max()) for table in tables if "seed" in table)


def test_every_word_of_the_answer_is_held_to_the_results() -> None:
    text = answer()
    for sentence, true in on_the_search():
        assert sentence in text
        assert true, sentence
        text = text.replace(sentence, "", 1)
    assert text.strip() == ""
