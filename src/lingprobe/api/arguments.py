"""What functions of `lingprobe` make of their arguments: one thing where several may stand, and
the options of a class as their keywords.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

from lingprobe.data.errors import UsageProblem
from lingprobe.data.options import (
    REQUIRED_OPTION,
    DeclaredOption,
    Options,
    declared_options,
    describe_options,
)
from lingprobe.data.references import Reference
from lingprobe.data.suggestions import get_advice, suggest_name

F = TypeVar("F", bound=Callable[..., Any])


def as_list(argument: Any) -> list[Any]:
    """One thing, several, or none, as a list; a text is one thing, and so is an estimator that
    lists its parts.
    """
    if is_missing(argument):
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


def is_missing(argument: Any) -> bool:
    """Whether nothing was given; a model may be empty or false and still be one."""
    return argument is None or (isinstance(argument, list | tuple | Mapping) and not argument)


def takes_options(
    *kinds: type[Options],
    without: Sequence[str] = (),
    usual: Mapping[str, Any] = MappingProxyType({}),
) -> Callable[[F], F]:
    """A function that takes the options which some classes declare: what stands for them as `**` is
    shown as keywords, help describes them, a value that one may not have is refused, and of a name
    that there is not it is said which it may have been.

    without  options that it does not take
    usual    defaults, where they are not those of the classes
    """
    declared = {
        name: option._replace(default=usual.get(name, option.default))
        for kind in kinds
        for name, option in declared_options(kind).items()
        if name not in without
    }

    def decorate(function: F) -> F:
        own = inspect.signature(function)
        plain = {n: p for n, p in own.parameters.items() if p.kind is not p.VAR_KEYWORD}
        shown = plain
        if len(plain) < len(own.parameters):
            keywords = {n: _keyword(o) for n, o in declared.items() if n not in plain}
            shown = {**plain, **keywords}
        described = [option for name, option in declared.items() if name in shown]

        @functools.wraps(function)
        def wrapper(*arguments: Any, **named: Any) -> Any:
            for name in named:
                if name not in shown:
                    raise UsageProblem(
                        _explain_unknown_argument(function.__name__, name, list(shown))
                    )
            for name, value in (*zip(plain, arguments, strict=False), *named.items()):
                if name in declared:
                    declared[name].check(value)
            return function(*arguments, **named)

        wrapper.__signature__ = own.replace(parameters=list(shown.values()))  # type: ignore[attr-defined]
        wrapper.declared = declared  # type: ignore[attr-defined]
        wrapper.__doc__ = describe_call(inspect.getdoc(function) or "", described)
        return wrapper  # type: ignore[return-value]

    return decorate


def _keyword(option: DeclaredOption) -> inspect.Parameter:
    """An option as a keyword of a function."""
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if option.default is REQUIRED_OPTION else option.default,
        annotation=option.written,
    )


def describe_call(text: str, options: Sequence[DeclaredOption]) -> str:
    """The docstring of a function with its options, below what it does."""
    first, _, rest = text.partition("\n\n")
    return "\n\n".join(filter(None, [first, describe_options(options), rest]))


def _explain_unknown_argument(function: str, name: str, known: Sequence[str]) -> str:
    other = get_advice("argument", name)
    near = suggest_name("argument", name, known, 1.0)  # by its meaning alone
    near = near or ("" if other else suggest_name("option", name, known, 0.6))
    other = other or get_advice("option", name) or f"it takes {', '.join(known)}"
    meant = f"did you mean {near}?" if near else other
    return f"{function} takes no argument {name!r}: {meant}"
