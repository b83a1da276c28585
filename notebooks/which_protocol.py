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
# # Which protocol did they run?
#
# One of 70 candidates fits the paper's figures for the plain GCN best: L2 on all layers, counted whole as Keras does,
# with the penalty in the validation loss, and the best epoch by that loss. Under it our GCN with five hidden layers has
# 18.26 percent, where the paper has 16.47; under the paper's words, taken literally, it has 64.78. With one hidden layer
# our GCN stays above the paper's, by 0.66 points on Pubmed, 0.68 on Cora and 1.63 on Citeseer. No candidate with
# row-normalised features goes below the paper there: it is our better baseline.

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
import numpy as np
import pandas as pd
import seaborn as sns

from mtgcn.analysis import literature, wording
from mtgcn.analysis.figures import style
from mtgcn.analysis.table import Table
from mtgcn.experiments import stored

# %% tags=["parameters", "hide-input"]
results = ["protocol-l2-*", "protocol-rest-*"]

# %% [markdown]
# ## The rule, written down before any task was looked at
#
# The paper says less about its training than it takes to repeat it. The plain GCN has no task and no weight to tune, so
# its five figures in Tables 1 and 2 can tell which protocol was run, without touching what is to be tested.
#
# - A candidate is a full set of settings, trained 50 times on each data set and depth that the paper has.
# - For each of these five, take the difference between our mean and the paper's, in standard errors of that difference.
# - The distance of a candidate is the root mean square of the five numbers. The smallest distance wins.
#
# We do not train all combinations but walk a path. **Step 1** crosses the three questions about L2. **Step 2** starts
# from the winner and switches every other setting alone, and three of them together. A switch is taken over only if it
# comes nearer beyond chance, in 97.5 percent of 2,000 bootstrap samples of the seeds; otherwise the simpler candidate
# stays. The five rules for the best epoch look at the same training, so each training gives five candidates.
#
# | setting | choices | where they come from |
# |---|---|---|
# | L2 acts on | the first layer, all layers | Kipf & Welling's code has it on the first layer; the paper takes "the same amount" and names no layer |
# | L2 counts | half: λ/2 ‖B‖², whole: λ ‖B‖² | TensorFlow's `l2_loss`, which Kipf & Welling use, halves; Keras' `l2(λ)` does not |
# | the penalty is | outside or inside the validation loss | Keras reports `val_loss` with it, and so does Kipf & Welling's code; torch's usual weight decay leaves it out |
# | best epoch by | accuracy (first, last, or lowest loss of equal ones), multi-task loss, main loss | the text: "best performing epoch on the validation set" |
# | an improvement is | relative or absolute 0.0001 | the defaults of torch and Keras for a plateau |
# | features are | row-normalised or raw | Kipf & Welling's code normalises; the text does not say |
# | self-loops of the raw files | dropped or kept | Kipf & Welling's code keeps them (Citeseer has 124, Pubmed 3, Cora none) |
# | Adam's ε | 1e-8 or 1e-7 | Kingma & Ba, Keras |
# | biases | no or yes | the paper's formula has none; Keras' layers have them unless told otherwise |
#
# ## How far each candidate is from the paper

# %% tags=["hide-input"]
PLACE, CANDIDATE = ["dataset", "hidden_layers"], ["variant", "rule"]
runs = stored.read(*results)
rules = [name for name in runs if name.startswith("test_by_")]
long = runs.melt([*PLACE, "variant", "seed"], rules, "rule", "accuracy")
long["rule"] = long["rule"].str.removeprefix("test_by_").str.replace("_", ", ")
# Cora has no self-loops to keep: there the switch changes nothing, and is not trained.
same = long[(long["dataset"] == "cora") & (long["variant"] == "all whole inside")]
long = pd.concat([long, same.assign(variant="self-loops kept")], ignore_index=True)

paper = literature.accuracies().query("network == 'GCN'").drop(columns="network")
means = long.groupby([*CANDIDATE, *PLACE], sort=False)["accuracy"].agg(["count", "mean", "sem"]).reset_index()
means = means.merge(paper, on=PLACE, suffixes=("", "_paper"), validate="m:1")
means["error"] = np.hypot(means["sem"], means["sem_paper"])
means["errors apart"] = (means["mean"] - means["mean_paper"]) / means["error"]
candidates = means.groupby(CANDIDATE, sort=False)["errors apart"].agg(
    distance=lambda apart: np.sqrt((apart**2).mean()), places="count"
)
candidates = candidates[candidates["places"] == len(paper)].drop(columns="places").sort_values("distance")
candidates["step"] = np.where([" ".join(name.split()[:1]) in ("first", "all") for name, _ in candidates.index], 1, 2)
candidates.head(8).round(2)

# %% [markdown]
# The winner of step 1, and in which share of the bootstrap samples each candidate of step 2 is nearer:

# %% tags=["hide-input"]
(winner, rule) = candidates[candidates["step"] == 1].index[0]
samples = np.random.default_rng(0).integers(50, size=(2000, 50))


def distances(variant, rule):
    """Return the distance of a candidate in each sample of the seeds."""
    own = means[(means["variant"] == variant) & (means["rule"] == rule)]
    chosen = (long["variant"] == variant) & (long["rule"] == rule)
    runs = long[chosen].pivot_table("accuracy", "seed", PLACE)
    apart = [
        (runs[dataset, depth].to_numpy()[samples].mean(axis=1) - mean) / error
        for dataset, depth, mean, error in own[[*PLACE, "mean_paper", "error"]].itertuples(index=False)
    ]
    return np.sqrt(np.mean(np.square(apart), axis=0))


further = candidates[candidates["step"] == 2].copy()
further["nearer"] = [(distances(*one) < distances(winner, rule)).mean() for one in further.index]
taken = further.index[further["nearer"] >= 0.975].tolist()
print(f"Step 1: {winner}, best epoch by {rule}. Taken over from step 2: {taken or 'nothing'}.")
further.head(8).round(3)

# %% tags=["hide-input"]
shown = candidates.reset_index()
order = shown.groupby("variant")["distance"].min().sort_values().index.tolist()
RULES = ["accuracy", "accuracy, last", "accuracy, loss", "loss", "main, loss"]
with mpl.rc_context(style.LOOK):
    alt = f"Distance of {len(shown)} candidates from the paper's GCN figures; nearest in step 1: {winner}, by {rule}."
    figure = style.Figure(7.6, 0.9 + 0.3 * len(order), alt)
    ax = figure.subplots()
    shown["variant"] = pd.Categorical(shown["variant"], order, ordered=True)
    look = {
        "hue_order": RULES,
        "style_order": RULES,
        "palette": ["#0072b2", "#3399cc", "#8a6fd1", "#d55e00", "#c48000"],
    }
    sns.scatterplot(shown, x="distance", y="variant", hue="rule", style="rule", **look, s=55, ax=ax)
    ax.set(xscale="log", xlabel="distance from the paper's five GCN figures, in standard errors", ylabel="")
    ax.set_xticks([3, 5, 10], ["3", "5", "10"])
    ax.minorticks_off()
    ax.legend(title="best epoch by", loc="lower right")
figure

# %% [markdown]
# With L2 on the first layer only, a candidate is far from the paper, whatever its other settings. On all layers, the
# whole penalty is nearer than the half. No switch of step 2 comes nearer beyond chance. Keeping the self-loops of the raw files
# just misses the bar (97.4 percent of the samples) and moves Citeseer by 0.07 points only. Biases and raw features keep
# the network with five layers from collapsing (36.45 and 64.58 percent), so the authors probably used neither.
#
# ## Two readings beside the paper

# %% tags=["hide-input"]
readings = {"its words": ("first half", "accuracy"), "the nearest": (winner, rule)}
text = pd.DataFrame({"the paper": [wording.with_error(*row) for row in paper[["mean", "sem"]].to_numpy()]})
data = []
for name, (variant, by) in readings.items():
    own = paper[PLACE].merge(means[(means["variant"] == variant) & (means["rule"] == by)], on=PLACE)
    text[name] = [wording.with_error(*row) for row in own[["mean", "sem"]].to_numpy()]
    text[f"{name}, errors apart"] = [wording.signed(value, 1) for value in own["errors apart"]]
    data.append(own.assign(reading=name))
text.index = [wording.cell(*place) for place in paper[PLACE].itertuples(index=False)]
table = Table("which-protocol", pd.concat(data), text, text == "")
stored.keep(candidates.reset_index(), "candidates.csv")
stored.keep(further.reset_index(), "step-2.csv")
stored.keep(table.csv(), "readings.csv")
table

# %% [markdown]
# With two and five hidden layers the nearest reading is within 0.6 standard errors of the paper. So the collapse of the
# deep plain GCN is weight decay on every layer, as strong as Keras makes it. What remains is one hidden layer: 4.4
# standard errors on Cora and 7.0 on Citeseer. We did not go on to look for settings that make our baseline worse.
#
# The nearest reading is `protocol: matched` in a parameter file; `protocol: text`, the default, is the literal one.
