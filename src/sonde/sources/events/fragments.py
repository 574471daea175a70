"""The JSON text of many events of one shape, in pieces that their variables look up: what `to_json` says, without spaces."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from sonde.sources.events.language import Form, Key, Language, Texts
from sonde.sources.events.meaning import ROLES
from sonde.sources.events.shapes import Clause, Hole, Phrase, Placed, Slot, Twins

Piece = tuple[Texts, tuple[Key, ...]]


def fragments(placed: Placed, language: Language) -> Iterator[Piece]:
    """The JSON text of a shape's events in pieces: as `to_json` has it, without spaces."""
    yield from _clause_pieces(placed.shape, "", language)


def _clause_pieces(clause: Clause, prefix: str, language: Language) -> Iterator[Piece]:
    yield _fixed('{"predicate":')
    yield _looked_up((e.lemma for e in language.values("verb")), f"{prefix}predicate")
    yield _fixed(f',"frame":"{clause.frame}"')
    yield _table((_form_text(form) for form in language.forms), f"{prefix}form")
    yield _fixed(f',"voice":"{clause.voice}"' + (f',"dative":"{clause.dative}"' if clause.dative else ""))
    if clause.adverbs:
        lemmas = [e.lemma for e in language.values("adverb")]
        rows = (f',"adverbs":{_text([lemmas[i] for i in row])}' if row else "" for row in language.adverbs)
        yield _table(rows, f"{prefix}adverbs")
    for role in ROLES:
        slot = getattr(clause, role)
        if slot is not None:
            yield _fixed(f',"{role}":')
            yield from _slot_pieces(slot, f"{prefix}{role}", language)
    if clause.content is not None:
        yield _fixed(',"content":')
        yield from _clause_pieces(clause.content, f"{prefix}content.", language)
    yield _fixed("}")


def _slot_pieces(slot: Slot, path: str, language: Language) -> Iterator[Piece]:
    if slot is Hole.GAP:
        yield _table((f'{{"gap":{_text(word)}}}' for word in language.relativisers), f"{path}.gap")
    elif isinstance(slot, Hole):
        yield _fixed('{"reflexive":true}')
    elif isinstance(slot, Twins):
        for i, phrase in enumerate(slot.both):
            yield _fixed(('{"both":[', ",")[i])
            yield from _phrase_pieces(phrase, f"{path}.both.{i}", language)
        yield _fixed("]}")
    else:
        yield from _phrase_pieces(slot, path, language)


def _phrase_pieces(phrase: Phrase, path: str, language: Language) -> Iterator[Piece]:
    yield _fixed('{"noun":')
    yield _looked_up((e.lemma for e in language.values("noun")), f"{path}.noun")
    yield _table((f',"number":{_text(f.number)},"determiner":{_text(f.determiner)}' for f in language.phrases), f"{path}.form")
    for i in range(phrase.adjectives):
        yield _fixed((',"adjectives":[', ",")[i > 0])
        yield _looked_up((e.lemma for e in language.values("adjective")), f"{path}.adjectives.{i}")
    if phrase.adjectives:
        yield _fixed("]")
    if phrase.modifier is not None:
        yield _fixed(',"modifier":{"preposition":')
        yield _looked_up((e.lemma for e in language.values("preposition")), f"{path}.modifier.preposition")
        yield _fixed(',"participant":')
        yield from _phrase_pieces(phrase.modifier, f"{path}.modifier.participant", language)
        yield _fixed("}")
    if phrase.relative is not None:
        yield _fixed(',"relative":')
        yield from _clause_pieces(phrase.relative, f"{path}.relative.", language)
    yield _fixed("}")


def _form_text(form: Form) -> str:
    first = f',"tense":{_text(form.tense)}' if form.tense else f',"modal":{_text(form.modal)}'
    return f'{first},"aspect":{_text(form.aspect)},"polarity":{_text(form.polarity)}'


def _fixed(text: str) -> Piece:
    return np.array(text, object), ()


def _looked_up(words: Iterable[str], path: str) -> Piece:
    return _table((_text(word) for word in words), path)


def _table(texts: Iterable[str], path: str) -> Piece:
    return np.array(list(texts), object), (Key(path),)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
