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
# # Does it hold?
#
# The paper makes six claims. Here each is put to the runs of this book: ten for each network, data set and depth, with
# hyper-parameters chosen by validation accuracy.

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

from IPython.display import Markdown

from mtgcn import answers, claims, pages
from mtgcn import results as stored

print(pages.ready())

# %% tags=["parameters"]
results = ["citeseer-1", "cora-1", "cora-2", "cora-5", "pubmed-1", "hundred-*"]

# %%
runs = stored.read(*[name for name in results if not name.startswith("hundred-")])
many = stored.read(*[name for name in results if name.startswith("hundred-")])
if not runs.empty:
    stored.keep(answers.answers(runs))
print(f"{len(runs)} runs of {runs['results'].nunique() if len(runs) else 0} pages.")

# %% [markdown]
# ## In plain words

# %%
Markdown(answers.in_words(runs))

# %% [markdown]
# A claim about several places holds where it holds in each of them, and does not hold where it fails in one. A claim
# about gains *holds* in a place where the 95 % intervals of all gains it speaks of lie above zero (above the gain of
# You et al., where it speaks of that), *does not hold* where one of them lies below, and is *not clear* where ten runs
# cannot tell. The spread from run to run is compared by Brown and Forsythe's test at the level of 5 %; whether the
# network with four heads differs from the best other one, by two standard errors of the difference.
#
# Two of the claims are at odds with the paper's own tables: its gain on Pubmed is below that of You et al., and with
# five hidden layers its best network has a larger standard error than its plain one.
#
# Ten runs are few. In each place, the plain GCN and the network with tasks that did best on the validation nodes in
# these ten runs were trained many times more on the same split (page *More runs, other splits*). Where their gain is
# clear there, it counts more than "not clear" here:

# %%
Markdown(answers.repeated(many))

# %% [markdown]
# ## Place by place

# %%
claims.overview(runs)

# %% [markdown]
# The numbers behind each verdict:

# %%
table = claims.table(runs)
stored.keep(table.csv(), "claims.csv")
table

# %% [markdown]
# ## How far the best networks get
#
# The best network with auxiliary tasks in each place, ours and the paper's. Both are chosen by the test accuracy
# itself, as the paper does, which flatters them.

# %%
table = answers.best_networks(runs)
stored.keep(table.csv(), "best-networks.csv")
table

# %% [markdown]
# Where ours stays below the paper's, we did not search on until it fitted. What was searched, and how flat validation
# accuracy is around the chosen values, shows the page on the search.
#
# ## What the gains are measured from
#
# Every gain is a distance from the plain GCN, so a weak baseline makes strong gains. The same network, ours and the
# paper's:

# %%
table = answers.baselines(runs)
stored.keep(table.csv(), "baselines.csv")
table

# %%
Markdown(answers.above_the_papers(runs))

# %% [markdown]
# Where ours is clearly higher, a part of the paper's gain is one over a baseline that could have been better; where it
# is higher than the paper's best network, all of it is. With five hidden layers the paper's plain network did not train
# at all, and ours does. No reading of what the paper leaves open brings its accuracy about, as the page on these shows.
