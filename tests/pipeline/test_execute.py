"""Ctrl-C while a notebook runs: one word, whatever the kernel and what waits for it are doing."""

import subprocess
import sys
from pathlib import Path

import pytest

# On a busy machine the kernel is gone long before the rest is ended, so that a cell still waits for a dead kernel.
SLOW_END = """
kept = NotebookClient._async_cleanup_kernel
async def slowly(self):
    await self.km.shutdown_kernel(now=True)
    await asyncio.sleep(3)
    await kept(self)
NotebookClient._cleanup_kernel = run_sync(slowly)
"""
INTERRUPT = "os.kill(os.getppid(), signal.SIGINT)"
# Python raises the interrupt wherever it happens to be: here in one of the tasks that wait for a cell ...
IN_A_TASK = """
async def interrupted(self, *arguments):
    await asyncio.sleep(0.5)
    raise KeyboardInterrupt
NotebookClient.{name} = interrupted
"""
# ... and here before the kernel has answered.
AT_THE_START = """
async def interrupted(self):
    noted.write_text(str(self.km.provisioner.pid))
    raise KeyboardInterrupt
NotebookClient.start_new_kernel_client = run_sync(interrupted)
"""
PROGRAM = """
import asyncio, signal, sys
from pathlib import Path
import nbformat
from nbclient import NotebookClient
from nbclient.util import run_sync
from mtgcn.pipeline.execute import Job, execute

# A shell's background lets its children ignore Ctrl-C; Python then sets no handler of its own.
signal.signal(signal.SIGINT, signal.default_int_handler)
noted = Path(sys.argv[1])
{patch}
cell = f"import os, signal, time\\nopen({{str(noted)!r}}, 'w').write(str(os.getpid()))\\n{cell}\\ntime.sleep(60)"
notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell)])
try:
    execute(Job("run", nbformat.writes(notebook), {{}}))
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("patch", "cell"),
    [
        (SLOW_END, INTERRUPT),
        (SLOW_END + IN_A_TASK.format(name="_async_poll_for_reply"), ""),
        (SLOW_END + IN_A_TASK.format(name="_async_poll_output_msg"), ""),
        (SLOW_END + IN_A_TASK.format(name="_async_poll_kernel_alive"), ""),
        (AT_THE_START, ""),
    ],
    ids=["while nothing happens", "in the reply", "in the output", "in the kernel's pulse", "at the start"],
)
def test_an_interrupt_is_one_word_and_leaves_no_kernel(patch: str, cell: str, tmp_path: Path) -> None:
    noted = tmp_path / "kernel"
    program = PROGRAM.format(patch=patch, cell=cell)
    done = subprocess.run([sys.executable, "-c", program, str(noted)], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted\n", "")
    assert not Path(f"/proc/{noted.read_text()}").exists()
