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
# # One data set at several depths
#
# What becomes of a graph neural network when it grows deeper, and which auxiliary task holds that up? This page trains
# each network with several numbers of hidden layers on one data set, and measures what happens inside: how alike the
# nodes become, whether units die, whether the first layer still learns.

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

from mtgcn import datasets, depth_tables, diagnosis, figures, pages, results
from mtgcn import depths as study

print(pages.ready())

# %% [markdown]
# ## Parameters
#
# The first cell holds values to start from, the second, where there is one, those of the parameter file that
# made this page. Every key of a parameter file can be set here; what is not set has its default.

# %% tags=["parameters"]
dataset = "toy"
depths = [1, 2, 4]
runs = 3
epochs = 100
measure_every = 25
remedy = "none"
networks = {"GCN": {}, "AE": {"AE": {"weight": 10}}}

# %%
parameters = study.parameters_in(globals())
pages.networks_table(parameters)

# %% [markdown]
# ## The data

# %%
data = datasets.load(parameters.dataset, normalise=parameters.normalise_features)
pages.data_facts(data)

# %% [markdown]
# ## Training
#
# At each depth all runs of a network train together and keep the epoch with which they did best on the validation
# nodes. The measures are taken on the way, and once more at that epoch.

# %%
outcome = study.study(parameters, data)
results.keep(outcome.table)
for name in ("measures", "course", "curves", "examples", "maps"):
    results.keep(getattr(outcome, name), f"{name}.csv")

# %% [markdown]
# ## Accuracy
#
# Test accuracy in per cent against the number of hidden layers, mean over the runs with its 95 % interval; open marks
# are the paper's. In the table, mean ± standard error of the mean, the best of a depth bold.

# %%
figures.accuracy_against_depth(outcome.table)

# %%
depth_tables.accuracy_by_depth(outcome.table)

# %% [markdown]
# ## Inside
#
# The effective rank of what each hidden layer gives, at the best epoch: how many directions the nodes still use. Near
# one, all of them lie on one line.

# %%
figures.depth_by_layer(outcome.measures, "effective_rank", "effective rank")

# %% [markdown]
# Runs that are hardly better than naming the largest class for every node have failed. Which of three failures their
# measures show, by depth (one run can show more than one):

# %%
labelled = outcome.measures.assign(dataset=data.name, remedy=parameters.remedy)
depth_tables.failures_by_depth(diagnosis.diagnose(outcome.table, labelled))

# %% [markdown]
# Two runs of the depth at which runs differ most: the least accurate one, and the most accurate.

# %%
figures.two_runs(outcome.curves, outcome.examples)

# %% [markdown]
# ## Computed with

# %%
pages.computed_with(parameters, data, outcome.table)
