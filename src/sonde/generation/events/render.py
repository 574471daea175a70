"""Values of many sentences of one shape -> their words, what each word realises, and their events,
many at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import repeat
from typing import NamedTuple

import numpy as np

from sonde.generation.events.cells import Values
from sonde.generation.events.fragments import fragments
from sonde.generation.events.language import Key, Language, Texts
from sonde.generation.events.shapes import Placed

Piece = tuple[Texts, tuple[Key, ...]]


class Layout(NamedTuple):
    """What a shape looks up, piece by piece: words, what they realise, and the event as JSON."""

    words: tuple[Piece, ...]
    roles: tuple[Piece, ...]
    event: tuple[Piece, ...]


@lru_cache(maxsize=1024)
def layout(placed: Placed, language: Language) -> Layout:
    """The pieces of a shape; remembered, because many sentences share them."""
    columns = language.columns(placed)
    words = _merged((c.words, c.keys) for c in columns)
    roles = _merged((c.roles, c.keys) for c in columns)
    return Layout(words, roles, _merged(fragments(placed, language)))


def _merged(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """The pieces with those that are the same everywhere joined to their neighbours."""
    found: list[Piece] = []
    constant = ""
    for table, keys in pieces:
        if not any(table.strides):  # one text, however many combinations
            constant += str(table.item() if table.ndim == 0 else table.flat[0])
            continue
        if constant:
            found.append((np.array(constant, object), ()))
            constant = ""
        found.append((table, keys))
    return (*found, (np.array(constant, object), ())) if constant else tuple(found)


def joined(pieces: Iterable[Piece], values: Values, n: int) -> Iterator[str]:
    """The texts of n sentences, put together from their pieces."""
    found = [
        repeat(str(table.item()), n) if not keys else table[_index(keys, values)].tolist()
        for table, keys in pieces
    ]
    return map("".join, zip(*found, strict=True))


def _index(
    keys: tuple[Key, ...], values: Values
) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], ...]:
    return tuple(values[k.path] if k.through is None else k.through[values[k.path]] for k in keys)
