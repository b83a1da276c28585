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
# One split proves little. Which 20 papers of a class carry a label, and which thousand are asked about, is chance too,
# and the usual split is a single throw of it: ten runs on it repeat everything but that. Here the networks train
# on several splits drawn at random, of the same sizes, and the question is whether a gain outlives the split.

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

from mtgcn import experiment, figures, over_splits, pages, results

print(pages.ready())

# %% [markdown]
# ## Parameters
#
# Those of an experiment, and how many splits to draw. Every network has the same runs, by their seeds, on each split.

# %% tags=["parameters"]
dataset = "toy"
hidden_layers = 1
splits = 3
runs = 2
epochs = 100
networks = {"GCN": {}, "AE": {"AE": {"weight": 10}}}

# %%
parameters = pages.parameters_in(globals())
pages.networks_table(parameters)

# %% [markdown]
# ## Training
#
# A split is drawn from a seed: training nodes from each class, then validation and test nodes from all that are left.
# A node whose class nobody knows is in no part of it.

# %%
table = over_splits.run(parameters, splits)
results.keep(table)
print(f"{len(table)} runs on {table['split'].nunique()} splits.")

# %% [markdown]
# ## Gains, split by split
#
# A point is a run: its test accuracy less that of the plain GCN with the same seed on the same split. What to see is
# how far the means of the splits lie apart compared with the runs of one split, and on how many they fall right of
# zero.

# %%
figures.gains_by_split(table)

# %% [markdown]
# ## Over all splits
#
# The runs of one split share its nodes and are not independent of each other, so they are averaged first, and each
# split counts as one value. The mean of the test accuracy has its standard error over splits. The gain has its 95 %
# interval, and *p* is that of a paired permutation test over the splits, corrected for the number of networks. With
# few splits *p* cannot be small: ten allow no less than 0.002, three no less than 0.25.

# %%
over_splits.table(table)

# %% [markdown]
# The interval is usually wider than one from as many runs on a single split. It is the one to look at for what a
# network would gain on papers labelled by someone else.
#
# ## Computed with

# %%
pages.computed_with(parameters, experiment.data_of(parameters), table)
