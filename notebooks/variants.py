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
# # One experiment under several settings
#
# The same networks, seeds and data under several settings. Two implementations can only be compared when one knows which
# settings move a result by more than its error.

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
import pandas as pd
import seaborn as sns

from mtgcn.analysis import literature, page
from mtgcn.analysis.figures import style
from mtgcn.experiments.problems import parameters_in

# %% [markdown]
# ## Parameters
#
# `variants` names the settings. Every key of a parameter file can be set here; what is not set has its default. Stored
# runs of the same parameters are read in a second; with `retrain = True` they are trained here, on the GPU if there is
# one.

# %% tags=["parameters"]
retrain = False  # True: train here, and show the outcome beside the stored one
dataset = "toy"
hidden_layers = 1
runs = 3
epochs = 100
networks = {"GCN": {}}
variants = {"L2 on the first layer": {"l2_layers": "first"}, "L2 on all layers": {"l2_layers": "all"}}

# %%
parameters = parameters_in(globals())
pd.DataFrame(variants).T.fillna("")

# %% [markdown]
# ## Training

# %%
outcome = mtgcn.run(parameters, retrain=retrain)
page.beside_stored(outcome) if retrain else None

# %% [markdown]
# ## What each setting does
#
# Each line is a setting. A dot is the mean test accuracy of a network with its standard error, at the best epoch by the
# rule of the protocol. The dotted line is the paper's mean, where it has one for this data set and depth.

# %%
printed = literature.accuracies().query("dataset == @dataset and hidden_layers == @hidden_layers").set_index("network")
with mpl.rc_context(style.LOOK):
    alt = f"Test accuracy of {', '.join(networks)} under {len(variants)} settings, with standard errors."
    figure, axes = style.panels(len(networks), 3.2, 0.6 + 0.34 * len(variants), alt, sharey=True, sharex=False)
    for network, ax in zip(networks, axes, strict=True):
        look = style.of(network)
        marks = {"color": look.colour, "marker": look.marker, "linestyle": "none", "errorbar": "se", "capsize": 0.2}
        own = outcome.table[outcome.table["network"] == network]
        sns.pointplot(own, x="test_accuracy", y="variant", order=list(variants), **marks, ax=ax)
        for theirs in printed["mean"].filter([network]):
            ax.axvline(theirs, color=style.GREY, linewidth=1.2, linestyle=":")
        ax.set(title=network, xlabel="test accuracy, %", ylabel="")
figure

# %% [markdown]
# All rules for the best epoch look at the same training. Their mean test accuracies, in percent:

# %%
rules = [name for name in outcome.table if name.startswith("test_by_")]
means = outcome.table.groupby(["network", "variant"], sort=False)[rules].mean()
means.rename(columns=lambda name: name.removeprefix("test_by_").replace("_", ", ")).round(2)

# %% [markdown]
# ## Computed with

# %%
page.computed_with(outcome.record)
