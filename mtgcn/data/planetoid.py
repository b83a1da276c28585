"""The raw files of Planetoid (Yang et al. 2016): their digests, and the graph Kipf & Welling make of them."""

import hashlib
import io
import pickle
import warnings
from collections import defaultdict
from collections.abc import Mapping
from importlib import resources
from typing import Any

import numpy as np
import scipy.sparse as sp

from mtgcn.data import linqs
from mtgcn.data.arrays import Arrays, canonical_edges, canonical_features

NAMES = ("cora", "citeseer", "pubmed")
PARTS = ("x", "y", "tx", "ty", "allx", "ally", "graph", "test.index")
VALIDATION_NODES = 500
# What the files, which are pickles of Python 2, ask for, under the names of the numpy and scipy that wrote them. The
# function that rebuilds an array has moved between numpy releases, so an array is asked which one it is.
ADMITTED: dict[tuple[str, str], Any] = {
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
    ("numpy.core.multiarray", "_reconstruct"): np.empty(0).__reduce__()[0],
    ("scipy.sparse.csr", "csr_matrix"): sp.csr_matrix,
    ("collections", "defaultdict"): defaultdict,
    ("__builtin__", "list"): list,
}


class DamagedFile(Exception):
    """A file is not the published one; the message names it and both digests."""


def file_sets(name: str) -> list[tuple[str, ...]]:
    """Return the sets of raw files any one of which makes up the data set ``name``."""
    published = tuple(f"ind.{name}.{part}" for part in PARTS)
    return [published, linqs.FILES] if name == "cora" else [published]


def expected_digests() -> dict[str, str]:
    """Return the SHA-256 (hex) of each raw file by its name."""
    lines = resources.files("mtgcn.data").joinpath("planetoid_sha256.txt").read_text(encoding="ascii").splitlines()
    return {file: digest for digest, file in (line.split() for line in lines)}


def check(file: str, content: bytes, where: str) -> None:
    """Raise `DamagedFile` unless ``content`` is what was published under the name ``file``."""
    expected = expected_digests()[file]
    found = hashlib.sha256(content).hexdigest()
    if found != expected:
        raise DamagedFile(f"{file} from {where} is damaged: its SHA-256 is {found}, it should be {expected}")


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        try:
            return ADMITTED[module, name]
        except KeyError:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}, which is not admitted") from None


def unpickled(content: bytes) -> Any:
    """Return the object in a Python 2 pickle; any name but the few of `ADMITTED` raises `UnpicklingError`."""
    with warnings.catch_warnings():
        # numpy 2.4 deprecates a detail of how old pickles describe their dtypes; the files cannot change.
        warnings.simplefilter("ignore", DeprecationWarning)
        return _Unpickler(io.BytesIO(content), fix_imports=False, encoding="latin1").load()


def assemble(name: str, files: Mapping[str, bytes]) -> Arrays:
    """Build the data set ``name`` from checked files, one of its `file_sets` among them."""
    if not set(file_sets(name)[0]) <= set(files):
        return linqs.assemble(files)
    raw = {part: files[f"ind.{name}.{part}"] for part in PARTS}
    y, allx, ally, tx, ty = (unpickled(raw[part]) for part in ("y", "allx", "ally", "tx", "ty"))
    neighbours = unpickled(raw["graph"])
    listed = np.array(raw["test.index"].split(), dtype=np.int64)
    nodes = listed.max() + 1

    # Row k of tx and ty belongs to node listed[k]. Citeseer lists 1,000 of 1,015 numbers: the 15 others, which
    # Kipf & Welling call isolated, have links but neither words nor a class. They stay in the graph with empty
    # features and, as argmax of an empty row, class 0, and belong to no part of the split.
    rows = np.concatenate([np.arange(allx.shape[0]), listed])
    place = sp.csr_matrix((np.ones(len(rows), np.float32), (rows, np.arange(len(rows)))), (nodes, len(rows)))
    one_hot = np.zeros((nodes, y.shape[1]), dtype=np.int64)
    one_hot[rows] = np.concatenate([ally, ty])

    source = np.repeat(np.arange(nodes), [len(neighbours[node]) for node in range(nodes)])
    target = np.concatenate([np.array(neighbours[node], dtype=np.int64) for node in range(nodes)])
    return Arrays(
        edges=canonical_edges(source, target, nodes),
        loops=np.unique(source[source == target]),
        features=canonical_features(place @ sp.vstack([allx, tx], format="csr")),
        labels=one_hot.argmax(axis=1),
        train=np.arange(len(y)),
        validation=np.arange(len(y), len(y) + VALIDATION_NODES),
        test=np.sort(listed),
        classes=y.shape[1],
        unlabelled=np.setdiff1d(np.arange(nodes), rows),
    )
