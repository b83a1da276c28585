"""MathJax for a book that is read without the internet: one file of an installed package, put where Sphinx looks."""

import shutil
from importlib import metadata
from pathlib import Path

from mtgcn.errors import MtgcnError
from mtgcn.files import replacing

PACKAGE = "sphinx-mathjax-offline"  # only its files are used: as an extension it copies all of MathJax, 19 MB
NAME = "tex-svg-full.js"  # every TeX extension in one file, glyphs as SVG paths: no second request, no font file


def ensure(folder: Path) -> Path:
    """Return ``folder/mathjax/tex-svg-full.js``, a copy of the installed file."""
    target = folder / "mathjax" / NAME
    with replacing(target) as temporary:
        shutil.copyfile(installed(), temporary)
    return target


def installed() -> Path:
    """Return the path of MathJax in the installed package."""
    try:
        files = metadata.files(PACKAGE) or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        path = Path(str(file.locate()))
        if file.name == NAME and path.is_file():
            return path
    raise MtgcnError(f"MathJax, which draws the equations, is not installed: pip install {PACKAGE} brings {NAME}.")
