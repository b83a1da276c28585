"""Write hashes.txt: for each version in constraints.txt the SHA-256 of every file that pip may take for it.

``python .github/hashes.py INDEX`` after a change of constraints.txt; a test holds the two files together.
"""

import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.request import Request, urlopen

ROOT = Path(__file__).parents[1]
INDEX = sys.argv[1].rstrip("/") if len(sys.argv) > 1 else ""  # the address of the package index, as pip takes it
JSON = {"Accept": "application/vnd.pypi.simple.v1+json"}
# Wheels for the platforms that are tested or named: Linux on x86_64, macOS on Apple's processors, and any.
PLATFORM = re.compile(r"-(any|manylinux\S*x86_64|linux_x86_64|macosx\S*(arm64|universal2))\.whl$")
PYTHON = re.compile(r"-(py3|py2\.py3|py311|py312|cp311|cp312|cp3\d*-abi3)\S*-\S+\.whl$")
HEAD = """\
# The files that pip may install for the versions in constraints.txt; made by .github/hashes.py, not by hand.
# torch is left out: PyPI's build for Linux brings several GB of CUDA packages, and the CPU build lies elsewhere.
"""
LEFT_OUT = ("torch",)


def files(name: str) -> list[tuple[str, str]]:
    """Return the names and digests of all files that the index has for a package."""
    with urlopen(Request(f"{INDEX}/{name}/", headers=JSON), timeout=60) as answer:
        content = answer.read().decode()
    if content.lstrip().startswith("{"):
        return [(file["filename"], file["hashes"]["sha256"]) for file in json.loads(content)["files"]]
    return [(found[2], found[1]) for found in re.finditer(r"#sha256=([0-9a-f]{64})\"[^>]*>([^<]+)</a>", content)]


def entry(line: str) -> str:
    """Return the line of a pin with its hashes: those of fitting wheels, or of the source where there are none."""
    name, version = re.match(r"([\w.-]+)==([^;\s]+)", line).groups()
    stem = rf"{re.sub(r'[-_.]+', '[-_.]', name)}-{re.escape(version)}"
    own = [
        file
        for file in files(re.sub(r"[-_.]+", "-", name).lower())
        if re.match(stem + r"[-.](?!post|dev)", file[0], re.I)
    ]
    wheels = [digest for file, digest in own if PLATFORM.search(file) and PYTHON.search(file)]
    sources = [digest for file, digest in own if file.endswith(".tar.gz")]
    digests = sorted(wheels or sources)
    if not digests:
        raise SystemExit(f"{INDEX} has no file for {line}")
    return " \\\n".join([line, *(f"    --hash=sha256:{digest}" for digest in digests)])


def main() -> None:
    """Look up every pin and write the file."""
    if not INDEX:
        raise SystemExit("say which index: python .github/hashes.py INDEX, an address as in pip's --index-url")
    lines = [line.split("#")[0].strip() for line in (ROOT / "constraints.txt").read_text().splitlines()]
    pins = [line for line in lines if line and line.split("==")[0] not in LEFT_OUT]
    with ThreadPoolExecutor(8) as pool:
        entries = list(pool.map(entry, pins))
    (ROOT / "hashes.txt").write_text(HEAD + "\n".join(entries) + "\n")


if __name__ == "__main__":
    main()
