"""Probing: what sentence and token embeddings know about language."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sonde.api import Evaluation, compare, evaluate
    from sonde.core import Dataset, Example, Sentence, Site
    from sonde.errors import SondeError
    from sonde.tasks.find import get_tasks
    from sonde.vectors import Vectors

__all__ = [
    "Dataset",
    "Evaluation",
    "Example",
    "Sentence",
    "Site",
    "SondeError",
    "Vectors",
    "compare",
    "evaluate",
    "get_tasks",
]

_PLACES = {
    "evaluate": "api",
    "compare": "api",
    "Evaluation": "api",
    "get_tasks": "tasks.find",
    "SondeError": "errors",
    "Vectors": "vectors",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is asked for: importing sonde itself does nothing."""
    if name not in __all__:
        raise AttributeError(f"module 'sonde' has no attribute {name!r}")
    return getattr(importlib.import_module("sonde." + _PLACES.get(name, "core")), name)


def __dir__() -> list[str]:
    return __all__
