"""Listings of everything that a reference can name: names, descriptions and options."""

from __future__ import annotations

import importlib.metadata
import inspect
import typing
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from lingprobe.data._foreign_code import foreign_code
from lingprobe.data._options import hints_of, parameters_of
from lingprobe.data._packages import all_points, is_own_module
from lingprobe.data.options import help_of, strip_help
from lingprobe.data.references import Contents, Reference, summarise_docstring

_UNTOLD = "(not described)"


@dataclass(frozen=True, slots=True)
class Option:
    """An option as it is written, with its type and default, and its meaning."""

    written: str
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that a reference can name.

    summary  its first paragraph, in one line
    text     the full description
    options  its argument and options, in order
    oracles  of a task: name -> what the oracle contains
    problem  why it cannot be used, such as an import error of a plugin; '' if it can
    """

    name: str
    summary: str = _UNTOLD
    text: str = _UNTOLD
    options: tuple[Option, ...] = ()
    oracles: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""


def write_entries(listed: Iterable[Entry]) -> list[dict[str, Any]]:
    """Entries as JSON has them."""
    return [{**asdict(entry), "oracles": dict(entry.oracles)} for entry in listed]


def read_entries(written: Iterable[Mapping[str, Any]]) -> list[Entry]:
    """Entries from what was written."""
    return [
        Entry(**{**fields, "options": tuple(Option(**each) for each in fields["options"])})
        for fields in written
    ]


@runtime_checkable
class HasOracles(Protocol):
    """What makes tasks that have oracles, by name; others make tasks without."""

    @property
    def oracles(self) -> Mapping[str, str]: ...


def list_entries(contents: Contents, pattern: str | None = None) -> list[Entry]:
    """What a room has, in order: all of it, what fits a pattern, or the one of a name.

    One that is named alone and cannot be imported raises what its import raises.
    """
    names = list(contents) if pattern is None else contents.matching(Reference.parse(pattern).name)
    if pattern is not None and len(names) == 1:
        return [_entry(names[0], contents)]
    listed = []
    for name in names:
        try:
            listed.append(_entry(name, contents))
        except Exception as error:
            listed.append(Entry(name, problem=f"{type(error).__name__}: {error}"))
    return listed


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin of an installed package.

    kind          what it is: task, encoder, probe, ...
    name          its name in references
    place         its place, 'module:attribute'
    distribution  the package, with its version
    problem       why it cannot be used; '' where it can
    """

    kind: str
    name: str
    place: str
    distribution: str
    version: str
    problem: str = ""


def list_plugins(rooms: Iterable[Contents]) -> list[Plugin]:
    """All plugins of installed packages (`lingprobe list plugins`), in order; one that cannot be
    imported, or whose name is taken, is listed with the reason.
    """
    listed = []
    for contents in rooms:
        for point in sorted(all_points(contents.group)):
            if is_own_module(point.value):
                continue
            package = point.dist
            listed.append(
                Plugin(
                    contents.kind,
                    point.name,
                    point.value,
                    package.name if package is not None else "",
                    package.version if package is not None else "",
                    _problem(contents, point),
                )
            )
    return listed


def _problem(contents: Contents, point: importlib.metadata.EntryPoint) -> str:
    """Why what a package adds cannot be used; '' where it can."""
    if point.name in contents.places(own=True):
        return f"lingprobe has a {contents.kind} of this name"
    try:
        with foreign_code(point.name):
            point.load()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def _entry(name: str, contents: Contents) -> Entry:
    factory: Any = contents.find(name)
    options = _options(factory) if contents.made else ()
    oracles = factory.oracles if isinstance(factory, HasOracles) else {}
    known = oracles if isinstance(oracles, Mapping) else {}  # of a class it may be a property
    text = inspect.getdoc(factory) or _UNTOLD
    return Entry(name, summarise_docstring(factory) or _UNTOLD, text, options, known)


def _options(factory: Any) -> tuple[Option, ...]:
    """The argument and the options of a factory as they are written, with defaults and meaning."""
    hints = _hints(factory)
    parameters = parameters_of(factory).parameters.values()
    return tuple(
        Option(_option(p, i == 0, hints.get(p.name)), help_of(hints.get(p.name)).meaning)
        for i, p in enumerate(parameters)
    )


def _option(parameter: inspect.Parameter, first: bool, hint: Any) -> str:
    name, kind, default = parameter.name.rstrip("_"), parameter.kind, parameter.default
    if first and kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
        written = f":{name.upper()}"
    else:
        written = f"{name}={_describe_type(strip_help(hint))}"
    if kind is parameter.KEYWORD_ONLY and default is parameter.empty:
        return f"{written} (must be given)"
    return (
        written
        if default in (parameter.empty, None, (), "")
        else f"{written} ({_format_default(default)})"
    )


def _hints(factory: Any) -> dict[str, Any]:
    """The types that a factory's parameters are annotated with."""
    try:
        return dict(hints_of(factory))
    except (NameError, TypeError):  # a plugin may name types that exist for checkers only
        return {}


def _describe_type(kind: Any) -> str:
    """A parameter's type as a user would say it."""
    inner = [k for k in typing.get_args(kind) if k not in (type(None), ...)]
    if typing.get_origin(kind) is typing.Literal:
        return "|".join(map(str, inner))
    if inner:
        return "|".join(dict.fromkeys(map(_describe_type, inner)))
    return {int: "N", float: "X", bool: "true|false", Path: "PATH"}.get(kind, "TEXT")


def _format_default(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if isinstance(value, Path):  # a file of ours
        return value.name
    return str(value).lower() if isinstance(value, bool) else str(value)
