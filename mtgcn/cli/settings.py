"""``--set NAME=VALUE``, as several commands take it."""

from typing import Any

from mtgcn.errors import MtgcnError


def setting(text: str) -> tuple[tuple[str, ...], Any]:
    """Read ``name=value``; the value as YAML, the name perhaps with dots: ``networks.AE.AE.weight=10``."""
    from mtgcn.pipeline import yaml_file

    name, equals, value = text.partition("=")
    if not equals or not all(name.split(".")):
        raise MtgcnError(f"--set {text}: expected NAME=VALUE, such as --set epochs=200.")
    return tuple(name.split(".")), yaml_file.value(value, f"--set {name}")
