"""A citation graph as plain arrays in one canonical form, so that equal graphs have equal digests."""

import hashlib
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp


@dataclass(frozen=True, kw_only=True)
class Arrays:
    """Graph, features, labels and split.

    ``edges`` is ``(2, m)`` int64: each undirected edge once, smaller node first, no self-loops, sorted.
    ``features`` is ``(n, d)`` float32 CSR with sorted indices and no stored zeros. ``labels`` is ``(n,)``
    int64 in ``0 .. classes - 1``. ``train``, ``validation`` and ``test`` are int64 node indices, ``(size,)``, or
    ``(runs, size)`` where `split_each_run` gives each run a split of its own. ``unlabelled`` are those of the nodes
    whose class nobody knows: their label says nothing, and no split may hold them. ``loops`` are the nodes that
    the raw files link with themselves; no part of the digest, since only one reading of the paper's protocol looks at
    them.
    """

    edges: np.ndarray
    features: sp.csr_matrix
    labels: np.ndarray
    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray
    classes: int
    unlabelled: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    loops: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))

    @property
    def nodes(self) -> int:
        """The number of nodes, n."""
        return len(self.labels)


def canonical_edges(source: np.ndarray, target: np.ndarray, nodes: int) -> np.ndarray:
    """Turn m' node pairs, two ``(m',)`` integer arrays in any order and direction, into ``(2, m)`` edges."""
    low = np.minimum(source, target).astype(np.int64)
    high = np.maximum(source, target).astype(np.int64)
    key = np.unique((low * nodes + high)[low != high])
    return np.stack([key // nodes, key % nodes])


def canonical_features(features: sp.csr_matrix | np.ndarray) -> sp.csr_matrix:
    """Turn an ``(n, d)`` matrix, dense or sparse, into float32 CSR, sorted and without stored zeros."""
    matrix = sp.csr_matrix(features, dtype=np.float32, copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return matrix


def row_normalised(features: sp.csr_matrix) -> sp.csr_matrix:
    """Divide each row of ``(n, d)`` by its sum, as Kipf & Welling do; an empty row stays empty."""
    total = np.asarray(features.sum(axis=1, dtype=np.float64)).ravel()
    total[total == 0] = 1
    data = features.data / np.repeat(total, np.diff(features.indptr))
    return sp.csr_matrix((data.astype(np.float32), features.indices, features.indptr), shape=features.shape)


def digest(arrays: Arrays) -> str:
    """Return one SHA-256 (hex) over all arrays, the same on every machine."""
    features = arrays.features
    parts: list[tuple[str, np.ndarray, str]] = [
        ("edges", arrays.edges, "<i8"),
        ("shape", np.array([*features.shape, arrays.classes]), "<i8"),
        ("indptr", features.indptr, "<i8"),
        ("indices", features.indices, "<i8"),
        ("data", features.data, "<f4"),
        ("labels", arrays.labels, "<i8"),
        ("train", arrays.train, "<i8"),
        ("validation", arrays.validation, "<i8"),
        ("test", arrays.test, "<i8"),
    ]
    total = hashlib.sha256()
    for name, array, kind in parts:
        total.update(f"{name} {array.shape}\n".encode())
        total.update(np.ascontiguousarray(array, dtype=kind).tobytes())
    return total.hexdigest()
