"""Renamed names: old ones work for two minor versions, with a DeprecationWarning."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
KEPT = 2  # minor versions


def warn(old: str, new: str, since: str, level: int = 2) -> None:
    """Tell whoever uses the old name that it is another since a version, as '0.3', and when it
    goes. `level` is how many callers up the use is.
    """
    major, minor = (int(part) for part in since.split(".")[:2])
    warnings.warn(
        f"{old} is {new} since lingprobe {since}; the old name goes with lingprobe"
        f" {major}.{minor + KEPT}",
        DeprecationWarning,
        stacklevel=level + 1,
    )


def keywords(since: str, **renamed: str) -> Callable[[F], F]:
    """Let a function be called with the old names of keywords, given as old='new'; TypeError for
    both at once.
    """

    def decorated(function: F) -> F:
        @functools.wraps(function)
        def call(*args: Any, **given: Any) -> Any:
            for old in renamed.keys() & given.keys():
                new = renamed[old]
                if new in given:
                    raise TypeError(f"{function.__name__}: {old} is {new}; give it once")
                warn(f"{function.__name__}(..., {old}=)", f"{new}=", since)
                given[new] = given.pop(old)
            return function(*args, **given)

        return call  # type: ignore[return-value]

    return decorated
