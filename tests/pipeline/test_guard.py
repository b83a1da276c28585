"""A guarded cluster: certificates of a local authority, and workers that execute this project's functions only."""

import os
import pickle
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask
import pytest
from support import tiny_project as tiny
from support.dask_cluster import running

from mtgcn.errors import MtgcnError
from mtgcn.pipeline import guard

TOY = "notebook: train\ndataset: toy\nruns: 2\nepochs: 5\nnetworks: {GCN: {}}\n"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificates"),
]


def authority(folder: Path) -> list[str]:
    """Make an authority and a certificate signed by it; return the options of `dask scheduler` and `dask worker`."""

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    folder.mkdir()
    key = ["-newkey", "rsa:2048", "-nodes", "-keyout"]
    openssl("req", "-x509", "-days", "2", *key, "ca-key.pem", "-out", "ca.pem", "-subj", "/CN=mtgcn test authority")
    openssl("req", *key, "key.pem", "-out", "request.pem", "-subj", "/CN=mtgcn")
    signed = ["-CA", "ca.pem", "-CAkey", "ca-key.pem", "-CAcreateserial", "-days", "2", "-out", "cert.pem"]
    openssl("x509", "-req", "-in", "request.pem", *signed)
    files = {"--tls-ca-file": "ca.pem", "--tls-cert": "cert.pem", "--tls-key": "key.pem"}
    return [part for option, file in files.items() for part in (option, str(folder / file))]


def settings(folder: Path) -> dict[str, str]:
    """Return the environment that names the certificates to a client, as the chapter says it."""
    prefix = "DASK_DISTRIBUTED__COMM__TLS__"
    files = {"CA_FILE": "ca.pem", "CLIENT__CERT": "cert.pem", "CLIENT__KEY": "key.pem"}
    return {prefix + name: str(folder / file) for name, file in files.items()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("guarded")


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    options = authority(folder / "ours")
    names = ("ca-file", "client.cert", "client.key")
    tls = {f"distributed.comm.tls.{name}": path for name, path in zip(names, options[1::2], strict=True)}
    preload = ["--preload", "mtgcn.pipeline.guard"]
    protocol = ["--protocol", "tls"]
    with (
        dask.config.set(tls),
        running(folder, 1, [*options, *protocol], preload) as (found, _),
    ):
        yield found


def test_a_run_over_tls(tmp_path: Path, folder: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert address.startswith("tls://")
    project = tiny.make(tmp_path, a=TOY)
    for name, value in settings(folder / "ours").items():
        monkeypatch.setenv(name, value)
    output = tiny.output_of(project, "run", "--scheduler", address)
    assert "a: done" in output, output
    assert tiny.status(project) == {"a": []}


def test_certificates_of_another_authority_are_refused(
    tmp_path: Path, folder: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority(folder / "theirs")
    monkeypatch.setenv("MTGCN_CONNECT_SECONDS", "20")
    project = tiny.make(tmp_path, a=TOY)
    for name, value in settings(folder / "theirs").items():
        monkeypatch.setenv(name, value)
    with tiny.started(project, "run", "--scheduler", address) as program:
        output, _ = program.communicate(timeout=500)
    assert program.returncode == 2
    assert len(output.splitlines()) == 1, output
    assert "no Dask scheduler answers" in output


class Attack:
    def __init__(self, *call: Any) -> None:
        self.call = call

    def __reduce__(self) -> Any:
        return self.call[0], self.call[1:]


@pytest.mark.parametrize("call", [(os.system, "true"), (eval, "1"), (getattr, "x", "upper"), (MtgcnError, "x")])
def test_a_pickle_calls_nothing_else(call: tuple[Any, ...]) -> None:
    with pytest.raises(pickle.UnpicklingError, match="executes jobs of mtgcn only"):
        guard.loads(pickle.dumps(Attack(*call)))
    # Nor by an attribute of something that is allowed.
    assert guard.refuse is guard.loads(b"\x80\x04\x8c\x16mtgcn.pipeline.cluster\x8c\x15on_worker.__globals__\x93.")
