"""A generated graph that looks like a citation network, of any size: for first steps, tests, benchmarks."""

import numpy as np
import scipy.sparse as sp

from mtgcn.data.arrays import Arrays, canonical_edges, canonical_features
from mtgcn.data.random_splits import sizes
from mtgcn.errors import MtgcnError


def generate(
    nodes: int = 240,
    classes: int = 4,
    features: int = 120,
    average_degree: float = 4.0,
    words: int = 12,
    homophily: float = 0.8,
    seed: int = 0,
) -> Arrays:
    """Draw a graph of ``nodes`` papers in ``classes`` equal classes; the same arguments give the same graph.

    A paper cites others in proportion to their popularity, which is heavy-tailed, and with probability
    ``homophily`` stays within its class. Its text is about ``words`` words out of ``features``, half of them
    from the vocabulary of its class; frequent words are frequent everywhere. The split is drawn at random:
    an eighth of the nodes but at most 20 a class for training, a quarter but at most 500 for validation, half
    but at most 1,000 for testing. There are ``nodes * average_degree / 2`` edges less the duplicates drawn.
    """
    if features < classes or nodes < 8 * classes:
        raise MtgcnError(f"{classes} classes need at least {8 * classes} nodes and {classes} features")
    random = np.random.default_rng(seed)
    labels = np.sort(np.arange(nodes) % classes)
    start = np.searchsorted(labels, np.arange(classes + 1))

    popularity = random.pareto(2.5, nodes) + 1
    citing = random.integers(nodes, size=round(nodes * average_degree / 2))
    cited = _choose_within(random, popularity, start, labels[citing], homophily)

    # Class k's own vocabulary is one slice of the words; the first words of each slice are the frequent ones.
    topic = np.linspace(0, features, classes + 1).astype(np.int64)
    rank = np.arange(features) - np.repeat(topic[:-1], np.diff(topic))
    frequency = 1 / np.sqrt(1 + rank)
    paper = np.repeat(np.arange(nodes), words)
    word = _choose_within(random, frequency, topic, labels[paper], 0.5)
    text = sp.csr_matrix((np.ones(len(paper), np.float32), (paper, word)), shape=(nodes, features))
    text.data[:] = 1  # a word that was drawn twice is present once

    train, validation, test = _split(random, labels, start)
    shuffle = random.permutation(nodes)  # node numbers say nothing about classes
    order = np.argsort(shuffle)
    return Arrays(
        edges=canonical_edges(shuffle[citing], shuffle[cited], nodes),
        features=canonical_features(text[order]),
        labels=labels[order],
        train=np.sort(shuffle[train]),
        validation=np.sort(shuffle[validation]),
        test=np.sort(shuffle[test]),
        classes=classes,
    )


def _choose_within(
    random: np.random.Generator, weight: np.ndarray, start: np.ndarray, group: np.ndarray, inside: float
) -> np.ndarray:
    """Draw one item for each entry of ``group`` in proportion to ``weight``.

    Items ``start[g] .. start[g + 1] - 1`` belong to group ``g``; with probability ``inside`` the item drawn
    belongs to the entry's own group, otherwise it is any.
    """
    total = np.concatenate([[0.0], np.cumsum(weight)])
    own = random.random(len(group)) < inside
    low = np.where(own, total[start[group]], 0.0)
    high = np.where(own, total[start[group + 1]], total[-1])
    drawn = np.searchsorted(total, low + (high - low) * random.random(len(group)), side="right") - 1
    return np.minimum(drawn, len(weight) - 1)


def _split(
    random: np.random.Generator, labels: np.ndarray, start: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    nodes, classes = len(labels), len(start) - 1
    each, validation, test = sizes(nodes, classes)
    train = np.concatenate([random.choice(np.arange(*start[k : k + 2]), each, replace=False) for k in range(classes)])
    rest = random.permutation(np.setdiff1d(np.arange(nodes), train))
    return train, rest[:validation], rest[validation : validation + test]
