"""What a user types first: quick to import, there under its name, and the same in every place."""

import subprocess
import sys
from importlib.metadata import version

import pytest

import mtgcn

HEAVY = {"torch", "dgl", "pandas", "numpy", "matplotlib", "distributed"}


def loaded_by(code: str) -> set[str]:
    """The heavy packages that a fresh interpreter has loaded after ``code``."""
    program = f"import sys\ntry:\n    {code}\nfinally:\n    print('loaded:', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return HEAVY.intersection(done.stdout.splitlines()[-1].split())


def test_importing_mtgcn_loads_nothing_heavy() -> None:
    assert loaded_by("import mtgcn; mtgcn.__version__; dir(mtgcn)") == set()
    assert "torch" in loaded_by("import mtgcn; mtgcn.run")


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["run", "--help"]], ids=" ".join)
def test_help_and_version_load_nothing_heavy(arguments: list[str]) -> None:
    assert loaded_by(f"sys.argv[1:] = {arguments}; from mtgcn.cli import main; main()") == set()


def test_the_names_are_those_of_their_rooms() -> None:
    from mtgcn.data.datasets import load
    from mtgcn.experiments.parameters import Parameters
    from mtgcn.experiments.running import run

    assert (mtgcn.load, mtgcn.Parameters, mtgcn.run) == (load, Parameters, run)
    assert mtgcn.__version__ == version("mtgcn")
    assert set(mtgcn.__all__) <= set(dir(mtgcn))
    with pytest.raises(AttributeError, match="module 'mtgcn' has no attribute 'lode'"):
        mtgcn.lode  # noqa: B018
