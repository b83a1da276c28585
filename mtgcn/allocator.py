"""Large temporaries are kept for the next step instead of being handed back to the kernel."""

import ctypes
import sys

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # from glibc's malloc.h
KEEP = 1 << 30


def keep_large_blocks() -> None:
    """Tell glibc to reuse freed blocks of up to 1 GiB; elsewhere do nothing.

    Each epoch frees and asks for the same few large arrays. By default glibc returns such blocks to the
    kernel, which clears every page again on the next request.
    """
    if not sys.platform.startswith("linux"):
        return
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):  # another C library, such as musl
        return
    mallopt(M_MMAP_THRESHOLD, KEEP)
    mallopt(M_TRIM_THRESHOLD, KEEP)
