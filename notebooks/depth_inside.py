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
# # What goes wrong inside a deep network
#
# The nodes become alike: of the failed runs of the plain GCN, 96 % show over-smoothing, and 40 % a gradient that has
# vanished on the way back to the first layer. How many directions the last hidden layer still uses, its effective rank,
# goes with accuracy: the rank correlation is 0.83 on Citeseer, 0.80 on Cora and 0.86 on Pubmed.

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
from IPython.display import display
from matplotlib.lines import Line2D
from scipy import sparse

from mtgcn.analysis import depth, figures, literature, wording
from mtgcn.analysis.comparison import in_order
from mtgcn.analysis.figures import style
from mtgcn.analysis.figures.curves import plain_numbers
from mtgcn.data import toy
from mtgcn.experiments import stored
from mtgcn.experiments.smoothing import Gauge

# %% tags=["parameters", "hide-input"]
results = ["depth-*"]
dataset = "cora"
course_depth = 8

# %% [markdown]
# ## Directions that are left, layer by layer
#
# The effective rank (Roy & Vetterli 2007) of what each hidden layer gives, at the best epoch, mean over the runs on
# Cora. It goes from one (all nodes lie on a line) to the number of units, sixteen.


# %% tags=["hide-input"]
def of_plain(rows):
    """Return the rows without remedy, under the paper's words, with weights tuned for one hidden layer."""
    return rows[(rows["remedy"] == "none") & (rows["protocol"] == depth.TEXT) & (rows["tuned_for"] == 1)]


def here(rows, names=("GCN", "AE", "ER", "AE+FR+ER")):
    """Return the rows of some networks on the data set of the parameters."""
    return rows[(rows["dataset"] == dataset) & rows["network"].isin(names)]


table = of_plain(depth.gather(*results))  # one row a run
measures = of_plain(depth.gather(*results, kept="measures.csv"))  # one row a run and layer, at the run's best epoch
norm = measures["squared_norm"].where(measures["squared_norm"] > 0)
measures = measures.assign(relative_energy=(measures["normalised_dirichlet_energy"] / norm).astype(float))
figure = figures.depth_by_layer(here(measures), "effective_rank", "effective rank")
figure.alt = (
    "Effective rank by hidden layers and layer: it stays high with few layers, and falls towards one with many."
)
figure

# %% [markdown]
# What to see: read a row from left to right, it follows the nodes through one network. Networks that learn keep several
# directions up to their last layer; deep ones lose them on the way, with tasks and without. The rank of the last hidden
# layer, mean over the runs, the highest of a depth bold:

# %% tags=["hide-input"]
judged = depth.measured(table, measures)  # one row a run, with the measures of its last hidden layer
of_all = judged[judged["dataset"] == dataset]
of_all = of_all[of_all.groupby("hidden_layers")["network"].transform("nunique") == of_all["network"].nunique()]
rank = of_all.groupby(["variant", "hidden_layers"], observed=True)["effective_rank"].agg(["mean"]).assign(sem=np.nan)
depth.by_depth(rank, dataset)

# %% [markdown]
# ## Why: averages of averages
#
# A graph convolution averages. One layer mixes a node with its neighbours, which is what makes it work: neighbours in a
# citation network are mostly of one field. But the average of averages of averages is the same everywhere. Li et al.
# (2018) named this *over-smoothing*; Oono & Suzuki (2020) show that the loss is exponential in depth for a wide family
# of weights.
#
# Leave out weights, rectifiers and training. What remains of a network with $k$ hidden layers is $\hat{A}^k X$, where
# $\hat{A}$ is the adjacency matrix with self-loops, normalised on both sides. Move the slider through $k$ on the
# generated toy graph: 240 nodes, four classes, one marker each.

# %% tags=["hide-input"]
STEPS = {
    0: "The raw features. Classes overlap.",
    1: "One step: neighbours pull each other together. Most neighbours share a class, so the classes separate.",
    2: "Two steps: four compact groups. This is where a linear classifier has the easiest work.",
    4: "Four steps: still apart, but the picture as a whole shrinks.",
    8: "Eight steps: groups touch. Two nodes without a way to the others stay where they are.",
    16: "Sixteen steps: what is left is mostly how many neighbours a node has.",
    32: "Thirty-two steps: nearly one point.",
    64: "Sixty-four steps: one point for each connected part of the graph.",
}
arrays = toy.generate()
edges = sparse.coo_array((np.ones(arrays.edges.shape[1]), arrays.edges), shape=(arrays.nodes, arrays.nodes))
with_loops = edges + edges.T + sparse.eye_array(arrays.nodes)
scale = sparse.diags_array(1 / np.sqrt(with_loops.sum(axis=1)))
smooth, states = (scale @ with_loops @ scale).tocsr(), [arrays.features.toarray().astype(np.float64)]
for _ in range(max(STEPS)):
    states.append(smooth @ states[-1])
centre = states[2].mean(axis=0)  # all steps in the same two directions: the principal components after two steps
directions = np.linalg.svd(states[2] - centre, full_matrices=False)[2][:2].T
limit = 1.05 * np.abs((states[1] - centre) @ directions).max()

# %% tags=["hide-input"]
gauge, steps = Gauge(arrays.edges, arrays.nodes), []
looks = [style.of(name) for name in ("AE", "FR", "ER", "AE+FR")]  # one for each class
for step, caption in STEPS.items():
    measured = gauge.measures(states[step][None])
    energy = (measured["normalised_dirichlet_energy"] / measured["squared_norm"]).item()
    with mpl.rc_context(style.LOOK):
        figure = style.Figure(5, 4.2, f"The nodes of the toy graph in two directions. {caption}")
        ax = figure.subplots()
        for label, look in enumerate(looks):
            x, y = ((states[step] - centre) @ directions)[arrays.labels == label].T
            ax.scatter(x, y, s=22, marker=look.marker, color=look.colour, alpha=0.8, linewidths=0, rasterized=True)
        ax.set(xlim=(-limit, limit), ylim=(-limit, limit), xticks=[], yticks=[])
        ax.set_title(f"energy {energy:.4f}     effective rank {measured['effective_rank'].item():.1f}", fontsize=10)
    steps.append(figures.Step(str(step), figure, caption))
figures.Slider("Steps", steps)

# %% [markdown]
# *Energy* is how much connected nodes still differ: the Dirichlet energy with the normalised Laplacian, divided by the
# squared norm. Where it ends is known. $\hat{A}$ is symmetric with eigenvalues in $(-1, 1]$, and the eigenvalue 1 occurs
# once for each connected part of the graph. Its eigenvector has $v_i \propto \sqrt{1 + d_i}$ at node $i$ with $d_i$
# neighbours. All else shrinks by a fixed factor in each step. In the limit a node tells its part of the graph and its
# number of neighbours, and nothing of its words.
#
# ## Three failures with one accuracy
#
# A trained network is not this bare product. It has weights, which can grow to make up for the shrinking, and
# rectifiers, which can die; and a deep network can fail because gradients vanish on the way back, long before its nodes
# are alike. Telling these apart takes more than accuracy:
#
# | what is measured | near zero (or one) when |
# |---|---|
# | relative energy | connected nodes differ by their degree only |
# | mean average distance, MAD (Chen et al. 2020) | directions agree, between neighbours or between remote nodes |
# | effective rank (near one) | all nodes lie on one line |
# | share of dead units (near one) | rectifiers give zero on every node |
# | gradient of the first layer | the encoder no longer learns |
#
# A run has *failed* when it is hardly better than naming the largest class for every node. What its measures at the best
# epoch show is then counted, by the bounds in the cell; one run can show more than one. The bounds were set on shorter
# trainings, before the runs of this study, and not moved since.

# %% tags=["hide-input"]
# Within five points of the largest class's share. A run that diverged has no accuracy, and has failed, too.
judged["failed"] = ~(judged["test_accuracy"] > judged["chance"] + 5)
# Fewer than three directions, where runs that learn have four to eight for the seven classes of Cora; or all nodes,
# however far apart in the graph, point one way within 10 %, where runs that learn have 30 to 60 %.
judged["smoothed"] = (judged["effective_rank"] < 2.5) | (judged["mad_remote"] < 0.1)
# The norm of the first layer's gradient: runs that learn have 3e-2 and more, and L2 alone pulls with 3e-3.
judged["vanished"] = judged["gradient_norm"] < 1e-3
# In some layer 15 of 16 units are zero on every node: it lets (almost) nothing through.
judged["dead"] = judged["most_dead_units"] >= 0.9

SIGNS = {"smoothed": "over-smoothing", "vanished": "vanishing gradients", "dead": "dead units"}


def verdict(run):
    """Say what ails a run: "over-smoothing and vanishing gradients"."""
    if not run["failed"]:
        return "learns"
    if np.isnan(run["test_accuracy"]):
        return "diverged"
    return " and ".join(words for sign, words in SIGNS.items() if run[sign]) or "none of the three"


def failures(runs, by):
    """Count runs and those that failed, and of the latter those with each sign; groups without failure are left out."""
    failed = runs[runs["failed"]].assign(none=runs["verdict"] == "none of the three")
    signs = failed.groupby(by)[[*SIGNS, "none"]].sum().astype(int)
    counts = runs.groupby(by)["failed"].agg(runs="size", failed="sum").join(signs, how="inner")
    return counts.rename(columns={**SIGNS, "none": "none of the three"}).rename_axis(
        [name.replace("_", " ") for name in by]
    )


judged["verdict"] = [verdict(run) for run in judged.to_dict("records")]
judged["with"] = np.where(judged["network"] == "GCN", "no task", "tasks")
decisive = ["epoch", "effective_rank", "mad_remote", "gradient_norm", "most_dead_units", "failed", *SIGNS, "verdict"]
kept = judged[["dataset", "remedy", "network", "hidden_layers", "seed", "test_accuracy", "chance", *decisive]]
stored.keep(kept.rename(columns={"most_dead_units": "dead_units"}), "failures.csv")
display(failures(judged, ["dataset", "with"]), failures(judged, ["hidden_layers"]))

# %% [markdown]
# Up to three hidden layers hardly a run fails, with sixteen nearly all do, and most that fail show over-smoothing. The
# gradient vanishes mostly from sixteen layers on. A layer of dead units is rare: 1 of 688 failed runs has one.
#
# These are signs, not causes. At depths where some runs fail and others learn, compare how many of each show
# over-smoothing; and see how many of the failed runs had their best epoch among the first three, with weights that have
# hardly moved:

# %% tags=["hide-input"]
mixed = judged[judged.groupby(["dataset", "hidden_layers"])["failed"].transform("nunique") == 2]
smoothed = mixed.groupby("failed")["smoothed"].agg(**{"runs": "size", "over-smoothing": "sum"})
display(smoothed.rename({False: "runs that learn", True: "runs that fail"}).rename_axis(None))
failed = judged[judged["failed"]].assign(early=judged["epoch"] <= 3, sign=judged["verdict"] != "none of the three")
early = failed.groupby("sign")["early"].agg(**{"runs": "size", "best epoch among the first three": "sum"})
display(early.rename({False: "failed with none of the three", True: "failed with a sign"}).rename_axis(None))

# %% [markdown]
# Runs that learn can show over-smoothing, too, but far fewer do. Failed runs without any of the three signs have mostly
# not left their first weights.
#
# ## What goes with accuracy
#
# Every run as a point, by the effective rank of its last hidden layer:

# %% tags=["hide-input"]
networks = in_order(list(judged["network"]))
with mpl.rc_context(style.LOOK):
    alt = "Test accuracy of every run against the effective rank of its last hidden layer: a low rank, a low accuracy."
    places = judged.groupby("dataset")
    figure, axes = style.panels(places.ngroups, 3.2, 2.8, alt, sharey=True)
    for ax, (name, own) in zip(axes, places, strict=True):
        for network in networks:
            look, dots = style.of(network), {"s": 22, "alpha": 0.6, "linewidth": 0, "rasterized": True}
            runs = own[own["network"] == network]
            ax.scatter(runs["effective_rank"], runs["test_accuracy"], color=look.colour, marker=look.marker, **dots)
        ax.set(title=name.capitalize(), xlabel="effective rank, last layer")
    for ax in axes[:1]:
        ax.set_ylabel("test accuracy, %")
    handles = [style.handle(name, line=False) for name in networks]
    figure.legend(handles=handles, loc="outside lower center", ncols=7)
figure

# %% [markdown]
# What to see: hardly a run with fewer than two directions is accurate. Not every run with many is: some have failed in
# other ways. Spearman's rank correlation with the test accuracy, of this measure and of the others:

# %% tags=["hide-input"]
names = {"effective_rank": "effective rank", "mad_remote": "MAD, remote pairs", "mad_neighbours": "MAD, neighbours"}
names |= {"relative_energy": "relative energy", "gradient_norm": "gradient of the first layer"}
names |= {"dead_units": "share of dead units"}
correlations = {
    name.capitalize(): {label: own[column].corr(own["test_accuracy"], "spearman") for column, label in names.items()}
    for name, own in places
}
pd.DataFrame(correlations).round(2)

# %% [markdown]
# ## Smoothing itself
#
# The relative energy by depth and layer: how much connected nodes still differ beyond their degrees.

# %% tags=["hide-input"]
figure = figures.depth_by_layer(here(measures), "relative_energy", "relative energy", logarithmic=True)
figure.alt = "Relative energy by hidden layers and layer: along each row it falls by orders of magnitude."
figure

# %% [markdown]
# What to see: along a row the energy falls by orders of magnitude, with tasks and without.
#
# ## Along training
#
# The effective rank by epoch (down) and layer (across) at one depth, mean over the runs:

# %% tags=["hide-input"]
course = of_plain(depth.gather(*results, kept="course.csv"))
figure = figures.epoch_by_layer(
    here(course), course_depth, "effective_rank", f"effective rank, {course_depth} hidden layers"
)
figure.alt = "Effective rank by epoch and layer: the last layers fall to one or two directions early, and stay there."
figure

# %% [markdown]
# What to see: with eight hidden layers the last ones are left with one or two directions after the first epochs, and
# stay there. A network that learns raises its rank again. Two runs of a depth at which runs differ much, the least
# accurate and the best:

# %% tags=["hide-input"]
courses = (depth.gather(*results, kept=name) for name in ("curves.csv", "examples.csv"))
two = here(of_plain(pd.concat(courses, ignore_index=True)), networks)
best = two.groupby(["results", "run"])["validation_accuracy"].max().groupby("results")
apart = (best.max() - best.min()).sort_values()
two = two[two["results"].isin(apart.index[-1:])]  # one page's pair: the one that differs most
COURSE = {"validation_accuracy": "validation accuracy, %", "training_loss": "training loss"}
COURSE |= {"effective_rank": "effective rank, last layer", "gradient_norm": "gradient of the first layer"}
DASHES, MARKERS = {"learns": "", "collapses": (3, 1.5)}, {"learns": "o", "collapses": "s"}

# %% tags=["hide-input"]
for _, both in two.groupby("results"):
    pair = both[["network", "hidden_layers", "seed", "run"]].drop_duplicates()
    said = [
        f"{one.network}, {wording.layers(one.hidden_layers)}, seed {one.seed}: {one.run}" for one in pair.itertuples()
    ]
    lines = {"hue": "network", "palette": {name: style.of(name).colour for name in pair["network"]}, "legend": False}
    lines |= {"style": "run", "style_order": list(pair["run"]), "dashes": DASHES, "markeredgewidth": 0}
    with mpl.rc_context(style.LOOK):
        alt = "Two runs along training: in both the rank falls to one, and only the run that learns raises it again."
        figure, axes = style.panels(len(COURSE), 2.4, 2.4, alt, sharey=False)
        for ax, (column, title) in zip(axes, COURSE.items(), strict=True):
            dots = MARKERS if column in ("effective_rank", "gradient_norm") else False  # measured now and then
            sns.lineplot(both, x="epoch", y=column, **lines, markers=dots, estimator=None, ax=ax)
            ax.set(xscale="log", yscale="log" if column in ("training_loss", "gradient_norm") else "linear", ylabel="")
            ax.set_title(title, fontsize=10)
            ax.xaxis.set_major_formatter("{x:,.0f}")
            if ax.get_yscale() == "log":
                plain_numbers(ax)
        figure.legend(axes[0].lines, said, loc="outside lower center", ncols=2, handlelength=3.5)
    display(figure)

# %% [markdown]
# What to see: what moves first. In both the rank falls to about one within the first epochs. The run that learns raises
# it again, and its accuracy with it; the other stays where it is.
#
# ## Maps of the nodes
#
# Nodes of one run (the one with the median validation accuracy) laid out by t-SNE. Only who is near whom means
# something, not the axes, and not the distances between groups.

# %% tags=["hide-input"]
maps = here(of_plain(depth.gather(*results, kept="maps.csv")), ("GCN", "AE+FR+ER"))
classes = dict(zip(sorted(maps["label"].unique()), map(style.of, literature.NETWORKS), strict=False))
with mpl.rc_context(style.LOOK):
    alt = (
        "Maps (t-SNE) of the nodes by network and hidden layers: classes form groups with few layers, and mix with 16."
    )
    pictures = maps.groupby([pd.Categorical(maps["network"], networks), "hidden_layers"], observed=True)
    figure, axes = style.panels(pictures.ngroups, 2.3, 2.4, alt, sharey=True)
    for ax, ((name, number), nodes) in zip(axes, pictures, strict=True):
        for label, look in classes.items():
            own, dots = nodes[nodes["label"] == label], {"s": 12, "alpha": 0.7, "linewidth": 0, "rasterized": True}
            ax.scatter(own["x"], own["y"], color=look.colour, marker=look.marker, **dots)
        ax.set_title(f"{name}, {wording.layers(number)}", fontsize=10)
        ax.set(xticks=[], yticks=[], xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), aspect="equal")
    dots = [Line2D([], [], color=look.colour, marker=look.marker, linestyle="none") for look in classes.values()]
    figure.legend(dots, [f"class {label}" for label in classes], loc="outside lower center", ncols=7)
figure

# %% [markdown]
# What to see: with one and two hidden layers the classes form groups; with sixteen the nodes are strung along lines,
# which is a rank of one, and the classes are mixed.
