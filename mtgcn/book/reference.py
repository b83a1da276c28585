"""Reference pages that cannot go out of date: Markdown generated from the program itself."""

import importlib
import pkgutil
import types
import typing
from typing import Any

import typer
from pydantic import BaseModel


def command_line() -> str:
    """Return every command of ``mtgcn`` with its arguments, options and defaults as Markdown."""
    import mtgcn.cli

    for module in pkgutil.iter_modules(mtgcn.cli.__path__):
        importlib.import_module(f"mtgcn.cli.{module.name}")
    return commands(mtgcn.cli.app)


def commands(app: typer.Typer) -> str:
    """Return a Markdown section for every command of a typer application."""
    group: Any = typer.main.get_group(app)
    return "\n".join(_command(name, command) for name, command in sorted(group.commands.items()))


def _command(name: str, command: Any) -> str:
    arguments = [parameter for parameter in command.params if not _is_option(parameter)]
    options = [parameter for parameter in command.params if _is_option(parameter)]
    words = [argument.name if argument.required else f"[{argument.name}]" for argument in arguments]
    usage = " ".join(["mtgcn", name, *words, *(["[options]"] if options else [])])
    lines = [f"## mtgcn {name}", "", (command.help or "").strip(), "", "```console", f"$ {usage}", "```", ""]
    for parameter in [*arguments, *options]:
        lines += [_term(parameter), f":   {_meaning(parameter)}", ""]
    return "\n".join(lines)


def _is_option(parameter: Any) -> bool:
    return parameter.opts[0].startswith("-")


def _term(parameter: Any) -> str:
    value = f" {parameter.metavar}" if parameter.metavar and _is_option(parameter) else ""
    return ", ".join(f"`{option}{value}`" for option in [*parameter.opts, *parameter.secondary_opts])


def _meaning(parameter: Any) -> str:
    parts = [(parameter.help or "").strip().rstrip(".")]
    if parameter.required:
        parts.append("Required")
    elif parameter.default not in (None, "", False, ()):
        parts.append(f"Default: `{parameter.default}`")
    return ". ".join(part for part in parts if part) + "."


def parameters() -> str:
    """Return the keys of a parameter file, those of each task and those of each remedy, as Markdown."""
    from mtgcn.experiments.parameters import Parameters
    from mtgcn.model.remedies import REMEDIES
    from mtgcn.model.tasks import TASKS

    parts = ["## An experiment", "", model(Parameters)]
    for name, task in TASKS.items():
        summary = (importlib.import_module(task.__module__).__doc__ or "").strip().removeprefix(f"{name}: ")
        parts += [f"## The task {name}", "", summary[:1].upper() + summary[1:], "", model(task.Parameters)]
    for name, remedy in REMEDIES.items():
        if remedy.model_fields:
            summary = (remedy.__doc__ or "").strip().splitlines()[0]
            parts += [f"## The remedy {name}", "", summary, "", model(remedy)]
    return "\n".join(parts)


def model(cls: type[BaseModel]) -> str:
    """Return a Markdown definition list of the fields of a pydantic model: name, type, default, meaning."""
    lines = []
    for name, field in cls.model_fields.items():
        value = field.get_default(call_default_factory=True)
        default = "required" if field.is_required() else f"default `{_yaml(value)}`"
        kind = type_name(field.annotation)
        lines += [f"`{name}`", f":   {field.description or ''}\\\n    {kind}, {default}", ""]
    return "\n".join(lines)


def type_name(annotation: Any) -> str:
    """Return a type as a reader of YAML would say it: ``one of `first`, `all``` for a Literal."""
    origin = typing.get_origin(annotation)
    if origin is typing.Literal:
        return "one of " + ", ".join(f"`{value}`" for value in typing.get_args(annotation))
    if origin in (typing.Union, types.UnionType):
        return " or ".join(type_name(part) for part in typing.get_args(annotation))
    if origin is typing.Annotated:
        return type_name(typing.get_args(annotation)[0])
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "a mapping"
    if origin in (dict, list):
        return "a mapping" if origin is dict else "a list"
    plain = {int: "whole number", float: "number", str: "text", bool: "`true` or `false`", type(None): "nothing"}
    return plain.get(annotation, getattr(annotation, "__name__", str(annotation)))


def _yaml(value: Any) -> str:
    value = value.model_dump() if isinstance(value, BaseModel) else value
    return str(value).lower() if isinstance(value, bool) else f"{value}"
