"""Sentences by their numbers, many at a time: grouped by shape, said in columns (their words, what
each word realises, and their events), and put back in the order asked for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import accumulate, repeat
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from lingprobe import DataProblem, Sentence
from lingprobe_extensions.compose.events.cells import MAX_INT64_SENTENCES, Values
from lingprobe_extensions.compose.events.language import (
    ClauseForm,
    Language,
    Numbers,
    Texts,
    VariableKey,
)
from lingprobe_extensions.compose.events.meaning import (
    INNER_EVENT_FIELDS,
    SEMANTIC_ROLES,
    SentenceEvent,
)
from lingprobe_extensions.compose.events.shapes import (
    ArgumentHole,
    ClauseShape,
    CoordinatedPhrases,
    LinearisedShape,
    PhraseShape,
    Slot,
)
from lingprobe_extensions.compose.events.skeleton import analyze_event, make_event
from lingprobe_extensions.compose.events.space import SentenceSpace

Piece = tuple[Texts, tuple[VariableKey, ...]]


class ShapePieces(NamedTuple):
    """What a shape looks up, piece by piece: words, what they realise, and the event as JSON."""

    words: tuple[Piece, ...]
    roles: tuple[Piece, ...]
    event: tuple[Piece, ...]


@lru_cache(maxsize=1024)
def lay_out_shape(placed: LinearisedShape, language: Language) -> ShapePieces:
    """The pieces of a shape; remembered, because many sentences share them."""
    columns = language.columns(placed)
    words = _merge_constants((c.words, c.keys) for c in columns)
    roles = _merge_constants((c.roles, c.keys) for c in columns)
    return ShapePieces(words, roles, _merge_constants(format_fragments(placed, language)))


def _merge_constants(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
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


def join_pieces(pieces: Iterable[Piece], values: Values, n: int) -> Iterator[str]:
    """The texts of n sentences, put together from their pieces."""
    columns = [
        repeat(str(table.item()), n) if not keys else table[_index(keys, values)].tolist()
        for table, keys in pieces
    ]
    return map("".join, zip(*columns, strict=True))


def _index(
    keys: tuple[VariableKey, ...], values: Values
) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], ...]:
    return tuple(values[k.path] if k.through is None else k.through[values[k.path]] for k in keys)


def format_fragments(placed: LinearisedShape, language: Language) -> Iterator[Piece]:
    """The JSON text of a shape's events in pieces: as `to_json` has it, without spaces."""
    yield from _clause_pieces(placed.shape, "", language)


def _clause_pieces(clause: ClauseShape, prefix: str, language: Language) -> Iterator[Piece]:
    yield _constant_piece('{"predicate":')
    yield _make_lookup_piece(language, "verb", f"{prefix}predicate")
    yield _constant_piece(f',"frame":"{clause.frame}"')
    yield _make_lookup_piece(language, "form", f"{prefix}form")
    yield _constant_piece(
        f',"voice":"{clause.voice}"' + (f',"dative":"{clause.dative}"' if clause.dative else "")
    )
    if clause.adverbs:
        yield _make_lookup_piece(language, "adverbs", f"{prefix}adverbs")
    for role in SEMANTIC_ROLES:
        slot = clause.slot(role)
        if slot is not None:
            yield _constant_piece(f',"{role}":')
            yield from _slot_pieces(slot, f"{prefix}{role}", language)
    for key in INNER_EVENT_FIELDS:
        inner = clause.inner(key)
        if inner is not None:
            yield _constant_piece(f',"{key}":')
            yield from _clause_pieces(inner, f"{prefix}{key}.", language)
    yield _constant_piece("}")


def _slot_pieces(slot: Slot, path: str, language: Language) -> Iterator[Piece]:
    if slot is ArgumentHole.GAP:
        yield _make_lookup_piece(language, "relativiser", f"{path}.gap")
    elif isinstance(slot, ArgumentHole):
        yield _constant_piece(f'{{"{slot.value}":true}}')
    elif isinstance(slot, CoordinatedPhrases):
        for i, phrase in enumerate(slot.both):
            yield _constant_piece(('{"both":[', ",")[i])
            yield from _phrase_pieces(phrase, f"{path}.both.{i}", language)
        yield _constant_piece("]}")
    else:
        yield from _phrase_pieces(slot, path, language)


def _phrase_pieces(phrase: PhraseShape, path: str, language: Language) -> Iterator[Piece]:
    yield _constant_piece('{"noun":')
    yield _make_lookup_piece(language, "noun", f"{path}.noun")
    yield _make_lookup_piece(language, "phrase", f"{path}.form")
    for i in range(phrase.adjectives):
        yield _constant_piece((',"adjectives":[', ",")[i > 0])
        yield _make_lookup_piece(language, "adjective", f"{path}.adjectives.{i}")
    if phrase.adjectives:
        yield _constant_piece("]")
    if phrase.modifier is not None:
        yield _constant_piece(',"modifier":{"preposition":')
        yield _make_lookup_piece(language, "preposition", f"{path}.modifier.preposition")
        yield _constant_piece(',"participant":')
        yield from _phrase_pieces(phrase.modifier, f"{path}.modifier.participant", language)
        yield _constant_piece("}")
    if phrase.relative is not None:
        yield _constant_piece(',"relative":')
        yield from _clause_pieces(phrase.relative, f"{path}.relative.", language)
    yield _constant_piece("}")


def _constant_piece(text: str) -> Piece:
    return np.array(text, object), ()


def _make_lookup_piece(language: Language, kind: str, path: str) -> Piece:
    return _texts(language, kind), (VariableKey(path),)


@lru_cache(maxsize=64)
def _texts(language: Language, kind: str) -> Texts:
    """What the values of a kind of variable add to the JSON text."""
    adverbs = [e.lemma for e in language.values("adverb")]
    formats: dict[str, Callable[[Any], str]] = {
        "form": _form_text,
        "phrase": lambda form: (
            f',"number":{_format_json_value(form.number)},"determiner":{_format_json_value(form.determiner)}'
        ),
        "adverbs": lambda row: (
            f',"adverbs":{_format_json_value([adverbs[i] for i in row])}' if row else ""
        ),
        "relativiser": lambda word: f'{{"gap":{_format_json_value(word)}}}',
    }
    return np.array(
        [
            formats.get(kind, lambda entry: _format_json_value(entry.lemma))(value)
            for value in language.values(kind)
        ],
        object,
    )


def _form_text(form: ClauseForm) -> str:
    first = (
        f',"tense":{_format_json_value(form.tense)}'
        if form.tense
        else f',"modal":{_format_json_value(form.modal)}'
    )
    return (
        f'{first},"aspect":{_format_json_value(form.aspect)}'
        f',"polarity":{_format_json_value(form.polarity)}'
    )


def _format_json_value(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


T = TypeVar("T")


class GeneratedSentence(NamedTuple):
    """A sentence and what each of its words realises: paths in its event, as `agent.noun`."""

    sentence: Sentence
    roles: tuple[str, ...]


class ShapeBatch(NamedTuple):
    """Sentences of one shape: their values in columns, and their places in what was asked for."""

    placed: LinearisedShape
    values: Values
    places: Numbers
    language: Language

    def spaced_words(self) -> list[str]:
        """The words of the sentences, separated by spaces."""
        return [
            text[:-1]
            for text in join_pieces(
                lay_out_shape(self.placed, self.language).words, self.values, len(self.places)
            )
        ]

    def texts(self) -> list[str]:
        """The sentences as they are written."""
        return _attach_marks(self.spaced_words(), self.language)

    def roles(self) -> list[str]:
        """What the words realise, separated by spaces."""
        return [
            text[:-1]
            for text in join_pieces(
                lay_out_shape(self.placed, self.language).roles, self.values, len(self.places)
            )
        ]

    def sentences(self) -> list[GeneratedSentence]:
        """The sentences with what their words realise."""
        spaced, roles = self.spaced_words(), self.roles()
        paths = {row: tuple(row.split(" ")) for row in set(roles)}  # few differ
        both = zip(spaced, _attach_marks(spaced, self.language), roles, strict=True)
        return [
            GeneratedSentence(Sentence(tuple(words.split(" ")), text), paths[row])
            for words, text, row in both
        ]

    def events(self) -> Iterator[SentenceEvent]:
        """The events, one by one."""
        paths = list(self.values)
        for row in zip(*(self.values[path].tolist() for path in paths), strict=True):
            yield make_event(self.placed, dict(zip(paths, row, strict=True)), self.language)

    def lines(self) -> list[str]:
        """The sentences as JSON: text, words, where they start, roles and event."""
        events = join_pieces(
            lay_out_shape(self.placed, self.language).event, self.values, len(self.places)
        )
        spaced, leaning = self.spaced_words(), self.language.leaning
        parts = zip(spaced, _attach_marks(spaced, self.language), self.roles(), events, strict=True)
        return [_format_json_line(words, leaning, *more) for words, *more in parts]


def _attach_marks(spaced: list[str], language: Language) -> list[str]:
    for mark in language.leaning:
        spaced = [words.replace(f" {mark}", mark) for words in spaced]
    return spaced


def _format_json_line(
    spaced: str, leaning: tuple[str, ...], text: str, roles: str, event: str
) -> str:
    """A line of JSON: the text, its words, the position of each (`starts`), the part of the event
    that each expresses (`roles`), and the event; words are letters, hyphens, apostrophes and
    commas, which JSON leaves as they are.
    """
    starts = _starts(spaced.split(" "), leaning)
    words, paths = spaced.replace(" ", '","'), roles.replace(" ", '","')
    return (
        f'{{"text":"{text}","words":["{words}"],"starts":{starts},'
        f'"roles":["{paths}"],"event":{event}}}'
    )


def _starts(words: list[str], leaning: tuple[str, ...]) -> list[int]:
    """The position of the first character of each word in the text."""
    starts = [0, *accumulate(len(word) + 1 for word in words)][:-1]
    if leaning:
        shifts = accumulate(word in leaning for word in words)
        starts = [start - shift for start, shift in zip(starts, shifts, strict=True)]
    return starts


def build_shape_batches(space: SentenceSpace, numbers: NDArray[Any]) -> Iterator[ShapeBatch]:
    """The sentences with some numbers, one batch a shape."""
    kind = np.int64 if space.size < MAX_INT64_SENTENCES else object
    starts = np.array(space.starts[:-1], kind)
    numbers = np.asarray(numbers).astype(kind)
    if len(numbers) and not 0 <= numbers.min() <= numbers.max() < space.size:
        raise DataProblem(
            f"numbers of sentences go from 0 to {space.size - 1:,}, not from {numbers.min():,} to"
            f" {numbers.max():,}"
        )
    cells = np.searchsorted(starts, numbers, side="right") - 1
    order = np.argsort(cells, kind="stable")
    distinct, first = np.unique(cells[order], return_index=True)
    for k, places in zip(distinct, np.split(order, first[1:]), strict=True):
        inside = numbers[places] - starts[k]
        cell = space.cells[k]
        yield ShapeBatch(cell.placed, cell.values(inside), places, space.language)


def map_in_order(
    batches: Iterable[ShapeBatch], n: int, read: Callable[[ShapeBatch], list[T]]
) -> list[T]:
    """What each batch yields, put back in the order of the places."""
    ordered: list[Any] = [None] * n
    for part in batches:
        for place, one in zip(part.places.tolist(), read(part), strict=True):
            ordered[place] = one
    return ordered


def generate_sentences(space: SentenceSpace, numbers: NDArray[Any]) -> list[GeneratedSentence]:
    """The sentences with some numbers, in their order."""
    return map_in_order(build_shape_batches(space, numbers), len(numbers), ShapeBatch.sentences)


def realize_event(event: SentenceEvent, language: Language) -> GeneratedSentence:
    """The sentence of one event. An event whose words or forms the language lacks is named by what
    it lacks.
    """
    placed, row = analyze_event(event, language)
    values = {path: np.array([number]) for path, number in row.items()}
    return ShapeBatch(placed, values, np.zeros(1, np.int64), language).sentences()[0]
