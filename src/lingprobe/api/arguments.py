"""What functions of `lingprobe` make of their arguments: one thing where several may stand, and
keywords that `help` shows though several functions share them.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from lingprobe.data.errors import UsageProblem
from lingprobe.data.references import Reference
from lingprobe.data.suggestions import advice, suggest

F = TypeVar("F", bound=Callable[..., Any])


def as_list(argument: Any) -> list[Any]:
    """One thing, several, or none, as a list; a text is one thing, and so is an estimator that
    lists its parts.
    """
    if nothing(argument):
        return []
    is_one = isinstance(argument, str) or hasattr(argument, "get_params")
    several = isinstance(argument, Iterable) and not is_one
    return list(argument) if several else [argument]


def argument_texts(argument: Any) -> list[str]:
    """One thing or several as texts that are the same wherever they are typed: references as they
    stand, named things by their names, others by their kind.
    """
    if isinstance(argument, Mapping):
        return [str(name) for name in argument]
    return [
        str(each) if isinstance(each, str | Reference) else type(each).__qualname__
        for each in as_list(argument)
    ]


def nothing(argument: Any) -> bool:
    """Whether nothing was given; a model may be empty or false and still be one."""
    return argument is None or (isinstance(argument, list | tuple | Mapping) and not argument)


def options_of(function: Callable[..., Any], without: Sequence[str] = ()) -> dict[str, Any]:
    """The keywords of a function with their defaults and kinds, as `show_keywords` takes them."""
    parameters = inspect.signature(function).parameters.values()
    return {p.name: p for p in parameters if p.kind is p.KEYWORD_ONLY and p.name not in without}


def optional_keywords(kind: Any) -> dict[str, Any]:
    """The fields of a typed dictionary as keywords that are None without."""
    return {
        name: inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=getattr(hint, "__forward_arg__", hint),
        )
        for name, hint in kind.__annotations__.items()
    }


def show_keywords(options: Mapping[str, Any] | type) -> Callable[[F], F]:
    """A function whose `**` is shown as these keywords, or the fields of a typed dictionary, and
    which says of any other which it may have been.
    """
    shown = options if isinstance(options, Mapping) else optional_keywords(options)

    def explicit(function: F) -> F:
        own = inspect.signature(function)
        plain = {n: p for n, p in own.parameters.items() if p.kind is not p.VAR_KEYWORD}
        known = {**plain, **shown}

        @functools.wraps(function)
        def wrapper(*arguments: Any, **named: Any) -> Any:
            for name in named:
                if name not in known:
                    raise UsageProblem(_unknown(function.__name__, name, list(known)))
            return function(*arguments, **named)

        wrapper.__signature__ = own.replace(parameters=list(known.values()))  # type: ignore[attr-defined]
        return wrapper  # type: ignore[return-value]

    return explicit


def _unknown(function: str, name: str, known: Sequence[str]) -> str:
    other = advice("argument", name)
    near = suggest("argument", name, known, 1.0)  # by its meaning alone
    near = near or ("" if other else suggest("option", name, known, 0.6))
    other = other or advice("option", name) or f"it takes {', '.join(known)}"
    meant = f"did you mean {near}?" if near else other
    return f"{function} takes no argument {name!r}: {meant}"
