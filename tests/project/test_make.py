"""What make does to the environment, and that the installed package is found from everywhere."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def make(tmp_path):
    """Run make in a copy of what it needs, so that no environment of the user is touched."""
    for file in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / file, tmp_path)
    return lambda *arguments: subprocess.run(
        ["make", *arguments], cwd=tmp_path, capture_output=True, text=True, env={"PATH": os.environ["PATH"]}
    )


def test_make_help_lists_every_target_that_says_what_it_does(make):
    listed = dict(line.split(maxsplit=1) for line in make("help").stdout.splitlines())
    documented = re.findall(r"^([a-z]+):.*?## (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert listed == dict(documented)
    phony = re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(listed) == set(" ".join(phony).split())
    assert {"help", "test"} <= set(listed)


def test_a_protocol_that_is_none_gets_one_sentence(make, tmp_path):
    installed = tmp_path / ".venv" / ".installed"
    installed.parent.mkdir()
    installed.touch()
    result = make(f"PYTHON={sys.executable}", "PROTOCOL=matchd", "reproduce")
    assert result.returncode != 0
    assert "There is no protocol 'matchd'; PROTOCOL is text or matched." in result.stderr


@pytest.mark.parametrize("version", ["3.10", "3.13", "missing"])
def test_unsuitable_python_gets_one_sentence(make, tmp_path, version):
    python = tmp_path / "python"
    if version != "missing":
        # A Python that claims to be another: it runs the check with its version replaced.
        claim = f"import sys; sys.version_info = ({version.replace('.', ', ')}, 0, 'final', 0); exec(sys.argv[1])"
        python.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{claim}" "$2"\n')
        python.chmod(0o755)
    result = make(f"PYTHON={python}", "venv")
    assert result.returncode != 0
    (sentence,) = [line for line in result.stderr.splitlines() if not line.startswith("make")]
    assert re.search(r"needs Python 3\.11 or 3\.12, because DGL has no wheel .* make PYTHON=", sentence)
    assert not (tmp_path / ".venv").exists()


@pytest.fixture
def clone(tmp_path):
    """A folder called mtgcn with all that an installation takes, as a clone of the repository has it."""
    folder = tmp_path / "home" / "mtgcn"
    shutil.copytree(ROOT / "mtgcn", folder / "mtgcn", ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("Makefile", "pyproject.toml", "constraints.txt", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, folder)
    return folder


@pytest.fixture
def make_venv(clone, tmp_path):
    """Run ``make venv`` in the clone, for the package alone: what it needs would have to be fetched."""
    tools = tmp_path / "tools"
    tools.mkdir()
    site = Path(importlib.util.find_spec("setuptools").origin).parents[1]
    for part in ("setuptools", "_distutils_hack", "pkg_resources"):
        if (site / part).exists():
            (tools / part).symlink_to(site / part)
    # With this value pip builds without an environment of its own, whatever the name says.
    settings = {"PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0", "PYTHONPATH": str(tools)}

    def make() -> str:
        command = ["make", f"PYTHON={sys.executable}", "venv"]
        done = subprocess.run(command, cwd=clone, capture_output=True, text=True, env=os.environ | settings)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return make


def outdate(clone):
    """Let pyproject.toml be newer than the environment."""
    later = (clone / ".venv" / ".installed").stat().st_mtime + 1
    os.utime(clone / "pyproject.toml", (later, later))


@pytest.mark.slow
def test_the_environment_is_made_once_and_then_only_brought_up_to_date(make_venv, clone):
    assert "Installing" in make_venv()
    (clone / ".venv" / "kept").touch()
    assert "Installing" not in make_venv()

    outdate(clone)
    assert "Installing" in make_venv()
    assert (clone / ".venv" / "kept").exists(), "the environment was thrown away"

    outdate(clone)
    (clone / ".venv" / "bin" / "python").unlink()
    assert "Installing" in make_venv()
    assert not (clone / ".venv" / "kept").exists(), "a broken environment was kept"


@pytest.mark.slow
def test_a_script_beside_the_clone_imports_the_package_and_not_the_folder(make_venv, clone):
    make_venv()
    script = clone.parent / "x.py"
    script.write_text("import mtgcn; print(mtgcn.__file__); print(mtgcn.__version__)")
    python = clone / ".venv" / "bin" / "python"
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([python, script], cwd=clone.parent, capture_output=True, text=True, env=kept)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == str(clone / "mtgcn" / "__init__.py")
