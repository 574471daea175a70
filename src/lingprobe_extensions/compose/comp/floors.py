"""Baselines of questions about words: what stands near the asked words, and n-grams in which they
are marked, for the same probe as any encoder.

A shallow reader (`shallow.ShallowExamples`) knows nouns and verbs by their form alone, and small
words as they are. Neither baseline parses: what a probe reaches on them, it reaches without
structure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from lingprobe import Help, ReadingProblem, Readings
from lingprobe.extend import Floats, Ints, WordsOnly, draw_normals
from lingprobe_extensions.compose.comp.shallow import ShallowExamples, shallow_examples


@dataclass(frozen=True)
class TagWindow(WordsOnly):
    """The tags of each asked word and of the words around it, and which of two asked words comes
    first; read with the asked words themselves, one-hot.
    """

    width: Annotated[int, Help("how many words on either side")] = 2

    @property
    def name(self) -> str:
        return f"window:{self.width}"

    def own_view(self, readings: Readings, units: Floats) -> Floats:
        """[examples, slots x (2 x width + 1) x tags, and so on] of zeros and ones."""
        examples = _shallow_examples(readings)
        blocks = [readings.dataset.one_hot_asked()]
        for place in examples.places.T:
            for away in range(-self.width, self.width + 1):
                there = np.where(place < 0, -1, place + away)
                blocks.append(_hot(examples.tag_numbers(there), len(examples.tags)))
        first = examples.places[:, :-1] < examples.places[:, 1:]
        return np.concatenate([*blocks, first.astype(np.float32)], 1)


@dataclass(frozen=True)
class TagNGrams(WordsOnly):
    """A bag of all n-grams of tags, in which each asked word is marked as the first or the second
    one; read with the asked words themselves, one-hot.
    """

    longest: Annotated[int, Help("how many words an n-gram has at most", "1")] = 3
    dim: Annotated[
        int,
        Help("of the vectors of n-grams, which are drawn as those of words in bow:random", "1"),
    ] = field(default=300, kw_only=True)
    seed: Annotated[
        int,
        Help("of the vectors of n-grams, which are drawn as those of words in bow:random", "0"),
    ] = field(default=0, kw_only=True)

    @property
    def name(self) -> str:
        return f"ngrams:{self.longest}"

    def own_view(self, readings: Readings, units: Floats) -> Floats:
        """[examples, asked words and dim]: the mean of the vectors of an example's n-grams."""
        examples, numbers = _shallow_examples(readings), dict[tuple[str, ...], int]()
        grams = [
            [numbers.setdefault(gram, len(numbers)) for gram in _grams(tags, self.longest)]
            for tags in _mark_tags(examples)
        ]
        keys = ["\x1f".join(gram).encode() for gram in numbers]
        vectors = draw_normals(keys, self.dim, f"n-gram {self.seed}")
        bags = np.stack([vectors[some].mean(0) for some in grams])
        return np.concatenate([readings.dataset.one_hot_asked(), bags], 1)


def _shallow_examples(readings: Readings) -> ShallowExamples:
    examples = shallow_examples(readings.dataset)
    if examples is None:
        raise ReadingProblem(
            "this baseline reads what is around the asked words of whole sentences, and the data"
            " ask about none, or about words that no language of the generator has"
        )
    return examples


def _hot(codes: Ints, n: int) -> Floats:
    """One-hot rows [examples, n]; zeros for -1."""
    return np.asarray(codes[:, None] == np.arange(n), np.float32)


def _mark_tags(examples: ShallowExamples) -> Iterator[list[str]]:
    """The tags of each example, with a mark on those of asked words."""
    for codes, places in zip(examples.codes, examples.places.tolist(), strict=True):
        tags = [examples.tags[code] for code in codes[codes >= 0].tolist()]
        for slot, place in enumerate(places):
            if place >= 0:
                tags[place] += f" *{slot + 1}"
        yield tags


def _grams(tags: list[str], longest: int) -> Iterator[tuple[str, ...]]:
    for n in range(1, longest + 1):
        yield from zip(*(tags[start:] for start in range(n)), strict=False)
