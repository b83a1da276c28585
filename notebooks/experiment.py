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
# # One data set at one depth
#
# Does a graph neural network classify better when it also has to solve tasks for which nobody had to label
# anything? A plain GCN and networks with such auxiliary tasks on one data set, with a fixed number of hidden layers,
# over several runs that differ only in their random numbers.

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
import mtgcn
from mtgcn.analysis import figures, page, paper_tables
from mtgcn.experiments.experiment import data_of
from mtgcn.experiments.problems import parameters_in

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
epochs = 200
networks = {"GCN": {}, "AE": {"AE": {"weight": 10}}, "ER": {"ER": {"weight": 0.1}}}

# %%
parameters = parameters_in(globals())
page.networks_table(parameters)

# %% [markdown]
# A network's name lists its auxiliary tasks: **AE** rebuilds the features of a node from its embedding, **FR**
# rebuilds features that were zeroed in the input, **ER** rebuilds values that were zeroed in the embedding. The
# weight says how much a task counts beside the classification.
#
# ## The data

# %%
page.data_facts(data_of(parameters))

# %% [markdown]
# ## Training
#
# The runs of a network train together, ten at a time. Each keeps the epoch with which it did best on the validation
# nodes, and only that one meets the test nodes.

# %%
outcome = mtgcn.run(parameters, retrain=retrain)
page.beside_stored(outcome) if retrain else None

# %%
figures.learning_curves(outcome.curves)

# %% [markdown]
# ## Accuracy
#
# A gain is a difference between two runs with the same seed: one of a network with tasks, one of the plain GCN.

# %%
accuracy = outcome.table.pivot_table("test_accuracy", "seed", "network")
gains = accuracy.sub(accuracy["GCN"], axis=0)[list(networks)] if "GCN" in accuracy else accuracy
gains.agg(["mean", "sem", "min", "max"]).T.round(2)

# %% [markdown]
# Test accuracy in percent, mean ± standard error of the mean over the runs. Where the paper has the same cell,
# it stands beside: ≈ marks a difference within two of its standard errors, ≠ a larger one. The gain has its 95 %
# interval; *p* comes from a paired permutation test, corrected for the number of networks.

# %%
paper_tables.one_cell(outcome.table)

# %%
figures.runs_by_network(outcome.table)

# %% [markdown]
# Every point is a run. Look at how far the runs of one network lie apart, and whether a gain is larger than that.
#
# ## Computed with

# %%
page.computed_with(outcome.record)
