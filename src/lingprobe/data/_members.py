"""Things by their place, and whether one of a user's own is what its kind has to be."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from inspect import getattr_static
from operator import attrgetter
from typing import Any


def import_attribute(place: str) -> Any:
    """What 'module:attribute' or 'module:object.attribute' names, imported now."""
    module, _, names = place.partition(":")
    return attrgetter(names)(importlib.import_module(module))


def fault_of(candidate: Any, kind: Any) -> str:
    """What keeps a thing from being of a kind: a class, a protocol whose members it must have, or
    Callable; '' for nothing.

    Nothing is called, as a property may read data; what passes questions on to another object is
    not asked.
    """
    if kind is Callable:
        return "" if callable(candidate) else "give a function"
    if not getattr(kind, "_is_protocol", False):
        return "" if isinstance(candidate, kind) else f"give {_article(kind)}"
    if getattr_static(type(candidate), "__getattr__", None) is not None:
        return ""
    members = [name for name in vars(kind) if not name.startswith("_")]
    lacking = [name for name in members if getattr_static(candidate, name, candidate) is candidate]
    if not lacking:
        return ""
    *most, last = [f"{n}()" if callable(getattr(kind, n)) else n for n in members]
    every = f"{', '.join(most)} and {last}" if most else last
    return f"it has no {', '.join(lacking)}: {_article(kind)} has {every}"


def _article(kind: Any) -> str:
    return f"{'an' if kind.__name__[0] in 'AEIOU' else 'a'} {kind.__name__}"
