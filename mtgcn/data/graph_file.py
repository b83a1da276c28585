"""A user's own graph in a ``.npz`` file.

=========================== ========= ==================================================================
array                       shape     content
=========================== ========= ==================================================================
``edges``                   (2, m)    node pairs, integers 0 .. n - 1; an edge may be given in one or both
                                      directions; repeated edges and self-loops are dropped
``features``                (n, d)    numbers; or, for sparse features, the four parts of a CSR matrix:
                                      ``features_data``, ``features_indices``, ``features_indptr`` and
                                      ``features_shape``
``labels``                  (n,)      classes, integers 0 .. K - 1; a node whose class is unknown may
                                      carry any class as long as it is in no part of the split (a random
                                      split, ``split_seed``, takes every class as known)
``train, validation, test`` (any,)    node indices, none of them twice
=========================== ========= ==================================================================
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from numpy.lib.npyio import NpzFile

from mtgcn.data.arrays import Arrays, canonical_edges, canonical_features
from mtgcn.errors import MtgcnError
from mtgcn.files import replacing

CSR = ("features_data", "features_indices", "features_indptr", "features_shape")
SPLIT = ("train", "validation", "test")


def write(path: Path, graph: Arrays) -> None:
    """Write ``graph`` to ``path``, which must end in .npz."""
    if path.suffix != ".npz":
        raise MtgcnError(f"a graph is saved to a file that ends in .npz, not to {path}")
    with replacing(path) as temporary:
        np.savez_compressed(
            temporary,
            edges=graph.edges,
            features_data=graph.features.data,
            features_indices=graph.features.indices,
            features_indptr=graph.features.indptr,
            features_shape=np.array(graph.features.shape),
            labels=graph.labels,
            train=graph.train,
            validation=graph.validation,
            test=graph.test,
        )


def read(path: Path) -> Arrays:
    """Read the graph in ``path`` and check it; each fault is one sentence that says what would be right."""
    if not path.is_file():
        raise MtgcnError(f"there is no graph file {path}")
    try:
        arrays = _stored(path)
    except Exception as error:  # a damaged file makes zipfile, zlib, NumPy and its parser of headers raise anything
        reason = " ".join(str(error).split())
        raise MtgcnError(f"{path} is not a .npz file of plain numbers as np.savez writes it ({reason})") from None
    try:
        return checked(arrays)
    except MtgcnError as error:
        raise MtgcnError(f"{path}: {error}") from None


def _stored(path: Path) -> dict[str, np.ndarray]:
    """Return the arrays in ``path``; what else an archive may hold comes as bytes, and is left out."""
    stored = np.load(path, allow_pickle=False)
    if not isinstance(stored, NpzFile):
        raise ValueError("it holds one array without a name, as np.save writes it")
    with stored:
        members = {name: stored[name] for name in stored.files}
    return {name: array for name, array in members.items() if isinstance(array, np.ndarray)}


def checked(arrays: Mapping[str, np.ndarray]) -> Arrays:
    """Check the arrays described above and bring them into canonical form."""
    for name in ("edges", "labels", *SPLIT):
        if name not in arrays:
            raise MtgcnError(f"the array '{name}' is missing; it holds {', '.join(sorted(arrays)) or 'nothing'}")
    labels = _integers(arrays, "labels")
    if labels.ndim != 1 or not len(labels):
        raise MtgcnError(f"'labels' has the shape {labels.shape}, it should be (nodes,)")
    nodes = len(labels)
    if labels.min() < 0:
        raise MtgcnError(f"'labels' holds {labels.min()}, classes are numbered from 0")
    present = np.unique(labels)  # not counted up to the highest, which a slip may have made enormous
    classes = len(present)
    skipped = np.flatnonzero(present != np.arange(classes))
    if len(skipped):
        raise MtgcnError(f"'labels' goes up to {present[-1]} but no node has class {skipped[0]}: number without gaps")

    edges = _integers(arrays, "edges")
    if edges.ndim != 2 or len(edges) != 2:
        raise MtgcnError(f"'edges' has the shape {edges.shape}, it should be (2, edges)")
    _in_range("edges", edges, nodes)

    split = {name: _integers(arrays, name) for name in SPLIT}
    for name, index in split.items():
        if index.ndim != 1 or not len(index):
            raise MtgcnError(f"'{name}' has the shape {index.shape}, it should list at least one node")
        _in_range(name, index, nodes)
        if len(np.unique(index)) != len(index):
            raise MtgcnError(f"'{name}' lists a node twice")
    for one, other in (("train", "validation"), ("train", "test"), ("validation", "test")):
        shared = np.intersect1d(split[one], split[other])
        if len(shared):
            raise MtgcnError(f"'{one}' and '{other}' share {len(shared)} node(s), the first is {shared[0]}")
    return Arrays(
        edges=canonical_edges(edges[0], edges[1], nodes),
        features=_features(arrays, nodes),
        labels=labels,
        classes=classes,
        **split,
    )


def _integers(arrays: Mapping[str, np.ndarray], name: str) -> np.ndarray:
    array = arrays[name]
    if not np.issubdtype(array.dtype, np.integer):
        hint = ": give node indices, np.flatnonzero(mask)" if array.dtype == bool else ""
        raise MtgcnError(f"'{name}' holds {array.dtype}, it should hold integers{hint}")
    return array.astype(np.int64)


def _in_range(name: str, index: np.ndarray, nodes: int) -> None:
    if index.size and (index.min() < 0 or index.max() >= nodes):
        wrong = index.min() if index.min() < 0 else index.max()
        raise MtgcnError(f"'{name}' names node {wrong}, but 'labels' has the nodes 0 to {nodes - 1}")


def _features(arrays: Mapping[str, np.ndarray], nodes: int) -> sp.csr_matrix:
    for name in ("features", "features_data"):
        if name in arrays and arrays[name].dtype.kind not in "biuf":
            raise MtgcnError(f"'{name}' holds {arrays[name].dtype}, it should hold real numbers")
    # scipy knows no half precision.
    single = {name: array.astype(np.float32) for name, array in arrays.items() if array.dtype == np.float16}
    arrays = {**arrays, **single}
    matrix: np.ndarray | sp.csr_matrix
    if "features" in arrays:
        matrix = arrays["features"]
    elif all(part in arrays for part in CSR):
        data, indices, indptr, shape = (arrays[part] for part in CSR)
        try:
            rows, columns = (int(size) for size in shape)
            matrix = sp.csr_matrix((data, indices, indptr), shape=(rows, columns))
            matrix.check_format(full_check=True)
        except (ValueError, TypeError, OverflowError) as error:
            raise MtgcnError(f"the parts features_* are not a CSR matrix ({error})") from None
    else:
        raise MtgcnError(f"'features' is missing, and so is at least one of {', '.join(CSR)}")
    if matrix.ndim != 2 or matrix.shape[0] != nodes or not matrix.shape[1]:
        raise MtgcnError(f"the features have the shape {matrix.shape}, it should be ({nodes}, features)")
    canonical = canonical_features(matrix)
    if not np.isfinite(canonical.data).all():
        raise MtgcnError("the features hold NaN or infinity; every value should be a finite number")
    return canonical
