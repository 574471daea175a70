"""Options of references: their text is converted by the annotated type, never evaluated."""

from __future__ import annotations

import inspect
import math
import os
import types
import typing
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from lingprobe.data.errors import ReferenceProblem
from lingprobe.data.options import help_of

_PLACE = "where files lie"
PlaceOption = Annotated[str, _PLACE]
"""Text that says where files lie. What lies there belongs to an identity, and where it lies does
not.
"""


_HANDED_ON = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def parameters_of(factory: Callable[..., Any]) -> inspect.Signature:
    """The parameters of a factory. A class whose constructor hands `**options` on to a base has
    those of the base, too, by their names; with `*arguments`, as they are.
    """
    signature = inspect.signature(factory)
    if not inspect.isclass(factory):
        return signature
    found, owners = dict(signature.parameters), _constructors(factory)
    for owner in owners[1:]:
        handed = {p.kind: p.name for p in found.values()}
        if inspect.Parameter.VAR_KEYWORD not in handed:
            break
        rest = [handed.get(kind) for kind in _HANDED_ON]
        by_name = rest[0] is None
        found = {name: p for name, p in found.items() if name not in rest}
        inherited = inspect.signature(owner).parameters.values()
        more = {p.name: _by_name(p) if by_name else p for p in inherited}
        found |= {name: p for name, p in more.items() if name not in found}
    order = sorted(found.values(), key=lambda p: p.kind)
    return signature.replace(parameters=order)


def _by_name(parameter: inspect.Parameter) -> inspect.Parameter:
    """A parameter that is handed on by its name."""
    named = parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    return parameter.replace(kind=parameter.KEYWORD_ONLY) if named else parameter


def hints_of(factory: Callable[..., Any]) -> Mapping[str, Any]:
    """What the parameters of a factory are annotated with; an annotation that is inherited means
    what it means where it is written. NameError where a name in one is not defined.
    """
    if not inspect.isclass(factory):
        return typing.get_type_hints(factory, include_extras=True)
    found: dict[str, Any] = {}
    for owner in reversed(_constructors(factory)):
        made = _is_generated(owner)
        found |= typing.get_type_hints(
            owner if made else vars(owner)["__init__"], include_extras=True
        )
    return found


def _constructors(kind: type) -> list[type]:
    """The classes whose constructors a class has and may hand options on to, its own first."""
    return [each for each in kind.__mro__ if "__init__" in vars(each) and each is not object]


def _is_generated(kind: type) -> bool:
    """Whether a class has a constructor that `dataclass` wrote, of the fields of all its bases."""
    made = vars(kind).get("__dataclass_params__")
    return made is not None and bool(made.init)


def says_where(hint: Any) -> bool:
    """Whether an annotation is of a path or place, or of several."""
    if hint is Path or _PLACE in getattr(hint, "__metadata__", ()):
        return True
    return any(says_where(inner) for inner in typing.get_args(hint) if inner is not _PLACE)


def convert_option(text: str, kind: Any, prefix: str) -> Any:
    """Turn an option's text into the annotated type."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is Annotated:
        if _PLACE in kind.__metadata__:
            return _normalise_path(text)
        value = convert_option(text, inner[0], prefix)
        least = help_of(kind).least
        if least is not None and isinstance(value, int) and value < least:
            raise ReferenceProblem(f"{prefix}{text}: write a whole number from {least:g} on")
        return value
    if origin in (typing.Union, types.UnionType):
        if text == "none" and type(None) in inner:
            return None
        return _first_that_fits(text, [t for t in inner if t is not type(None)], prefix)
    if origin is tuple:
        return (convert_option(text, inner[0], prefix),)
    return _convert_option(text, kind, prefix)


def _normalise_path(text: str) -> str:
    """Where files lie, so that a folder has one name, whoever completes it with a slash."""
    return os.path.normpath(text) if text.startswith("./") or text.endswith("/") else text


def _convert_option(text: str, kind: Any, where: str) -> Any:
    if typing.get_origin(kind) is Literal:
        values = {str(value): value for value in typing.get_args(kind)}
        if text not in values:
            raise ReferenceProblem(f"{where}{text}: choose one of {', '.join(values)}")
        return values[text]
    if kind is bool:
        if text.lower() not in ("true", "false", "yes", "no", "1", "0"):
            raise ReferenceProblem(f"{where}{text}: write true or false")
        return text.lower() in ("true", "yes", "1")
    try:
        value: Any = kind(text) if kind in (int, float, Path) else text
    except ValueError:
        raise ReferenceProblem(
            f"{where}{text}: not {'a whole number' if kind is int else 'a number'}"
        ) from None
    if kind is float and not math.isfinite(value):
        raise ReferenceProblem(f"{where}{text}: write a finite number")
    return value


def _first_that_fits(text: str, kinds: list[Any], where: str) -> Any:
    problem: ReferenceProblem | None = None
    # a string fits everything, so it is tried last
    for kind in sorted(kinds, key=lambda k: k is str):
        try:
            return convert_option(text, kind, where)
        except ReferenceProblem as error:
            problem = error
    assert problem is not None
    raise problem


def list_option_texts(value: Any) -> list[str]:
    """An option as a reference writes it: one text a value."""
    if isinstance(value, tuple):
        return [str(v) for v in value]
    if isinstance(value, bool):
        return [str(value).lower()]
    return ["none" if value is None else str(value)]
