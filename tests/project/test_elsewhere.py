"""Devcontainer, Binder and archives: they end in the environment of `make`, and say what the project says of itself."""

import json
import re
import tomllib
from pathlib import Path

from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = YAML(typ="safe").load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
PAPER = CITATION["references"][0]["title"]


def test_the_devcontainer_ends_with_make() -> None:
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
    (version,) = re.findall(r"python:(3\.\d+)", container["image"])
    assert container["updateContentCommand"] == f"make venv PYTHON=python{version}"
    assert container["customizations"]["vscode"]["settings"]["python.defaultInterpreterPath"].endswith(
        ".venv/bin/python"
    )
    assert "chromium" in container["onCreateCommand"]


def test_binder_installs_what_conda_and_make_install() -> None:
    folder = ROOT / ".binder"
    lines = (folder / "requirements.txt").read_text(encoding="utf-8").splitlines()
    constraint, project = (line for line in lines if not line.startswith("#"))
    # pip looks for a constraint beside the file that names it, and for a project where it was called.
    assert (folder / constraint.removeprefix("--constraint ")).resolve() == ROOT / "constraints.txt"
    (conda,) = (
        part["pip"]
        for part in YAML(typ="safe").load(ROOT / "environment.yml")["dependencies"]
        if "pip" in part and isinstance(part, dict)
    )
    assert project == conda[1]
    assert (folder / "runtime.txt").read_text(encoding="utf-8").strip() == "python-3.11"


def test_the_archives_say_what_the_project_says_of_itself() -> None:
    zenodo = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    rescience = YAML(typ="safe").load(ROOT / "metadata.yaml")
    assert zenodo["title"] == rescience["title"] == f"[Re] {PAPER}"
    assert zenodo["version"] == PROJECT["version"] == CITATION["version"]
    assert zenodo["license"] == PROJECT["license"] == CITATION["license"]
    assert [one["name"] for one in zenodo["creators"]] == [one["name"] for one in CITATION["authors"]]
    assert {"url": "https://github.com/mtgcn/mtgcn"} in rescience["code"]
    cited = (ROOT / "book" / "cite.md").read_text(encoding="utf-8")
    assert f"version = {{{PROJECT['version']}}}" in cited
    assert f"title   = {{{PAPER}}}" in cited
