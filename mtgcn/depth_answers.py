"""What the study of depth says, in plain words: every sentence is made from the runs that are there."""

import pandas as pd

from mtgcn import wording
from mtgcn.comparison import BASELINE, PLAIN, WHOSE, in_order, paired_gains
from mtgcn.diagnosis import COLLAPSED, FAILURES, OTHER, diagnose, like_the_papers, papers_accuracy
from mtgcn.gathering import SHOWN, Studies
from mtgcn.statistics import interval, rank_correlation

FALL = 10.0  # points below its best mean at which a network counts as having lost its accuracy
EARLY = 3  # epochs after which weights have hardly moved


def in_words(studies: Studies, dataset: str) -> str:
    """Return the answers as a list in Markdown; a question that no run speaks about is left out."""
    plain = studies.of(remedy=PLAIN, tuned_for=1)
    diagnosed = diagnose(plain.table, plain.measures)
    asked = [
        ("How deep can the plain network be?", [_reach(plain.of(name).table, name) for name in plain.datasets]),
        ("Do the tasks hold it up?", [_help(plain.of(name).table, name) for name in plain.datasets]),
        ("And with weights tuned for the depth?", [_tuned(studies.of(dataset, PLAIN).table)]),
        ("What goes wrong?", [_failures(diagnosed)]),
        (f"What is the paper's {papers_accuracy():.0f} %?", [_like_the_papers(diagnosed)]),
        ("Which measure goes with accuracy?", [_measure(plain.of(name).runs(), name) for name in plain.datasets]),
        ("Do the tasks add anything once depth is mended?", [_mended(studies.of(dataset).table)]),
    ]
    lines = [(question, " ".join(filter(None, sentences))) for question, sentences in asked]
    return "\n".join(f"- **{question}** {text}" for question, text in lines if text)


def _reach(table: pd.DataFrame, dataset: str) -> str:
    means = table[table["network"] == BASELINE].groupby("hidden_layers")["test_accuracy"].mean().dropna()
    if means.empty:
        return ""
    deepest = max(depth for depth in means.index if means[depth] >= means.max() - FALL)
    text = f"On {dataset.capitalize()} it keeps within {FALL:.0f} points of its best mean, {means.max():.1f} %, "
    text += f"up to {wording.layers(deepest)}"
    deeper = [depth for depth in means.index if depth > deepest]
    if deeper:
        last = deeper[-1]
        text += (
            f" (the next depth here is {deeper[0]}); with {last} it has {means[last]:.1f} %, where naming the largest "
            f"class has {table['chance'].max():.1f}"
        )
    return f"{text}."


def _help(table: pd.DataFrame, dataset: str) -> str:
    gains = paired_gains(table[table["hidden_layers"] > 1], ["hidden_layers"])
    if gains.empty:
        return ""
    pairs, above, below = _counted(gains)
    return (
        f"On {dataset.capitalize()}, of {pairs} pairs of a network and a depth beyond one layer, the gain over GCN "
        f"is above zero in {above}, below in {below}, not clear in {pairs - above - below} (95 % intervals)."
    )


def _counted(gains: pd.DataFrame) -> tuple[int, int, int]:
    """Return how many pairs of a network and a depth there are, and how many gain and lose by their 95 % intervals."""
    ends = [interval(own) for _, own in gains.groupby(["network", "hidden_layers"])["gain"]]
    return len(ends), sum(low > 0 for low, _ in ends), sum(high < 0 for _, high in ends)


def _tuned(table: pd.DataFrame) -> str:
    parts = []
    for depth in sorted(set(table["tuned_for"]) - {1}):
        here = table[table["hidden_layers"] == depth]
        own = here[(here["tuned_for"] == depth) | (here["network"] == BASELINE)]
        gains = paired_gains(own, ["hidden_layers"])
        by_network = {str(name): interval(own) for name, own in gains.groupby("network")["gain"]}
        above = [name for name in in_order(list(by_network)) if by_network[name][0] > 0]
        runs = own["seed"].nunique()
        parts.append(f"With {wording.layers(depth)}, {runs} runs each: {', '.join(above) or 'none'}")
    return f"Networks whose gain over GCN is above zero then. {'. '.join(parts)}." if parts else ""


def _failures(runs: pd.DataFrame) -> str:
    parts = []
    for name, chosen in ((BASELINE, runs["network"] == BASELINE), ("networks with tasks", runs["network"] != BASELINE)):
        failed = runs[chosen & runs["failed"]]
        if len(failed):
            signs = [f"{int(failed[sign].sum())} show {words}" for sign, words in FAILURES.items()]
            signs.append(f"{int((failed['verdict'] == OTHER).sum())} {OTHER}")
            parts.append(f"Of {len(failed)} failed runs of {name}, {', '.join(signs)}.")
    return " ".join([*parts, *_limits(runs)]) if parts else ""


def _limits(runs: pd.DataFrame) -> list[str]:
    """Say how far the signs can be trusted: who shows over-smoothing without failing, and who has hardly trained."""
    both = runs.groupby(["dataset", "hidden_layers"])["failed"].transform("nunique") == 2
    learnt, failed = runs[both & ~runs["failed"]], runs[both & runs["failed"]]
    parts = []
    if len(learnt):
        parts.append(
            f"At depths where some runs fail and others learn, {int(failed['smoothed'].sum())} of {len(failed)} that "
            f"fail show over-smoothing, and {int(learnt['smoothed'].sum())} of {len(learnt)} that learn."
        )
    early, count = runs["failed"] & (runs["epoch"] <= EARLY), int(runs["failed"].sum())
    without = runs["verdict"] == OTHER
    parts.append(
        f"In {int(early.sum())} of the {count} failed runs the best epoch is one of the first {EARLY} "
        f"({int((early & without).sum())} of the {int(without.sum())} with {OTHER}): the measures are those of weights "
        "that have hardly moved."
    )
    return parts


def _like_the_papers(diagnosed: pd.DataFrame) -> str:
    runs = like_the_papers(diagnosed)
    if runs.empty:
        return ""
    verdicts = [f"{verdict} in {count}" for verdict, count in runs["verdict"].value_counts().items()]
    depths = sorted(set(runs["hidden_layers"]))
    text = (
        f"Plain networks of that accuracy, {len(runs)} runs with {', '.join(map(str, depths))} hidden layers, "
        f"show {', '.join(verdicts)}."
    )
    papers = COLLAPSED[1]
    if papers in depths:
        return text
    return f"{text} The paper's has {papers}; none of this study's with {papers} falls so low."


def _measure(runs: pd.DataFrame, dataset: str) -> str:
    rho = {one.label: rank_correlation(runs[one.column], runs["test_accuracy"]) for one in SHOWN}
    found = {label: value for label, value in rho.items() if value == value}
    if not found:
        return ""
    best = max(found, key=lambda label: abs(found[label]))
    return f"On {dataset.capitalize()} the {best}, with a rank correlation of {wording.signed(found[best])}."


def _mended(table: pd.DataFrame) -> str:
    gains = paired_gains(table[table["remedy"] != PLAIN], ["remedy", "hidden_layers"], marks=["tuned_for"])
    parts = []
    for remedy in dict.fromkeys(gains["remedy"]):
        own = gains[gains["remedy"] == remedy]
        mended, plain = (table[(table["remedy"] == name) & (table["network"] == BASELINE)] for name in (remedy, PLAIN))
        deepest = mended["hidden_layers"].max()
        alone, without = (runs.loc[runs["hidden_layers"] == deepest, "test_accuracy"] for runs in (mended, plain))
        # Somebody else's settings have no counterpart without the remedy.
        beside = f", {without.mean():.1f} without" if len(without) and WHOSE not in remedy else ""
        tasks = " and ".join(in_order(own["network"].tolist()))
        added = []
        for tuned_for, part in own.groupby("tuned_for"):
            depths, above, below = _counted(part)
            who = tasks if tuned_for == 1 else f"with weights tuned for {wording.layers(tuned_for)}, {tasks}"
            added.append(f"{who} gains at {above} of {depths} depths and loses at {below}")
        parts.append(
            f"With {remedy}, GCN alone has {alone.mean():.1f} % at {deepest} hidden layers{beside}; {'; '.join(added)}."
        )
    return " ".join(parts)
