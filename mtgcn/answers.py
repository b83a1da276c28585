"""Does the paper hold? Its claims in plain words, each with one verdict over all places it speaks of."""

from dataclasses import dataclass

import pandas as pd

from mtgcn import more_runs, wording
from mtgcn.claims import FAILS, HOLDS, MISSING, UNCLEAR, above, gain_text, verdicts
from mtgcn.comparison import BASELINE, CELL, compare
from mtgcn.rendering import Table
from mtgcn.tables import CELLS


@dataclass(frozen=True)
class Claim:
    """What the paper says, which column of verdicts speaks about it, and at which depths it was said."""

    sentence: str
    column: str
    depths: tuple[int, ...]


CLAIMS = (
    Claim("With one hidden layer, every network with auxiliary tasks beats the plain GCN.", "all beat GCN", (1,)),
    Claim("With one hidden layer, the best network is always one with auxiliary tasks.", "best has tasks", (1,)),
    Claim("The best network has a smaller standard error than the plain GCN.", "best is steadier", (1, 2, 5)),
    Claim("The tasks help with two and five hidden layers, too.", "best has tasks", (2, 5)),
    Claim("The network with all four heads is never the best.", "four heads not best", (1, 2, 5)),
    Claim("The gains are larger than those of You et al., or comparable.", "gain of You et al.", (1,)),
)


def overall(found: list[str]) -> str:
    """Return one verdict over several places: a claim about all of them fails with the first that fails."""
    if not found or MISSING in found:
        return MISSING
    if FAILS in found:
        return FAILS
    return HOLDS if set(found) == {HOLDS} else UNCLEAR


def answers(results: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each claim: claim, verdict, and in which places it holds, fails or is not clear.

    Args:
        results: one row a run, as `mtgcn.experiment.run` gives them.
    """
    by_claim = verdicts(results).set_index(["claim", "where"])["verdict"]
    rows = []
    for claim in CLAIMS:
        places = [wording.cell(*cell) for cell in CELLS if cell[1] in claim.depths]
        found = {where: by_claim.get((claim.column, where), MISSING) for where in places}
        sorted_out = [
            f"{verdict.capitalize()}: {'; '.join(where for where, own in found.items() if own == verdict)}"
            for verdict in (HOLDS, FAILS, UNCLEAR, MISSING)
            if verdict in found.values()
        ]
        verdict = overall(list(found.values()))
        where_to = "In all places" if len(sorted_out) == 1 else ". ".join(sorted_out)
        rows.append((claim.sentence, verdict, where_to))
    return pd.DataFrame(rows, columns=["claim", "verdict", "where"])


def in_words(results: pd.DataFrame) -> str:
    """Return the answers as a numbered list in Markdown."""
    lines = [
        f"{number}. *{row.claim}* **{str(row.verdict).capitalize()}.** {row.where}."
        for number, row in enumerate(answers(results).itertuples(), start=1)
    ]
    return "\n".join(lines)


def repeated(results: pd.DataFrame) -> str:
    """Return what the gains of many runs say, place by place: above zero, below, or not clear.

    Args:
        results: runs of the plain network and of another one, more than ten each.
    """
    rows = more_runs.hundred(results).dropna(subset="gain")
    if rows.empty:
        return "No place has been measured with more runs yet."
    found: dict[str, list[str]] = {HOLDS: [], FAILS: [], UNCLEAR: []}
    for row in rows.to_dict("records"):
        place = wording.cell(row["dataset"], row["hidden_layers"])
        found[above([row])].append(f"{place} ({gain_text(row['network'], row)})")
    named = {HOLDS: "Above zero", FAILS: "Below zero", UNCLEAR: "Not clear"}
    parts = [f"**{named[verdict]}:** {'; '.join(places)}." for verdict, places in found.items() if places]
    return f"{rows['runs'].min():.0f} runs of each network. {' '.join(parts)}"


def above_the_papers(results: pd.DataFrame) -> str:
    """Say where our plain GCN is clearly better than the paper's, and where it is better than the paper's best."""
    data = _measured(results).set_index(CELL)
    plain, others = data[data["network"] == BASELINE], data[data["network"] != BASELINE]
    best = others.groupby(level=CELL)["paper_mean"].max()
    places = {
        "higher than the paper's by more than two standard errors of the difference": plain.index[
            (plain["difference"] > 0) & (plain["agrees"] == False)  # noqa: E712  (may be missing)
        ],
        "higher even than the paper's best network with tasks": plain.index[plain["mean"] > best.reindex(plain.index)],
    }
    parts = [f"{what}: {'; '.join(wording.cell(*one) for one in where) or 'nowhere'}" for what, where in places.items()]
    return f"Our plain GCN is {', and '.join(parts)}."


def baselines(results: pd.DataFrame) -> Table:
    """The plain GCN by data set and depth, ours and the paper's: every gain is measured from it."""
    data = _measured(results)
    data = data[data["network"] == BASELINE].reset_index(drop=True)
    return _beside("baselines", data, {"ours": _ours(data), "paper": _papers(data)}, data["difference"])


def best_networks(results: pd.DataFrame) -> Table:
    """The best network with tasks by data set and depth, ours and the paper's, each by its mean test accuracy."""
    data = _measured(results)
    data = data[data["network"] != BASELINE]
    ours, theirs = (data.loc[data.groupby(CELL, sort=False)[by].idxmax()] for by in ("mean", "paper_mean"))
    own, printed = [*CELL, "network", "runs", "mean", "sem"], [*CELL, "network", "paper_mean", "paper_sem"]
    both = ours[own].merge(theirs[printed], on=CELL, suffixes=("", "_paper"))
    both["difference"] = both["mean"] - both["paper_mean"]
    columns = {
        "our best": both["network"].tolist(),
        "ours": _ours(both),
        "the paper's best": both["network_paper"].tolist(),
        "paper": _papers(both),
    }
    return _beside("best-networks", both, columns, both["difference"])


def _measured(results: pd.DataFrame) -> pd.DataFrame:
    rows = compare(results, CELLS)
    return rows[rows["runs"] > 0]


def _ours(data: pd.DataFrame) -> list[str]:
    return [wording.with_error(*pair) for pair in zip(data["mean"], data["sem"], strict=True)]


def _papers(data: pd.DataFrame) -> list[str]:
    return [wording.with_error(*pair) for pair in zip(data["paper_mean"], data["paper_sem"], strict=True)]


def _beside(name: str, data: pd.DataFrame, columns: dict[str, list[str]], difference: pd.Series) -> Table:
    """Return a table with a row for each cell of ``data``, and the difference in the last column."""
    places = [wording.cell(*cell) for cell in zip(data["dataset"], data["hidden_layers"], strict=True)]
    text = pd.DataFrame({**columns, "Δ": [wording.signed(value) for value in difference]}, index=places)
    return Table(name, data, text, pd.DataFrame(False, index=text.index, columns=text.columns))
