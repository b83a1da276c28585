"""The book, built once for all tests from what is in the checkout; without any run, one made-up page stands in."""

import posixpath
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
from bs4 import BeautifulSoup
from filelock import FileLock
from ruamel.yaml import YAML

from mtgcn.analysis.figures import runs_by_network
from support import synthetic

ROOT = Path(__file__).parents[2]
CONFIG = YAML(typ="safe").load((ROOT / "_config.yml").read_text(encoding="utf-8"))
REPOSITORY = CONFIG["repository"]["url"]


def source(folder: Path) -> None:
    """Copy the sources of the book into ``folder``, with a made-up run if there is none."""
    ignored = shutil.ignore_patterns("_build", "_drawings", ".pending", ".ipynb_checkpoints")
    for name in ("book", "notebooks", "params"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored, dirs_exist_ok=True)
    for name in ("_config.yml", "_toc.yml", "CHANGELOG.md"):
        shutil.copy(ROOT / name, folder / name)
    if not list((folder / "book" / "runs").glob("cora-*.ipynb")):
        made_up_run(folder)


def build(folder: Path, builder: str = "html") -> Path:
    """Build the book with warnings as errors and return the folder of its pages (``singlehtml``: of its one page).

    What is in ``folder`` already is not built again; of several processes that ask, one builds and the others wait.
    """
    said = folder.with_name(f"{folder.name}-{builder}.txt")
    with FileLock(folder.with_name(f"{folder.name}.lock")):
        if not said.exists():
            if not folder.exists():
                source(folder)
            jupyter_book = Path(sys.executable).with_name("jupyter-book")
            command = [str(jupyter_book), "build", str(folder), "--builder", builder, "-W", "--keep-going"]
            done = subprocess.run(command, capture_output=True, text=True)
            said.write_text("" if done.returncode == 0 else done.stdout[-6000:] + done.stderr[-6000:])
    assert said.read_text() == ""
    return folder / "_build" / builder


def pages(html: Path) -> list[str]:
    """Return the pages in the order of the sidebar, as paths in the folder ``html``; the first page comes first."""
    first = "book/index.html"
    soup = BeautifulSoup((html / first).read_text(encoding="utf-8"), "html.parser")
    links = [str(link["href"]) for link in soup.select("nav.bd-links a.internal")]
    return [first, *(resolve(first, link)[0] for link in links)]


def readers_path(html: Path) -> list[str]:
    """Return the pages that a reader is led through: the first page, and all parts but the last two."""
    soup = BeautifulSoup((html / "book/index.html").read_text(encoding="utf-8"), "html.parser")
    parts = soup.select("nav.bd-links ul.nav.bd-sidenav")[:-2]
    links = [str(link["href"]) for part in parts for link in part.select("a.internal")]
    return ["book/index.html", *(resolve("book/index.html", link)[0] for link in links)]


def resolve(name: str, link: str) -> tuple[str, str]:
    """Return the path in the site and the anchor that ``link`` on the page ``name`` points to."""
    parts = urlsplit(link)
    path = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(parts.path))) if parts.path else name
    return path, parts.fragment


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
