import numpy as np
import pytest

from mtgcn.data import cache
from mtgcn.data.kept import kept


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MTGCN_CACHE", str(tmp_path / "cache"))


def counted(values):
    calls = []

    def compute():
        calls.append(1)
        return np.array(values)

    return calls, compute


def test_an_array_is_computed_once_for_what_it_is_made_from():
    calls, compute = counted([1.5, 2.5])
    features = np.arange(4.0)
    for _ in range(2):
        assert kept("thing", {"x": features, "k": 3}, compute).tolist() == [1.5, 2.5]
    assert len(calls) == 1
    for other in ({"x": features, "k": 4}, {"x": features + 1, "k": 3}, {"x": features.astype(np.float32), "k": 3}):
        kept("thing", other, compute)
    assert len(calls) == 4


@pytest.mark.parametrize("content", [b"", b"no array at all", b"\x93NUMPY\x01"])
def test_a_damaged_file_is_computed_again(content):
    calls, compute = counted([7])
    kept("thing", {"k": 1}, compute)
    (path,) = cache.folder().glob("thing-*.npy")
    path.write_bytes(content)
    assert kept("thing", {"k": 1}, compute).tolist() == [7]
    assert len(calls) == 2
    assert np.load(path).tolist() == [7]


def test_a_cache_that_refuses_costs_a_warning_only(monkeypatch, tmp_path, caplog):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("MTGCN_CACHE", str(tmp_path / "file"))
    assert kept("thing", {"k": 1}, lambda: np.array([3])).tolist() == [3]
    assert "thing cannot be kept" in caplog.text
