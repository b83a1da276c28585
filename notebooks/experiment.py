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
# anything? This page trains a plain GCN and networks with such auxiliary tasks on one data set, with a fixed
# number of hidden layers, and compares them over several runs that differ only in their random numbers.

# %% tags=["hide-input"]
# In Colab this installs the project beside the torch that is there; elsewhere it is installed already.
import importlib
import os
import subprocess
import sys

if importlib.util.find_spec("mtgcn") is None:
    source = os.environ.get("MTGCN_SOURCE", "git+https://github.com/mtgcn/mtgcn@v0.1.0")
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", source], check=True)
    importlib.invalidate_caches()

from mtgcn import experiment, figures, pages, results, tables

print(pages.ready())

# %% [markdown]
# ## Parameters
#
# The first cell holds values to start from, the second, where there is one, those of the parameter file that
# made this page. Every key of a parameter file can be set here; what is not set has its default.

# %% tags=["parameters"]
dataset = "toy"
hidden_layers = 1
runs = 3
epochs = 200
networks = {"GCN": {}, "AE": {"AE": {"weight": 10}}, "ER": {"ER": {"weight": 0.1}}}

# %%
parameters = pages.parameters_in(globals())
pages.networks_table(parameters)

# %% [markdown]
# A network's name lists its auxiliary tasks: **AE** rebuilds the features of a node from its embedding, **FR**
# rebuilds features that were zeroed in the input, **ER** rebuilds values that were zeroed in the embedding. The
# weight says how much a task counts beside the classification.
#
# ## The data

# %%
data = experiment.data_of(parameters)
pages.data_facts(data)

# %% [markdown]
# ## Training
#
# The runs of a network train together, ten at a time. Each keeps the epoch with which it did best on the validation
# nodes, and only that one meets the test nodes.

# %%
outcome = experiment.run(parameters, data)
results.keep(outcome.table)
results.keep(pages.thinned(outcome.curves), "curves.csv")

# %%
figures.learning_curves(outcome.curves)

# %% [markdown]
# ## Accuracy
#
# Test accuracy in per cent, mean ± standard error of the mean over the runs. Where the paper has the same cell,
# it stands beside: ≈ marks a difference within two of its standard errors, ≠ a larger one. The gain is over the
# plain GCN with the same seeds, with its 95 % interval; *p* comes from a paired permutation test, corrected for
# the number of networks.

# %%
tables.one_cell(outcome.table)

# %%
figures.runs_by_network(outcome.table)

# %% [markdown]
# ## Computed with

# %%
pages.computed_with(parameters, data, outcome.table)
