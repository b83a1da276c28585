"""The book, built once for all tests from what is in the checkout; without any run, one made-up page stands in."""

import functools
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import synthetic
import yaml

from mtgcn.figures import runs_by_network

ROOT = Path(__file__).parents[1]
CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
REPOSITORY = CONFIG["repository"]["url"]


@functools.cache
def source(folder: Path) -> Path:
    """Copy the sources of the book into ``folder``, with a made-up run if there is none."""
    ignored = shutil.ignore_patterns("_build", "_drawings", ".pending", ".ipynb_checkpoints")
    for name in ("book", "notebooks", "params"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored, dirs_exist_ok=True)
    for name in ("_config.yml", "_toc.yml"):
        shutil.copy(ROOT / name, folder / name)
    if not list((folder / "book" / "runs").glob("cora-*.ipynb")):
        made_up_run(folder)
    return folder


@functools.cache
def build(folder: Path) -> Path:
    """Build the book with warnings as errors and return the folder of its HTML pages."""
    jupyter_book = Path(sys.executable).with_name("jupyter-book")
    command = [str(jupyter_book), "build", str(source(folder)), "--warningiserror", "--keep-going"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-6000:]
    return folder / "_build" / "html"


def made_up_run(folder: Path) -> None:
    """Write a run page and its results as the pipeline would leave them; the numbers mean nothing."""
    runs = synthetic.results([("cora", 1)])
    results = folder / "book" / "results"
    results.mkdir(parents=True, exist_ok=True)
    runs.to_csv(results / "cora-1.csv", index=False)
    picture = nbformat.v4.new_output("display_data", {"image/svg+xml": runs_by_network(runs).svg()})
    table = nbformat.v4.new_output("display_data", {"text/html": runs.head(12).to_html(index=False)})
    cells = [
        nbformat.v4.new_markdown_cell("# Cora, 1 hidden layer"),
        nbformat.v4.new_markdown_cell("## Runs"),
        nbformat.v4.new_code_cell("draw()", outputs=[picture], metadata={"tags": ["hide-input"]}, execution_count=1),
        nbformat.v4.new_code_cell("show()", outputs=[table], metadata={"tags": ["hide-input"]}, execution_count=2),
    ]
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    target = folder / "book" / "runs" / "cora-1.ipynb"
    target.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, target)
