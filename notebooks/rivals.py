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
# # Rival tasks, learned weights, other layers
#
# Which self-supervision helps, and where? On Citeseer, trained as the paper says, the tasks made from the features do: AE,
# FR, NC and GCo gain between +0.61 and +0.88 points, and FR beside NC gains +1.25. On Cora no task gains when trained as
# the paper says; as its figures suggest GP gains most, +0.34. On Pubmed no task gains, though GP has +0.92 points on the
# validation nodes. Tasks on edges and distances gain nowhere, and on Cora EM loses up to −1.02 points. Learned weights do
# not replace the grid: with five layers on Cora, weights learned by uncertainty bring AE +5.02 points over tuned ones, but
# AE+FR+ER −20.85.

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

from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pandas as pd
from IPython.display import display
from matplotlib.lines import Line2D
from sklearn.metrics import adjusted_mutual_info_score

from mtgcn.analysis import literature, statistics, wording
from mtgcn.analysis.figures import style
from mtgcn.analysis.table import Table
from mtgcn.data import datasets
from mtgcn.experiments import stored
from mtgcn.model.tasks.node_clustering import NodeClustering, NodeClusteringParameters

# %% tags=["parameters", "hide-input"]
results = ["rivals-*", "matched-*-1", "citeseer-1", "cora-*", "pubmed-1", "search/*"]

# %% tags=["hide-input"]
DATASETS = ["citeseer", "cora", "pubmed"]
TASKS = ["AE", "FR", "ER", "NC", "GP", "GCo", "EM", "PD"]
WHERE = ["settings", "protocol", "dataset"]
NEEDED = ["results", "dataset", "protocol", "hidden_layers", "network", "seed", "test_accuracy", "validation_accuracy"]
STOPS = {"best epoch": "test_by_accuracy", "early stop": "test_at_early_stop"}

runs = stored.read(*(name for name in results if not name.startswith("search/")))
runs = runs.reindex(columns=[*dict.fromkeys([*NEEDED, *STOPS.values(), "variant", *runs.columns])])
runs["protocol"] = runs["protocol"].astype(object).fillna("text")
of_file = runs["results"].astype(str).str.extract("^rivals-(you|jin|sage|gat|weights)-", expand=False)
named = {"you": "You et al.", "jin": "Jin et al.", "sage": "SAGE", "gat": "GAT", "weights": "weights"}
runs["settings"] = of_file.map(named).fillna("searched").mask(runs["hidden_layers"] > 1, "deep")


def summary(own, keys):
    """Return gain, interval, runs and mean validation accuracy by ``keys``; of equal keys the file with most runs."""
    grouped = own.dropna(subset="gain").groupby([*keys, "results"], sort=False)
    rows = [
        (*key, part["gain"].mean(), *statistics.interval(part["gain"]), len(part), part["validation_accuracy"].mean())
        for key, part in grouped
    ]
    table = pd.DataFrame(rows, columns=[*keys, "results", "gain", "low", "high", "runs", "validation"])
    return table.sort_values("runs", ascending=False, kind="stable").drop_duplicates(keys).sort_index()


def laid_out(cells, row, head):
    """Return the texts in ``cell``, a line for each ``row`` and a column for each data set, below a ``head``."""
    wide = cells.pivot_table("cell", row, "dataset", aggfunc="first", sort=False).reindex(columns=DATASETS)
    wide = wide.astype(object).fillna(wording.DASH).rename(columns=str.capitalize)
    return wide.rename_axis(index=None, columns=head)


keys = [*WHERE, "seed"]
plain = runs[runs["network"] == "GCN"].drop_duplicates(keys)[[*keys, "test_accuracy"]]
gains = runs[runs["network"] != "GCN"].merge(plain, on=keys, suffixes=("", "_plain"))
gains["gain"] = gains["test_accuracy"] - gains["test_accuracy_plain"]
networks = summary(gains, [*WHERE, "network"])
networks["text"] = [wording.interval(*row) for row in networks[["gain", "low", "high"]].to_numpy(float)]
stored.keep(networks.drop(columns="text"), "gains.csv")

# %% [markdown]
# ## Every task, alone and with the best partner
#
# Eight tasks on the same code, split, protocol and seeds. A filled mark is the gain of the network with this task only, a
# hollow one that of the best network that has it and others. The vertical line is the plain GCN.

# %% tags=["hide-input"]
searched = networks[networks["settings"] == "searched"]
PROTOCOLS = [name for name in ("text", "matched") if name in set(searched["protocol"])]
COLOURS = dict(zip(("text", "matched"), ("#0072b2", "#d55e00"), strict=True))
marks = []
for task in TASKS:
    alone = searched[searched["network"] == task].assign(kind="alone")
    more = searched[
        (searched["network"] != task) & searched["network"].str.split("+").map({task}.issubset).astype(bool)
    ]
    best = more.sort_values("validation", ascending=False).drop_duplicates(["protocol", "dataset"])
    marks += [alone.assign(task=task), best.assign(task=task, kind="with the best partner")]
marks = pd.concat(marks, ignore_index=True)
stored.keep(marks.drop(columns="text"), "tasks.csv")
with mpl.rc_context(style.LOOK):
    alt = (
        f"Gains of {marks['task'].nunique()} tasks on {marks['dataset'].nunique()} data sets, alone and with a partner."
    )
    figure, axes = style.panels(len(DATASETS), 3.2, 4.2, alt, sharey=True)
    for dataset, ax in zip(DATASETS, axes, strict=True):
        ax.axvline(0, color=style.GREY, linewidth=1)
        for row in marks[marks["dataset"] == dataset].itertuples():
            partner = row.kind != "alone"
            shift = 0.18 * (row.protocol == "matched") + 0.36 * partner - 0.27
            colour = COLOURS[row.protocol]
            face = "none" if partner else colour
            ends = [[row.gain - row.low], [row.high - row.gain]]
            y = TASKS.index(row.task) + shift
            ax.errorbar(row.gain, y, xerr=ends, color=colour, marker="s" if partner else "o", mfc=face, ms=5, lw=1.2)
        ax.set(title=dataset.capitalize(), xlabel="gain, points", ylim=(len(TASKS) - 0.5, -0.5))
        ax.set_yticks(range(len(TASKS)), TASKS)
    looks = [Line2D([], [], color=COLOURS[name], lw=3, label=wording.PROTOCOLS[name]) for name in PROTOCOLS]
    looks += [Line2D([], [], color=style.GREY, ls="none", marker="o", label="alone")]
    looks += [Line2D([], [], color=style.GREY, ls="none", marker="s", mfc="none", label="with the best partner")]
    figure.legend(handles=looks, loc="outside upper center", ncols=2)
figure

# %% [markdown]
# What to see: on Citeseer four blue marks lie to the right of the line, AE, FR, NC and GCo. All are made from the features.
# As the paper's figures suggest (orange) nothing is left of that. On Cora ER, NC and GP lie to the right in orange, and
# none in blue. EM and PD, the tasks on edges and distances, lie to the left there under both protocols.
#
# | task | of | what is predicted |
# |---|---|---|
# | AE | the paper | the features, from the embedding |
# | FR | the paper | the features, from some of them |
# | ER | the paper | the embedding, from a part of it |
# | NC | You et al. (2020) | the class nearest to a node's k-means cluster |
# | GP | You et al. (2020) | the part of the graph, of 14 that METIS cuts |
# | GCo | You et al. (2020) | the features, of reduced dimension, from the neighbours alone |
# | EM | Jin et al. (2020) | whether two nodes had an edge that is hidden |
# | PD | Jin et al. (2020) | how many edges two nodes are apart |
#
# The gains of single tasks in points, with their intervals. A gain whose interval lies above zero is bold.

# %% tags=["hide-input"]
for protocol in PROTOCOLS:
    alone = marks[(marks["kind"] == "alone") & (marks["protocol"] == protocol)]
    wide = laid_out(alone.assign(cell=alone["text"]), "task", wording.PROTOCOLS[protocol])
    clear = laid_out(alone.assign(cell=alone["low"] > 0), "task", "").eq(True)  # a dash is not clear
    display(Table(f"rival-tasks-{protocol}", alone.drop(columns="text"), wide, clear))

# %% [markdown]
# ## Tasks of both papers together
#
# On each data set the best single task of the paper trains beside the best of the other two papers. Best means the mean
# validation accuracy in the search, and each keeps the weight that it had alone.

# %% tags=["hide-input"]
OURS, THEIRS = {"AE", "FR", "ER"}, {"NC", "GP", "GCo"}
of_both = searched["network"].str.split("+").map(lambda tasks: bool(OURS & {*tasks}) and not {*tasks} <= OURS)
together = searched[of_both.astype(bool)]
cells = together.assign(cell=together["network"] + " " + together["text"])
wide = laid_out(cells.assign(row=cells["protocol"].map(wording.PROTOCOLS.get)), "row", "gain over GCN")
Table("rival-both", together.drop(columns="text"), wide, wide == "")

# %% [markdown]
# Two tasks add up on Citeseer only: FR+NC gains +1.25 points, clearly more than FR alone with +0.88. On Cora, as the paper
# says it, ER has the best validation accuracy and brings its loss on the test nodes along: ER+GP has −2.11.
#
# ## Table 3, quoted and measured
#
# The gain over the plain GCN of the best of the paper's networks, and of the best of You et al.'s tasks, in points. They
# give their settings, so their row is measured with these, too, under the protocol as the paper says it. A gain whose
# interval lies above zero is bold; quoted gains come without one.


# %% tags=["hide-input"]
def best_of(source, settings, protocol, allowed):
    """Return the best networks of these tasks, by validation, a row for each data set."""
    own = networks[(networks["settings"] == settings) & (networks["protocol"] == protocol)]
    own = own[own["network"].str.split("+").map(allowed.issuperset).astype(bool)]
    best = own.sort_values("validation", ascending=False).drop_duplicates("dataset")
    cells = best["network"] + " " + best["gain"].map(wording.signed)
    return best.assign(source=source.format(wording.PROTOCOLS[protocol]), cell=cells)


quoted = literature.gains()
quoted = quoted.assign(source=quoted["source"] + ", quoted", cell=[wording.signed(gain) for gain in quoted["gain"]])
measured = [best_of("the paper's tasks, {}", "searched", protocol, OURS) for protocol in ("text", "matched")]
measured += [best_of("You et al., their settings", "You et al.", "text", THEIRS)]
measured += [best_of("You et al., {}", "searched", protocol, THEIRS) for protocol in ("text", "matched")]
table3 = pd.concat([quoted, *measured], ignore_index=True).drop(columns="text")
wide = laid_out(table3, "source", "best gain over GCN")
clear = laid_out(table3.assign(cell=table3["low"] > 0), "source", "").eq(True)
Table("rival-table-3", table3.drop(columns="cell"), wide, clear)

# %% [markdown]
# On Citeseer the measured gain of You et al.'s best task is the quoted one: GCo has +0.85 points, and they report +0.83. On
# Cora they report +0.81, and here no task of theirs clearly gains as the paper says it.
#
# ## Two ways to stop
#
# In You et al.'s code the plain GCN, NC and GP end as soon as the validation loss is above the mean of its last ten
# values, and keep their last weights. GCo trains for 500 epochs, and keeps the weights with the best validation
# accuracy. So the gain of GCo over GCN is in part that of the rule. Here each run is one training in which both rules
# are followed: the gains when both networks have the best epoch, when both stop early, and with the rules of their code.
#
# Our training goes on for longer than theirs (5,000 epochs, on Pubmed 2,500, against 500 and 1,000), and cuts the
# learning rate when the validation loss has not improved for 40 epochs.

# %% tags=["hide-input"]
own = runs[runs["settings"] == "You et al."]
plain = own[own["network"] == "GCN"].set_index(["dataset", "seed"])[list(STOPS.values())]
paired = own[own["network"] != "GCN"].join(plain.add_suffix("_plain"), on=["dataset", "seed"], how="inner")
best, early = STOPS.values()
ways = {
    "both at the best epoch": (dict.fromkeys(THEIRS, best), best),
    "both stopped early": (dict.fromkeys(THEIRS, early), early),
    "as in their code": ({"NC": early, "GP": early, "GCo": best}, early),
}
parts = []
for way, (of_task, of_plain) in ways.items():
    for network, part in paired.groupby("network", sort=False):
        parts.append(part.assign(way=way, gain=part[of_task[network]] - part[f"{of_plain}_plain"]))
every = pd.concat(parts) if parts else pd.DataFrame(columns=[*runs.columns, "way", "gain"])
stops = summary(every, ["dataset", "network", "way"])
plain_by_rule = plain.groupby("dataset").mean()
stored.keep(stops, "stops.csv")
text = stops.assign(cell=[wording.interval(*row) for row in stops[["gain", "low", "high"]].to_numpy(float)])
text["row"] = text["dataset"].str.capitalize() + ", " + text["network"]
wide = text.pivot_table("cell", "row", "way", aggfunc="first", sort=False).rename_axis(index=None, columns=None)
Table("rival-stops", stops, wide, wide == "")

# %% [markdown]
# The mean accuracy of the plain GCN with their settings under either rule, in percent:

# %% tags=["hide-input"]
plain_by_rule.set_axis(list(STOPS), axis=1).round(2)

# %% [markdown]
# The rule hardly moves the plain network: on Cora it has 81.42 percent at the best epoch and 81.45 when stopped early. So
# the unequal rules of their code explain nothing of GCo's gain: on Citeseer it has +0.61 points with equal rules and +0.63
# with theirs. The rule moves the tasks: on Cora GP has +0.18 at the best epoch, and −0.42 when stopped early.
#
# ## What labels of clusters can teach
#
# The labels of NC come from the features alone. How often do they agree with the classes of the nodes without a label,
# and what does the largest label cover? Information is what the labels say about the classes, adjusted for chance: 0 for
# nothing, 1 for everything. You et al.'s own labels agree on Citeseer with 12.9 percent of the nodes. The last two
# columns are what the task gains.

# %% tags=["hide-input"]
rows = []
for name in DATASETS:
    data = datasets.load(name)
    labels = NodeClustering.labels_of(NodeClusteringParameters(), SimpleNamespace(dataset=data))
    others = np.setdiff1d(np.arange(data.nodes), data.train)
    labels, classes = labels[others], data.labels[others]
    agreement, largest = (labels == classes).mean(), np.bincount(labels).max() / len(others)
    rows.append((name, 100 * agreement, 100 * largest, adjusted_mutual_info_score(classes, labels)))
columns = ["dataset", "agree, %", "largest label, %", "information"]
clusters = pd.DataFrame(rows, columns=columns)
stored.keep(clusters, "clusters.csv")
nc = searched[searched["network"] == "NC"].pivot_table("text", "dataset", "protocol", aggfunc="first")
nc = nc.reindex(columns=PROTOCOLS).rename(columns=wording.PROTOCOLS.get)
wide = clusters.set_index("dataset").round(2).astype(str).join(nc).astype(object).fillna(wording.DASH)
wide = wide.rename(index=str.capitalize).rename_axis(None)
Table("rival-clusters", clusters, wide, wide == "")

# %% [markdown]
# A task need not tell the classes to help. On Citeseer 89.74 percent of the nodes carry one label, and 13.78 percent of the
# labels agree with the class, yet NC gains +0.61 points there as the paper says it. On Cora 56.04 percent agree, and as the
# paper says it NC gains nothing.
#
# ## Weights without a grid
#
# The weights of the risks as the search found them, all 1, or learned along with the network: by uncertainty (Kendall
# et al. 2018) or by GradNorm (Chen et al. 2018). Mean test accuracies in percent with their standard error, and how many
# runs the search took to find the weights of this network, those of its tasks alone included: the others need none.

# %% tags=["hide-input"]
weights = runs[runs["results"].astype(str).str.startswith("rivals-weights-")]
weights = weights.assign(place=weights["results"].astype(str).str.removeprefix("rivals-weights-"))
same = weights[["place", "network", "seed"]].drop_duplicates()
tuned = runs.assign(place=runs["results"].astype(str), variant="tuned").merge(same, on=list(same))
weights = pd.concat([tuned, weights], ignore_index=True)
searches = stored.read(*(name for name in results if name.startswith("search/")))
searches = searches.reindex(columns=[*dict.fromkeys(["results", "network", "runs", *searches.columns])])


def search_runs(place, network):
    """Return how many runs the search of a place took for a network and for each of its tasks alone."""
    names = {network, *network.split("+")}
    own = searches[(searches["results"] == f"search/{place}") & searches["network"].isin(names)]
    return int(own["runs"].sum())


rows = []
for (place, network, variant), own in weights.groupby(["place", "network", "variant"], sort=False):
    mean, error = statistics.mean_and_sem(own["test_accuracy"])
    rows.append((place, network, variant, mean, error, search_runs(place, network) if variant == "tuned" else 0))
learned = pd.DataFrame(rows, columns=["place", "network", "weights", "mean", "sem", "search"])
stored.keep(learned, "weights.csv")
text = learned.assign(cell=[wording.with_error(*row) for row in learned[["mean", "sem"]].to_numpy(float)])
text["row"] = text["place"].str.replace("-", ", ").str.capitalize() + ", " + text["network"]
wide = text.pivot_table("cell", "row", "weights", aggfunc="first", sort=False).rename_axis(index=None, columns=None)
wide["runs of the search"] = text[text["weights"] == "tuned"].set_index("row")["search"].map("{:,}".format)
Table("rival-weights", learned, wide.fillna(wording.DASH), wide == "")

# %% [markdown]
# No rule does well everywhere. GradNorm is the worst in every line. With five layers uncertainty is the best with AE and
# far behind with AE+FR+ER. With one layer on Cora equal weights do as well as tuned ones with AE, 81.67 and 81.66 percent,
# and better with AE+FR+ER, where the search had taken 709 runs.
#
# ## Other layers
#
# The paper's tasks on top of graph convolutions (GC), of GraphSAGE's means of neighbours (SAGE) and of graph attention
# (GAT). For SAGE the weights of the tasks were searched anew; attention has its authors' settings, and so 64 units instead
# of 16, and AE the weight that was tuned for graph convolutions. The plain network in percent, beside what the authors of
# the layer report, and the gains of the tasks.

# %% tags=["hide-input"]
kinds = {"searched": "GC", "SAGE": "SAGE", "GAT": "GAT"}
own = runs[runs["settings"].isin(kinds) & (runs["protocol"] == "text")].assign(
    layer=lambda own: own["settings"].map(kinds)
)
plain = own[own["network"] == "GCN"].drop_duplicates(["layer", "dataset", "seed"])
plain = plain.groupby(["layer", "dataset"], sort=False)["test_accuracy"].agg(["mean", "sem"]).reset_index()
printed = literature.published_gcn().assign(layer="GC").rename(columns={"mean": "accuracy"})
printed = pd.concat([printed, literature.layers()])[["layer", "dataset", "accuracy"]]
layers = plain.merge(printed, on=["layer", "dataset"], how="left")
tasks = networks[networks["settings"].isin(kinds) & (networks["protocol"] == "text") & networks["network"].isin(OURS)]
tasks = tasks.assign(layer=tasks["settings"].map(kinds))
stored.keep(layers, "layers.csv")
text = layers.assign(plain=[wording.with_error(*row) for row in layers[["mean", "sem"]].to_numpy(float)])
text["theirs"] = layers["accuracy"].map(lambda value: wording.DASH if pd.isna(value) else f"{value:.1f}")
text = text.set_index(["dataset", "layer"])[["plain", "theirs"]]
tasks["short"] = [wording.interval(*row, digits=1) for row in tasks[["gain", "low", "high"]].to_numpy(float)]
wide = tasks.pivot_table("short", ["dataset", "layer"], "network", aggfunc="first", sort=False)
wide = text.join(wide).sort_index(level="dataset", sort_remaining=False).fillna(wording.DASH)
wide.index = [f"{dataset.capitalize()}, {layer}" for dataset, layer in wide.index]
Table("rival-layers", layers, wide, wide == "")

# %% [markdown]
# The plain network on attention is within a point of what its authors have: 82.80 percent on Cora, 83.0 there, 71.76 on
# Citeseer, 72.5 there, and 78.07 on Pubmed, 79.0 there. No task clearly gains on GraphSAGE, neither on Cora nor on
# Citeseer, where AE and FR do on graph convolutions. On attention AE has −1.26 points on Cora, with a weight that nobody
# has tuned for it; the other tasks have not been tried.
#
# ## How the numbers come about
#
# Nothing is trained on this page. A gain is the test accuracy of a run minus that of the plain network with the same seed,
# settings and layer. Intervals are Student's, at 95 %. Where a best network or partner is named, it has the best mean
# validation accuracy. The weights of NC, GP, GCo, EM and PD were searched like those of the paper's tasks, by validation
# accuracy with other seeds than those shown; on Pubmed the grid is coarser and the final has 12 runs instead of 20.
# Networks have fifty runs, those with attention twenty. A dash stands for what nobody has trained yet.
