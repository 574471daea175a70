"""Values of many sentences of one shape -> their words, what each word realises, and their events,
many at a time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from sonde.generation.events.cells import Values
from sonde.generation.events.language import Form, Key, Language, Texts
from sonde.generation.events.meaning import ROLES
from sonde.generation.events.shapes import Clause, Hole, Phrase, Placed, Slot, Twins
from sonde.generation.events.written import INNER

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
    merged: list[Piece] = []
    constant = ""
    for table, keys in pieces:
        if not any(table.strides):  # one text, however many combinations
            constant += str(table.item() if table.ndim == 0 else table.flat[0])
            continue
        if constant:
            merged.append((np.array(constant, object), ()))
            constant = ""
        merged.append((table, keys))
    return (*merged, (np.array(constant, object), ())) if constant else tuple(merged)


def joined(pieces: Iterable[Piece], values: Values, n: int) -> Iterator[str]:
    """The texts of n sentences, put together from their pieces."""
    columns = [
        repeat(str(table.item()), n) if not keys else table[_index(keys, values)].tolist()
        for table, keys in pieces
    ]
    return map("".join, zip(*columns, strict=True))


def _index(
    keys: tuple[Key, ...], values: Values
) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], ...]:
    return tuple(values[k.path] if k.through is None else k.through[values[k.path]] for k in keys)


def fragments(placed: Placed, language: Language) -> Iterator[Piece]:
    """The JSON text of a shape's events in pieces: as `to_json` has it, without spaces."""
    yield from _clause_pieces(placed.shape, "", language)


def _clause_pieces(clause: Clause, prefix: str, language: Language) -> Iterator[Piece]:
    yield _fixed('{"predicate":')
    yield _table(language, "verb", f"{prefix}predicate")
    yield _fixed(f',"frame":"{clause.frame}"')
    yield _table(language, "form", f"{prefix}form")
    yield _fixed(
        f',"voice":"{clause.voice}"' + (f',"dative":"{clause.dative}"' if clause.dative else "")
    )
    if clause.adverbs:
        yield _table(language, "adverbs", f"{prefix}adverbs")
    for role in ROLES:
        slot = clause.slot(role)
        if slot is not None:
            yield _fixed(f',"{role}":')
            yield from _slot_pieces(slot, f"{prefix}{role}", language)
    for key in INNER:
        inner = clause.inner(key)
        if inner is not None:
            yield _fixed(f',"{key}":')
            yield from _clause_pieces(inner, f"{prefix}{key}.", language)
    yield _fixed("}")


def _slot_pieces(slot: Slot, path: str, language: Language) -> Iterator[Piece]:
    if slot is Hole.GAP:
        yield _table(language, "relativiser", f"{path}.gap")
    elif isinstance(slot, Hole):
        yield _fixed(f'{{"{slot.value}":true}}')
    elif isinstance(slot, Twins):
        for i, phrase in enumerate(slot.both):
            yield _fixed(('{"both":[', ",")[i])
            yield from _phrase_pieces(phrase, f"{path}.both.{i}", language)
        yield _fixed("]}")
    else:
        yield from _phrase_pieces(slot, path, language)


def _phrase_pieces(phrase: Phrase, path: str, language: Language) -> Iterator[Piece]:
    yield _fixed('{"noun":')
    yield _table(language, "noun", f"{path}.noun")
    yield _table(language, "phrase", f"{path}.form")
    for i in range(phrase.adjectives):
        yield _fixed((',"adjectives":[', ",")[i > 0])
        yield _table(language, "adjective", f"{path}.adjectives.{i}")
    if phrase.adjectives:
        yield _fixed("]")
    if phrase.modifier is not None:
        yield _fixed(',"modifier":{"preposition":')
        yield _table(language, "preposition", f"{path}.modifier.preposition")
        yield _fixed(',"participant":')
        yield from _phrase_pieces(phrase.modifier, f"{path}.modifier.participant", language)
        yield _fixed("}")
    if phrase.relative is not None:
        yield _fixed(',"relative":')
        yield from _clause_pieces(phrase.relative, f"{path}.relative.", language)
    yield _fixed("}")


def _fixed(text: str) -> Piece:
    return np.array(text, object), ()


def _table(language: Language, kind: str, path: str) -> Piece:
    return _texts(language, kind), (Key(path),)


@lru_cache(maxsize=64)
def _texts(language: Language, kind: str) -> Texts:
    """What the values of a kind of variable add to the JSON text."""
    adverbs = [e.lemma for e in language.values("adverb")]
    formats: dict[str, Callable[[Any], str]] = {
        "form": _form_text,
        "phrase": lambda form: (
            f',"number":{_text(form.number)},"determiner":{_text(form.determiner)}'
        ),
        "adverbs": lambda row: f',"adverbs":{_text([adverbs[i] for i in row])}' if row else "",
        "relativiser": lambda word: f'{{"gap":{_text(word)}}}',
    }
    return np.array(
        [
            formats.get(kind, lambda entry: _text(entry.lemma))(value)
            for value in language.values(kind)
        ],
        object,
    )


def _form_text(form: Form) -> str:
    first = f',"tense":{_text(form.tense)}' if form.tense else f',"modal":{_text(form.modal)}'
    return f'{first},"aspect":{_text(form.aspect)},"polarity":{_text(form.polarity)}'


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
