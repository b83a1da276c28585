"""Tables of the study of depth: accuracies, failures by their cause, and what others have published."""

from collections.abc import Iterator, Sequence

import pandas as pd

from mtgcn import published, wording
from mtgcn.comparison import BASELINE, PLAIN, WHOSE, in_order, paired_gains
from mtgcn.diagnosis import FAILURES, NEAR, OTHER, like_the_papers, papers_accuracy
from mtgcn.rendering import Table
from mtgcn.statistics import interval, mean_and_sem
from mtgcn.wording import DASH

DIGITS, NOTHING = 1, (float("nan"), float("nan"))  # what ten runs of deep networks can tell, and a cell without runs


def accuracy_by_depth(table: pd.DataFrame) -> Table:
    """Networks down, hidden layers across: mean ± standard error in per cent, the best bold.

    Where ``table`` has the columns ``remedy`` and ``tuned_for``, a network has a row for each.
    """
    depths = sorted(table["hidden_layers"].unique())
    marked = table if "remedy" in table else table.assign(remedy=PLAIN, tuned_for=1)
    rows, means = {}, {}
    for name, runs in _variants(marked):
        values = {depth: mean_and_sem(group) for depth, group in runs.groupby("hidden_layers")["test_accuracy"]}
        rows[name] = [wording.with_error(*values.get(depth, NOTHING), digits=DIGITS) for depth in depths]
        means[name] = [round(values[depth][0], 2) if depth in values else float("nan") for depth in depths]
    numbers = pd.DataFrame.from_dict(means, orient="index", columns=depths)
    return _table("accuracy-by-depth", rows, depths, _head(table), numbers.eq(numbers.max()))


def _variants(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the rows of each remedy, network and depth that it was tuned for, in this order, and what to call them."""
    for remedy in dict.fromkeys(table["remedy"]):
        remedied = table[table["remedy"] == remedy]
        for network in in_order(remedied["network"].tolist()):
            named = network if remedy == PLAIN else f"{network}, {remedy}"
            for tuned_for, own in remedied[remedied["network"] == network].groupby("tuned_for"):
                yield named if tuned_for == 1 else f"{named}, tuned for {tuned_for} layers", own


def gains_by_depth(table: pd.DataFrame) -> Table:
    """Networks with tasks (and their remedy) down, hidden layers across: what they gain over GCN with that remedy.

    In points, paired by seed, mean [95 % interval]; bold where the interval lies above zero. A network has a row for
    each depth that it was tuned for.
    """
    gains = paired_gains(table, ["remedy", "hidden_layers"], marks=["tuned_for"])
    depths = sorted(gains["hidden_layers"].unique())
    rows, above = {}, {}
    for name, own in _variants(gains):
        at = [own.loc[own["hidden_layers"] == depth, "gain"] for depth in depths]
        rows[name] = [wording.interval(values.mean(), *interval(values), DIGITS) for values in at]
        above[name] = [interval(values)[0] > 0 for values in at]
    bold = pd.DataFrame.from_dict(above, orient="index", columns=depths)
    return _table("gains-by-depth", rows, depths, _head(table), bold, gains)


def failures_by_depth(runs: pd.DataFrame) -> Table:
    """Hidden layers down: how many runs of `mtgcn.diagnosis.diagnose` failed, and of these how many show which sign.

    The plain network and all those with tasks have a group of columns each. A run can show more than one sign.
    """
    groups = {BASELINE: runs["network"] == BASELINE, "with tasks": runs["network"] != BASELINE}
    columns: dict[tuple[str, str], list[str]] = {}
    depths = sorted(runs["hidden_layers"].unique())
    for name, chosen in groups.items():
        if not chosen.any():
            continue
        by_depth = [runs[chosen & (runs["hidden_layers"] == depth)] for depth in depths]
        failed = [here[here["failed"]] for here in by_depth]
        pairs = zip(failed, by_depth, strict=True)
        columns[name, "failed"] = [f"{len(bad)} of {len(here)}" if len(here) else DASH for bad, here in pairs]
        for sign, words in FAILURES.items():
            columns[name, words] = [str(int(bad[sign].sum())) if len(bad) else DASH for bad in failed]
        columns[name, OTHER] = [str(int((bad["verdict"] == OTHER).sum())) if len(bad) else DASH for bad in failed]
    text = pd.DataFrame(columns, index=[str(depth) for depth in depths])
    if columns:
        text = text.rename_axis(columns=["", _head(runs)])
    return Table("failures-by-depth", runs, text, pd.DataFrame(False, text.index, text.columns))


def runs_like_the_papers(runs: pd.DataFrame) -> Table:
    """What ails the runs of `mtgcn.diagnosis.diagnose` that are as accurate as the paper's collapsed network."""
    chosen, mean = like_the_papers(runs), papers_accuracy()
    rows = {
        str(verdict): [str(len(own)), ", ".join(map(str, sorted(set(own["hidden_layers"]))))]
        for verdict, own in sorted(chosen.groupby("verdict"), key=lambda group: -len(group[1]))
    }
    head = f"{mean - NEAR:.1f} to {mean + NEAR:.1f} %"
    return _table("like-the-papers", rows, ["runs", "hidden layers"], head, None, chosen)


def published_by_depth(table: pd.DataFrame, dataset: str) -> Table:
    """Remedies on a data set, without tasks: what others have published, their own count of layers across, and ours.

    Ours, mean ± standard error of the runs in ``table``, stand at the depths of these columns that they have.
    """
    theirs = published.accuracies().query("dataset == @dataset")
    ours = table[(table["dataset"] == dataset) & (table["network"] == BASELINE)]
    layers = sorted(theirs["layers"].unique())
    rows = {}
    for remedy, printed in theirs.groupby("remedy", sort=False):
        for source, own in printed.groupby("source", sort=False):
            values = dict(zip(own["layers"], own["accuracy"], strict=True))
            rows[f"{_remedy(remedy)}, {source}"] = [f"{values[n]:.1f}" if n in values else DASH for n in layers]
        more = int((printed["layers"] - printed["hidden_layers"]).iloc[0])  # layers that count there and not here
        counted = {n - more: n for n in layers}
        alike = ours[(ours["remedy"].str.split(WHOSE).str[0] == remedy) & ours["hidden_layers"].isin(counted)]
        for variant, runs in alike.groupby("remedy", sort=False):
            means = {counted[depth]: mean_and_sem(own) for depth, own in runs.groupby("hidden_layers")["test_accuracy"]}
            cells = [wording.with_error(*means.get(n, NOTHING), digits=DIGITS) for n in layers]
            rows[f"{_remedy(variant)}, here"] = cells
    return _table("published", rows, layers, "layers", None)


def _remedy(name: object) -> str:
    return "no remedy" if name == PLAIN else str(name)


def _head(table: pd.DataFrame) -> str:
    """Return what stands above the names of the rows: the data set, if it is one, and what the columns are."""
    names = set(table["dataset"]) if "dataset" in table else set()
    return f"{names.pop().capitalize()}, hidden layers" if len(names) == 1 else "hidden layers"


def _table(
    name: str,
    rows: dict[str, list[str]],
    columns: Sequence[object],
    head: str,
    bold: pd.DataFrame | None,
    data: pd.DataFrame | None = None,
) -> Table:
    text = pd.DataFrame.from_dict(rows, orient="index", columns=[str(column) for column in columns])
    text = text.rename_axis(columns=head)
    marked = pd.DataFrame(False, text.index, text.columns) if bold is None else bold.set_axis(text.columns, axis=1)
    return Table(name, text.reset_index() if data is None else data, text, marked)
