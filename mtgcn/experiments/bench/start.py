"""How long what computes nothing takes to start, beside ``import torch`` in the same go."""

import resource
import subprocess
import sys
from collections.abc import Iterator

PROGRAM = "from mtgcn.cli import main; main()"
WHAT = {
    "import torch": ["-c", "import torch"],
    "import mtgcn": ["-c", "import mtgcn"],
    "mtgcn --help": ["-c", PROGRAM, "--help"],
    "mtgcn status": ["-c", PROGRAM, "status"],
}


def starts(rounds: int = 5) -> Iterator[dict[str, object]]:
    """Yield a row for each: seconds of a core, and how many times those of ``import torch`` that is.

    They take turns, and of each the fastest round counts: the first one finds nothing in the file system's cache.
    """
    taken = [{name: _seconds(arguments) for name, arguments in WHAT.items()} for _ in range(rounds)]
    fastest = {name: min(one[name] for one in taken) for name in WHAT}
    for name, seconds in fastest.items():
        yield {"what": name, "seconds": round(seconds, 3), "ratio": round(seconds / fastest["import torch"], 2)}


def _seconds(arguments: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
