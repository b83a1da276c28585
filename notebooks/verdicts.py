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
# # What holds, where, under which protocol
#
# Six claims of the paper, each judged on every data set and depth that it speaks of, under two readings of the protocol:
# the paper's words (*text*), and the one that its figures for the plain GCN fit best (*matched*).

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
from scipy import stats

from mtgcn.analysis import literature, paper_tables, statistics, wording
from mtgcn.analysis.figures import style
from mtgcn.analysis.table import Table
from mtgcn.experiments import stored

# %% tags=["parameters", "hide-input"]
results = ["citeseer-1", "cora-1", "cora-2", "cora-5", "pubmed-1", "matched-*"]

# %% [markdown]
# ## How a verdict comes about
#
# Fifty runs of each network, with the same seeds, so a gain is the difference between two runs with one seed. The best
# network of a data set and depth is the one with the best mean *validation* accuracy, never the best on the test nodes.
# A claim that speaks of several networks or places is several tests; their *p* values are corrected after Holm.
#
# - **Holds**: the gain is above zero, at a corrected *p* below 0.05.
# - **Does not hold**: the gain is below zero, at a corrected *p* below 0.05, or the 90 % interval shows that it is smaller
#   than 0.3 points in either direction, about a third of the gains that the paper reports.
# - **Too close to call**: neither. The number beside it is half the width of the 95 % interval: how close.
#
# | claim | what is tested |
# |---|---|
# | 1. With one hidden layer, every network with tasks beats the plain GCN. | six gains in each place |
# | 2. With one hidden layer, the best network is one with tasks. | the gain of the best network |
# | 3. The best network has a smaller standard error than the plain GCN. | Brown and Forsythe's test of the spread |
# | 4. The tasks help with two and five hidden layers, too. | the gain of the best network |
# | 5. The network with all four heads is never the best. | the best other network against it |
# | 6. The gains are larger than those of You et al., or comparable. | is the gain above theirs less 0.3 points? |

# %% tags=["hide-input"]
PLACE, MARGIN, FOUR = ["dataset", "hidden_layers"], 0.3, "AE+FR+ER"
HOLDS, FAILS, CLOSE = "holds", "does not hold", "too close"
runs = stored.read(*results)
runs["protocol"] = runs.get("protocol", pd.Series("text", index=runs.index)).fillna("text")
printed = literature.gains()
you = printed[printed["source"] == literature.YOU].set_index("dataset")["gain"]


def judged(difference, bound=0.0):
    """Return p, mean and half the 95 % interval of paired differences (runs,), and whether they are small for sure."""
    n, mean, error = len(difference), difference.mean(), stats.sem(difference)
    half, narrow = (stats.t.ppf(level, n - 1) * error for level in (0.975, 0.95))
    small = max(abs(mean - narrow), abs(mean + narrow)) < MARGIN and bound == 0
    return {"p": stats.ttest_1samp(difference, bound).pvalue, "mean": mean - bound, "half": half, "small": small}


def spread(one, plain):
    """Return p of Brown and Forsythe's test, and by how much one spread is smaller than the other."""
    p = stats.levene(one, plain, center="median").pvalue
    return {"p": p, "mean": plain.std() - one.std(), "half": np.nan, "small": False}


rows = []
for (protocol, dataset, depth), own in runs.groupby(["protocol", *PLACE], sort=False):
    accuracy = own.pivot_table("test_accuracy", "seed", "network").dropna()
    tasks = [name for name in literature.NETWORKS if name in accuracy and name != "GCN"]
    ranked = own.groupby("network")["validation_accuracy"].mean().reindex(tasks).sort_values(ascending=False).index
    best, other = ranked[0], next(name for name in ranked if name != FOUR)
    gains = accuracy[tasks].sub(accuracy["GCN"], axis=0)
    tests = [(3, best, spread(accuracy[best], accuracy["GCN"]))]
    tests += [(1, name, judged(gains[name])) for name in tasks] if depth == 1 else []
    tests += [(2 if depth == 1 else 4, best, judged(gains[best]))]
    tests += [(5, other, judged(accuracy[other] - accuracy[FOUR]))] if FOUR in accuracy else []
    tests += [(6, best, judged(gains[best], you[dataset] - MARGIN))] if depth == 1 and dataset in you else []
    rows += [
        {"protocol": protocol, "dataset": dataset, "hidden_layers": depth, "claim": c, "network": n, **t}
        for c, n, t in tests
    ]
tests = pd.DataFrame(rows)
tests["corrected p"] = tests.groupby(["protocol", "claim"])["p"].transform(lambda p: statistics.holm(p))
clear = tests["corrected p"] < 0.05
tests["verdict"] = np.select(
    [clear & (tests["mean"] > 0), clear & (tests["mean"] < 0), tests["small"]], [HOLDS, FAILS, FAILS], CLOSE
)

# %% [markdown]
# ## The verdicts at a glance


# %% tags=["hide-input"]
def together(own):
    """Return the verdict of a claim in one place: all of its tests have to hold, and one that fails is enough."""
    word = next((word for word in (FAILS, CLOSE) if word in own["verdict"].tolist()), HOLDS)
    return pd.Series({"verdict": word, "half": own["half"].max()})


KEYS = ["protocol", *PLACE, "claim"]
verdicts = tests.groupby(KEYS, sort=False)[["verdict", "half"]].apply(together).reset_index()
stored.keep(tests, "tests.csv")
stored.keep(verdicts, "verdicts.csv")
places = [place for place in paper_tables.CELLS if place in set(verdicts[PLACE].itertuples(index=False, name=None))]
LOOKS = {HOLDS: ("#009e73", "✓"), FAILS: ("#d55e00", "✗"), CLOSE: ("#b3b3b3", "±")}
with mpl.rc_context(style.LOOK):
    protocols = verdicts["protocol"].unique()
    alt = f"Verdicts on six claims in {len(places)} places under {len(protocols)} protocols."
    figure, axes = style.panels(len(protocols), 3.6, 0.42 * len(places), alt, sharey=True)
    for protocol, ax in zip(protocols, axes, strict=True):
        for row in verdicts[verdicts["protocol"] == protocol].itertuples():
            colour, sign = LOOKS[row.verdict]
            y = places.index((row.dataset, row.hidden_layers))
            ax.scatter(row.claim, y, marker="s", s=520, color=colour, alpha=0.35)
            text = f"±{row.half:.1f}" if row.verdict == CLOSE and row.half == row.half else sign
            ax.text(row.claim, y, text, ha="center", va="center", fontsize=10)
        ax.set(title=protocol, xlabel="claim", xticks=range(1, 7), xlim=(0.4, 6.6), ylim=(len(places) - 0.5, -0.5))
        ax.set_yticks(range(len(places)), [wording.cell(*place) for place in places])
        ax.grid(visible=False)
figure

# %% [markdown]
# ✓ holds, ✗ does not hold, ± too close to call, with half the 95 % interval in points.
#
# ## The gains behind them

# %% tags=["hide-input"]
shown = tests[tests["claim"].isin([1, 2, 4])].drop_duplicates(["protocol", *PLACE, "network"])
shown = shown.assign(cell=[wording.interval(m, m - h, m + h) for m, h in shown[["mean", "half"]].to_numpy()])
shown["row"] = [f"{wording.cell(*place)}: {name}" for *place, name in shown[[*PLACE, "network"]].to_numpy()]
text = shown.pivot_table("cell", "row", "protocol", aggfunc="first", sort=False).fillna(wording.DASH)
text = text.rename_axis(index=None, columns=None)
Table("verdict-gains", shown.drop(columns=["cell", "row"]), text, text == "")
