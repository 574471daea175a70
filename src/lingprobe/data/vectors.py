"""Vectors of an encoder: layers over shared units (sentences, words or subwords)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.narrowing import NarrowName

Ints = NDArray[np.int64]
"""Arrays of 64-bit integers."""
Floats = NDArray[np.float32]
"""Arrays of 32-bit floats."""


@dataclass(frozen=True, slots=True)
class Spans:
    """The units of each sentence, and of each of its words.

    sentences   [sentences + 1]  units of sentence s are sentences[s]:sentences[s + 1]
    words       [words, 2]       units of word w are words[w, 0]:words[w, 1]; empty if nothing could
                be aligned
    first_word  [sentences + 1]  words of sentence s are first_word[s]:first_word[s + 1]
    """

    sentences: Ints
    words: Ints
    first_word: Ints

    def take(self, rows: Ints) -> tuple[Spans, Ints]:
        """The same for the sentences rows [k], and the units [kept] that they keep, in order."""
        units, starts = expand_ranges(self.sentences[rows], self.sentences[rows + 1])
        words, word_starts = expand_ranges(self.first_word[rows], self.first_word[rows + 1])
        shift = np.repeat(starts[:-1] - self.sentences[rows], np.diff(word_starts))
        return Spans(starts, self.words[words] + shift[:, None], word_starts), units


@dataclass(frozen=True, slots=True)
class Vectors:
    """An encoder's vectors of sentences.

    layers  one array [units, dim] per layer, in the order of `names`: float32 from an encoder. Of
            many vectors in the store it reads rows where they lie, `layer[rows]`, which may be
            float16, so convert rows to float32 before computing; `np.asarray(layer)` has all
    names   the name of each layer in trials and tables ('0' ... '12', 'lex'; '-' for an encoder
            with one layer)
    spans   None if a unit is a whole sentence, otherwise the units of each sentence and each word
    cut     [sentences] which sentences were truncated; None if that cannot happen
    lost    [units] which units have no valid numbers in some layer, because these were not finite
            or too large for the type of the store; their values are zeros and must not be used.
            None if there are none
    """

    layers: tuple[Floats, ...]
    names: tuple[str, ...] = ("-",)
    spans: Spans | None = None
    cut: NDArray[np.bool_] | None = None
    lost: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        if len(self.layers) != len(self.names):
            raise ValueError(f"{len(self.layers)} layers but {len(self.names)} names")

    @property
    def sentences(self) -> int:
        """The number of sentences."""
        return len(self.layers[0]) if self.spans is None else len(self.spans.sentences) - 1

    def layer(self, name: str) -> Floats:
        """The layer called `name`, [units, dim]; fewer numbers of it for 'first64:6'."""
        if name not in self.names and (narrow := NarrowName.parse(name)):
            return cast(Floats, narrow.narrow(self.layer(narrow.layer)))
        return self.layers[self.names.index(name)]

    def take(self, rows: Ints) -> Vectors:
        """The vectors of the sentences rows [k], in that order."""
        cut = None if self.cut is None else self.cut[rows]
        spans, units = (None, rows) if self.spans is None else self.spans.take(rows)
        lost = None if self.lost is None else self.lost[units]
        return Vectors(tuple(layer[units] for layer in self.layers), self.names, spans, cut, lost)

    def select(self, names: Sequence[str]) -> Vectors:
        """Some of the layers, in this order."""
        return replace(self, layers=tuple(self.layer(name) for name in names), names=tuple(names))


def word_units(words: Ints, read: Ints | None = None) -> Spans:
    """Spans for units that are words; only the first `read` [sentences] words of each sentence have
    a unit (default: all).
    """
    read = words if read is None else read
    first, units = compute_offsets(words), compute_offsets(read)
    number = np.arange(first[-1]) - np.repeat(first[:-1], words)
    starts = np.repeat(units[:-1], words) + np.minimum(number, np.repeat(read, words))
    return Spans(units, np.stack([starts, starts + (number < np.repeat(read, words))], 1), first)


def compute_offsets(lengths: NDArray[np.integer[Any]] | NDArray[np.bool_] | Sequence[int]) -> Ints:
    """Where runs of these lengths [n] begin, one after the other, and where the last ends
    [n + 1].
    """
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])


def expand_ranges(starts: Ints, stops: Ints) -> tuple[Ints, Ints]:
    """The ranges from starts [n] to stops [n], one after the other [sum of lengths], and where each
    begins [n + 1]; no Python per range.
    """
    lengths = stops - starts
    begins = compute_offsets(lengths)
    return np.arange(begins[-1]) + np.repeat(starts - begins[:-1], lengths), begins


def concatenate_vectors(batches: Sequence[Vectors]) -> Vectors:
    """Vectors of several runs of sentences, one after the other."""
    if not batches:
        raise ValueError("no vectors to put together")
    names = batches[0].names
    if any(p.names != names for p in batches):
        raise ValueError(
            f"parts with the layers {' and '.join(sorted({','.join(p.names) for p in batches}))}"
            " cannot be put together"
        )
    if len({p.spans is None for p in batches}) > 1:
        raise ValueError(
            "parts with one unit a sentence and parts with several units cannot be put together"
        )
    layers = tuple(np.concatenate([p.layers[i] for p in batches]) for i in range(len(names)))
    spans = [p.spans for p in batches if p.spans is not None]
    cuts = [np.zeros(p.sentences, bool) if p.cut is None else p.cut for p in batches]
    cut = np.concatenate(cuts) if any(p.cut is not None for p in batches) else None
    gaps = [np.zeros(len(p.layers[0]), bool) if p.lost is None else p.lost for p in batches]
    lost = np.concatenate(gaps) if any(p.lost is not None for p in batches) else None
    return Vectors(layers, names, _join_spans(spans) if spans else None, cut, lost)


def _join_spans(parts: Sequence[Spans]) -> Spans:
    units = np.cumsum([0, *(p.sentences[-1] for p in parts)])
    words = np.cumsum([0, *(len(p.words) for p in parts)])
    sentences = [
        np.zeros(1, np.int64),
        *(p.sentences[1:] + u for p, u in zip(parts, units, strict=False)),
    ]
    first = [
        np.zeros(1, np.int64),
        *(p.first_word[1:] + w for p, w in zip(parts, words, strict=False)),
    ]
    return Spans(
        np.concatenate(sentences),
        np.concatenate([p.words + u for p, u in zip(parts, units, strict=False)]),
        np.concatenate(first),
    )


def as_single(rows: NDArray[Any]) -> NDArray[Any]:
    """Numbers in float32; as they are if some of them are beyond it, which the store says."""
    with np.errstate(over="ignore"):
        array = rows.astype(np.float32)
    if np.isfinite(array).all():
        return array
    wide = rows.astype(np.float64)
    return wide if (np.isinf(array) & np.isfinite(wide)).any() else array
