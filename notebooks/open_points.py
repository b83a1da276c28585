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
# # What the paper leaves open
#
# A description of an experiment leaves out more than it seems. Where the paper can be read in two ways, this project
# has chosen one, and each choice is a setting. Here every other choice is tried, each alone, with the same seeds. Two
# implementations can only be compared when one knows which choices move a result by more than its error.

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

from mtgcn.analysis import literature, page
from mtgcn.analysis.figures import style
from mtgcn.data.datasets import one_answer
from mtgcn.experiments.experiment import data_of
from mtgcn.experiments.problems import parameters_in
from mtgcn.experiments.readings import LABELS

# %% [markdown]
# ## Parameters
#
# The first cell holds values to start from, the second, where there is one, those of the parameter file that
# made this page. Every key of a parameter file can be set here; what is not set has its default. Stored runs of
# the same parameters are read in a second; with `retrain = True` they are trained here, on the GPU if there is one.

# %% tags=["parameters"]
retrain = False  # True: train here, and show the outcome beside the stored one
dataset = "toy"
hidden_layers = 1
runs = 3
epochs = 100
open_points = True
networks = {"GCN": {}, "AE": {"AE": {"weight": 10}}, "FR": {"FR": {"size": 40}}, "ER": {}}

# %%
parameters = parameters_in(globals())
page.networks_table(parameters)

# %% [markdown]
# ## The readings
#
# **FR: keep *k* features.** By its definition the task hides *k* features and rebuilds these; by a footnote of the
# paper it keeps *k* and hides all others.
#
# **L2 on all layers.** Kipf & Welling, whose settings the paper takes over, penalise the weights of the first layer
# only. The paper does not say so, and the deeper the network the more layers that leaves free.
#
# **Validation risks over all nodes.** The learning rate follows the multi-task loss on the validation set. Its
# auxiliary risks need no label, so they could be taken over all nodes. A network without tasks has no such risk.
#
# **Best epoch by loss.** The best epoch on the validation set can be the one of the highest accuracy or of the lowest
# loss. With auxiliary tasks the loss is that of all tasks together.
#
# **ER: target held fixed.** The task rebuilds the embedding, which is itself being learnt: the gradient can flow
# through what is to be rebuilt, or stop there.
#
# **Any decrease improves, improvement from 0.001.** The learning rate is cut when the validation loss has not improved
# for 40 epochs; our default counts a relative 0.0001 as an improvement.
#
# **Features not normalised.** Kipf & Welling divide each row of the features by its sum. Without that a rebuilt feature
# weighs far more, so the same weight of a task means something else.
#
# The last row joins two of them: L2 on all layers, and the best epoch by loss.
#
# ## Training
#
# The plain GCN and AE train in every reading of the whole, FR and ER in that of their own task. Where a reading makes
# no difference to a network, it is not trained again.

# %%
outcome = mtgcn.run(parameters, retrain=retrain)
table = outcome.table
page.beside_stored(outcome) if retrain else None

# %% [markdown]
# ## What each choice does
#
# Every run as a point, the mean with its standard error on top. The line is the mean of our default: what to see is
# whether a row leaves it, and whether it does so in all networks alike.

# %%
printed = literature.accuracies().query("dataset == @dataset and hidden_layers == @hidden_layers").set_index("network")
order = table["reading"].map(LABELS).unique()
np.random.seed(0)  # noqa: NPY002  (the points are spread by it, the same way each time)
with mpl.rc_context(style.LOOK):
    alt = f"Test accuracy of {', '.join(networks)} in {len(order)} readings of the paper: every run and the means."
    figure, axes = style.panels(len(networks), 2.2, 0.6 + 0.34 * len(order), alt, sharey=True, sharex=False)
    for network, ax in zip(networks, axes, strict=True):
        own, look = table[table["network"] == network].replace({"reading": LABELS}), style.of(network)
        common = {"x": "test_accuracy", "y": "reading", "order": order, "color": look.colour, "legend": False}
        sns.stripplot(own, **common, jitter=0.15, size=4, alpha=0.5, ax=ax)
        marks = {"marker": look.marker, "markersize": 7, "linestyle": "none", "err_kws": {"linewidth": 1.8}}
        sns.pointplot(own, **common, **marks, errorbar="se", capsize=0.2, label="mean ± standard error", ax=ax)
        usual = own.loc[own["reading"] == LABELS["default"], "test_accuracy"].mean()
        ax.axvline(usual, color=look.colour, linewidth=1, alpha=0.6, label="mean of our default")
        for theirs in printed["mean"].filter([network]):
            ax.axvline(theirs, color=style.GREY, linewidth=1.2, linestyle=":", label="the paper's mean")
        ax.set(title=network, xlabel="test accuracy, %", ylabel="")
        ax.grid(visible=False, axis="y")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
figure

# %% [markdown]
# The difference to the default, seed by seed, with its 95 % interval. By chance alone, one of twenty such intervals
# excludes zero.

# %%
default = table[table["reading"] == "default"][["network", "seed", "test_accuracy"]]
paired = table[table["reading"] != "default"].merge(default, on=["network", "seed"], suffixes=("", "_default"))
paired["difference"] = paired["test_accuracy"] - paired["test_accuracy_default"]
rows = []
for (network, reading), own in paired.groupby(["network", "reading"], sort=False):
    mean, error = own["difference"].mean(), stats.sem(own["difference"])
    low, high = stats.t.interval(0.95, len(own) - 1, mean, error)
    rows.append((network, LABELS[reading], own["test_accuracy"].mean(), mean, low, high))
pd.DataFrame(rows, columns=["network", "reading", "accuracy", "difference", "low", "high"]).round(2)

# %% [markdown]
# ## How near to the paper
#
# A network that gives all nodes the same class is right for the share of that class among the test nodes. A run at or
# under the best such answer has learnt nothing that helps. Beside it, the paper's mean and error where it has the cell.

# %%
bound = one_answer(data_of(parameters))
summary = table.groupby(["network", "reading"], sort=False)["test_accuracy"].agg(["count", "mean", "sem", "min"])
summary["no better than one answer"] = (
    table.assign(below=table["test_accuracy"] <= bound).groupby(["network", "reading"], sort=False)["below"].sum()
)
summary = summary.join(printed[["mean", "sem"]].add_prefix("paper "), on="network").reset_index()
print(f"One answer for all test nodes: at best {bound:.1f} % are right.")
summary.assign(reading=summary["reading"].map(LABELS)).set_index(["network", "reading"]).round(2)

# %% [markdown]
# These readings are switched one at a time, with the weights that were tuned for our default. Two of them together can
# do what none does alone, as the last row shows.
#
# ## Computed with

# %%
page.computed_with(outcome.record)
