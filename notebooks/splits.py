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

# %% [markdown]
# # Random splits
#
# One split proves little. Chance decides which 20 papers of a class carry a label, and which thousand are for testing.
# More runs on the usual split repeat everything but that. Here the networks train on several random splits of the same
# sizes. Does a gain stay when the split changes?

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

# %% tags=["hide-input"]
import matplotlib as mpl
import mtgcn
import numpy as np
import pandas as pd
import seaborn as sns
from scipy import stats

from mtgcn.analysis import page
from mtgcn.analysis.figures import style
from mtgcn.experiments.problems import parameters_in

# %% [markdown]
# ## Parameters
#
# The first cell holds values to start from, the second, where there is one, those of the parameter file that
# made this page. Every key of a parameter file can be set here; what is not set has its default. Stored runs of
# the same parameters are read in a second; with `retrain = True` they are trained here, on the GPU if there is one.
# Every network has the same runs, by their seeds, on each split.

# %% tags=["parameters"]
retrain = False  # True: train here, and show the outcome beside the stored one
dataset = "toy"
hidden_layers = 1
splits = 3
runs = 2
epochs = 100
networks = {"GCN": {}, "AE": {"AE": {"weight": 10}}}

# %%
parameters = parameters_in(globals())
page.networks_table(parameters)

# %% [markdown]
# ## Training
#
# A split is drawn from a seed: training nodes from each class, then validation and test nodes from all that are left.
# A node whose class nobody knows is in no part of it.

# %%
outcome = mtgcn.run(parameters, retrain=retrain)
page.beside_stored(outcome) if retrain else None

# %% [markdown]
# ## Gains, split by split
#
# The gain of a run is its test accuracy minus that of the plain GCN with the same seed on the same split. The interval of
# a mean is Student's, at 95 %.

# %%
table = outcome.table
plain = table.loc[table["network"] == "GCN", ["split", "seed", "test_accuracy"]]
paired = table[table["network"] != "GCN"].merge(plain, on=["split", "seed"], suffixes=("", "_gcn"))
paired["gain"] = paired["test_accuracy"] - paired["test_accuracy_gcn"]


def interval(gains):
    return stats.t.interval(0.95, len(gains) - 1, gains.mean(), stats.sem(gains))


# %% [markdown]
# A point is a run. Compare how far the means of the splits lie apart with how far the runs of one split do. The band is
# the interval of the mean over splits, where each split counts as one value.

# %%
tried = [network for network in networks if network != "GCN"]
np.random.seed(0)  # noqa: NPY002  (the points are spread by it, the same way each time)
with mpl.rc_context(style.LOOK):
    alt = f"Gains over GCN of {', '.join(tried)} on {splits} random splits of {dataset}: every run and the means."
    figure, axes = style.panels(len(tried), 5 if len(tried) == 1 else 3, 0.8 + 0.24 * splits, alt, sharey=True)
    for network, ax in zip(tried, axes, strict=True):
        own, look = paired[paired["network"] == network], style.of(network)
        common = {"x": "gain", "y": "split", "orient": "h", "color": look.colour, "legend": False, "ax": ax}
        sns.stripplot(own, **common, jitter=0.15, size=4, alpha=0.5)
        marks = {"marker": look.marker, "markersize": 6, "linestyle": "none", "err_kws": {"linewidth": 1.8}}
        sns.pointplot(own, **common, **marks, errorbar="se", capsize=0.3, label="mean of a split ± standard error")
        means = own.groupby("split")["gain"].mean()
        ax.axvline(0, color=style.GREY, linewidth=1)
        ax.axvline(means.mean(), color=look.colour, linewidth=1.4, label="mean over splits")
        ax.axvspan(*interval(means), color=look.colour, alpha=0.15, linewidth=0, label="its 95 % interval")
        ax.set(title=network, xlabel="gain over GCN, points")
        ax.grid(visible=False, axis="y")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
figure

# %% [markdown]
# ## Over all splits
#
# The runs of one split share its nodes and are not independent of each other, so they are averaged first, and each
# split counts as one value. The gain has its 95 % interval over splits, and *p* is that of a paired permutation test
# over them, not corrected for the number of networks. With few splits *p* cannot be small: ten allow 0.002 at least.

# %%
means = table.pivot_table("test_accuracy", "split", "network")
gains = means.sub(means["GCN"], axis=0).drop(columns="GCN")
rows = {}
for network, own in gains.items():
    low, high = interval(own)
    swaps = {"permutation_type": "samples", "n_resamples": 9_999, "rng": np.random.default_rng(0)}
    p = stats.permutation_test((own.to_numpy(),), np.mean, **swaps).pvalue if len(own) > 1 else np.nan
    rows[network] = {
        "gain": own.mean(),
        "low": low,
        "high": high,
        "splits above zero": (own.round(9) > 0).sum(),
        "p": p,
    }
pd.DataFrame.from_dict(rows, orient="index").round(3)

# %% [markdown]
# The interval is usually wider than one from as many runs on a single split. Look at it to
# judge what a network would gain if other papers carried the labels.
#
# ## Computed with

# %%
page.computed_with(outcome.record)
