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
import matplotlib as mpl
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.lines import Line2D
from scipy import stats

import mtgcn

from mtgcn.analysis import depth, figures, literature, page, wording
from mtgcn.analysis.figures import style
from mtgcn.analysis.figures.curves import plain_numbers
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
# Test accuracy in percent, mean ± standard error of the mean over the runs, the best of a depth bold.

# %%
grouped = outcome.table.groupby(["network", "hidden_layers"], sort=False)["test_accuracy"]
accuracy = grouped.agg(["mean", "sem", "count"])
accuracy["half"] = stats.t.ppf(0.975, accuracy["count"] - 1) * accuracy["sem"]  # of the 95 % interval
depth.by_depth(accuracy, parameters.dataset)

# %% [markdown]
# The same against the number of hidden layers, with 95 % intervals (Student's t). Open marks are the paper's, at depths
# that it has too; on a page with a remedy they are what others have published for it, without tasks.

# %%
theirs = literature.accuracies().rename(columns={"mean": "accuracy"})
theirs = theirs[theirs["hidden_layers"].isin(parameters.depths)]
if parameters.remedy != "none":
    theirs = literature.remedies().assign(network="GCN")
    theirs = theirs[theirs["remedy"] == parameters.remedy]
theirs = theirs[(theirs["dataset"] == parameters.dataset) & theirs["network"].isin(["GCN", *parameters.networks])]
names = list(dict.fromkeys([*theirs["network"], *parameters.networks]))
at = sorted(theirs["hidden_layers"])
ticks = sorted({*parameters.depths, *at[:1], *at[-1:]})  # others have some depths that a page has not

# %%
with mpl.rc_context(style.LOOK):
    alt = f"Test accuracy on {parameters.dataset} against hidden layers, means with 95 % intervals: {', '.join(names)}."
    figure, (ax,) = style.panels(1, 5.0, 3.6, alt, sharey=True)
    for place, name in enumerate(names):
        aside = 1.02 ** (place - (len(names) - 1) / 2)  # so that the intervals of a depth do not hide each other
        look, own, printed = style.of(name), accuracy.query("network == @name"), theirs[theirs["network"] == name]
        mark, places = {"color": look.colour, "marker": look.marker}, own.index.get_level_values(1) * aside
        ax.errorbar(places, own["mean"], own["half"], linestyle=look.dashes, ms=6, elinewidth=1, **mark)
        ax.plot(printed["hidden_layers"] * aside, printed["accuracy"], linestyle="none", mfc="none", ms=8, **mark)
    ax.set(xscale="log", xlabel="hidden layers", ylabel="test accuracy, %", ylim=np.clip(ax.get_ylim(), -2, 102))
    ax.set_xticks(ticks, ticks)
    ax.minorticks_off()
    handles = [Line2D([], [], marker="o", color=style.GREY, mfc="none", ms=8, linestyle="none", label="published")]
    handles = [*map(style.handle, names), *handles[: len(theirs)]]
    figure.legend(handles=handles, loc="outside lower center", ncols=4, handlelength=3.5)
figure

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
# run can show more than one. The page [What goes wrong inside a deep network](depth_inside.ipynb) says where the bounds
# come from.

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
both = pd.concat([outcome.curves, outcome.kept["examples"]], ignore_index=True)
pair = both[["network", "hidden_layers", "seed", "run"]].drop_duplicates()
said = [f"{one.network}, {wording.layers(one.hidden_layers)}, seed {one.seed}: {one.run}" for one in pair.itertuples()]

# %%
COURSE = {"validation_accuracy": "validation accuracy, %", "training_loss": "training loss"}
COURSE |= {"effective_rank": "effective rank, last layer", "gradient_norm": "gradient of the first layer"}
look = {"hue": "network", "palette": {name: style.of(name).colour for name in pair["network"]}}
look |= {"style": "run", "style_order": list(pair["run"]), "dashes": {"learns": "", "collapses": (3, 1.5)}}
with mpl.rc_context(style.LOOK):
    alt = f"Two runs along training, {' and '.join(said)}: {', '.join(COURSE.values())}."
    figure, axes = style.panels(len(COURSE), 2.2, 2.3, alt, sharey=False)
    for ax, (column, title) in zip(axes, COURSE.items(), strict=True):
        dots = {"learns": "o", "collapses": "s"} if column not in outcome.curves else False  # measured now and then
        drawn = {"markers": dots, "markeredgewidth": 0, "estimator": None, "legend": False}
        sns.lineplot(both, x="epoch", y=column, **look, **drawn, ax=ax)
        ax.set(xscale="log", yscale="log" if column in ("training_loss", "gradient_norm") else "linear", ylabel="")
        ax.set_title(title, fontsize=10)
        ax.xaxis.set_major_formatter("{x:,.0f}")
        if ax.get_yscale() == "log":
            plain_numbers(ax)
    figure.legend(axes[0].lines, said, loc="outside lower center", ncols=2, handlelength=3.5)
figure

# %% [markdown]
# ## Computed with

# %%
page.computed_with(outcome.record)
