import io
import pickle
import struct
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from mtgcn.data import arrays, datasets, toy
from mtgcn.errors import MtgcnError

COUNTS = {
    "cora": (2708, 5278, 1433, 7),
    "citeseer": (3327, 4552, 3703, 6),
    "pubmed": (19717, 44324, 500, 3),
}
EVERY = (*COUNTS, "toy")


def loaded(name, real):
    return datasets.load("toy") if name == "toy" else real(name)


@pytest.mark.parametrize("name", COUNTS)
def test_counts_and_split_are_the_published_ones(name, real):
    data = real(name)
    assert (data.nodes, data.edges.shape[1], data.features.shape[1], data.classes) == COUNTS[name]
    assert np.bincount(data.labels[data.train]).tolist() == [20] * data.classes
    assert (len(data.validation), len(data.test)) == (500, 1000)


@pytest.mark.parametrize("name", EVERY)
def test_arrays_are_canonical(name, real):
    data = loaded(name, real)
    source, target = data.edges
    assert (source < target).all()
    assert (np.diff(source * data.nodes + target) > 0).all()
    assert source.min() >= 0
    assert target.max() < data.nodes
    assert data.features.shape[0] == data.nodes
    assert data.features.dtype == np.float32
    assert data.features.has_canonical_format
    assert (data.features.data != 0).all()
    assert sorted(set(data.labels.tolist())) == list(range(data.classes))
    for array in (data.edges, data.labels, data.train, data.validation, data.test):
        assert array.dtype == np.int64
    split = np.concatenate([data.train, data.validation, data.test])
    assert len(set(split.tolist())) == len(split)


@pytest.mark.parametrize("name", EVERY)
def test_rows_are_divided_by_their_sums(name, real):
    data = loaded(name, real)
    raw = datasets.load(name, normalise=False)
    sums = raw.features.toarray().sum(axis=1, dtype=np.float64, keepdims=True)
    expected = np.divide(raw.features.toarray(), sums, where=sums > 0, out=np.zeros(raw.features.shape))
    np.testing.assert_allclose(data.features.toarray(), expected, rtol=1e-6)
    assert data.digest == raw.digest


def test_citeseer_keeps_its_unlisted_test_nodes_as_kipf_and_welling_do(real):
    data = real("citeseer")
    unlisted = np.setdiff1d(np.arange(2312, 3327), data.test)
    assert len(unlisted) == 15
    assert data.features[unlisted].nnz == 0
    assert np.diff(data.features.indptr).all(where=~np.isin(np.arange(3327), unlisted))
    assert (data.labels[unlisted] == 0).all()
    assert np.isin(unlisted, data.edges).all()
    assert not np.isin(unlisted, np.concatenate([data.train, data.validation])).any()


def test_toy_says_that_it_is_generated():
    data = datasets.load("toy")
    assert data.source == "generated"
    assert 200 <= data.nodes <= 300


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        ("cara", "did you mean 'cora'?"),
        ("Cora", "did you mean 'cora'?"),
        ("pubmeds", "'pubmed'"),
        ("xyz", "citeseer"),
    ],
)
def test_unknown_name_suggests_the_nearest(wrong, hint):
    with pytest.raises(MtgcnError) as caught:
        datasets.load(wrong)
    assert f"'{wrong}'" in str(caught.value)
    assert hint in str(caught.value)


def test_arrays_that_differ_from_the_published_ones_are_refused(monkeypatch, real):
    real("cora")
    monkeypatch.setitem(datasets.DIGESTS, "cora", "0" * 64)
    with pytest.raises(MtgcnError, match=f"a9ab1895.*it should be {'0' * 64}"):
        datasets.load("cora")


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8))))
def test_canonical_edges_are_the_set_of_unordered_pairs(pairs):
    source, target = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    edges = arrays.canonical_edges(source, target, 9)
    expected = sorted({(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]})
    assert list(map(tuple, edges.T.tolist())) == expected


@pytest.mark.parametrize("part", ["edges", "labels", "train", "validation", "test", "features", "classes"])
def test_digest_depends_on_every_array(part):
    graph = toy.generate()
    value = getattr(graph, part)
    if part == "classes":
        changed = value + 1
    elif part == "features":
        changed = value.copy()
        changed.data[-1] += 1
    else:
        changed = value.copy()
        changed.flat[-1] += 1
    fields = {**graph.__dict__, part: changed}
    assert arrays.digest(arrays.Arrays(**fields)) != arrays.digest(graph)


# A user's own graph


def own(**changes):
    """Five nodes in two classes; a change of None leaves the array out."""
    graph = {
        "edges": np.array([[0, 1, 2, 3], [1, 2, 3, 4]]),
        "features": np.eye(5, 3),
        "labels": np.array([0, 1, 0, 1, 0]),
        "train": np.array([0, 1]),
        "validation": np.array([2]),
        "test": np.array([3, 4]),
    }
    return {name: array for name, array in (graph | changes).items() if array is not None}


def test_own_graph_loads_whatever_the_direction_of_its_edges(tmp_path):
    np.savez(tmp_path / "mine.npz", **own(edges=np.array([[1, 0, 2, 2, 3, 4], [0, 1, 1, 2, 2, 3]])))
    data = datasets.load(tmp_path / "mine.npz")
    assert data.edges.tolist() == [[0, 1, 2, 3], [1, 2, 3, 4]]
    assert (data.name, data.classes, data.features.toarray().tolist()) == ("mine", 2, np.eye(5, 3).tolist())


@pytest.mark.parametrize("name", EVERY)
def test_what_is_saved_loads_again(name, real, tmp_path):
    loaded(name, real)
    data = datasets.load(name, normalise=False)
    datasets.save(tmp_path / "copy.npz", data)
    again = datasets.load(str(tmp_path / "copy.npz"), normalise=False)
    assert again.digest == data.digest
    assert again.source == str(tmp_path / "copy.npz")
    assert [path.name for path in tmp_path.iterdir()] == ["copy.npz"]


CSR = {
    "features": None,
    "features_data": np.ones(2),
    "features_indices": np.array([0, 2]),
    "features_indptr": np.array([0, 1, 2, 2, 2, 2]),
    "features_shape": np.array([5, 3]),
}


def test_own_features_may_be_sparse(tmp_path):
    np.savez(tmp_path / "mine.npz", **own(**CSR))
    expected = sp.csr_matrix((np.ones(2), ([0, 1], [0, 2])), shape=(5, 3)).toarray()
    assert datasets.load(tmp_path / "mine.npz").features.toarray().tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"edges": None}, "'edges' is missing"),
        ({"train": None}, "'train' is missing"),
        ({"edges": np.zeros((3, 2), int)}, r"'edges' has the shape \(3, 2\), it should be \(2, edges\)"),
        ({"edges": np.array([[0], [5]])}, "'edges' names node 5, but 'labels' has the nodes 0 to 4"),
        ({"edges": np.array([[0], [-1]])}, "'edges' names node -1"),
        ({"edges": np.array([[0.0], [1.0]])}, "'edges' holds float64, it should hold integers"),
        ({"features": None}, "'features' is missing"),
        ({"features": np.eye(4)}, r"shape \(4, 4\), it should be \(5, features\)"),
        ({"features": np.ones(5)}, r"shape \(5,\), it should be \(5, features\)"),
        ({"features": np.full((5, 3), np.nan)}, "NaN or infinity"),
        ({"features": np.full((5, 3), "x")}, "it should hold real numbers"),
        ({"features": -np.eye(5, 3)}, "negative values.*normalise=False"),
        (CSR | {"features_indices": np.array([0, 3])}, "not a CSR matrix"),
        (CSR | {"features_indices": np.array([0, -1])}, "not a CSR matrix"),
        (CSR | {"features_data": np.array(["a", "b"])}, "it should hold real numbers"),
        (CSR | {"features_shape": np.array([5])}, "not a CSR matrix"),
        (CSR | {"features_indptr": None}, "'features' is missing"),
        ({"labels": np.array([0, 1, 0, 1, -1])}, "'labels' holds -1, classes are numbered from 0"),
        ({"labels": np.array([0, 2, 0, 2, 0])}, "goes up to 2 but no node has class 1"),
        ({"labels": np.array([0, 1, 0, 1, 10**12])}, "goes up to 1000000000000 but no node has class 2"),
        ({"labels": np.array([1, 1, 1, 1, 1])}, "goes up to 1 but no node has class 0"),
        (CSR | {"features_shape": np.array([5, np.inf])}, "not a CSR matrix"),
        ({"labels": np.zeros((5, 2), int)}, r"'labels' has the shape \(5, 2\), it should be \(nodes,\)"),
        ({"labels": np.zeros(0, int)}, r"'labels' has the shape \(0,\)"),
        ({"train": np.array([], int)}, "'train' has the shape .* at least one node"),
        ({"validation": np.array([], int)}, "'validation' has the shape .* at least one node"),
        ({"train": np.array([True, True, False, False, False])}, r"np\.flatnonzero\(mask\)"),
        ({"train": np.array([0, 0])}, "'train' lists a node twice"),
        ({"test": np.array([3, 7])}, "'test' names node 7"),
        ({"test": np.array([3, 1])}, r"'train' and 'test' share 1 node\(s\), the first is 1"),
        ({"validation": np.array([3])}, "'validation' and 'test' share"),
    ],
)
def test_faulty_graph_gets_one_sentence(changes, sentence, tmp_path):
    np.savez(tmp_path / "mine.npz", **own(**changes))
    with pytest.raises(MtgcnError, match=sentence) as caught:
        datasets.load(tmp_path / "mine.npz")
    assert "mine" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_negative_features_load_unnormalised(tmp_path):
    np.savez(tmp_path / "mine.npz", **own(features=-np.eye(5, 3)))
    assert datasets.load(tmp_path / "mine.npz", normalise=False).features.data.tolist() == [-1] * 3


class Bomb:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (self.path, "w")


def npz_of(members):
    """An archive with these bytes as its members."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return file.getvalue()


def damaged_in_compression():
    """A compressed archive whose first member begins with a kind of block that zlib does not know."""
    file = io.BytesIO()
    np.savez_compressed(file, **own())
    content = bytearray(file.getvalue())
    name, extra = struct.unpack("<HH", content[26:30])
    content[30 + name + extra] = 0xFF
    return bytes(content)


def one_array():
    """What np.save writes."""
    file = io.BytesIO()
    np.save(file, np.eye(3))
    return file.getvalue()


DAMAGED = {
    "one array": one_array,
    "compression": damaged_in_compression,
    "header": lambda: npz_of({"edges": b"\x93NUMPY\x01\x00" + struct.pack("<H", 11) + b"{'descr': ("}),
    "long header": lambda: npz_of({"edges": b"\x93NUMPY\x01\x00" + struct.pack("<H", 20000) + b" " * 20000}),
    "no arrays": lambda: npz_of(dict.fromkeys(own(), b"text")),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_damaged_file_gets_one_sentence(kind, tmp_path):
    (tmp_path / "mine.npz").write_bytes(DAMAGED[kind]())
    with pytest.raises(MtgcnError, match=r"mine\.npz") as caught:
        datasets.load(tmp_path / "mine.npz")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", ["object array", "not a zip", "pickle", "cut off", "empty", "text inside"])
def test_file_that_is_no_graph_is_refused_and_runs_nothing(kind, tmp_path):
    path, marker = tmp_path / "mine.npz", str(tmp_path / "ran")
    np.savez(path, **own())
    whole = path.read_bytes()
    if kind == "object array":
        np.savez(path, **own(labels=np.array([Bomb(marker)] * 5, dtype=object)))
    elif kind == "text inside":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("edges.npy", "no array")
    else:
        content = {
            "not a zip": b"hello",
            "pickle": pickle.dumps(Bomb(marker)),
            "cut off": whole[:-100],
            "empty": b"",
        }
        path.write_bytes(content[kind])
    (tmp_path / "ran").unlink(missing_ok=True)
    with pytest.raises(MtgcnError, match=r"mine\.npz"):
        datasets.load(path)
    assert not (tmp_path / "ran").exists()


def test_missing_graph_file_is_named(tmp_path):
    with pytest.raises(MtgcnError, match=r"there is no graph file .*mine\.npz"):
        datasets.load(tmp_path / "mine.npz")


def test_graph_is_saved_to_npz_only(tmp_path):
    with pytest.raises(MtgcnError, match=r"ends in \.npz, not to .*mine\.csv"):
        datasets.save(tmp_path / "mine.csv", toy.generate())


def test_graph_that_cannot_be_saved_gets_one_sentence(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(MtgcnError, match=r"mine\.npz cannot be written \(Not a directory\); name a file"):
        datasets.save(tmp_path / "file" / "mine.npz", toy.generate())
