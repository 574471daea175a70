"""What follows from the files of the package alone, remembered from one process to the next: what
there is of a kind, for which all of it would have to be imported. What decides over results is
never remembered in this way.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lingprobe.data._packages import CORE_PACKAGE, EXTENSIONS_PACKAGE, all_points, is_own_module
from lingprobe.data.cache import cache_dir, recall_value, remember_value
from lingprobe.data.digests import digest_pieces

_FOLDER = "listings"  # of the cache


def recall_listing(name: str, group: str, make: Callable[[], Any]) -> Any:
    """What `make` returns, as JSON has it, or what it returned for the same files of the package.
    Where an installed package adds to the group of entry points, it is asked each time.
    """
    if not all(is_own_module(point.value) for point in all_points(group)):
        return make()
    key, folder = f"{name} {_stamp_package()}", cache_dir() / _FOLDER
    if (found := recall_value(folder, key)) is None:
        found = make()
        remember_value(folder, key, found)
    return found


@functools.cache
def _stamp_package() -> str:
    """Which files the package and its extensions have, with their sizes and times (that of the last
    change of a file's state counts, too, which no tool sets back), and when something was installed
    last, as what can be imported depends on it.
    """
    places = [Path(each) for each in sys.path if each.endswith(("site-packages", "dist-packages"))]
    installed = [f"{place} {place.stat().st_mtime_ns}" for place in places if place.is_dir()]
    return digest_pieces(
        sys.version, *installed, *_stamp(CORE_PACKAGE), *_stamp(EXTENSIONS_PACKAGE)
    )


def _stamp(package: str) -> Iterator[str]:
    spec = find_spec(package)
    for folder in spec.submodule_search_locations or () if spec else ():
        yield from _stamp_folder(Path(folder))


def _stamp_folder(folder: Path) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda each: each.name):
            if entry.name == "__pycache__":
                continue
            if entry.is_dir():
                yield from _stamp_folder(Path(entry.path))
            else:
                about = entry.stat()
                yield f"{entry.path} {about.st_size} {about.st_mtime_ns} {about.st_ctime_ns}"
