"""The kernels in C: compiled when they are first needed and kept in the user's cache; none without a C compiler."""

import ctypes
import hashlib
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import torch

from mtgcn.data.cache import folder
from mtgcn.files import replacing

SOURCES = sorted(Path(__file__).with_name("c").glob("*.[ch]"))
OPTIONS = ("-O3", "-march=native", "-ffp-contract=off", "-shared", "-fPIC")
REALS = {torch.float32: "float", torch.float64: "double"}
INT, LONG, POINTER, DOUBLE = ctypes.c_int, ctypes.c_int64, ctypes.c_void_p, ctypes.c_double
LINKS = [INT, *[LONG] * 6, INT, INT]  # what the kernels of attention begin with
ARGUMENTS = {
    "product": [INT, *[LONG] * 4, INT, *[POINTER] * 4, INT, DOUBLE, INT, *[POINTER] * 2],
    "dense": [INT, *[LONG] * 4, INT, *[POINTER] * 3],
    "across": [INT, *[LONG] * 4, *[POINTER] * 3],
    "propagate": [INT, *[LONG] * 4, *[POINTER] * 6],
    "drop": [INT, LONG, POINTER, INT, DOUBLE, *[POINTER] * 3],
    "residual": [INT, *[LONG] * 3, *[POINTER] * 5],
    "moments": [INT, LONG, *[DOUBLE] * 4, *[POINTER] * 4],
    "step": [INT, *[LONG] * 2, *[DOUBLE] * 3, *[POINTER] * 4],
    "attend": [*LINKS, DOUBLE, *[POINTER] * 5, INT, DOUBLE, *[POINTER] * 5],
    "attend_rows": [*LINKS, DOUBLE, *[POINTER] * 5, INT, DOUBLE, *[POINTER] * 7],
    "attend_columns": [*LINKS, *[POINTER] * 5, INT, DOUBLE, *[POINTER] * 5],
}


def available(device: torch.device, dtype: torch.dtype) -> bool:
    """Tell whether the kernels can compute there, and compile them if that has not been done."""
    return device.type == "cpu" and dtype in REALS and library(dtype) is not None


@cache
def library(dtype: torch.dtype) -> Any:
    """Return the kernels for a type of numbers, None where they cannot be compiled."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    try:
        # OpenMP is tried first; a compiler without it gives kernels of one thread.
        real = f"-DREAL={REALS[dtype]}"
        path = _compiled(compiler, ["-fopenmp", real]) or _compiled(compiler, [real])
        loaded = ctypes.CDLL(str(path))
    except OSError:
        return None
    for name, arguments in ARGUMENTS.items():
        getattr(loaded, name).argtypes, getattr(loaded, name).restype = arguments, None
    return loaded


def _compiled(compiler: str, options: Sequence[str]) -> Path | None:
    """Return the kernels compiled with these options, from the cache if they are there; None if that fails."""
    version = subprocess.run([compiler, "--version"], capture_output=True, check=False).stdout
    # Compiled for the processor at hand: a cache that several machines share has a file for each kind of them.
    made_for = "\n".join([platform.platform(), platform.machine(), _processor(), *OPTIONS, *options])
    sources = b"".join(source.read_bytes() for source in SOURCES)
    digest = hashlib.sha256(sources + version + made_for.encode()).hexdigest()
    target = folder() / f"kernels-{digest[:16]}.so"
    if target.is_file():
        return target
    try:
        with replacing(target) as temporary:
            _compile(compiler, options, temporary)
    except subprocess.CalledProcessError:
        return None
    except OSError:  # the cache cannot be written
        target = Path(tempfile.mkdtemp(prefix="mtgcn-")) / target.name
        _compile(compiler, options, target)
    return target


def _compile(compiler: str, options: Sequence[str], target: Path) -> None:
    sources = [str(source) for source in SOURCES if source.suffix == ".c"]
    command = [compiler, *OPTIONS, *options, "-o", str(target), *sources]
    subprocess.run(command, check=True, capture_output=True)


def _processor() -> str:
    """Return what tells one kind of processor from another."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor()
    return "\n".join(dict.fromkeys(line for line in lines if line.startswith(("model name", "flags", "Features"))))
