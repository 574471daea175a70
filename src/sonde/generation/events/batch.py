"""Sentences by their numbers, many at a time: grouped by shape, said in columns, and put back in
the order asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sonde.core import DataProblem, Sentence
from sonde.generation.events.cells import EXACT, Values
from sonde.generation.events.language import Language, Numbers
from sonde.generation.events.meaning import Event
from sonde.generation.events.render import joined, layout
from sonde.generation.events.shapes import Placed
from sonde.generation.events.skeleton import analysed, event
from sonde.generation.events.space import Space

T = TypeVar("T")


class Generated(NamedTuple):
    """A sentence and what each of its words realises: paths in its event, as `agent.noun`."""

    sentence: Sentence
    roles: tuple[str, ...]


class Batch(NamedTuple):
    """Sentences of one shape: their values in columns, and their places in what was asked for."""

    placed: Placed
    values: Values
    places: Numbers
    language: Language

    def spaced(self) -> list[str]:
        """The words of the sentences, separated by spaces."""
        return [
            text[:-1]
            for text in joined(
                layout(self.placed, self.language).words, self.values, len(self.places)
            )
        ]

    def texts(self) -> list[str]:
        """The sentences as they are written."""
        return _written(self.spaced(), self.language)

    def roles(self) -> list[str]:
        """What the words realise, separated by spaces."""
        return [
            text[:-1]
            for text in joined(
                layout(self.placed, self.language).roles, self.values, len(self.places)
            )
        ]

    def sentences(self) -> list[Generated]:
        """The sentences with what their words realise."""
        spaced, roles = self.spaced(), self.roles()
        paths = {row: tuple(row.split(" ")) for row in set(roles)}  # few differ
        both = zip(spaced, _written(spaced, self.language), roles, strict=True)
        return [
            Generated(Sentence(tuple(words.split(" ")), text), paths[row])
            for words, text, row in both
        ]

    def events(self) -> Iterator[Event]:
        """The events, one by one."""
        paths = list(self.values)
        for row in zip(*(self.values[path].tolist() for path in paths), strict=True):
            yield event(self.placed, dict(zip(paths, row, strict=True)), self.language)

    def lines(self) -> list[str]:
        """The sentences as JSON: text, words, where they start, roles and event."""
        events = joined(layout(self.placed, self.language).event, self.values, len(self.places))
        spaced, leaning = self.spaced(), self.language.leaning
        parts = zip(spaced, _written(spaced, self.language), self.roles(), events, strict=True)
        return [_line(words, leaning, *more) for words, *more in parts]


def _written(spaced: list[str], language: Language) -> list[str]:
    for mark in language.leaning:
        spaced = [words.replace(f" {mark}", mark) for words in spaced]
    return spaced


def _line(spaced: str, leaning: tuple[str, ...], text: str, roles: str, event: str) -> str:
    """One sentence as JSON; words are letters, hyphens, apostrophes and commas, which JSON leaves
    as they are.
    """
    starts = _starts(spaced.split(" "), leaning)
    words, paths = spaced.replace(" ", '","'), roles.replace(" ", '","')
    return (
        f'{{"text":"{text}","words":["{words}"],"starts":{starts},'
        f'"roles":["{paths}"],"event":{event}}}'
    )


def _starts(words: list[str], leaning: tuple[str, ...]) -> list[int]:
    """At which character of the text each word begins."""
    starts = [0, *accumulate(len(word) + 1 for word in words)][:-1]
    if leaning:
        shifts = accumulate(word in leaning for word in words)
        starts = [start - shift for start, shift in zip(starts, shifts, strict=True)]
    return starts


def batches(space: Space, numbers: NDArray[Any]) -> Iterator[Batch]:
    """The sentences with some numbers, one batch a shape."""
    kind = np.int64 if space.size < EXACT else object
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
        yield Batch(cell.placed, cell.values(inside), places, space.language)


def in_order(parts: Iterable[Batch], n: int, read: Callable[[Batch], list[T]]) -> list[T]:
    """What each batch yields, put back in the order of the places."""
    ordered: list[Any] = [None] * n
    for part in parts:
        for place, one in zip(part.places.tolist(), read(part), strict=True):
            ordered[place] = one
    return ordered


def sentences(space: Space, numbers: NDArray[Any]) -> list[Generated]:
    """The sentences with some numbers, in their order."""
    return in_order(batches(space, numbers), len(numbers), Batch.sentences)


def realised(event: Event, language: Language) -> Generated:
    """The sentence of one event. An event whose words or forms the language lacks is named by what
    it lacks.
    """
    placed, row = analysed(event, language)
    values = {path: np.array([number]) for path, number in row.items()}
    return Batch(placed, values, np.zeros(1, np.int64), language).sentences()[0]
