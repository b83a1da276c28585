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
# # More runs, other splits
#
# With a hundred runs instead of ten, one network with tasks gains +0.53 points on Citeseer and +2.73 on Cora with five
# layers, and loses on Pubmed, with −0.19. Citeseer's gain and Pubmed's loss stay when other papers carry the labels: ten
# random splits show +0.67 on Citeseer and −0.66 on Pubmed. The gain with five layers may belong to the usual split alone.
# Ten runs can mislead: on Cora with one layer they show the wrong sign in 33.1 % of the cases.

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

from mtgcn.analysis import paper_tables, wording
from mtgcn.analysis.figures import style
from mtgcn.analysis.table import Table
from mtgcn.experiments import stored

# %% tags=["parameters", "hide-input"]
results = ["hundred-*", "splits-*"]

# %% [markdown]
# The paper compares networks by ten runs on one split. Two doubts remain after that: would another ten runs have said
# the same, and would other labelled papers? This page compares the plain GCN with one network with tasks for each data
# set and depth of Tables 1 and 2: a hundred runs of both on the usual split, and three on each of ten random splits. The
# network is the one with the highest mean accuracy on the *validation* nodes. Nothing is trained on this page.
#
# ## How a gain is computed
#
# A gain is the test accuracy of a run minus that of the plain GCN with the same seed on the same split. The runs of one
# random split share its nodes, so they are not independent of each other. They are averaged first, and each split counts
# as one value.

# %% tags=["hide-input"]
CELL = ["dataset", "hidden_layers"]
NETWORK = [*CELL, "network"]

runs = stored.read(*results).reindex(columns=["split", *NETWORK, "seed", "test_accuracy"])
runs = runs.astype({"test_accuracy": float}).dropna(subset="test_accuracy")
same = [*CELL, "split", "seed"]
plain = runs.loc[runs["network"] == "GCN", [*same, "test_accuracy"]]
paired = runs[runs["network"] != "GCN"].merge(plain, on=same, suffixes=("", "_gcn"), validate="many_to_one")
paired["gain"] = paired["test_accuracy"] - paired["test_accuracy_gcn"]

hundred = paired[paired["split"].isna()]
first_ten = hundred[hundred.groupby(NETWORK)["seed"].rank() <= 10]
on_splits = paired.dropna(subset="split").groupby([*NETWORK, "split"], as_index=False)
on_splits = on_splits.agg({"test_accuracy": "mean", "gain": "mean", "seed": "nunique"})

# %% [markdown]
# The interval of a mean gain is Student's, at 95 %. Its *p* comes from a paired permutation test: if the network made
# no difference, each gain could as well have had the other sign. *p (Holm)* is corrected for all rows of the table.

# %% tags=["hide-input"]
SWAPS = {"permutation_type": "samples", "n_resamples": 9_999, "rng": 0}


def interval(gains):
    if len(gains) < 2:
        return np.nan, np.nan
    return stats.t.interval(0.95, len(gains) - 1, gains.mean(), stats.sem(gains))


def p_value(gains):
    if len(gains) < 2:
        return np.nan

    def mean(sample, axis):
        return sample.mean(axis=axis).round(9)  # gains are tenths of a point: noise in the last digit would break ties

    return stats.permutation_test((gains,), mean, vectorized=True, **SWAPS).pvalue


def summary(gains):
    accuracy = gains.groupby(NETWORK)["test_accuracy"].agg(["mean", "sem"])
    table = accuracy.join(gains.groupby(NETWORK)["gain"].agg(gain="mean", interval=interval, p=p_value))
    table[["gain_low", "gain_high"]] = table.pop("interval").tolist() or np.empty((0, 2))
    p = table["p"].dropna().sort_values()
    table["p_holm"] = (p * np.arange(len(p), 0, -1)).cummax().clip(upper=1)
    return table


def in_order(table):
    """The places of the paper first, in its order."""
    cells = pd.concat([pd.DataFrame(paper_tables.CELLS, columns=CELL), runs[CELL]]).drop_duplicates()
    return cells.merge(table.reset_index(), on=CELL)


def layout(name, data, more):
    text = {
        "network": data["network"],
        "gain [95 %]": [wording.interval(*row) for row in data[["gain", "gain_low", "gain_high"]].to_numpy(float)],
        "p": data["p"].map(wording.p_value),
        "p (Holm)": data["p_holm"].map(wording.p_value),
    }
    text = pd.DataFrame({**text, **more})
    text = text.set_axis([wording.cell(*cell) for cell in data[CELL].itertuples(index=False)])
    return Table(name, data, text, text == "")


# %% [markdown]
# ## A hundred runs
#
# *10 runs mislead* answers the first doubt: how often ten of these runs, picked at random, have a mean gain of the
# other sign than all of them. The last columns are test accuracies in percent, mean ± standard error.


# %% tags=["hide-input"]
def wrong_sign(gains, size=10, draws=20_000):
    gains = np.asarray(gains)
    whole = np.sign(gains.mean().round(9)) if len(gains) > size else 0
    if whole == 0:
        return np.nan
    # The first places of a random order are a random choice. A mean of exactly zero has not the right sign.
    orders = np.random.default_rng(0).random((draws, len(gains))).argpartition(size - 1, axis=1)[:, :size]
    return np.mean(np.sign(gains[orders].mean(axis=1).round(9)) != whole)


data = summary(hundred)
data["runs"] = hundred.groupby(NETWORK).size()
data[["gcn_mean", "gcn_sem"]] = hundred.groupby(NETWORK)["test_accuracy_gcn"].agg(["mean", "sem"])
data["wrong_sign"] = hundred.groupby(NETWORK)["gain"].agg(wrong_sign)
order = ["runs", "mean", "sem", "gcn_mean", "gcn_sem", "gain", "gain_low", "gain_high", "p", "p_holm", "wrong_sign"]
data = in_order(data)[[*NETWORK, *order]]
more = {
    "10 runs mislead": (100 * data["wrong_sign"]).map("{:.1f} %".format),
    "runs": data["runs"],
    "its mean": [wording.with_error(*row) for row in data[["mean", "sem"]].to_numpy(float)],
    "GCN's mean": [wording.with_error(*row) for row in data[["gcn_mean", "gcn_sem"]].to_numpy(float)],
}
table = layout("hundred", data, more)
stored.keep(table.csv(), "hundred.csv")
table

# %% [markdown]
# The gains on Citeseer and on Cora with five layers are clear, and so is the loss on Pubmed. But they are clear only for
# *these thousand test nodes and these labels*: more runs make that statement sharper, not more general. Where the gain
# is small, ten runs are a poor guide to its sign: they mislead in 33.1 % of the cases on Cora with one layer, in 1.8 % on
# Citeseer.
#
# ## Random splits
#
# This answers the second doubt. Each split has other labelled, other validation and other test nodes.

# %% tags=["hide-input"]
data = summary(on_splits)
by_network = on_splits.groupby(NETWORK)
data["splits"], data["runs"] = by_network.size(), by_network["seed"].max()
data["above"] = by_network["gain"].agg(lambda gains: (gains.round(9) > 0).sum())  # a gain of 0 is none
order = ["splits", "runs", "mean", "sem", "gain", "gain_low", "gain_high", "above", "p", "p_holm"]
data = in_order(data)[[*NETWORK, *order]]
above = [f"{row.above} of {row.splits}" for row in data.itertuples()]
table = layout("random-splits", data, {"above zero": above})
stored.keep(table.csv(), "splits.csv")
table

# %% [markdown]
# Citeseer gains on each of the 10 splits, and Pubmed loses on nearly all of them. With five layers on Cora the mean gain
# is +3.45 points, and yet its interval reaches from −1.31 to +8.21: that is how much splits differ there.
#
# ## Ten runs, a hundred runs, ten splits
#
# Each panel shows one network three times: its mean gain in the first ten runs, in all runs, and on the random splits,
# with 95 % intervals.

# %% tags=["hide-input"]
WAYS = {"first ten runs": first_ten, "all runs": hundred, "random splits": on_splits}
together = pd.concat([gains.assign(way=way) for way, gains in WAYS.items()])
panels = list(in_order(together[NETWORK].drop_duplicates())[NETWORK].itertuples(index=False, name=None))

with mpl.rc_context(style.LOOK):
    alt = "Mean gains over GCN in each place with 95 % intervals: the first ten runs, all runs, and random splits."
    figure, axes = style.panels(len(panels), 3.0, 1.9, alt, sharey=True, sharex=False)
    for (dataset, depth, network), ax in zip(panels, axes, strict=True):
        here = together.query("dataset == @dataset and hidden_layers == @depth and network == @network")
        look = style.of(network)
        marks = {"color": look.colour, "marker": look.marker, "markersize": 7, "linestyle": "none"}
        sns.pointplot(here, x="gain", y="way", order=list(WAYS), errorbar=interval, **marks, ax=ax)
        ax.axvline(0, color=style.GREY, linewidth=1)
        ax.set_title(f"{network}, {wording.cell(dataset, depth)}", fontsize=10)
        ax.set(xlabel="", ylabel="")
        ax.grid(visible=False, axis="y")
    figure.supxlabel("gain over GCN, points", fontsize=10)
figure

# %% [markdown]
# Where the two lower intervals lie on the same side of zero, as on Citeseer and Pubmed, the usual split is not the reason.
# Where only the middle one is clear, as on Cora with five layers, it may be.
#
# Two limits remain. The weights of the tasks were tuned on the usual split, and the random splits share the graph with
# it, so this is no test on new data. And all of it follows the paper's words: L2 on the first layer and the best epoch
# by validation accuracy.
