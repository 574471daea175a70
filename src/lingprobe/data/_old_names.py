"""Renamed names: old ones work for two minor versions, with a DeprecationWarning.

The package was called `sonde` before 0.2. Its environment variables, groups of entry points and
values of options are read under that name, too.
"""

from __future__ import annotations

import functools
import logging
import os
import sys
import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

F = TypeVar("F", bound=Callable[..., Any])
KEPT = 2  # minor versions
BEFORE = "sonde"  # what the package was called
VALUES = {("rules", BEFORE): "lingprobe"}
"""Values of options: (option, old value) -> new value."""

log = logging.getLogger("lingprobe.data.references")


def variable(name: str) -> str | None:
    """What one of our environment variables holds, as LINGPROBE_CACHE; None where it is not set."""
    old = f"{BEFORE.upper()}_{name.partition('_')[2]}"
    if name not in os.environ and old in os.environ:
        _say_once(old, name)
        return os.environ[old]
    return os.environ.get(name)


@functools.cache
def _say_once(old: str, name: str) -> None:
    log.warning("the environment variable %s is %s now; set that instead", old, name)


def entry_points(group: str) -> list[EntryPoint]:
    """What installed packages offer in a group, as lingprobe.tasks; under the new name first."""
    import importlib.metadata

    return list(_read_points(group, importlib.metadata.entry_points, tuple(map(_state, sys.path))))


@functools.lru_cache(maxsize=64)
def _read_points(
    group: str, read: Callable[..., Iterable[EntryPoint]], path: tuple[tuple[str, int], ...]
) -> tuple[EntryPoint, ...]:
    """The same, read from the files of each package that is installed, which takes a while; once
    for what is installed.
    """
    groups = (f"{BEFORE}.{group.partition('.')[2]}", group)
    found = [read(group=each) for each in groups]
    return tuple(sorted({point.name: point for points in found for point in points}.values()))


def _state(folder: str) -> tuple[str, int]:
    """A folder with when something was put into it last, as by an installation."""
    place = folder or os.getcwd()
    try:
        return place, os.stat(place).st_mtime_ns
    except OSError:
        return place, 0


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

    def decorator(function: F) -> F:
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

    return decorator
