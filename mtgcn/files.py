"""Files appear whole or not at all: write beside, then replace. What a killed process leaves, the next one sweeps."""

import errno
import os
import platform
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from zlib import crc32

from mtgcn.errors import Unwritable

RIGHT = "name a file in a folder that can be written"
# In the names of temporary files: this machine, for a disk may be shared, and the process.
MACHINE = f"{crc32(platform.node().encode()):08x}"
LEFT = re.compile(rf"-{MACHINE}-(\d+)-[^-]*$")


@contextmanager
def writing(path: Path, right: str) -> Iterator[None]:
    """Turn what the system refuses in the block into one sentence: ``path`` cannot be written, do what is ``right``."""
    try:
        yield
    except OSError as error:
        raise Unwritable(path, error, right) from error


@contextmanager
def replacing(path: Path | str) -> Iterator[Path]:
    """Yield a temporary path beside ``path``; move it there when the block succeeds, remove it otherwise.

    The name starts with a dot and ends with the suffix of ``path``, so that tools which look at the
    suffix work and tools which collect ``*.csv`` never see it.
    """
    path = Path(path)
    with writing(path, RIGHT):
        temporary = _beside(path)
        try:
            yield temporary
            os.chmod(temporary, 0o644)
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)


def check_target(path: Path) -> None:
    """Refuse a path that `replacing` could not write, before the work whose outcome should go there."""
    with writing(path, RIGHT):
        _beside(path).unlink()  # only trying tells: by its permissions, root may write to /proc


def make_folder(path: Path) -> None:
    """Make a folder and those above it; a file in its place is called that."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path)) from error


def write_text(path: Path | str, text: str) -> None:
    """Write ``text`` to ``path`` in one step."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _beside(path: Path) -> Path:
    """Make an empty file beside ``path``, which is a file or nothing yet: a folder or /dev/null is not replaced."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "Not a regular file", str(path))
    make_folder(path.parent)
    # Letters enough to know it by: the name of a file may be as long as a file system allows.
    sweep(path.parent, f".{path.stem[:100]}-*")
    handle, name = tempfile.mkstemp(prefix=f".{path.stem[:100]}{_mark()}", suffix=path.suffix[:20], dir=path.parent)
    os.close(handle)
    return Path(name)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Give a folder for the time of the block; it goes with it, or with the next call when the process is killed."""
    with tempfile.TemporaryDirectory(prefix=f"mtgcn{_mark()}", ignore_cleanup_errors=True) as name:
        yield Path(name)


def sweep_temporary() -> None:
    """Remove the temporary folders of killed processes."""
    sweep(Path(tempfile.gettempdir()), "mtgcn-*")


def sweep(folder: Path, pattern: str) -> None:
    """Remove temporary files and folders of processes of this machine that are no more."""
    for path in folder.glob(pattern):
        process = LEFT.search(path.name)
        if process is not None and not _alive(int(process[1])):
            with suppress(OSError):  # another user's, or swept by another process just now
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def _mark() -> str:
    return f"-{MACHINE}-{os.getpid()}-"


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # somebody else's
        return True
    return True
