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
# # The tables
#
# With one layer most tasks help a little on Citeseer: the best network, AE+ER, gains +0.89 points over the plain GCN. The
# paper's best gains +1.30. On Cora and Pubmed no gain is clear. With five layers on Cora our plain GCN reaches 64.78
# percent, the paper's 16.47, and our best network gains +4.05. All of this was trained as the paper says, with L2 on the
# first layer only and the best epoch by validation accuracy; the last section has the tables under the other protocol.

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
from matplotlib.lines import Line2D
from scipy import stats

from mtgcn.analysis import literature, paper_tables, wording
from mtgcn.analysis.comparison import compare
from mtgcn.analysis.figures import means_by_protocol, style
from mtgcn.experiments import stored

# %% tags=["parameters", "hide-input"]
results = ["citeseer-1", "cora-1", "cora-2", "cora-5", "pubmed-1", "matched-*", "rivals-*-1"]

# %% tags=["hide-input"]
CELL = ["dataset", "hidden_layers"]
NETWORK = [*CELL, "network"]

runs = stored.read(*[name for name in results if not name.startswith(("matched-", "rivals-"))])
rivals = stored.read(*[name for name in results if name.startswith("rivals-")])
rivals = rivals.reindex(columns=list(dict.fromkeys([*runs.columns, "results", "protocol"])))
rivals = rivals[~rivals["results"].astype(str).str.contains("weights")]
plain = runs.loc[runs["network"] == "GCN", [*CELL, "seed", "test_accuracy"]]
paired = runs[runs["network"] != "GCN"].merge(plain, on=[*CELL, "seed"], suffixes=("", "_gcn"), validate="many_to_one")
paired["gain"] = paired["test_accuracy"] - paired["test_accuracy_gcn"]

accuracy = runs.groupby(NETWORK)["test_accuracy"].agg(runs="count", all="size", mean="mean", sem="sem")
accuracy["diverged"] = accuracy.pop("all") - accuracy["runs"]

# %% tags=["hide-input"]
SWAPS = {"permutation_type": "samples", "n_resamples": 9_999, "rng": 0}


def p_value(gains):
    if gains.count() < 2:
        return np.nan

    def mean(sample, axis):
        return sample.mean(axis=axis).round(
            9
        )  # accuracies are tenths of a percent: noise in the last digit breaks ties

    return stats.permutation_test((gains.dropna(),), mean, vectorized=True, **SWAPS).pvalue


gains = paired.groupby(NETWORK)["gain"].agg(count="count", gain="mean", sem="sem", p=p_value)
half = stats.t.ppf(0.975, gains["count"] - 1) * gains.pop("sem")
gains["gain_low"], gains["gain_high"] = gains["gain"] - half, gains["gain"] + half

# %% tags=["hide-input"]
paper = literature.accuracies().rename(columns={"mean": "paper_mean", "sem": "paper_sem"})
paper_gcn = paper.loc[paper["network"] == "GCN"].set_index(CELL)["paper_mean"].rename("paper_gcn")
paper = paper.join(paper_gcn, on=CELL)
paper["paper_gain"] = (paper["paper_mean"] - paper.pop("paper_gcn")).round(2).where(paper["network"] != "GCN")

numbers = pd.concat([paper[NETWORK], runs[NETWORK]]).drop_duplicates()
for part in (accuracy, paper.set_index(NETWORK), gains):
    numbers = numbers.join(part, on=NETWORK)
numbers["difference"] = numbers["mean"] - numbers["paper_mean"]
errors = np.hypot(numbers["sem"], numbers["paper_sem"])
numbers["agrees"] = (numbers["difference"].abs() <= 2 * errors).astype("boolean").where(errors.notna())
numbers = numbers.fillna({"runs": 0, "diverged": 0})


def in_table(cells):
    table = pd.DataFrame(cells, columns=CELL).merge(numbers, on=CELL)
    p = table["p"].dropna().sort_values()
    table["p_holm"] = (p * np.arange(len(p), 0, -1)).cummax().clip(upper=1)
    accuracies = [*NETWORK, "runs", "diverged", "mean", "sem", "paper_mean", "paper_sem", "difference", "agrees"]
    return table[[*accuracies, "gain", "gain_low", "gain_high", "paper_gain", "p", "p_holm"]]


# %% [markdown]
# ## Table 1: one hidden layer, three data sets
#
# Test accuracy in percent, mean ± standard error. The best of a column is bold.

# %% tags=["hide-input"]
table_1 = in_table(paper_tables.TABLE_1)
table = paper_tables.table1(table_1)
stored.keep(table.csv(), "table-1.csv")
stored.keep(table.latex(), "table-1.tex")
table

# %% [markdown]
# 8 of 21 cells agree with the paper's. The others differ in both directions: on Citeseer ours are higher, on Cora the
# networks with tasks are lower.

# %% tags=["hide-input"]
NETWORKS = list(literature.NETWORKS)
LOOKS = [style.of(network) for network in NETWORKS]
LEGEND = {
    "a run": {"marker": "o", "ms": 4, "alpha": 0.5},
    "our mean ± standard error": {"marker": "o", "ms": 7},
    "the paper's mean ± standard error": {"marker": "D", "ms": 5, "mfc": "none"},
}


def draw(cells):
    names = [wording.cell(*cell) for cell in cells]
    alt = f"Test accuracy of seven networks on {', '.join(names)}: every run, our mean and the paper's, with errors."
    figure, axes = style.panels(len(cells), 2.7, 3.6, alt, sharey=True, sharex=False)
    common = {"x": "test_accuracy", "y": "network", "order": NETWORKS, "hue": "network", "hue_order": NETWORKS}
    common |= {"palette": [look.colour for look in LOOKS], "legend": False}
    np.random.seed(0)  # noqa: NPY002  (the points are spread by it, the same way each time)
    for cell, name, ax in zip(cells, names, axes, strict=True):
        here = runs[(runs["dataset"] == cell[0]) & (runs["hidden_layers"] == cell[1])]
        sns.stripplot(here, **common, jitter=0.15, size=4, alpha=0.5, ax=ax)
        marks = {"markers": [look.marker for look in LOOKS], "markersize": 7, "linestyle": "none"}
        sns.pointplot(here, **common, **marks, errorbar="se", capsize=0.15, err_kws={"linewidth": 1.8}, ax=ax)
        theirs = paper[(paper["dataset"] == cell[0]) & (paper["hidden_layers"] == cell[1])].set_index("network")
        theirs = theirs.loc[NETWORKS]
        places = np.arange(len(NETWORKS)) + 0.32
        ax.errorbar(theirs["paper_mean"], places, xerr=theirs["paper_sem"], fmt="D", ms=5, mfc="none", color=style.GREY)
        ax.set(title=name, xlabel="test accuracy, %", ylabel="")
        ax.grid(visible=False, axis="y")
    handles = [Line2D([], [], color=style.GREY, linestyle="none", label=name, **mark) for name, mark in LEGEND.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure


with mpl.rc_context(style.LOOK):
    figure = draw(paper_tables.TABLE_1)
stored.keep(figure.svg(), "table-1.svg")
figure

# %% [markdown]
# On Pubmed the clouds of the seven networks overlap: what a network adds is smaller than what another seed does. On Cora
# ER and AE+ER fall below. Pairs of runs with the same seed say more than the means:

# %% tags=["hide-input"]
table = paper_tables.gain_table("table-1-gains", table_1)
stored.keep(table.csv(), "table-1-gains.csv")
table

# %% [markdown]
# On Citeseer nearly every network gains. After the correction for 18 gains, 8 keep a *p* below 0.05: 5 on Citeseer are
# above zero, 3 on Cora below. On Cora and Pubmed no gain is clear. In the paper all 18 gains are positive.
#
# ## Table 2: one, two and five hidden layers on Cora

# %% tags=["hide-input"]
table_2 = in_table(paper_tables.TABLE_2)
table = paper_tables.table2(table_2)
stored.keep(table.csv(), "table-2.csv")
stored.keep(table.latex(), "table-2.tex")
table

# %% tags=["hide-input"]
with mpl.rc_context(style.LOOK):
    figure = draw(paper_tables.TABLE_2)
stored.keep(figure.svg(), "table-2.svg")
figure

# %% [markdown]
# With five layers the paper's plain GCN does no better than guessing, with 16.47 percent. Ours has 64.78. Here the
# reading of the protocol counts most: with L2 on every layer and the best epoch by loss, ours falls to 34.42 (the page
# [What the paper leaves open](open-points-5.ipynb)).

# %% tags=["hide-input"]
table = paper_tables.gain_table("table-2-gains", table_2, by_depth=True)
stored.keep(table.csv(), "table-2-gains.csv")
table

# %% [markdown]
# With two layers no gain is clear. With five, ER, AE+ER and AE+FR+ER clearly gain, by up to +4.05 points, and FR clearly
# loses. The paper gains up to +34.58 points with five layers, but over a plain network that guesses.
#
# ## Table 3: gains against those of You et al.
#
# The gain of the best network on each data set over the plain GCN, in points. The best network is chosen by the test
# accuracy itself, as in the paper, which flatters it. The paper quotes the gains of You et al.; here their three tasks
# were measured, too, on the same code, split and seeds (the page [Rival tasks](rivals.ipynb)).

# %% tags=["hide-input"]
of_you = compare(rivals[rivals["protocol"] == "text"], paper_tables.TABLE_1)
table = paper_tables.table3(table_1, of_you)
stored.keep(table.csv(), "table-3.csv")
stored.keep(table.latex(), "table-3.tex")
table

# %% [markdown]
# Our best gain on Citeseer is two thirds of the paper's. On Cora and Pubmed ours is near zero. The tasks of You et al. do as
# well on Citeseer when they are measured here, +0.85 beside +0.89, and no better on Cora and Pubmed.
#
# ## The same tables under the other protocol
#
# So far everything was trained as the paper says. The paper's own figures for the plain GCN suggest other settings (the
# page [Which protocol did they run?](which_protocol.ipynb)). Here are the tables under these, with the weights of the
# tasks searched anew.

# %% tags=["hide-input"]
matched = stored.read(*[name for name in results if name.startswith("matched-")])
table = paper_tables.table1(compare(matched, paper_tables.TABLE_1))
stored.keep(table.csv(), "matched-1.csv")
table

# %% tags=["hide-input"]
table = paper_tables.table2(compare(matched, paper_tables.TABLE_2))
stored.keep(table.csv(), "matched-2.csv")
table

# %% tags=["hide-input"]
of_you = compare(rivals[rivals["protocol"] == "matched"], paper_tables.TABLE_1)
table = paper_tables.table3(compare(matched, paper_tables.TABLE_1), of_you)
stored.keep(table.csv(), "matched-3.csv")
table

# %% [markdown]
# The two protocols beside the paper, means with their standard errors:

# %% tags=["hide-input"]
both = pd.concat([runs.assign(protocol="text"), matched.assign(protocol="matched")])
means_by_protocol(both, paper_tables.CELLS)

# %% [markdown]
# The page [What holds, where, under which protocol](verdicts.ipynb) says what the tables mean for the paper's claims.
#
# ## How the numbers come about
#
# Nothing is trained on this page. It reads the runs of the pages on single data sets. A cell that has not been run yet
# holds a dash. The weights of the tasks, and what else the paper tunes, were chosen by validation accuracy with other
# seeds than those shown here; the parameter file of each page names the search.
#
# The mean and its standard error are over the runs of a network. A *gain* is the test accuracy of a run minus that of
# the plain GCN with the same seed, so each pair has the same start of the random numbers.
#
# The interval of a mean gain is Student's, at 95 %. Its *p* comes from a paired permutation test: if a network made no
# difference, each gain could as well have had the other sign. Fifty runs have too many such ways to count, so 9,999 are
# drawn, and *p* is never below 0.0002.
#
# Beside them stand the paper's figures. A difference from the paper is called small (≈) within two standard errors of
# the difference, and large (≠) beyond. A table makes many comparisons at once, so its *p* are corrected after Holm:
# the smallest is multiplied by their number, the next by one less, and so on.
