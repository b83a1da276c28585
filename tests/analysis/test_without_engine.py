"""Who only looks at results does not load an engine: no module of the analysis imports torch or DGL."""

import pkgutil
import subprocess
import sys

import mtgcn.analysis

MODULES = [module.name for module in pkgutil.walk_packages(mtgcn.analysis.__path__, "mtgcn.analysis.")]


def test_no_module_of_the_analysis_loads_torch_or_dgl() -> None:
    """In a fresh interpreter, by whatever way; the first module that does is named."""
    code = f"import importlib, sys\nfor name in {MODULES}:\n    importlib.import_module(name)\n"
    code += "    assert not {'torch', 'dgl'} & set(sys.modules), name"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
