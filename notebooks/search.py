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
# # How the weights were chosen
#
# The paper tunes each network by a grid search, but prints neither the grid of weights nor how the best point was chosen.
# Here the mean validation accuracy decided, over 2609 points and 13,052 runs.
#
# - **What is there to gain?** As the paper says it, little: with 1 or 2 hidden layers the best point of a data set is at
#   most 0.9 points above the plain GCN on the validation nodes, with 5 on Cora 6.0, where the mean of the plain GCN has
#   itself a standard error of 2.1. As its figures suggest, a lot: with 5 layers 39.1 points.
# - **How much does the choice matter?** With 1 hidden layer on Cora, 62 of the 80 points of FR are at most half a point
#   below the best: another weight would have served as well. With 5, 26 of 96 points look better than the chosen one, but
#   they have had 3 or 6 runs, and the chosen one 20: there a few runs say little.
# - **Does anything leak?** No. A search looks at validation accuracy alone, its seeds are 1000 or larger, and a run
#   with such a seed is never reported. The best of many points has also been lucky, so the reported runs are new
#   ones.

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
import re

import matplotlib as mpl
import pandas as pd
import seaborn as sns
from IPython.display import Markdown, display
from matplotlib.patches import Rectangle

from mtgcn.analysis import wording
from mtgcn.analysis.figures import style
from mtgcn.experiments import stored

# %% tags=["parameters", "hide-input"]
results = ["search/*"]


# %% tags=["hide-input"]
def title(name):
    """Cora with gcnii, 8 hidden layers, for search/gcnii-cora-8; a name of another kind stays as it is."""
    if name.startswith("search/matched-"):
        return f"{title(name.replace('matched-', ''))}, {wording.PROTOCOLS['matched']}"
    if name.startswith("search/first-"):
        return f"{title(name.replace('first-', ''))}, first search"
    if (found := re.fullmatch(r"search/(?:([a-z]+)-)?([a-z]+)-(\d+)", name)) is None:
        return name.removeprefix("search/")
    remedy, dataset, depth = found.groups()
    return wording.cell(f"{dataset} with {remedy}" if remedy else dataset, int(depth))


points = stored.read(*results)  # one row for each point of a grid
if points.empty:
    points = pd.DataFrame(columns=["results", "network", "runs", "first_seed", "validation_accuracy", "sem", "chosen"])
points.insert(0, "search", points["results"].map(title))
chosen = points[points["chosen"].astype(bool)].set_index(["search", "network"])
VALUES = [name for name in points.columns if "." in name]  # of the tasks, such as FR.size
print(f"{points['search'].nunique()} searches, {len(points)} points, {points['runs'].sum():,} runs.")

# %% [markdown]
# ## Why nothing leaks
#
# A test accuracy is neither computed nor stored: here is what a point has, and the smallest seed of any run.

# %% tags=["hide-input"]
columns = ", ".join(name for name in points.columns if name not in ("results", "search"))
Markdown(f"Columns: {columns}. Smallest seed: {points['first_seed'].min()}.")

# %% [markdown]
# ## What is there to gain, and how flat is it?
#
# For each search and network: what the chosen point has above the plain GCN on the validation nodes, in points, and how
# many of the points tried, itself included, are at most half a point below it.

# %% tags=["hide-input"]
best = chosen["validation_accuracy"]
rows = []
for (search, network), tried in points.groupby(["search", "network"], sort=False):
    if network != "GCN" and (search, network) in best:
        near = (tried["validation_accuracy"] >= best[search, network] - 0.5).sum()
        above = f"{best[search, network] - best[search, 'GCN']:+.1f}"
        rows.append((search, network, f"{above}, {near} of {len(tried)}"))
cells = pd.DataFrame(rows, columns=["search", "network", "cell"])
cells.pivot_table("cell", "search", "network", aggfunc="first", sort=False).fillna("") if rows else cells

# %% [markdown]
# Where many points are near the chosen one, the weight hardly matters. A point that looks better than the chosen one has
# had fewer runs: only those of the last stage, with the most runs, can be chosen.
#
# ## The chosen points
#
# Each line is a network: the validation accuracy of the chosen point, mean ± standard error over its runs, how many points
# were tried with how many runs in all, and the chosen values. Every point gets a few runs, the best ones more. Look at
# how far the chosen weights of a task lie apart from one data set to the next.
#
# A *first search* knew one reading of the number of features that FR loses, and gave its best points eight runs. The
# study of depth, the pages on the paper's open points, and Pubmed under the paper's words have its weights. The search
# with a remedy belongs to the study of depth, too: the weight of one task, with the encoder that the remedy's authors have.


# %% tags=["hide-input"]
def text(value):
    return f"{value:g}" if isinstance(value, float) else str(value)  # 400 and not 400.0


tried = points.groupby(["search", "network"], sort=False)["runs"].agg(["size", "sum"])
best = chosen.reindex(tried.index)
accuracy = [wording.with_error(*pair) for pair in best[["validation_accuracy", "sem"]].to_numpy(float)]
table = best[["runs", *VALUES]].map(text, na_action="ignore").fillna("")
table.insert(0, "validation", accuracy)
table.insert(2, "points", tried["size"])
table.insert(3, "runs in all", tried["sum"])
for search, part in table.groupby("search", sort=False):
    display(Markdown(f"**{search}**"), part.loc[search, (part != "").any()])

# %% [markdown]
# ## The grids
#
# A cell is a point of the grid, and the framed one was chosen. The weight of the first task goes across, what else
# was tried goes down. The scale of a search begins at the lower quartile of its points, so the darkest cells may be
# much worse than they look. Empty cells were not tried: the other values of a task are first compared at a few weights,
# and only the best go on to all. Look at how flat the bright part is.


# %% tags=["hide-input"]
def grid_of(own):
    """Means of a network by its other values and the first weight, a heading, and where the chosen point is."""
    names = sorted(own[VALUES].dropna(axis=1, how="all"), key=lambda name: not name.endswith(".weight"))
    across, down = names[0], [name for name in names[1:] if len(own[name].unique()) > 1]
    own = own.assign(row=[", ".join(map(text, point)) for point in own[down].to_numpy(object)])
    grid = own.pivot_table("validation_accuracy", "row", across).loc[own["row"].unique()]
    chosen = own.loc[own["chosen"].astype(bool), [across, "row"]].to_numpy()
    places = [(grid.columns.get_loc(weight), grid.index.get_loc(row)) for weight, row in chosen]
    return grid, f"{across} →" + (f"   {', '.join(down)} ↓" if down else ""), places


def draw(search, tried):
    maps = {network: grid_of(own) for network, own in tried.groupby("network", sort=False)}
    rows = -(-len(maps) // 2)
    columns = -(-len(maps) // rows)
    heights = [max(len(grid) for grid, *_ in list(maps.values())[row::rows]) for row in range(rows)]
    low, best = tried["validation_accuracy"].quantile([0.25, 1])
    alt = f"Heat maps of validation accuracy, {search}: {', '.join(maps)}, best {best:.1f} %."
    figure = style.Figure(1 + 4.4 * columns, 0.9 + 0.6 * rows + 0.22 * sum(heights), alt)
    axes = figure.subplots(rows, columns, height_ratios=heights, squeeze=False)
    for spare in axes.T.flat[len(maps) :]:
        spare.remove()
    # Down the left side first. A map with fewer rows than the one beside it leaves room below.
    for place, (ax, network) in enumerate(zip(axes.T.flat, maps, strict=False)):
        grid, heading, chosen = maps[network]
        labels = {"xticklabels": grid.columns.map(text), "yticklabels": True}
        sns.heatmap(grid, vmin=low, vmax=best, cmap="viridis", cbar=False, **labels, ax=ax)
        for corner in chosen:
            ax.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor="#d55e00", linewidth=2.5, clip_on=False))
        ax.set(ylim=(heights[place % rows], 0), xlabel="", ylabel="")
        ax.set_title(f"{network}\n{heading}", fontsize=9)
        ax.tick_params(length=0, labelsize=7, labelrotation=0, labelbottom=False, labeltop=True)
        ax.grid(visible=False)
    bar = {"location": "bottom", "extend": "min", "extendfrac": 0.02, "aspect": 80, "fraction": 0.05}
    figure.colorbar(ax.collections[0], ax=figure.axes, label="validation accuracy, %", **bar).outline.set_visible(False)
    return figure


for search, tried in points[points["network"] != "GCN"].groupby("search", sort=False):
    with mpl.rc_context(style.LOOK):
        figure = draw(search, tried)
    display(Markdown(f"**{search}**"), figure)
