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
# # Over-smoothing, measured
#
# Graph networks lose accuracy when they grow deep. This page gathers the runs of all depths and asks what goes wrong
# inside, which auxiliary task holds it up, and whether the tasks still add anything once depth itself is mended.
# Nothing is trained here; what has not been run yet is missing from the figures.

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

from IPython.display import Markdown, display

from mtgcn import depth_answers, depth_tables, diagnosis, figures, gathering, pages, published
from mtgcn import results as stored

print(pages.ready())

# %% tags=["parameters"]
results = ["depth-*", "remedy-*"]
dataset = "cora"
course_depth = 8

# %%
studies = gathering.gather(*results)
plain, here = studies.of(remedy="none", tuned_for=1), studies.of(dataset)
same = here.of(remedy="none", tuned_for=1)
if not studies.table.empty:
    stored.keep(studies.table.drop(columns=["results", "seconds"]))
print(f"{len(studies.table)} runs of {studies.table['results'].nunique()} pages.")

# %% [markdown]
# ## In plain words

# %%
Markdown(depth_answers.in_words(studies, dataset))

# %% [markdown]
# ## Accuracy against depth
#
# Test accuracy in per cent, mean over the runs with its 95 % interval. Open marks are the paper's means at the depths
# it has.

# %%
figure = figures.accuracy_against_depth(plain.table)
stored.keep(figure.svg(), "accuracy.svg")
figure

# %%
display(*[depth_tables.accuracy_by_depth(plain.of(name).table) for name in plain.datasets])

# %% [markdown]
# What each network gains over the plain one with the same seed and depth, in points, with its 95 % interval; bold where
# that lies above zero. The intervals are not corrected for their number: by chance alone one in forty lies above.

# %%
display(*[depth_tables.gains_by_depth(plain.of(name).table) for name in plain.datasets])

# %% [markdown]
# These weights were tuned for one hidden layer. At the other depths of the paper, beside weights tuned for that depth
# (ten runs each; a hundred of one network stand on *More runs, other splits*):

# %%
paper_depths = here.table[here.table["hidden_layers"].isin([2, 5]) & (here.table["remedy"] == "none")]
depth_tables.accuracy_by_depth(paper_depths)

# %% [markdown]
# ## What the layers do
#
# For each number of hidden layers (down) and each of these layers (across), mean over the runs at their best epochs, on
# the data set that the parameters name. First the relative energy: how much connected nodes still differ beyond their
# degrees (Dirichlet energy with the normalised Laplacian, divided by the squared norm).

# %%
figures.depth_by_layer(same.measures, "relative_energy", "relative energy", logarithmic=True)

# %% [markdown]
# The same with the unnormalised Laplacian, for which nodes are alike when they are equal, whatever their degrees:

# %%
figures.depth_by_layer(same.measures, "relative_unnormalised_energy", "relative energy, unnormalised", logarithmic=True)

# %% [markdown]
# The mean average distance (MAD), cosine distance between neighbours, and between nodes at least eight steps apart:

# %%
figures.depth_by_layer(same.measures, "mad_neighbours", "MAD, neighbours", logarithmic=True)

# %%
figures.depth_by_layer(same.measures, "mad_remote", "MAD, remote pairs", logarithmic=True)

# %% [markdown]
# The effective rank, from one (all nodes on a line) to the number of units:

# %%
figures.depth_by_layer(same.measures, "effective_rank", "effective rank")

# %% [markdown]
# Along training, at one depth: the effective rank by epoch (down) and layer (across), mean over the runs.

# %%
figures.epoch_by_layer(same.course, course_depth, "effective_rank", f"effective rank, {course_depth} hidden layers")

# %% [markdown]
# ## What goes with accuracy
#
# Each point is a run with its measures in the last hidden layer, all data sets and depths without remedy; ρ is the rank
# correlation with the accuracy.

# %%
figures.accuracy_against_measures(plain.runs())

# %% [markdown]
# ## Three failures with one accuracy
#
# A run has failed when it is hardly better than naming the largest class for every node. Its measures at the best epoch
# then show over-smoothing (all nodes point one way, or the effective rank is below 2.5), a gradient that has vanished
# on the way back to the first layer, or a layer whose units are dead; one run can show more than one. These are signs,
# not causes: the list above says how often runs that learn show over-smoothing too.

# %%
diagnosed = diagnosis.diagnose(plain.table, plain.measures)
stored.keep(diagnosed, "failures.csv")
display(*[depth_tables.failures_by_depth(diagnosed[diagnosed["dataset"] == name]) for name in plain.datasets])

# %% [markdown]
# The paper reports a mean of 16.47 % for the plain network with five hidden layers on Cora. What the plain networks of
# that accuracy show here, whatever their depth:

# %%
depth_tables.runs_like_the_papers(diagnosed)

# %% [markdown]
# Two runs along training, of the depth at which the runs of a page differ most: the least accurate and the best.

# %%
for page, curves in same.curves.groupby("results", sort=False):
    display(figures.two_runs(curves, same.examples[same.examples["results"] == page]))

# %% [markdown]
# ## Maps of the embeddings
#
# Nodes of one run (the one with the median validation accuracy) laid out by t-SNE, for the plain network and some
# with tasks. Only who is near whom means something, not the axes.

# %%
figures.embedding_maps(same.maps)

# %% [markdown]
# ## Once depth itself is mended
#
# Remedies that change the encoder: alone (GCN) and with the single task that did best on the validation nodes, its
# weight tuned for one hidden layer. Not every remedy mends depth here; the list above says how far each gets. Thin
# lines are the same networks without remedy; diamonds are what others have published for the remedy alone, with their
# own settings. Where it says so, the remedy is built and trained here as its authors do too: first and last layer,
# units, dropout, L2 and the end of training.

# %%
mended = here.table[(here.table["tuned_for"] == 1) | (here.table["remedy"] != "none")]
figure = figures.remedies_against_depth(mended[mended["tuned_for"] == 1])
stored.keep(figure.svg(), "remedies.svg")
figure

# %%
depth_tables.accuracy_by_depth(mended[mended["network"].isin(mended.loc[mended["remedy"] != "none", "network"])])

# %% [markdown]
# What the task adds to each remedy, in points over the plain network with the same remedy, seed and depth. For the
# remedy with its authors' settings, the task's weight was searched anew too, with eight hidden layers of that encoder,
# on the validation nodes:

# %%
depth_tables.gains_by_depth(mended[mended["remedy"] != "none"])

# %% [markdown]
# Theirs, by their own count of layers, and the same without tasks from here. Rong et al. (2020) count the layer that
# gives the classes too, so that eight of theirs are seven hidden layers here; Chen et al. (2020 and 2021) put their
# layers between two dense ones, which nobody counts. GCNII's full table by depth is not quoted, since no copy of it was
# at hand to check against: what its authors' settings give here takes its place.

# %%
depth_tables.published_by_depth(mended, dataset)

# %%
Markdown("\n".join(f"- {source}: {where}." for source, where in published.sources().items()))
