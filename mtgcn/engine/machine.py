"""How training uses the machine: which device, memory that is kept, no more threads than the work is worth."""

import ctypes
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import torch

from mtgcn.errors import MtgcnError

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # from glibc's malloc.h
KEEP = 1 << 30
# Stored values of features and graph, all runs together: from so many on a second thread helps, and memory is scarce.
WORTH_THREADS, LARGE = 1 << 17, 1 << 24


def keep_large_blocks() -> None:
    """Tell glibc to reuse freed blocks of up to 1 GiB; elsewhere do nothing.

    Each epoch frees and asks for the same few large arrays. By default glibc returns such blocks to the
    kernel, which clears every page again on the next request.
    """
    _glibc("mallopt", M_MMAP_THRESHOLD, KEEP)
    _glibc("mallopt", M_TRIM_THRESHOLD, KEEP)


def give_back() -> None:
    """Tell glibc to return what is free to the kernel, so that the memory of a process says what is in use."""
    gc.collect()
    _glibc("malloc_trim", 0)


def _glibc(function: str, *arguments: int) -> None:
    if not sys.platform.startswith("linux"):
        return
    with suppress(OSError, AttributeError):  # another C library, such as musl
        getattr(ctypes.CDLL(None), function)(*arguments)


@contextmanager
def fitting_threads(values: int) -> Iterator[None]:
    """Use one thread within the block when only so many values are worked on.

    Handing a piece of a hundred microseconds to a second thread gains little, and costs a hundredfold when
    another process has that thread's core: each step then waits for the scheduler.
    """
    before = torch.get_num_threads()
    if values < WORTH_THREADS:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def choose_device(name: str) -> torch.device:
    """Return the device called ``"cpu"``, ``"cuda"`` or, for ``"auto"``, a GPU when there is one."""
    available = torch.cuda.is_available()
    if name == "cuda" and not available:
        raise MtgcnError("device 'cuda' was asked for, but torch finds no GPU here; use device 'auto' or 'cpu'.")
    return torch.device("cuda" if name in ("auto", "cuda") and available else "cpu")
