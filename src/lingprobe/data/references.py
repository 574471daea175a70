"""References to tasks, encoders and so on: `name[:argument][,key=value]...` or `mine.py@thing`.

A `Reference` is the parsed text; `Contents` is a table of contents, which turns a reference into
the object that it names. Nothing is imported before it is needed, and option values are converted
by annotation, never evaluated.

Code in a file runs only if the file was allowed in this process (`allow_code`): functions that take
references from the user allow what they are given, and nothing else does. So a reference that was
read from results, sheets or corpora, or is nested in one, names only built-in things and plugins.
"""

from __future__ import annotations

import functools
import inspect
import logging
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Protocol, TypeVar, runtime_checkable

from lingprobe.data._closure import root_of
from lingprobe.data._code import (
    UntrustedCode,
    allow_code,
    from_file,
    is_code_allowed,
    resolve_beside,
)
from lingprobe.data._foreign_code import foreign_code, module_name, one_line
from lingprobe.data._members import fault_of, import_attribute
from lingprobe.data._options import (
    PlaceOption,
    convert_option,
    hints_of,
    list_option_texts,
    parameters_of,
    says_where,
)
from lingprobe.data._packages import entry_points, is_own_module
from lingprobe.data._reference import (
    MAX_CACHED_REFERENCES,
    Reference,
    remove_options,
    try_parse_reference,
)
from lingprobe.data.checks import check_regular
from lingprobe.data.errors import ReferenceProblem
from lingprobe.data.suggestions import suggest_name

__all__ = [
    "MAX_CACHED_REFERENCES",
    "Contents",
    "HasExpand",
    "PlaceOption",
    "Reference",
    "ReferenceProblem",
    "UntrustedCode",
    "allow_code",
    "is_code_allowed",
    "path_options",
    "remove_options",
    "resolve_beside",
    "shorten_reference",
    "summarise_docstring",
    "try_parse_reference",
]

T = TypeVar("T")
_TELLING = 5  # letters of a word that is looked for in what things say of themselves
log = logging.getLogger("lingprobe.data.references")


@runtime_checkable
class HasExpand(Protocol):
    """What makes things, where one reference may stand for several of them."""

    def expand(self, reference: Reference) -> Sequence[Reference]:
        """The references of single things, in order; the reference itself for one."""
        ...


@dataclass(frozen=True)
class Contents:
    """A room's table of contents: what `kind` of things it holds, as name -> 'module:attribute'.

    Plugins add to it through the entry-point group; a path such as `mine.py@thing` needs no table
    at all. The thing found is a factory: it is called with the reference's argument and its
    options, converted by annotated type. Things that are found and never made, as checks, take
    none.
    gives  where the class or protocol of what is made is, as 'module:attribute': asked of things
           that are not in the table
    brief  what references are without what is usual, with the factory that says so: a folder of
           results names the same few again and again
    """

    kind: str
    group: str
    table: Mapping[str, str]
    made: bool = True
    gives: str = ""
    brief: dict[str, tuple[Any, str]] = field(default_factory=dict, compare=False, repr=False)

    def places(self, *, own: bool = False) -> dict[str, str]:
        """Every name that can be written, with the place it is read from; the core's names come
        first, and win over plugins.

        own  of the core and its extensions alone
        """
        points = entry_points(self.group)
        added = {p.name: p.value for p in points if not own or is_own_module(p.value)}
        return {**self.table, **added, **self.table}

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self.places()))

    def find(self, name: str) -> Callable[..., Any]:
        """The factory called `name`, imported now; ReferenceProblem if there is none."""
        if "@" in name:
            return from_file(name)
        # plugins are looked for only where they must be
        place = self.table.get(name) or self.places().get(name)
        if place is None:
            raise ReferenceProblem(self._unknown(name, self.places()))
        with foreign_code(name):
            return typing.cast(Callable[..., Any], import_attribute(place))

    def roots(self, name: str) -> set[str]:
        """Where the code of the factory called `name` begins: where it is found, and where it is
        written.
        """
        factory = self.find(name)
        written = {root_of(factory)} if hasattr(factory, "__qualname__") else set()
        if "@" in name:
            path, _, attribute = name.rpartition("@")
            return {f"{module_name(Path(path))}:{attribute}", *written}
        module, _, names = (self.table.get(name) or self.places()[name]).partition(":")
        return {f"{module}:{names.partition('.')[0]}", *written}

    def make(self, reference: str | Reference) -> Any:
        """The object that a reference names; ReferenceProblem for an unknown name or option."""
        parsed = _as_reference(reference)
        factory = self.find(parsed.name)
        args, kwargs = _arguments(parsed, factory, self.kind)
        for value in (*args, *kwargs.values()):
            if isinstance(value, Path):
                check_regular(value)
        with foreign_code(parsed.name):
            made = factory(*args, **kwargs)
        known = not self.gives or parsed.name in self.table
        if fault := "" if known else fault_of(made, import_attribute(self.gives)):
            raise ReferenceProblem(f"the {self.kind} {parsed.name!r} is {made!r:.60}: {fault}")
        return made

    def canonical(self, reference: str | Reference) -> str:
        """The reference with defaults filled in and options in order, so that the same thing is
        always written the same; without the defaults of a file, whose code is in the identity.
        """
        parsed = _as_reference(reference)
        factory = self.find(parsed.name)
        args, kwargs = _arguments(parsed, factory, self.kind)
        signature = _signature(factory)
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        values = dict(bound.arguments)
        argument = None
        if (first := _argument_parameter(factory)) is not None:
            value = values.pop(first.name)
            argument = None if value is None else str(value)
        options = [
            (key.rstrip("_"), text)
            for key, value in sorted(values.items())
            if "@" not in parsed.name or value != signature.parameters[key].default
            for text in list_option_texts(value)
        ]
        return str(Reference(parsed.name, argument, tuple(options)))

    def expand(self, reference: str | Reference) -> list[Reference]:
        """The references that a pattern such as `ud/*:PATH` stands for; a plain name stands for
        itself.

        Things that need options of their own (`ud/feat` a feature) are excluded where the pattern
        does not give them, and plugins that cannot be imported (`lingprobe list plugins` says why).
        """
        parsed = _as_reference(reference)
        if not _is_pattern(parsed.name):
            return [parsed]
        given = {key for key, _ in parsed.options}
        names = self.matching(parsed.name)
        return [parsed.with_name(n) for n in names if self._usable(n) and self.needs(n) <= given]

    def _usable(self, name: str) -> bool:
        """Whether the factory called `name` can be imported; ours always can."""
        if name in self.table:
            return True
        try:
            self.find(name)
        except Exception as error:
            log.warning("%s %s is skipped: %s", self.kind, name, one_line(error))
            return False
        return True

    def matching(self, pattern: str) -> list[str]:
        """The names that a pattern such as `ud/*` fits, or a plain name itself; ReferenceProblem
        where there is none.
        """
        if not _is_pattern(pattern):
            return [pattern]
        names = [name for name in self.places() if _matches_pattern(name, pattern)]
        if not names:
            raise ReferenceProblem(
                f"no {self.kind} matches {pattern!r}; `lingprobe list {self.kind}s` lists them"
            )
        return names

    def needs(self, name: str) -> set[str]:
        """The options without which the thing cannot be made."""
        parameters = _signature(self.find(name)).parameters.values()
        return {
            p.name.rstrip("_")
            for p in parameters
            if p.kind is p.KEYWORD_ONLY and p.default is p.empty
        }

    def options(self, name: str) -> set[str]:
        """The options that the thing takes after its argument."""
        first = _argument_parameter(factory := self.find(name))
        every = _signature(factory).parameters
        return {key.rstrip("_") for key in every if first is None or key != first.name}

    def places_of(self, reference: Reference) -> set[str | None]:
        """The options of a reference that say where files lie, None among them for its argument."""
        return path_options(self.find(reference.name))

    def _unknown(self, name: str, places: Iterable[str]) -> str:
        known = list(places)
        about = next(iter(self._about(name)), "")
        meant = (
            suggest_name(self.kind, name, known)
            or about
            or suggest_name(self.kind, name, known, 0.6)
        )
        hint = f"; did you mean {meant!r}?" if meant else ""
        return f"no {self.kind} called {name!r}{hint} (`lingprobe list {self.kind}s` lists them)"

    def _about(self, name: str) -> list[str]:
        """The built-in things of the same family of which the first paragraph speaks of what a
        name says last, as ud/passive of ud/voice.
        """
        family, _, word = name.rpartition("/")
        if len(word) < _TELLING or name in self.table:
            return []
        mine = [each for each in self.table if each.rpartition("/")[0] == family]
        return [
            each for each in mine if word.lower() in summarise_docstring(self.find(each)).lower()
        ]


def summarise_docstring(definition: Any) -> str:
    """The first paragraph of a thing's docstring, in one line; empty where there is none."""
    return " ".join((inspect.getdoc(definition) or "").partition("\n\n")[0].split())


def shorten_reference(contents: Contents, reference: str) -> str:
    """A canonical reference without the options that are as they are by default; others are never
    excluded.
    """
    parsed = try_parse_reference(reference)
    if parsed is None or not parsed.options or "@" in parsed.name:  # a report runs nobody's files
        return reference
    try:
        factory = contents.find(parsed.name)
        known = contents.brief.get(reference)
        if known is None or known[0] is not factory:
            known = contents.brief[reference] = factory, _brief(contents, parsed)
        return known[1]
    except (ReferenceProblem, ImportError, AttributeError, OSError):
        return reference  # results outlive the plugins and the files that they were made with


def _brief(contents: Contents, parsed: Reference) -> str:
    asked = tuple(o for o in parsed.options if o[0] in contents.needs(parsed.name))
    usual = Reference.parse(contents.canonical(Reference(parsed.name, parsed.argument, asked)))
    kept = tuple(o for o in parsed.options if o in asked or o not in usual.options)
    return str(Reference(parsed.name, parsed.argument, kept))


def _is_pattern(name: str) -> bool:
    """Whether a name stands for several; things in files are named outright."""
    return any(c in name for c in "*?[") and "@" not in name


def _matches_pattern(name: str, pattern: str) -> bool:
    """Whether a name is of a pattern; in one with slashes a star ends at the next slash: `comp/*`
    is not `comp/released/order`.
    """
    return fnmatchcase(name, pattern) and (
        "/" not in pattern or name.count("/") == pattern.count("/")
    )


def _as_reference(reference: str | Reference) -> Reference:
    return Reference.parse(reference) if isinstance(reference, str) else reference


def path_options(factory: Callable[..., Any]) -> set[str | None]:
    """The options of a factory that say where files lie, None among them for its argument:
    annotated Path, or Place.
    """
    hints = _hints(factory)
    first = _argument_parameter(factory)
    names = {name.rstrip("_"): hint for name, hint in hints.items() if name != "return"}
    return {
        None if first is not None and name == first.name else name
        for name, hint in names.items()
        if says_where(hint)
    }


def _remember(look: Callable[[Any], T]) -> Callable[[Any], T]:
    """What a look at a factory shows, looked for once; but at one that cannot be a key."""
    known = functools.lru_cache(MAX_CACHED_REFERENCES)(look)

    @functools.wraps(look)
    def look_once(factory: Any) -> T:
        try:
            hash(factory)
        except TypeError:
            return look(factory)
        return known(factory)

    return look_once


_signature = _remember(parameters_of)
_hints = _remember(hints_of)


def _argument_parameter(factory: Callable[..., Any]) -> inspect.Parameter | None:
    """The parameter that the text after the colon fills: the first positional one."""
    for parameter in _signature(factory).parameters.values():
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            return parameter
        break
    return None


def _hint(parameter: inspect.Parameter, hints: Mapping[str, Any]) -> Any:
    """What an option is converted to: its annotation, or the type of the number that it is by
    default.
    """
    default = parameter.default
    return hints.get(parameter.name, type(default) if isinstance(default, int | float) else str)


def _with_argument(reference: Reference, first: inspect.Parameter | None) -> Reference:
    """The reference with its argument after the colon, where it was written as an option."""
    if first is None or reference.argument is not None:
        return reference
    key = first.name.rstrip("_")
    values = [value for name, value in reference.options if name == key]
    return replace(reference.without(key), argument=values[0]) if len(values) == 1 else reference


def _arguments(
    reference: Reference, factory: Callable[..., Any], kind: str
) -> tuple[list[Any], dict[str, Any]]:
    signature = _signature(factory)
    hints = _hints(factory)
    first = _argument_parameter(factory)
    reference = _with_argument(reference, first)
    named = {
        p.name.rstrip("_"): p
        for p in signature.parameters.values()
        if first is None or p.name != first.name
    }
    args = []
    if reference.argument is not None:
        if first is None:
            raise ReferenceProblem(f"{kind} {reference.name!r} takes no argument after the colon")
        args.append(convert_option(reference.argument, _hint(first, hints), f"{reference.name}:"))
    elif first is not None and first.default is first.empty:
        raise ReferenceProblem(
            f"{kind} {reference.name!r} needs a {first.name}: write"
            f" {reference.name}:{first.name.upper()}"
        )
    kwargs = _options(reference, named, hints, kind)
    missing = [
        p.name
        for key, p in named.items()
        if p.default is p.empty and p.name not in kwargs and p.kind is p.KEYWORD_ONLY
    ]
    if missing:
        raise ReferenceProblem(
            f"{kind} {reference.name!r} needs {', '.join(f'{m}=...' for m in missing)}"
        )
    return args, kwargs


def _options(
    reference: Reference,
    named: Mapping[str, inspect.Parameter],
    hints: Mapping[str, Any],
    kind: str,
) -> dict[str, Any]:
    """The options of a reference, converted to the types of a factory's parameters."""
    kwargs: dict[str, Any] = {}
    for key, text in reference.options:
        if key not in named:
            can = ", ".join(sorted(named)) or "none"
            raise ReferenceProblem(
                f"{kind} {reference.name!r} has no option {key!r} (it has: {can})"
            )
        parameter = named[key]
        value = convert_option(text, _hint(parameter, hints), f"{reference.name},{key}=")
        if isinstance(value, tuple):
            value = kwargs.get(parameter.name, ()) + value
        elif parameter.name in kwargs:
            raise ReferenceProblem(
                f"{kind} {reference.name!r} has {key}= twice; it takes one value"
            )
        kwargs[parameter.name] = value
    return kwargs
