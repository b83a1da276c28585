# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     notebook_metadata_filter: kernelspec,jupytext,-jupytext.text_representation.jupytext_version
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["answer"]
# # Does it hold?
#
# Of the paper's 6 claims 0 hold in every place that they speak of, 1 fails (gains as large as those of You et al.), and
# 5 stay unclear with ten runs. A hundred runs of one network with tasks in each place show a gain over the plain GCN on
# Citeseer (+0.53 points) and with five layers on Cora (+2.73), a loss on Pubmed (−0.19), and nothing clear elsewhere;
# with that loss one more claim fails, that every network with tasks beats the plain GCN.
#
# All verdicts rest on the paper's words, with L2 on the first layer and the best epoch by validation accuracy. With five
# layers that is not what was run. Under the protocol that the paper's own figures for the plain GCN fit best (page
# *Which protocol did they run?*), with weights searched anew and fifty runs, the plain GCN has 18.26 percent, AE 50.73
# and FR 48.03; the paper has 16.47, 49.57 and 51.05. So its claim about five layers holds there.

# %% tags=["hide-input"]
# In Colab this fetches the project with its results, and installs what it needs beside the torch that is there.
import importlib.util
import os
import subprocess
import sys

if importlib.util.find_spec("mtgcn") is None:
    address = os.environ.get("MTGCN_REPOSITORY", "https://github.com/mtgcn/mtgcn")
    subprocess.run(["git", "clone", "--quiet", "--depth", "1", address, "mtgcn-checkout"], check=True)
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--editable", "./mtgcn-checkout"], check=True)
    sys.path.insert(0, os.path.abspath("mtgcn-checkout"))

import matplotlib as mpl
import numpy as np
import pandas as pd
import seaborn as sns
from scipy import stats

from mtgcn.analysis import literature, paper_tables, wording
from mtgcn.analysis.figures import style
from mtgcn.analysis.table import Table
from mtgcn.experiments import stored

# %% tags=["parameters", "hide-input"]
results = ["citeseer-1", "cora-1", "cora-2", "cora-5", "pubmed-1", "hundred-*"]

# %% [markdown]
# The paper's claims, and the places (data set and depth) that they speak of:
#
# 1. With one hidden layer, every network with auxiliary tasks beats the plain GCN.
# 2. With one hidden layer, the best network is always one with auxiliary tasks.
# 3. The best network has a smaller standard error than the plain GCN.
# 4. The tasks help with two and five hidden layers, too.
# 5. The network with all four heads is never the best.
# 6. The gains are larger than those of You et al., or comparable.
#
# Two of them are at odds with the paper's own tables: its best gain on Pubmed, 0.70, is below the 0.90 of You et al.,
# and with five hidden layers its best network has a standard error of 4.32, its plain one of 2.19.
#
# ## The gains
#
# A gain is the test accuracy of a run less that of the plain GCN with the same seed; its mean over ten runs has
# Student's interval at 95 %.

# %% tags=["hide-input"]
CELL = ["dataset", "hidden_layers"]
NETWORK = [*CELL, "network"]


def gains_of(runs):
    plain = runs.loc[runs["network"] == "GCN", [*CELL, "seed", "test_accuracy"]]
    both = runs[runs["network"] != "GCN"].merge(plain, on=[*CELL, "seed"], suffixes=("", "_gcn"), validate="m:1")
    return both.assign(gain=both["test_accuracy"] - both["test_accuracy_gcn"])


def interval(gains):
    if len(gains) < 2:
        return np.nan, np.nan
    return stats.t.interval(0.95, len(gains) - 1, gains.mean(), stats.sem(gains))


def with_intervals(gains):
    table = gains.groupby(NETWORK)["gain"].agg(gain="mean", interval=interval)
    table[["low", "high"]] = table.pop("interval").tolist()
    return table


runs = stored.read(*[name for name in results if not name.startswith("hundred-")]).dropna(subset="test_accuracy")
gains = with_intervals(gains_of(runs))
accuracy = runs.groupby(NETWORK)["test_accuracy"].agg(runs="count", mean="mean", sem="sem")
places = [cell for cell in paper_tables.CELLS if cell in gains.droplevel("network").index]

# %% tags=["hide-input"]
printed = literature.gains()
you = printed[printed["source"] == literature.YOU].set_index("dataset")["gain"]
NETWORKS = [network for network in literature.NETWORKS if network != "GCN"]

with mpl.rc_context(style.LOOK):
    alt = "The gain of each network over the plain GCN with its 95 % interval, in each place; You et al.'s gain beside."
    figure, axes = style.panels(len(places), 3.0, 2.3, alt, sharey=True, sharex=False)
    for (dataset, depth), ax in zip(places, axes, strict=True):
        here = gains_of(runs).query("dataset == @dataset and hidden_layers == @depth")
        looks = [style.of(network) for network in NETWORKS]
        marks = {
            "markers": [look.marker for look in looks],
            "palette": [look.colour for look in looks],
            "markersize": 6,
        }
        order = {"order": NETWORKS, "hue": "network", "hue_order": NETWORKS, "legend": False, "linestyle": "none"}
        sns.pointplot(here, x="gain", y="network", errorbar=interval, **order, **marks, err_kws={"linewidth": 2}, ax=ax)
        ax.axvline(0, color=style.GREY, linewidth=1)
        if depth == 1:
            ax.axvline(you[dataset], color=style.GREY, linewidth=1, linestyle="--", label="best gain of You et al.")
        ax.set(title=wording.cell(dataset, depth), xlabel="", ylabel="")
        ax.grid(visible=False, axis="y")
    handles, labels = axes[0].get_legend_handles_labels() if axes else ([], [])
    figure.supxlabel("gain over GCN, points", fontsize=10)
    figure.legend(handles, labels, loc="outside upper right")
figure

# %% [markdown]
# Only on Citeseer do intervals lie right of zero, 5 of 6. On Cora and Pubmed all 12 end left of the dashed line, the
# best gain of You et al. With five layers an interval is up to 22.08 points wide: there ten runs say little.
#
# ## The verdicts
#
# A claim about gains *holds* in a place where the intervals of all gains it speaks of lie above zero (above You et
# al.'s gain, where it speaks of that), *fails* where one lies below, and is *unclear* otherwise. The best network of a
# place is the one with the highest mean test accuracy, as in the paper.


# %% tags=["hide-input"]
def judge(intervals, bound=0.0):
    if (intervals["low"] > bound).all():
        return "holds"
    return "fails" if (intervals["high"] < bound).any() else "unclear"


tasks = accuracy.drop("GCN", level="network")
best = {cell: tasks.loc[cell]["mean"].idxmax() for cell in places}
verdicts = {}
for cell in places:
    every, one = gains.loc[cell], gains.loc[[(*cell, best[cell])]]
    verdicts |= {(1, cell): judge(every), (2, cell): judge(one), (4, cell): judge(one)}
    if cell[0] in you:
        verdicts[6, cell] = judge(one, you[cell[0]])

# %% [markdown]
# Whether the best network is steadier is judged by Brown and Forsythe's test: does its spread from run to run differ
# from the plain GCN's, at a level of 0.05?

# %% tags=["hide-input"]
accuracies = runs.groupby(NETWORK)["test_accuracy"]
rows = []
for cell in places:
    one, plain = (accuracies.get_group((*cell, network)) for network in (best[cell], "GCN"))
    p = stats.levene(one, plain, center="median").pvalue if min(len(one), len(plain)) > 2 else np.nan
    verdicts[3, cell] = "unclear" if not p < 0.05 else "holds" if one.sem() < plain.sem() else "fails"
    rows.append((best[cell], *(wording.with_error(own.mean(), own.sem()) for own in (one, plain)), wording.p_value(p)))


def shown(name, rows, columns):
    text = pd.DataFrame(rows, columns=columns, index=[wording.cell(*cell) for cell in places])
    return Table(name, text, text, text == "")


shown("steadiness", rows, ["best", "its mean", "GCN's mean", "p"])

# %% [markdown]
# No spread differs clearly: the smallest *p* is 0.545. Whether the network with four heads differs from the best other
# one is judged by two standard errors of the difference.

# %% tags=["hide-input"]
FOUR = "AE+FR+ER"
rows = []
for cell in places:
    others = tasks.loc[cell].drop(FOUR, errors="ignore")
    four, other = tasks.loc[cell].reindex([FOUR]).iloc[0], others.loc[others["mean"].idxmax()]
    error = np.hypot(four["sem"], other["sem"])
    if not abs(four["mean"] - other["mean"]) >= 2 * error:
        verdicts[5, cell] = "unclear"
    else:
        verdicts[5, cell] = "holds" if four["mean"] < other["mean"] else "fails"
    own, best_other = (wording.with_error(network["mean"], network["sem"]) for network in (four, other))
    rows.append((own, f"{wording.signed(four['mean'] - other['mean'])} ± {error:.2f}", f"{best_other} ({other.name})"))
shown("four-heads", rows, ["four heads", "difference", "best other network"])

# %% [markdown]
# The network with four heads is below the best other one in all 5 places, but nowhere by two standard errors.
#
# Now all verdicts: a row for each data set and number of hidden layers, a column for each claim, by its number above. A
# claim about several places holds together where it holds in each, and fails where it fails in one. A dash stands where
# it was not made.

# %% tags=["hide-input"]
DEPTHS = {1: (1,), 2: (1,), 3: (1, 2, 5), 4: (2, 5), 5: (1, 2, 5), 6: (1,)}
made = [(claim, cell) for claim, depths in DEPTHS.items() for cell in paper_tables.CELLS if cell[1] in depths]
found = pd.DataFrame([(claim, *cell) for claim, cell in made], columns=["claim", *CELL])
found["verdict"] = [verdicts.get(one, "not measured") for one in made]


def together(found):
    return next((word for word in ("not measured", "fails", "unclear") if word in found.tolist()), "holds")


by_place = found.assign(place=[f"{dataset.capitalize()}, {depth}" for _, (dataset, depth) in made])
text = by_place.pivot_table("verdict", "place", "claim", aggfunc="first", sort=False).fillna(wording.DASH)
text.loc["together"] = found.groupby("claim")["verdict"].agg(together)
text = text.rename(columns=str).rename_axis(index=None, columns="claim")
table = Table("claims", found, text, text.isin(["holds", "fails"]))
stored.keep(table.csv(), "claims.csv")
table

# %% [markdown]
# 1 of 21 verdicts is *holds*: on Citeseer the best network has tasks. 2 are *fails*: on Cora and Pubmed the best gain
# is below that of You et al. The other 18 are *unclear*, which is no support for the paper either.
#
# ## A hundred runs
#
# Ten runs are few. In each place, the plain GCN and the network with tasks that did best on the validation nodes in
# these ten runs were trained a hundred times on the same split (page *More runs, other splits*). Where their gain is
# clear there, it counts more than *unclear* here.

# %% tags=["hide-input"]
many = stored.read(*[name for name in results if name.startswith("hundred-")]).reindex(columns=runs.columns)
clear = with_intervals(gains_of(many)).reset_index() if len(many) else gains.iloc[:0].reset_index()
clear = pd.DataFrame(paper_tables.CELLS, columns=CELL).merge(clear, on=CELL)
clear["verdict"] = [judge(clear.iloc[[row]]) for row in range(len(clear))]
text = pd.DataFrame(
    {
        "network": clear["network"],
        "gain [95 %]": [wording.interval(*gain) for gain in clear[["gain", "low", "high"]].to_numpy()],
        "is a gain": clear["verdict"],
    }
).set_axis([wording.cell(*cell) for cell in clear[CELL].itertuples(index=False)])
Table("hundred", clear, text, text.isin(["holds", "fails"]))

# %% [markdown]
# Above zero: Citeseer, with +0.53 points, and Cora with five layers, with +2.73. Below: Pubmed, with −0.19. So claim 1
# fails on Pubmed, and claim 4 holds with five layers on this split.
#
# ## How far the best networks get
#
# The best network with auxiliary tasks in each place, ours and the paper's. Both are chosen by the test accuracy
# itself, as the paper does, which flatters them.

# %% tags=["hide-input"]
paper = literature.accuracies().rename(columns={"mean": "paper_mean", "sem": "paper_sem"}).set_index(NETWORK)


def beside(ours, theirs):
    both = ours.reset_index().merge(theirs.reset_index(), on=CELL, suffixes=("", "_paper"))
    both = pd.DataFrame(places, columns=CELL).merge(both, on=CELL)
    return both.assign(difference=both["mean"] - both["paper_mean"])


def best_of(table, mean):
    tasks = table.drop("GCN", level="network")
    return tasks.loc[tasks.groupby(level=CELL)[mean].idxmax()]


def layout(name, data):
    ours, paper = (
        [wording.with_error(*pair) for pair in data[pair].to_numpy()]
        for pair in (["mean", "sem"], ["paper_mean", "paper_sem"])
    )
    text = pd.DataFrame({"ours": ours, "paper": paper, "Δ": data["difference"].map(wording.signed)})
    if "network" in data:
        text["ours"] += " (" + data["network"] + ")"
        text["paper"] += " (" + data["network_paper"] + ")"
    text = text.set_axis([wording.cell(*cell) for cell in data[CELL].itertuples(index=False)])
    return Table(name, data, text, text == "")


table = layout("best-networks", beside(best_of(accuracy, "mean"), best_of(paper, "paper_mean")))
stored.keep(table.csv(), "best-networks.csv")
table

# %% [markdown]
# Where ours stays below the paper's, on Cora with one and two layers and on Pubmed, we did not search on until it
# fitted. What was searched, and how flat validation accuracy is around the chosen values, shows the page on the search.
#
# ## What the gains are measured from
#
# Every gain is a distance from the plain GCN, so a weak baseline makes strong gains. The same network, ours and the
# paper's:

# %% tags=["hide-input"]
plain = [table.xs("GCN", level="network") for table in (accuracy, paper)]
table = layout("baselines", beside(*plain))
stored.keep(table.csv(), "baselines.csv")
table

# %% [markdown]
# Our plain GCN is higher than the paper's in all 5 places, and by more than two standard errors of the difference on
# Citeseer (+0.72) and with five layers on Cora (+48.99). There it is higher even than the paper's best network, which
# has 51.05 percent. A part of the paper's gains may thus be owed to a weak baseline; with five layers it may as well be
# our reading of the protocol that makes ours a strong one.
