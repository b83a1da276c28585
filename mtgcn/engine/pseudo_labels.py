"""What tasks have to predict, computed from features or edges alone: clusters, parts, directions of the features.

Each is computed once a data set and kept in the user's cache; it comes out the same whatever the number of threads.
"""

import warnings

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import svds

from mtgcn.data.kept import kept
from mtgcn.engine.propagation import metis


def clusters(features: sparse.csr_matrix, number: int) -> np.ndarray:
    """Return the k-means cluster of each row of (n, d), (n,) int64, below ``number``."""
    import sklearn  # not needed by other tasks
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    def compute() -> np.ndarray:
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # fewer different rows than clusters: some stay empty
            return KMeans(number, n_init=1, random_state=0).fit(features).labels_.astype(np.int64)

    return kept("clusters", {**_stored(features), "number": number, "sklearn": sklearn.__version__}, compute)


def parts(edges: np.ndarray, nodes: int, number: int) -> np.ndarray:
    """Return the part of each node, (n,) int64, when METIS cuts few of the (2, m) edges into so many equal parts."""
    made_from: dict[str, np.ndarray | int] = {"edges": edges, "nodes": nodes, "number": number}
    return kept("parts", made_from, lambda: metis(edges, nodes, number))


def left_singular_vectors(features: sparse.csr_matrix, number: int) -> np.ndarray:
    """Return the first columns of U in X = U S Vᵀ, (n, number) float64, by falling singular value.

    The sign of a column means nothing; here its largest entry is positive.
    """

    def compute() -> np.ndarray:
        u, values, _ = svds(features.astype(np.float64), k=number, v0=np.ones(min(features.shape)))
        u = u[:, np.argsort(-values)]
        return u * np.sign(u[np.abs(u).argmax(axis=0), np.arange(number)])

    return kept("directions", {**_stored(features), "number": number}, compute)


def _stored(features: sparse.csr_matrix) -> dict[str, np.ndarray]:
    shape = np.array(features.shape, dtype=np.int64)
    return {"shape": shape, "data": features.data, "indices": features.indices, "indptr": features.indptr}
