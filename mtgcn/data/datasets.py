"""Load a data set by name, or a graph of your own by path, as one typed object."""

import math
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from mtgcn.data import graph_file, planetoid, sources, toy
from mtgcn.data.arrays import Arrays, digest, row_normalised
from mtgcn.errors import MtgcnError, nearest

NAMES = (*planetoid.NAMES, "toy")
# Of the canonical arrays, before normalisation: the same from whichever source.
DIGESTS = {
    "cora": "a9ab189589146812a1e3938d262131474df00e2991bf877575c490323679f195",
    "citeseer": "498fe2462005ebbb724e3fa1a76762f3d43b7ceb9465b336f5706199954737a1",
    "pubmed": "2e3f90113b72288b1df85790f5595a009a8255d86ee82db721a96e8b6fc0747d",
}


@dataclass(frozen=True, kw_only=True)
class Dataset(Arrays):
    """A citation graph with its name, its source, and the digest of its arrays before normalisation."""

    name: str
    source: str
    digest: str


def load(name_or_path: str | Path, normalise: bool = True, self_loops: bool = False) -> Dataset:
    """Load ``cora``, ``citeseer``, ``pubmed``, ``toy``, or the ``.npz`` file of a graph of your own.

    With ``normalise`` each row of the features is divided by its sum, as Kipf & Welling do. With ``self_loops`` the
    nodes that the raw files link with themselves keep that link beside the one that Â gives to every node. The arrays
    that a ``.npz`` file holds are described in `graph_file`.
    """
    name = str(name_or_path)
    if name.endswith(".npz"):
        return from_arrays(graph_file.read(Path(name)), Path(name).stem, name, normalise)
    if name == "toy":
        return from_arrays(toy.generate(), name, "generated", normalise)
    if name not in NAMES:
        raise MtgcnError(
            f"there is no data set '{name}', and a graph of your own is a path that ends in .npz" + nearest(name, NAMES)
        )
    source, files = sources.obtain(name)
    arrays = planetoid.assemble(name, files)
    if not self_loops:
        arrays = replace(arrays, loops=arrays.loops[:0])
    dataset = from_arrays(arrays, name, source, normalise)
    if dataset.digest != DIGESTS[name]:
        raise MtgcnError(
            f"the arrays of '{name}' from {source} have the digest {dataset.digest},"
            f" it should be {DIGESTS[name]}: please report this with the versions of numpy and scipy"
        )
    return dataset


def digest_of(name_or_path: str | Path) -> str:
    """Return the digest of a data set, which is that of its arrays before any normalisation."""
    name = str(name_or_path)
    return DIGESTS.get(name) or load(name, normalise=False).digest


def one_answer(dataset: Dataset) -> float:
    """Return the best test accuracy in percent of giving every node the same class; NaN without test nodes."""
    counts = np.bincount(dataset.labels[dataset.test], minlength=dataset.classes)
    return round(100 * float(counts.max()) / len(dataset.test), 4) if len(dataset.test) else math.nan


def from_arrays(arrays: Arrays, name: str, source: str, normalise: bool = True) -> Dataset:
    """Give canonical ``arrays`` a name and a source, normalise the features if asked, and take the digest."""
    features = arrays.features
    if normalise:
        if features.nnz and features.data.min() < 0:
            raise MtgcnError(
                f"the features of '{name}' hold negative values, so rows cannot be divided by their sums:"
                " use normalise=False (normalise_features: false in a parameter file)"
            )
        features = row_normalised(features)
    return Dataset(
        name=name,
        source=source,
        digest=digest(arrays),
        features=features,
        edges=arrays.edges,
        labels=arrays.labels,
        train=arrays.train,
        validation=arrays.validation,
        test=arrays.test,
        classes=arrays.classes,
        unlabelled=arrays.unlabelled,
        loops=arrays.loops,
    )


def save(path: str | Path, graph: Arrays) -> None:
    """Write ``graph`` (a `Dataset` or `Arrays`), features as they are, to a ``.npz`` file for `load`."""
    graph_file.write(Path(path), graph)
