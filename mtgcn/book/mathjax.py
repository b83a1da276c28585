"""MathJax for a book that is read without the internet: brought from a package registry, checked, never committed."""

import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib
from pathlib import Path

from mtgcn.errors import MtgcnError
from mtgcn.files import replacing

NAME = "tex-svg-full.js"  # every TeX extension in one file, glyphs as SVG paths: no second request, no font file
DIGEST = "a4354ff94fd868aea0cc6eaaa79a57fda0588646fc46ee3700a349ee0a11cbe6"
NPM_PACKAGE = "mathjax@3.2.2"
PYPI_PACKAGE = "sphinx-mathjax-offline==0.0.2"
# What a source that fails raises: no program or network, another file than expected or none, a damaged archive.
FAULTS = (
    OSError,
    subprocess.SubprocessError,
    KeyError,
    ValueError,
    EOFError,
    zlib.error,
    tarfile.TarError,
    zipfile.BadZipFile,
)


def ensure(folder: Path) -> Path:
    """Return ``folder/mathjax/tex-svg-full.js``, fetching it if it is missing or damaged."""
    target = folder / "mathjax" / NAME
    if target.exists() and _digest(target.read_bytes()) == DIGEST:
        return target
    reasons = []
    for source, fetch in ((f"npm's {NPM_PACKAGE}", _from_npm), (f"PyPI's {PYPI_PACKAGE}", _from_pypi)):
        try:
            content = fetch()
        except FAULTS as error:
            reasons.append(f"{source}: {_reason(error)}")
            continue
        if _digest(content) != DIGEST:
            reasons.append(f"{source}: {NAME} has the digest {_digest(content)}, not {DIGEST}")
            continue
        with replacing(target) as temporary:
            temporary.write_bytes(content)
        return target
    raise MtgcnError(
        f"MathJax could not be fetched ({'; '.join(reasons)}); put {NAME} of {NPM_PACKAGE} into {target.parent}."
    )


def _from_npm() -> bytes:
    npm = shutil.which("npm")
    if npm is None:
        raise FileNotFoundError("npm is not installed")
    with tempfile.TemporaryDirectory() as folder:
        _run([npm, "pack", "--silent", NPM_PACKAGE], folder)
        archive = _only(folder, "*.tgz")
        with tarfile.open(archive) as tar:
            member = tar.extractfile(f"package/es5/{NAME}")
            if member is None:
                raise KeyError(NAME)
            return member.read()


def _from_pypi() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        _run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", PYPI_PACKAGE], folder)
        wheel = _only(folder, "*.whl")
        with zipfile.ZipFile(wheel) as archive:
            return archive.read(f"sphinx-mathjax-offline/static/mathjax/{NAME}")


def _only(folder: str, pattern: str) -> Path:
    """Return the one file that came."""
    found = sorted(Path(folder).glob(pattern))
    if len(found) != 1:
        raise ValueError(f"{len(found)} files {pattern} came, not one")
    return found[0]


def _run(command: list[str], folder: str) -> None:
    subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, timeout=120)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _reason(error: Exception) -> str:
    """Return the last line a failed command wrote, or the error itself."""
    lines = (getattr(error, "stderr", None) or "").strip().splitlines()
    return lines[-1] if lines else str(error)
