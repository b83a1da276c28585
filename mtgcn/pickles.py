"""Open Python 2 pickles of arrays without letting them run anything."""

import io
import pickle
import warnings
from collections import defaultdict
from typing import Any

import numpy as np
import scipy.sparse as sp

# What the Planetoid files ask for, under the names of the numpy and scipy that wrote them. The function
# that rebuilds an array has moved between numpy releases, so an array is asked which one it is.
ADMITTED: dict[tuple[str, str], Any] = {
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
    ("numpy.core.multiarray", "_reconstruct"): np.empty(0).__reduce__()[0],
    ("scipy.sparse.csr", "csr_matrix"): sp.csr_matrix,
    ("collections", "defaultdict"): defaultdict,
    ("__builtin__", "list"): list,
}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        try:
            return ADMITTED[module, name]
        except KeyError:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}, which is not admitted") from None


def load(content: bytes) -> Any:
    """Return the object in a Python 2 pickle; any name but the few of `ADMITTED` raises `UnpicklingError`."""
    with warnings.catch_warnings():
        # numpy 2.4 deprecates a detail of how old pickles describe their dtypes; the files cannot change.
        warnings.simplefilter("ignore", DeprecationWarning)
        return _Unpickler(io.BytesIO(content), fix_imports=False, encoding="latin1").load()
