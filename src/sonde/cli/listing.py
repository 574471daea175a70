"""`sonde tasks`, `sonde encoders`, `sonde probes`: what there is, plugins included."""

from __future__ import annotations

import inspect
import typing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from sonde.naming import Contents

Name = Annotated[str | None, typer.Argument(metavar="NAME", help="One of them, or a pattern: shown with its whole description.")]


def tasks(name: Name = None) -> None:
    """List the tasks, each with the question that it asks; one alone is shown with its options.

    **Examples**: `sonde tasks`, `sonde tasks ud/tense`, `sonde tasks mine.py@my_task`
    """
    from sonde.tasks import TASKS

    _list(TASKS, name)


def encoders(name: Name = None) -> None:
    """List the encoders and their options.

    **Examples**: `sonde encoders`, `sonde encoders hf`
    """
    from sonde.encoders import ENCODERS

    _list(ENCODERS, name)


def probes(name: Name = None) -> None:
    """List the probes and their options.

    **Examples**: `sonde probes`, `sonde probes mlp`
    """
    from sonde.probes import PROBES

    _list(PROBES, name)


def suites(name: Name = None) -> None:
    """List the suites, papers' tables that `--suite` measures and shows.

    **Examples**: `sonde suites`, `sonde suites conneau2018`
    """
    from sonde.suites import SUITES

    _list(SUITES, name)


def _list(contents: Contents, name: str | None) -> None:
    from sonde.naming import Reference

    names = list(contents) if name is None else contents.matching(Reference.parse(name).name)
    whole = name is not None and len(names) == 1
    wide = max(map(len, names))
    for each in names:
        try:
            factory = contents.find(each)
        except Exception as error:
            if whole:
                raise
            typer.echo(f"{each:{wide}}  (cannot be used: {type(error).__name__}: {error})")
            continue
        described = inspect.getdoc(factory) or "(not described)"
        typer.echo(f"{each:{wide}}  {described if whole else described.splitlines()[0]}")
        for line in _options(factory, whole) if whole or contents.kind != "task" else ():  # tasks of a family share theirs
            typer.echo(" " * (0 if whole else wide) + "  " + typer.style(line, dim=True))


def _options(factory: Any, whole: bool) -> list[str]:
    """The argument and the options of a factory as they are written, with defaults."""
    written = []
    hints = _hints(factory)
    for i, p in enumerate(inspect.signature(factory).parameters.values()):
        argument = i == 0 and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        name = p.name.rstrip("_")
        default = "" if p.default in (p.empty, None, (), "") else f" ({_text(p.default)})"
        default = " (must be given)" if p.kind is p.KEYWORD_ONLY and p.default is p.empty else default
        written.append((f":{name.upper()}" if argument else f"{name}={_kind(hints.get(p.name))}") + default)
    return written if whole else ["  ".join(written)] if written else []


def _hints(factory: Any) -> dict[str, Any]:
    """The types that a factory's parameters are annotated with."""
    try:
        return typing.get_type_hints(factory.__init__ if inspect.isclass(factory) else factory)
    except (NameError, TypeError):  # a plugin may name types that exist for checkers only
        return {}


def _kind(kind: Any) -> str:
    """A parameter's type as a user would say it."""
    inner = [k for k in typing.get_args(kind) if k not in (type(None), ...)]
    if typing.get_origin(kind) is typing.Literal:
        return "|".join(map(str, inner))
    if inner:
        return "|".join(dict.fromkeys(map(_kind, inner)))
    return {int: "N", float: "X", bool: "true|false", Path: "PATH"}.get(kind, "TEXT")


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
