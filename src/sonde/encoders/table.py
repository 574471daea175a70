"""The contents table of encoders, where a file's function of sentences counts as an encoder as it
stands.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sonde.core import Encoder
from sonde.encoders.adapt import adapt, required
from sonde.references import Contents, Reference


@dataclass(frozen=True)
class EncoderContents(Contents):
    """Contents whose things are made into encoders.

    `mine.py@thing` may name a factory (a class, or a function of a path and options), as
    everywhere; or, for encoders, a function of a list of sentences, an object with `encode`, a
    SentEval batcher(params, batch), or a pair of it and prepare.
    """

    def find(self, name: str) -> Callable[..., Any]:
        """The factory called `name`; one without parameters for what is no factory itself."""
        found: Any = super().find(name)
        if "@" not in name or _is_factory(found):
            return typing.cast(Callable[..., Any], found)

        def factory() -> Any:
            return adapt(found, name)

        factory.__module__ = getattr(found, "__module__", type(found).__module__)
        factory.__doc__ = getattr(found, "__doc__", None)
        return factory

    def make(self, reference: str | Reference) -> Encoder:
        """The encoder that a reference names."""
        parsed = Reference.parse(reference) if isinstance(reference, str) else reference
        return adapt(super().make(parsed), str(parsed))


def _is_factory(found: Any) -> bool:
    """A class; or a function that is not one of sentences: nothing must be given to it, or a
    string, a number or a path.
    """
    if inspect.isclass(found):
        return True
    if not inspect.isfunction(found):
        return False
    needed = required(found)
    if len(needed) != 1:
        return not needed
    try:
        hint = typing.get_type_hints(found).get(needed[0].name)
    except (NameError, TypeError):  # an annotation that cannot be resolved says nothing
        hint = needed[0].annotation
    return _is_plain(hint)


def _is_plain(hint: Any) -> bool:
    """Whether an annotation is of something that a reference can write: not missing, and not a list
    of anything.
    """
    if hint in (None, Any, inspect.Parameter.empty):
        return False
    text = hint if isinstance(hint, str) else getattr(hint, "__name__", str(hint))
    return text in ("str", "int", "float", "bool", "Path", "Literal") or str(hint).endswith("Path")
