"""Whether a function makes encoders or is one, by what it takes."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from typing import Any


def is_factory(candidate: Any) -> bool:
    """A class; or a function that is not one of sentences: nothing must be given to it, or a
    string, a number or a path.
    """
    if inspect.isclass(candidate):
        return True
    if not inspect.isfunction(candidate):
        return False
    needed = required_parameters(candidate)
    if len(needed) != 1:
        return not needed
    try:
        hint = typing.get_type_hints(candidate).get(needed[0].name)
    except (NameError, TypeError):  # an annotation that cannot be resolved says nothing
        hint = needed[0].annotation
    return _is_plain(hint)


def required_parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The positional parameters that a call must fill."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # some builtins do not tell
        return []
    return [p for p in parameters if p.kind in kinds and p.default is p.empty]


def _is_plain(hint: Any) -> bool:
    """Whether an annotation is of something that a reference can write: not missing, and not a list
    of anything.
    """
    if hint in (None, Any, inspect.Parameter.empty):
        return False
    text = hint if isinstance(hint, str) else getattr(hint, "__name__", str(hint))
    return text in ("str", "int", "float", "bool", "Path", "Literal") or str(hint).endswith("Path")
