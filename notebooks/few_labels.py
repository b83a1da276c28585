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
# # Few labels
#
# The usual split has 20 labelled papers a class. Here the networks train with fewer and with more, each number on
# several splits drawn at random, and the question is at which number of labels a task helps.

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

from mtgcn.analysis import figures, label_gains, page
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
labels = [1, 3, 10]
splits = 3
runs = 1
epochs = 100
networks = {"GCN": {}, "AE": {"AE": {"weight": 10}}}

# %%
parameters = parameters_in(globals())
page.networks_table(parameters)

# %% [markdown]
# ## Training
#
# A split is drawn from a seed. Of each class the first *k* of 80 nodes set aside carry a label, so a smaller training
# set lies within a larger one; a class gives half of its nodes at the most. From all other nodes 500 are drawn for
# validation and 1,000 for testing, the same for every *k*. With `small_validation` only as many validation nodes are
# used as there are training nodes. The runs of a size train together, each on its split and from a seed of its own.

# %%
outcome = mtgcn.run(parameters, retrain=retrain)
page.beside_stored(outcome) if retrain else None

# %% [markdown]
# ## Gains
#
# The gain on a split is a network's test accuracy minus that of the plain GCN with the same labels and seeds. The band is
# the 95 % interval of its mean over splits, Student's. Look where a band leaves zero, and on which side.

# %%
numbers = label_gains.summary(label_gains.by_split(outcome.table))
figures.gain_bands(numbers, lowest=-8)

# %% [markdown]
# The same as a table: GCN's accuracy in percent ± standard error over splits, the others' gains in points. A gain whose
# interval lies above zero is bold.

# %%
label_gains.table(numbers, dataset)

# %% [markdown]
# The number of splits with a gain, and *p* of a paired permutation test over splits, not corrected for the number of
# comparisons.

# %%
numbers.loc[numbers["network"] != "GCN", ["labels", "network", "gain", "low", "high", "above", "splits", "p"]].round(3)

# %% [markdown]
# ## Computed with

# %%
page.computed_with(outcome.record)
