"""YAML files whose mistakes can be shown by file and line."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.composer import Composer, ComposerError, MaxDepthExceededError
from ruamel.yaml.constructor import ConstructorError, RoundTripConstructor, SafeConstructor
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode

from mtgcn.errors import MtgcnError

LARGEST = 100_000  # bytes of a file; those of this project have a few thousand
MOST = 5_000  # names and values of a file, where those that an alias repeats count each time
DEEPEST = 50  # levels of a file
GREATEST = 2**63  # what an integer is below; nothing here counts further
WITHIN = "the value stands within itself; write it out"


class _Composer(Composer):
    """Counts what a file holds while it is read, before anything is made of it."""

    def __init__(self, loader: Any = None) -> None:
        super().__init__(loader)
        self.warn_double_anchors = False
        self._held = 0
        self._below: dict[str, int] = {}  # what each anchor stands for, itself included

    def compose_node(self, parent: Any, index: Any) -> Node:
        """Read what comes next; an alias counts as all that it stands for."""
        event, before = self.parser.peek_event(), self._held
        # An anchor without a number is not complete: a value within itself, which the constructor refuses.
        self._held += self._below.get(event.anchor, 1) if isinstance(event, AliasEvent) else 1
        if self._held > MOST:
            problem = f"it holds more than {MOST:,} values, where an alias counts as what it stands for"
            raise ComposerError(None, None, problem, event.start_mark)
        node = super().compose_node(parent, index)
        if event.anchor is not None:
            self._below[event.anchor] = self._held - before
        return node

    def compose_mapping_node(self, anchor: Any) -> MappingNode:
        """Read a mapping; a name that is a list or a mapping would be written out to be shown."""
        node = super().compose_mapping_node(anchor)
        for key, _ in node.value:
            if not isinstance(key, ScalarNode):
                raise ComposerError(None, None, "a name has to be text; put it in quotes", key.start_mark)
        return node


class _Constructor(RoundTripConstructor):
    """ruamel.yaml's round trip, which knows the lines of keys and items; single values are Python's own."""

    def construct_object(self, node: Node, deep: bool = False) -> Any:
        """Make the value of ``node``; what is not what it looks like, such as 2024-02-30, is a mistake with a place."""
        if node in self.recursive_objects and node not in self.constructed_objects:
            raise ConstructorError(None, None, WITHIN, node.start_mark)
        try:
            value = super().construct_object(node, deep)
            if isinstance(value, int) and abs(value) >= GREATEST:
                raise ValueError("too large")
            return value
        except (ValueError, LookupError) as error:
            kind = str(node.tag).rpartition(":")[2]
            problem = f"'{str(node.value)[:40]}' is no possible {kind}; put it in quotes to mean text"
            raise ConstructorError(None, None, problem, node.start_mark) from error

    def check_mapping_key(self, node: Node, key_node: Node, mapping: Any, key: Any, value: Any) -> bool:
        """Refuse a key of ``mapping`` that is no text, or stands there already."""
        if not isinstance(key, str):
            problem = f"the name {key} has to be text; put it in quotes"
        elif key in mapping:
            problem = f"'{key}' stands twice, first in line {mapping.lc.key(key)[0] + 1}"
        else:
            return True
        raise ConstructorError(None, None, problem, key_node.start_mark)


for _kind in ("int", "float", "bool", "timestamp"):
    _Constructor.add_constructor(f"tag:yaml.org,2002:{_kind}", getattr(SafeConstructor, f"construct_yaml_{_kind}"))
for _tag in (None, *(f"tag:yaml.org,2002:{kind}" for kind in ("binary", "omap", "pairs", "set"))):
    _Constructor.add_constructor(_tag, SafeConstructor.construct_undefined)


@dataclass(frozen=True)
class YamlFile:
    """A mapping read from ``path``, and the same as ruamel.yaml has it, with lines."""

    path: Path
    data: dict[str, Any]
    tree: Any = field(repr=False)

    def where(self, location: Sequence[str | int]) -> str:
        """Return ``file:line`` of the deepest part of ``location`` that the file holds."""
        here, place = self.tree, str(self.path)
        for part in location:
            lines = here.lc.data if isinstance(here, CommentedMap | CommentedSeq) else None
            if not lines or part not in lines:
                break
            here, place = here[part], f"{self.path}:{lines[part][0] + 1}"
        return place


def read(path: Path | str) -> YamlFile:
    """Read a file that holds one mapping; anything else is refused with its line."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise MtgcnError(f"{path}: cannot be read ({error.strerror}).") from error
    if len(content) > LARGEST:
        raise MtgcnError(f"{path}: more than {LARGEST:,} bytes, which no parameter file needs.")
    try:
        return parse(content.decode(), path)
    except UnicodeDecodeError as error:
        raise MtgcnError(f"{path}: not text in UTF-8.") from error


def parse(text: str, path: Path) -> YamlFile:
    """Read ``text``, which stands in ``path``."""
    try:
        tree = _load(text)
        data = _plain(tree)
    except (YAMLError, RecursionError) as error:
        mark = isinstance(error, MarkedYAMLError) and (error.problem_mark or error.context_mark)
        where = f"{path}:{mark.line + 1}" if mark else path
        raise MtgcnError(f"{where}: not valid YAML, {_reason(error)}.") from error
    if not isinstance(data, dict):
        raise MtgcnError(f"{path}:1: expected lines of the form 'name: value'.")
    return YamlFile(path, data, tree)


def value(text: str, where: str) -> Any:
    """Read one value, given at ``where``."""
    try:
        return _plain(_load(text))
    except (YAMLError, RecursionError) as error:
        raise MtgcnError(f"{where}: '{text}' is not valid YAML, {_reason(error)}.") from error


def _load(text: str) -> Any:
    loader = YAML()
    loader.Composer, loader.Constructor, loader.max_depth = _Composer, _Constructor, DEEPEST
    return loader.load(text)


def _plain(value: Any) -> Any:
    """Return ``value`` in dicts and lists of Python's own."""
    if isinstance(value, dict):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, str) else value


def _reason(error: Exception) -> str:
    """Say what is wrong in one line."""
    if isinstance(error, MaxDepthExceededError):
        return f"it has more than {DEEPEST} levels"
    if isinstance(error, RecursionError):  # in spite of so few levels
        return WITHIN
    return " ".join(str(getattr(error, "problem", None) or error).split())
