"""Cora as LINQS published it, put into the order in which Planetoid numbers the papers."""

from collections.abc import Mapping
from importlib import resources

import numpy as np

from mtgcn.data.arrays import Arrays, canonical_edges, canonical_features

FILES = ("cora.content", "cora.cites")
# Planetoid's class numbers.
CLASSES = (
    "Theory",
    "Reinforcement_Learning",
    "Genetic_Algorithms",
    "Neural_Networks",
    "Probabilistic_Methods",
    "Case_Based",
    "Rule_Learning",
)


def assemble(files: Mapping[str, bytes]) -> Arrays:
    """Build Planetoid's Cora from the content of ``cora.content`` and ``cora.cites``.

    A line of the first is a paper's id, its 1,433 zeros and ones, and its class; a line of the second is
    two ids. The split is Planetoid's: 140 nodes, the next 500, and the last 1,000.
    """
    listed = resources.files("mtgcn.data").joinpath("cora_planetoid_order.txt").read_text(encoding="ascii")
    order = [int(paper) for paper in listed.split()]
    node = {paper: index for index, paper in enumerate(order)}
    papers, words, labels = [], [], []
    for line in files["cora.content"].splitlines():
        paper, rest = line.split(b"\t", 1)
        bits, name = rest.rsplit(b"\t", 1)
        papers.append(node[int(paper)])
        words.append(np.frombuffer(bits, dtype=np.uint8)[::2] == ord("1"))  # every other byte is a tab
        labels.append(CLASSES.index(name.decode()))
    rank = np.argsort(papers)
    cites = [node[int(paper)] for paper in files["cora.cites"].split()]
    return Arrays(
        edges=canonical_edges(np.array(cites[::2]), np.array(cites[1::2]), len(order)),
        features=canonical_features(np.stack(words)[rank]),
        labels=np.array(labels, dtype=np.int64)[rank],
        train=np.arange(140),
        validation=np.arange(140, 640),
        test=np.arange(1708, 2708),
        classes=len(CLASSES),
    )
