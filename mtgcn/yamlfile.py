"""YAML files whose mistakes can be shown by file and line."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from mtgcn.errors import MtgcnError

Location = tuple[str | int, ...]
Place = Callable[[int], str]  # tells where a line of what is read stands


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader, which reads ``5e-4`` as the number it is (YAML 1.1 takes it for a string).

    What cannot be read as what it looks like, such as the date 2024-02-30, is a mistake with a place as others are.
    """

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Make the value of ``node``; PyYAML calls this."""
        try:
            return super().construct_object(node, deep)
        except (ValueError, LookupError, AttributeError, ArithmeticError) as error:
            kind = node.tag.rpartition(":")[2]
            problem = f"'{str(node.value)[:40]}' is no possible {kind}; put it in quotes to mean text"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark) from error


_Loader.yaml_implicit_resolvers = {k: list(v) for k, v in yaml.SafeLoader.yaml_implicit_resolvers.items()}
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^[-+]?\d+(\.\d*)?[eE][-+]?\d+$"), list("-+0123456789")
)


@dataclass(frozen=True)
class YamlFile:
    """A mapping read from ``path``, and the line at which each of its keys stands."""

    path: Path
    data: dict[str, Any]
    lines: dict[Location, int] = field(repr=False)

    def where(self, location: Location) -> str:
        """Return ``file:line`` of the deepest part of ``location`` that the file holds."""
        for length in range(len(location), 0, -1):
            if line := self.lines.get(location[:length]):
                return f"{self.path}:{line}"
        return str(self.path)


def read(path: Path | str) -> YamlFile:
    """Read a file that holds one mapping; anything else is refused with its line."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise MtgcnError(f"{path}: cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise MtgcnError(f"{path}: not text in UTF-8.") from error
    return parse(text, path)


def parse(text: str, path: Path) -> YamlFile:
    """Read ``text``, which stands in ``path``."""
    try:
        data, lines = _read(text, lambda line: f"{path}:{line}")
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise MtgcnError(f"{path}:{line}: not valid YAML, {error.problem}.") from error
    except (yaml.YAMLError, RecursionError) as error:
        raise MtgcnError(f"{path}: not valid YAML, {_reason(error)}.") from error
    if not isinstance(data, dict):
        raise MtgcnError(f"{path}:1: expected lines of the form 'name: value'.")
    return YamlFile(path, data, lines)


def value(text: str, where: str) -> Any:
    """Read one value, given at ``where``."""
    try:
        return _read(text, lambda line: where)[0]
    except (yaml.YAMLError, RecursionError) as error:
        raise MtgcnError(f"{where}: '{text}' is not valid YAML, {_reason(error)}.") from error


def _read(text: str, place: Place) -> tuple[Any, dict[Location, int]]:
    """Return the one value in ``text`` and the lines of what it holds."""
    loader = _Loader(text)
    node = loader.get_single_node()
    if node is None:
        return None, {}
    lines: dict[Location, int] = {}
    _note_lines(node, (), lines, place)
    return loader.construct_document(node), lines


def _reason(error: Exception) -> str:
    """Say what is wrong in one line."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    problem = error.problem if isinstance(error, yaml.MarkedYAMLError) else None
    return " ".join((problem or str(error)).split())


def _note_lines(
    node: yaml.Node, location: Location, lines: dict[Location, int], place: Place, around: tuple[yaml.Node, ...] = ()
) -> None:
    """Fill ``lines`` with the line of every key and list item below ``node``, which stands in those ``around`` it."""
    if any(node is outer for outer in around):
        raise MtgcnError(f"{place(lines[location])}: the value stands within itself; write it out.")
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.tag == "tag:yaml.org,2002:merge":
                continue
            line = key.start_mark.line + 1
            if key.tag != "tag:yaml.org,2002:str":
                written = key.value if isinstance(key, yaml.ScalarNode) else "a collection"
                raise MtgcnError(f"{place(line)}: the name {written} has to be text; put it in quotes.")
            inner = (*location, key.value)
            if inner in lines:
                first = lines[inner]
                raise MtgcnError(f"{place(line)}: '{key.value}' stands twice, first in line {first}.")
            lines[inner] = line
            _note_lines(value, inner, lines, place, (*around, node))
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            lines[(*location, index)] = item.start_mark.line + 1
            _note_lines(item, (*location, index), lines, place, (*around, node))
