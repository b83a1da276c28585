"""One number for everything that decides what a training gives: the parsed sources of four rooms."""

import ast
import hashlib
from functools import cache
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[1]
ROOMS = ("data", "engine", "model", "experiments")
# What trains nothing that is reported: the peers of the benchmark, and the readable model.
LEFT_OUT = ("experiments/bench/", "model/plain.py")


@cache
def engine_digest(package: Path = PACKAGE) -> str:
    """Return a SHA-256 (hex) of the sources that training depends on; comments, docstrings and layout do not count."""
    total = hashlib.sha256()
    for room in ROOMS:
        for path in sorted((package / room).rglob("*.py")):
            name = path.relative_to(package).as_posix()
            if not name.startswith(LEFT_OUT):
                total.update(f"{name}\n{_shape(ast.parse(path.read_bytes()))}\n".encode())
        for path in sorted((package / room).rglob("*.[ch]")):
            total.update(f"{path.relative_to(package).as_posix()}\n".encode() + path.read_bytes())
    return total.hexdigest()


def _shape(node: Any) -> str:
    """Write a syntax tree as text that is the same in every Python; `ast.dump` is not."""
    if isinstance(node, list):
        return f"[{', '.join(map(_shape, node))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = {name: value for name, value in ast.iter_fields(node) if value is not None and value != []}
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        fields["body"] = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    return f"{type(node).__name__}({', '.join(f'{name}={_shape(value)}' for name, value in fields.items())})"
