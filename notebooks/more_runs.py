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
# One large gain stays when other papers carry the labels: with five layers on Cora, trained as the paper's figures suggest,
# it is +39.66 points on the usual split and +39.57 on random ones. Trained as the paper says, the gain of +4.05 with five
# layers does not return: random splits have −2.58. The small gain on Citeseer does, +0.80 there and +0.73 on random splits.
# Ten runs can mislead: on Citeseer, as its figures suggest, they show the wrong sign in 40.3 % of the cases.

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
from matplotlib.lines import Line2D
from scipy import stats

from mtgcn.analysis import literature, paper_tables, statistics, wording
from mtgcn.analysis.figures import style
from mtgcn.analysis.table import Table
from mtgcn.experiments import stored

# %% tags=["parameters", "hide-input"]
results = ["citeseer-1", "cora-1", "cora-2", "cora-5", "pubmed-1", "matched-*", "splits-*"]

# %% [markdown]
# The paper compares networks by ten runs on one split. Two doubts remain after that: would another ten runs have said
# the same, and would other labelled papers? This page compares the plain GCN with one network with tasks for each data
# set, depth and protocol: in fifty runs on the usual split, and in three on each of ten random splits. The network is the
# one with the highest mean accuracy on the *validation* nodes of the usual split. Nothing is trained on this page.
#
# ## How a gain is computed
#
# A gain is the test accuracy of a run minus that of the plain GCN with the same seed on the same split. The runs of one
# random split share its nodes, so they are not independent of each other. They are averaged first, and each split counts
# as one value.

# %% tags=["hide-input"]
PLACE = ["protocol", "dataset", "hidden_layers"]
NETWORK = [*PLACE, "network"]

runs = stored.read(*results).reindex(columns=["split", *NETWORK, "seed", "validation_accuracy", "test_accuracy"])
runs = runs.astype({"test_accuracy": float}).dropna(subset="test_accuracy")
runs["protocol"] = runs["protocol"].astype("string").fillna("text")
tried = runs[runs["split"].isna() & (runs["network"] != "GCN")]
validation = tried.pivot_table("validation_accuracy", PLACE, "network").round(9)  # a tie is one to the last digit
in_paper = [name for name in literature.NETWORKS if name in validation]  # of equals, the first
chosen = validation[in_paper].idxmax(axis=1).rename("network").reset_index()

same = [*PLACE, "split", "seed"]
plain = runs.loc[runs["network"] == "GCN", [*same, "test_accuracy"]]
paired = runs.merge(chosen, on=NETWORK).merge(plain, on=same, suffixes=("", "_gcn"), validate="many_to_one")
paired["gain"] = paired["test_accuracy"] - paired["test_accuracy_gcn"]

fifty = paired[paired["split"].isna()]
first_ten = fifty[fifty.groupby(NETWORK)["seed"].rank() <= 10]
on_splits = paired.dropna(subset="split").groupby([*NETWORK, "split"], as_index=False)
on_splits = on_splits.agg({"test_accuracy": "mean", "gain": "mean", "seed": "nunique"})

# %% [markdown]
# The interval of a mean gain is Student's, at 95 %. Its *p* comes from the paired *t* test, and *p (Holm)* is corrected
# for all rows of the table.


# %% tags=["hide-input"]
def p_value(gains):
    return stats.ttest_1samp(gains, 0).pvalue if len(gains) > 1 else np.nan


def summary(gains):
    accuracy = gains.groupby(NETWORK)["test_accuracy"].agg(["mean", "sem"])
    table = accuracy.join(gains.groupby(NETWORK)["gain"].agg(gain="mean", interval=statistics.interval, p=p_value))
    table[["gain_low", "gain_high"]] = table.pop("interval").tolist() or np.empty((0, 2))
    table["p_holm"] = statistics.holm(table["p"])
    return table


def in_order(table):
    """The places of the paper first, in its order, for one protocol after the other."""
    cells = pd.DataFrame(paper_tables.CELLS, columns=PLACE[1:])
    cells = pd.concat([cells.assign(protocol=name) for name in wording.PROTOCOLS] + [runs[PLACE]]).drop_duplicates()
    return cells.merge(table.reset_index(), on=PLACE)


def layout(name, data, more):
    text = {
        "network": data["network"],
        "gain [95 %]": [wording.interval(*row) for row in data[["gain", "gain_low", "gain_high"]].to_numpy(float)],
        "p (Holm)": data["p_holm"].map(wording.p_value),
    }
    text = pd.DataFrame({**text, **more})
    text = text.set_axis(
        [f"{wording.cell(*place)}, {wording.PROTOCOLS[one]}" for one, *place in data[PLACE].to_numpy()]
    )
    return Table(name, data, text, text == "")


# %% [markdown]
# ## Fifty runs
#
# *10 runs mislead* answers the first doubt: how often ten of these runs, picked at random, have a mean gain of the
# other sign than all of them.


# %% tags=["hide-input"]
def wrong_sign(gains, size=10, draws=20_000):
    gains = np.asarray(gains)
    whole = np.sign(gains.mean().round(9)) if len(gains) > size else 0
    if whole == 0:
        return np.nan
    # The first places of a random order are a random choice. A mean of exactly zero has not the right sign.
    orders = np.random.default_rng(0).random((draws, len(gains))).argpartition(size - 1, axis=1)[:, :size]
    return np.mean(np.sign(gains[orders].mean(axis=1).round(9)) != whole)


data = summary(fifty)
data["runs"] = fifty.groupby(NETWORK).size()
data[["gcn_mean", "gcn_sem"]] = fifty.groupby(NETWORK)["test_accuracy_gcn"].agg(["mean", "sem"])
data["wrong_sign"] = fifty.groupby(NETWORK)["gain"].agg(wrong_sign)
order = ["runs", "mean", "sem", "gcn_mean", "gcn_sem", "gain", "gain_low", "gain_high", "p", "p_holm", "wrong_sign"]
data = in_order(data)[[*NETWORK, *order]]
more = {
    "runs": data["runs"],
    "10 runs mislead": [wording.DASH if np.isnan(share) else f"{100 * share:.1f} %" for share in data["wrong_sign"]],
}
table = layout("fifty", data, more)
stored.keep(table.csv(), "fifty.csv")
table

# %% [markdown]
# Three gains are clear, and they are clear only for *these thousand test nodes and these labels*: more runs make a statement
# sharper, not more general. On Cora with one layer the networks that did best on the validation nodes lose on the test
# nodes, under both protocols. Where a gain is small, ten runs are a poor guide to its sign: they mislead in 40.3 % of the
# cases on Citeseer, and in 45.8 % on Pubmed, both trained as its figures suggest.
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
# With five layers on Cora, trained as its figures suggest, the tasks gain on 10 of 10 splits. Trained as the paper says, the
# mean is −2.58 points, and its interval reaches from −7.06 to +1.91: that is how much splits differ there. On Citeseer, as
# its figures suggest, 9 of 10 splits gain, but one of them, on which the plain GCN breaks down, makes most of the mean.
#
# ## Ten runs, fifty runs, ten splits
#
# Each panel shows one place three times: the mean gain in the first ten runs, in all runs, and on the random splits,
# with 95 % intervals.

# %% tags=["hide-input"]
WAYS = {"first ten runs": first_ten, "all runs": fifty, "random splits": on_splits}
together = pd.concat([gains.assign(way=way) for way, gains in WAYS.items()])
panels = in_order(together[PLACE].drop_duplicates())[PLACE[1:]].drop_duplicates().to_numpy().tolist()

with mpl.rc_context(style.LOOK):
    alt = "Mean gains over GCN in each place with 95 % intervals: the first ten runs, all runs, and random splits."
    figure, axes = style.panels(len(panels), 3.0, 2.1, alt, sharey=True, sharex=False)
    for (dataset, depth), ax in zip(panels, axes, strict=True):
        here = together.query("dataset == @dataset and hidden_layers == @depth")
        for (protocol, way), gains in here.groupby(["protocol", "way"])["gain"]:
            look = style.PROTOCOLS[protocol]
            (low, high), mean = statistics.interval(gains), gains.mean()
            y = list(WAYS).index(way) + 0.3 * list(style.PROTOCOLS).index(protocol)
            errors = [[mean - low], [high - mean]]
            ax.errorbar(mean, y, xerr=errors, fmt=look.marker, color=look.colour, ms=6, elinewidth=1.8)
        ax.axvline(0, color=style.GREY, linewidth=1)
        ax.set_title(wording.cell(dataset, depth), fontsize=10)
        ax.set_yticks([place + 0.15 for place in range(len(WAYS))], list(WAYS))
        ax.set_ylim(len(WAYS) - 0.4, -0.3)
        ax.grid(visible=False, axis="y")
    handles = [
        Line2D([], [], ls="none", marker=look.marker, color=look.colour, label=wording.PROTOCOLS[name])
        for name, look in style.PROTOCOLS.items()
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=2)
    figure.supxlabel("gain over GCN, points", fontsize=10)
figure

# %% [markdown]
# Where the two lower intervals of a colour lie on the same side of zero, the usual split is not the reason. Where only the
# middle one is clear, it may be.
#
# One limit remains. The weights of the tasks were tuned on the usual split, and the random splits share the graph with
# it, so this is no test on new data.
