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
# # Quickstart: the first ten minutes
#
# A graph neural network learns to sort papers into fields from their words and their citations, with very few
# papers labelled. Tasks that need no labels, such as rebuilding the words of a paper, may help it. Run the
# cells from top to bottom; on a laptop this page takes less than a minute.

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

# %%
import mtgcn
from mtgcn.analysis import figures, page, paper_tables

# %% [markdown]
# ## A toy graph
#
# A generated citation graph is enough to see how things work: 240 nodes in four classes, and nothing to download.

# %%
page.data_facts(mtgcn.load("toy"))

# %% [markdown]
# An experiment is a set of parameters. Networks are called by their auxiliary tasks: `GCN` has none, `AE` rebuilds
# the features of each node, `ER` rebuilds parts of the embedding that were zeroed. Anything left out has its default.

# %%
networks = {"GCN": {}, "AE": {"AE": {"weight": 10}}, "ER": {"ER": {"weight": 0.1}}}
outcome = mtgcn.run(mtgcn.Parameters(dataset="toy", runs=5, epochs=100, networks=networks))
outcome.summary().round(2).set_index("network")

# %% [markdown]
# `outcome.table` has one row for each run, with its seed, so that any of them can be had again.

# %%
columns = ["network", "seed", "test_accuracy", "validation_accuracy", "best_epoch"]
outcome.table[columns].head()

# %% [markdown]
# ## Cora
#
# Now 2,708 papers on machine learning, 140 of them labelled. The first call fetches the data and checks them; then a
# few runs of a few epochs each. The book uses fifty runs of up to 5,000 epochs.

# %%
networks = {"GCN": {}, "AE": {"AE": {"weight": 10}}}
outcome = mtgcn.run(mtgcn.Parameters(dataset="cora", runs=3, epochs=200, networks=networks))
paper_tables.one_cell(outcome.table)

# %% [markdown]
# The paper's values stand beside ours. Do not read much into three short runs: the *p* of a paired test cannot even
# fall below 0.25 with three pairs. How the runs came there:

# %%
figures.learning_curves(outcome.curves)

# %% [markdown]
# ## And now
#
# - Change a weight, a depth (`hidden_layers=5`) or the data set (`"citeseer"`, `"pubmed"`, or the path of a graph of
#   your own) above and run the cells again. A name that is not right is answered with the nearest one that is.
# - Every page of results is a notebook with a parameter file, most of those for one data set and depth the notebook
#   `experiment`; `mtgcn run cora-5` makes one.
