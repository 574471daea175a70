"""`sonde tasks`, `sonde encoders`, `sonde probes`: what there is, plugins included."""

from __future__ import annotations

import inspect
import re
import shutil
import textwrap
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from sonde.references import Contents

UNTOLD = "(not described)"
# letters of an option with its kind and default, beyond which what it means goes below it
WRITTEN = 44
OPTION = re.compile(r"(\w+(?:, \w+)*) +(\S.*)")  # as docstrings explain options

Name = Annotated[
    str | None,
    typer.Argument(
        metavar="NAME", help="One of them, or a pattern: shown with its whole description."
    ),
]


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
    from sonde.papers import SUITES

    _list(SUITES, name)


def _list(contents: Contents, name: str | None) -> None:
    from sonde.references import Reference, summary

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
        if whole:
            described, explained = _explained(factory)
            typer.echo(f"{each}  {described}")
            _tell(_options(factory), explained)
            oracles = _oracles(factory)
            _tell({name: f"gold:{name}" for name in oracles}, oracles)
            continue
        typer.echo(f"{each:{wide}}  {summary(factory) or UNTOLD}")
        # tasks of a family share theirs
        if contents.kind != "task" and (options := _options(factory)):
            typer.echo(" " * wide + "  " + typer.style("  ".join(options.values()), dim=True))


def _oracles(factory: Any) -> dict[str, str]:
    """What the oracles of a task hold, by name, where its factory says so."""
    known = getattr(factory, "oracles", {})
    return (
        {name: f"an oracle: {holds}" for name, holds in known.items()}
        if isinstance(known, Mapping)
        else {}
    )


def _tell(options: dict[str, str], explained: dict[str, str]) -> None:
    """Write the options below each other, what each means beside it."""
    wide = min(max(map(len, options.values()), default=0), WRITTEN) + 4
    room = max(shutil.get_terminal_size((120, 24)).columns - wide, 40)
    for name, written in options.items():
        lines = textwrap.wrap(explained.get(name, ""), room)
        beside = bool(lines) and len(written) + 4 <= wide
        typer.echo(
            f"  {written:{wide - 2}}{typer.style(lines[0], dim=True)}" if beside else f"  {written}"
        )
        for line in lines[beside:]:
            typer.echo(" " * wide + typer.style(line, dim=True))


def _options(factory: Any) -> dict[str, str]:
    """The argument and the options of a factory by name, as they are written, with defaults."""
    written = {}
    hints = _hints(factory)
    for i, p in enumerate(inspect.signature(factory).parameters.values()):
        argument = i == 0 and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        name = p.name.rstrip("_")
        default = "" if p.default in (p.empty, None, (), "") else f" ({_text(p.default)})"
        default = (
            " (must be given)" if p.kind is p.KEYWORD_ONLY and p.default is p.empty else default
        )
        written[p.name] = (
            f":{name.upper()}" if argument else f"{name}={_kind(hints.get(p.name))}"
        ) + default
    return written


def _explained(factory: Any) -> tuple[str, dict[str, str]]:
    """A docstring without what it says of single options, and what it and those of its bases say of
    each.
    """
    known = set(inspect.signature(factory).parameters)
    source = getattr(factory, "options", factory)
    found: dict[str, str] = {}
    for each in reversed(getattr(source, "__mro__", (source,))):
        found |= _apart(inspect.cleandoc(each.__doc__ or ""), known)[1]
    return _apart(inspect.getdoc(factory) or UNTOLD, known)[0], found


def _apart(text: str, known: set[str]) -> tuple[str, dict[str, str]]:
    """A docstring's text, and by option the lines that begin with its name (or with several) with
    those indented below.
    """
    kept, found, names = list[str](), dict[str, str](), list[str]()
    for line in text.splitlines():
        begins = OPTION.match(line)
        if begins and known.issuperset(begins[1].split(", ")):
            names = begins[1].split(", ")
            found |= dict.fromkeys(names, begins[2])
        elif names and line.startswith("  "):
            found |= {name: f"{found[name]} {line.strip()}" for name in names}
        else:
            names = []
            kept.append(line)
    return "\n".join(kept).strip(), found


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
