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

# %% [markdown] tags=["answer"]
# # When labels are scarce
#
# The fewer labels, the more a task can help. On Citeseer AE gains +5.49 points with 2 labels for each class, +1.96 with 10
# and +0.81 with 20, the usual number. With 40 nothing is left. On Cora it gains +2.04 with 3 labels, and nothing from 10
# on. On Pubmed no task clearly gains with any number. The weights matter: on Cora AE+FR+ER loses −7.18 points with 3 labels
# when tuned with 20, and gains +2.59 when tuned with 3. Who has no more labels for validation either keeps the gain on
# Citeseer, +4.17 with 5 labels, but hardly one on Cora.

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

import matplotlib as mpl
import pandas as pd
from IPython.display import display

from mtgcn.analysis import figures, label_gains, literature
from mtgcn.analysis.figures import style
from mtgcn.experiments import stored

# %% tags=["parameters", "hide-input"]
results = ["labels-*"]

# %% tags=["hide-input"]
LOWEST = -8  # points; who loses more is told at the lower edge
WAYS = {"": "weights tuned with 20 labels a class", "tuned": "tuned with 3", "small": "validation as small as training"}
runs = stored.read(*results).reindex(columns=["results", "labels", "split", "dataset", "network", "test_accuracy"])
way = runs["results"].astype(str).str.extract("-(tuned|small)$", expand=False).fillna("")
numbers = {name: label_gains.summary(label_gains.by_split(runs[way == name])) for name in WAYS}

# %% [markdown]
# ## The gain against the number of labels
#
# The paper tries 20 labels for each class and nothing else. Here the plain GCN and four networks with tasks train with 1 to
# 80, all on the same thirty random splits. The tasks have the weights that were tuned with 20 labels on the usual split.

# %% tags=["hide-input"]
figures.gain_bands(numbers[""], lowest=LOWEST)

# %% [markdown]
# What to see: on Citeseer AE, FR and AE+FR+ER start high and come down to zero at 40 labels. From then on the labels say
# what the tasks say, and with 80 AE even loses −0.44 points. On Cora AE rises above zero by half as much, FR hardly. ER
# shows the danger: its weight is 30 there, chosen with 20 labels, and with fewer the task drowns the classes. On Citeseer,
# where its weight is 0.1, it does nothing. On Pubmed no mean gain reaches a point.
#
# The bands are 95 % intervals of the mean gain, Student's over splits. A gain is the test accuracy on a split minus that of
# the plain GCN there. The splits are drawn from seeds 0, 1, …; a smaller training set lies within a larger one, and the
# test nodes of a split are the same for all numbers of labels. Nothing is trained on this page.
#
# GCN's accuracy in percent ± standard error over splits, and the gains of the others in points with their intervals. A
# gain whose interval lies above zero is bold.

# %% tags=["hide-input"]
for dataset in dict.fromkeys(numbers[""]["dataset"]):
    table = label_gains.table(numbers[""], dataset)
    stored.keep(table.csv(), f"{dataset}.csv")
    display(table)

# %% [markdown]
# ## Weights tuned with three labels a class
#
# A weight that is right for 20 labels may be wrong for three. Here the weights were searched with three labels a class,
# by validation accuracy on splits of their own, none of which is reported.

# %% tags=["hide-input"]
figures.gain_bands(numbers["tuned"], " with weights tuned for three", LOWEST)

# %% [markdown]
# What to see: no network is ruined now. The search gives ER hardly any weight, 0.1 at the most, and AE+FR+ER gains with
# 1 label more than any task alone: +3.96 points on Cora, +5.06 on Citeseer. Pubmed was not tuned again.
#
# ## A validation set as small as the training set
#
# Nobody with three labels a class has 500 more to choose the best epoch by. Here there are as many validation nodes as
# training nodes. Does a gain survive?

# %% tags=["hide-input"]
figures.gain_bands(numbers["small"], " with as few validation nodes", LOWEST)

# %% [markdown]
# What to see: on Citeseer AE and FR clearly gain with 5 and 10 labels, and with 1 and 3 the bands are wide: so few
# validation nodes say little about the best epoch. On Cora AE clearly gains with 10 labels only, by +1.14.
#
# The gains with three labels a class in all three ways, in points with their intervals. A gain that is there in every
# column depends neither on who chose the weights nor on 500 validation nodes.

# %% tags=["hide-input"]
label_gains.side_by_side({words: numbers[way] for way, words in WAYS.items()}, 3)

# %% [markdown]
# ## Beside figures of others
#
# Lines are ours, test accuracy of the plain GCN and of the one with AE. Crosses are *theirs*, taken from the
# sources below: methods made for few labels, on splits of their own, with a share of all nodes labelled instead of equal
# classes. So they say what is possible, not who is better.

# %% tags=["hide-input"]
theirs = literature.few_labels()
shown = list(dict.fromkeys(theirs["dataset"]))
MARKS = {"self-training": "x", "M3S": "+", "GraFN": "*"}
with mpl.rc_context(style.LOOK):
    alt = "Test accuracy against labels a class: GCN and AE of this project, self-training, M3S and GraFN of others."
    figure, axes = style.panels(len(shown), 3.0, 2.7, alt, sharey=True)
    for dataset, ax in zip(shown, axes, strict=True):
        for network in ("GCN", "AE"):
            own = numbers[""].query("dataset == @dataset and network == @network").sort_values("labels")
            look = style.of(network)
            ax.errorbar(own["labels"], own["mean"], own["sem"], color=look.colour, marker=look.marker, ls=look.dashes)
        for method, mark in MARKS.items():
            own = theirs.query("dataset == @dataset and method == @method")
            ax.plot(own["labels"], own["accuracy"], mark, color=style.of(method).colour, label=f"{method} (theirs)")
        ax.set_xscale("log")
        ax.set_xticks([1, 3, 10, 30, 80], ["1", "3", "10", "30", "80"])
        ax.minorticks_off()
        ax.set(title=dataset.capitalize(), xlabel="labels a class")
    axes[0].set_ylabel("test accuracy, %")
    handles, _ = axes[0].get_legend_handles_labels()
    ours = [style.handle(network) for network in ("GCN", "AE")]
    figure.legend(handles=[*ours, *handles], loc="outside upper center", ncols=5)
figure

# %% tags=["hide-input"]
wide = theirs.pivot_table("accuracy", ["source", "method"], ["dataset", "labels"], sort=False)
wide.columns = pd.MultiIndex.from_tuples([(name.capitalize(), f"{each:.1f}") for name, each in wide.columns])
wide.rename_axis(columns=["theirs", "labels a class"])

# %% tags=["hide-input"]
theirs[["source", "from"]].drop_duplicates().set_index("source")
