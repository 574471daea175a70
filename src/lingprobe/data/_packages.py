"""What installed packages offer, by groups of entry points such as `lingprobe.tasks`. The
extensions that lie beside lingprobe are found in the same way.
"""

from __future__ import annotations

import functools
import importlib.util
import logging
import os
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

CORE_PACKAGE = __name__.partition(".")[0]
EXTENSIONS_PACKAGE = f"{CORE_PACKAGE}_extensions"
"""The package beside ours, of the same distribution."""
log = logging.getLogger("lingprobe.data.packages")


def is_own_module(place: str) -> bool:
    """Whether a module, or 'module:attribute', is of lingprobe or its extensions."""
    return re.split(r"[.:]", place, maxsplit=1)[0] in (CORE_PACKAGE, EXTENSIONS_PACKAGE)


def entry_points(group: str) -> list[EntryPoint]:
    """What installed packages offer in a group, by name; of equal names ours, else the last that is
    found. Extensions of ours whose folder was removed offer nothing.
    """
    points = sorted(all_points(group), key=lambda point: is_own_module(point.value))
    return sorted({point.name: point for point in points}.values())


def all_points(group: str) -> Sequence[EntryPoint]:
    """The same, with those whose name is taken."""
    import importlib.metadata

    read = importlib.metadata.entry_points
    return _read_points(read, tuple(map(_stat_folder, sys.path))).get(group, ())


def load_points(group: str) -> Iterator[tuple[str, Any]]:
    """What the entry points of a group name, imported now; what cannot be imported is excluded,
    with a warning.
    """
    for point in entry_points(group):
        failed = dict[str, BaseException]()
        found = load_point(point, failed)
        if failed:
            log.warning("%s %s is skipped: %s", group, point.name, *failed.values())
        else:
            yield point.name, found


def load_point(point: EntryPoint, failed: dict[str, BaseException]) -> Any:
    """What an entry point names, imported now; None, and the reason in `failed` by its name with
    spaces, where that is not possible.
    """
    try:
        return point.load()
    except (Exception, SystemExit) as error:
        failed[point.name.replace(".", " ")] = error
        return None


@functools.lru_cache(maxsize=64)
def _read_points(
    read: Callable[..., Iterable[EntryPoint]], path: tuple[tuple[str, int], ...]
) -> Mapping[str, tuple[EntryPoint, ...]]:
    """The same for every group, read from the files of each package that is installed, which takes
    a while; once for what is installed.
    """
    groups: dict[str, list[EntryPoint]] = defaultdict(list)
    found = read()
    # Python 3.11 has a dict by group, whose own methods warn
    points = chain.from_iterable(dict.values(found)) if isinstance(found, dict) else found
    for point in points:
        if point.group.startswith(f"{CORE_PACKAGE}.") and _is_present(point.value):
            groups[point.group].append(point)
    return {group: tuple(each) for group, each in groups.items()}


@functools.cache
def _is_present(place: str) -> bool:
    """False of what lies in an extension of ours that is not there."""
    package = ".".join(place.partition(":")[0].split(".")[:2])
    if not package.startswith(f"{EXTENSIONS_PACKAGE}."):
        return True
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:
        return False


def _stat_folder(folder: str) -> tuple[str, int]:
    """A folder with when something was put into it last, as by an installation."""
    place = folder or os.getcwd()
    try:
        return place, os.stat(place).st_mtime_ns
    except OSError:
        return place, 0
