"""What installed packages offer, by groups of entry points such as `lingprobe.tasks`."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def entry_points(group: str) -> list[EntryPoint]:
    """What installed packages offer in a group, by name; of equal names the last that is found."""
    import importlib.metadata

    return list(_read_points(group, importlib.metadata.entry_points, tuple(map(_state, sys.path))))


@functools.lru_cache(maxsize=64)
def _read_points(
    group: str, read: Callable[..., Iterable[EntryPoint]], path: tuple[tuple[str, int], ...]
) -> tuple[EntryPoint, ...]:
    """The same, read from the files of each package that is installed, which takes a while; once
    for what is installed.
    """
    return tuple(sorted({point.name: point for point in read(group=group)}.values()))


def _state(folder: str) -> tuple[str, int]:
    """A folder with when something was put into it last, as by an installation."""
    place = folder or os.getcwd()
    try:
        return place, os.stat(place).st_mtime_ns
    except OSError:
        return place, 0
