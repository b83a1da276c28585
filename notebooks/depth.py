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
# What becomes of a graph neural network when it grows deeper, and which auxiliary task holds that up? Each network
# trains with several numbers of hidden layers on one data set, and what happens inside is measured: how alike the
# nodes become, whether units die, whether the first layer still learns.

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

from mtgcn.analysis import depth, figures, page
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
depths = [1, 2, 4]
runs = 3
epochs = 100
measure_every = 25
remedy = "none"
networks = {"GCN": {}, "AE": {"AE": {"weight": 10}}}

# %%
parameters = parameters_in(globals())
page.networks_table(parameters)

# %% [markdown]
# ## The data

# %%
page.data_facts(mtgcn.load(parameters.dataset, normalise=parameters.normalise_features))

# %% [markdown]
# ## Training
#
# At each depth all runs of a network train together and keep the epoch with which they did best on the validation
# nodes. The measures are taken on the way, and once more at that epoch.

# %%
outcome = mtgcn.run(parameters, retrain=retrain)
measures = outcome.kept["measures"]
page.beside_stored(outcome) if retrain else None

# %% [markdown]
# ## Accuracy
#
# Test accuracy in percent against the number of hidden layers, mean over the runs with its 95 % interval; open marks
# are the paper's. In the table, mean ± standard error of the mean, the best of a depth bold.

# %%
figures.accuracy_against_depth(outcome.table)

# %%
accuracy = outcome.table.groupby(["network", "hidden_layers"], sort=False)["test_accuracy"].agg(["mean", "sem"])
depth.by_depth(accuracy, parameters.dataset)

# %% [markdown]
# ## Inside
#
# The effective rank of what each hidden layer gives, at the best epoch: how many directions the nodes still use. Near
# one, all of them lie on one line.

# %%
figures.depth_by_layer(measures, "effective_rank", "effective rank")

# %% [markdown]
# Runs that are hardly better than naming the largest class for every node have failed: within five points of its share.
# Their measures show over-smoothing (few directions, or distant nodes alike), a vanished gradient, or dead units; one
# run can show more than one. The page *Over-smoothing, measured* says where the bounds come from.

# %%
judged = depth.measured(outcome.table, measures)
judged["failed"] = ~(judged["test_accuracy"] > judged["chance"] + 5)
judged["over-smoothed"] = (judged["effective_rank"] < 2.5) | (judged["mad_remote"] < 0.1)
judged["gradient vanished"] = judged["gradient_norm"] < 1e-3
judged["dead units"] = judged["most_dead_units"] >= 0.9
signs = ["failed", "over-smoothed", "gradient vanished", "dead units"]
judged[signs[1:]] = judged[signs[1:]].mul(judged["failed"], axis=0)
judged.groupby(["network", "hidden_layers"], sort=False)[signs].sum()

# %% [markdown]
# Two runs of the depth at which runs differ most: the least accurate one, and the most accurate.

# %%
figures.two_runs(outcome.curves, outcome.kept["examples"])

# %% [markdown]
# ## Computed with

# %%
page.computed_with(outcome.record)
