"""Large arrays lie in large pages of memory, where the kernel has them: read from what it says of the process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SETTING = Path("/sys/kernel/mm/transparent_hugepage/enabled")
PROGRAM = """
import mtgcn, torch
array = torch.ones(64 << 20, dtype=torch.uint8)
print(sum(int(line.split()[1]) for line in open("/proc/self/smaps") if line.startswith("AnonHugePages")))
"""


def kilobytes_in_large_pages(**variables: str) -> int:
    environment = {name: value for name, value in os.environ.items() if name != "THP_MEM_ALLOC_ENABLE"}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, env=environment | variables, capture_output=True, text=True, check=True)
    return int(done.stdout)


@pytest.mark.skipif(
    not SETTING.exists() or "[madvise]" not in SETTING.read_text(), reason="this kernel does not let programs choose"
)
def test_large_arrays_lie_in_large_pages_unless_somebody_says_otherwise() -> None:
    without = kilobytes_in_large_pages(THP_MEM_ALLOC_ENABLE="0")
    assert kilobytes_in_large_pages() > without + 32_000
