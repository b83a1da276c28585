"""Workers that are started here end without a word, however long they take."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import logging, os, time
from mtgcn.pipeline import cluster

def end_slowly():
    "Take as long to end as a worker does on a busy machine; Dask would kill it after four seconds."
    import atexit
    atexit.register(print, "ended by itself")
    atexit.register(time.sleep, 6)

if __name__ == "__main__":
    try:
        with cluster.connect(None, 2) as client:
            print(*client.run(os.getpid).values(), flush=True)
            {do}
    except KeyboardInterrupt:
        print("interrupted")
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("do", "said"),
    [
        ("client.run(end_slowly)", ["ended by itself", "ended by itself"]),
        ("work = client.map(time.sleep, [600, 601]); raise KeyboardInterrupt", ["interrupted"]),
    ],
    ids=["they have the time they need", "an interrupt ends them at their work"],
)
def test_workers_end_without_a_word(do: str, said: list[str], tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(do=do))
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=500)
    assert (done.returncode, done.stderr) == (0, "")
    workers, *lines = done.stdout.splitlines()
    assert lines == said
    assert len(workers.split()) == 2
    assert not any(Path(f"/proc/{worker}").exists() for worker in workers.split())
