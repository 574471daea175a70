"""The parts: what nothing else in lingprobe needs. A part is a folder here, and can be taken out.

A part adds its things through the doors that plugins have, too. Its `__init__` says which:

    TABLES    group of a table of contents, as 'encoders' -> name -> 'module:attribute'
    COMMANDS  heading in the help -> commands, as 'module:function'
    _PLACES   module -> the public names that it defines, as `lingprobe._PLACES` does

Modules are named from the part's folder. Each part has all three, empty where it adds nothing of a
kind. Nothing outside a part imports it.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import Any


@functools.cache
def parts() -> tuple[ModuleType, ...]:
    """The parts that are there, by name."""
    names = sorted(each.name for each in pkgutil.iter_modules(__path__) if each.ispkg)
    return tuple(importlib.import_module(f"{__name__}.{name}") for name in names)


def tables(group: str) -> dict[str, str]:
    """What parts add to a table of contents: name -> 'module:attribute'."""
    return {
        name: f"{part.__name__}.{place}"
        for part in parts()
        for name, place in part.TABLES.get(group, {}).items()
    }


def commands() -> Iterator[tuple[str, str]]:
    """The places of the commands of parts, each with its heading."""
    for part in parts():
        for heading, places in part.COMMANDS.items():
            for place in places.split():
                yield heading, f"{part.__name__}.{place}"


def import_object(place: str) -> Any:
    """What is at a place, 'module:attribute'."""
    module, _, attribute = place.partition(":")
    return getattr(importlib.import_module(module), attribute)


def module_of(name: str) -> str | None:
    """The module of a part that has a public name; None where none has it."""
    for part in parts():
        for module, names in part._PLACES.items():
            if name in names.split():
                return f"{part.__name__}.{module}"
    return None
