"""How sentences go through a published network: in batches of like length, pooled over their tokens
or kept word by word.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lingprobe import Sentence, Spans, Vectors
from lingprobe.extend import (
    Floats,
    Ints,
    SlotEncoder,
    compute_offsets,
    expand_ranges,
    make_batches,
    run_batches,
)

MAX_SENTENCE_WORDS = 10_000  # words; the rest of a longer sentence is not read
Forward = Callable[[Ints], Mapping[str, Any]]
"""From the rows of a batch, longest first, to the states of their tokens by layer, each a tensor
[rows, longest, dim], or the vectors of sentences [rows, dim] that the network pooled itself. """


@dataclass(frozen=True)
class TokenBatch:
    """What a network reads of some sentences.

    ids     the number of each token in the network's table, one sentence after the other
    counts  how many tokens each sentence has [sentences]; one without any gets a vector of zeros
    pieces  how many of them each word has, in order, where units of words are asked for
    marks   how many of each sentence's tokens stand before and behind its words: they count where
            tokens are pooled, and belong to no word
    cut     which sentences were read only in part
    """

    ids: Ints
    counts: Ints
    pieces: Ints
    words: Ints
    marks: tuple[int, int] = (0, 0)
    cut: NDArray[np.bool_] | None = None

    @classmethod
    def of_rows(
        cls,
        rows: Sequence[Sequence[int]],
        pieces: Ints,
        words: Ints,
        marks: tuple[int, int] = (0, 0),
        cut: NDArray[np.bool_] | None = None,
    ) -> TokenBatch:
        """What is read of sentences whose tokens are known one by one."""
        ids = np.array([n for row in rows for n in row], np.int64)
        return cls(ids, np.array([len(row) for row in rows], np.int64), pieces, words, marks, cut)

    def of(self, rows: Ints) -> list[Ints]:
        """The tokens of some sentences."""
        starts = compute_offsets(self.counts)
        return [self.ids[starts[row] : starts[row + 1]] for row in rows]

    @property
    def spans(self) -> Spans:
        """Which units are each sentence's and each word's, where units are the tokens of words."""
        units, first = compute_offsets(self.pieces), compute_offsets(self.words)
        return Spans(units[first], np.stack([units[:-1], units[1:]], 1), first)


def gather_read_words(
    sentences: Sequence[Sentence],
) -> tuple[list[list[str]], Ints, NDArray[np.bool_]]:
    """The words that are read of each sentence, how many it has, and which sentences are cut."""
    counts = np.array([len(s.words) for s in sentences], np.int64)
    return (
        [list(s.words[:MAX_SENTENCE_WORDS]) for s in sentences],
        counts,
        counts > MAX_SENTENCE_WORDS,
    )


def count_word_units(counts: Ints) -> Ints:
    """How many units each word has where a unit is a word: 1, or 0 for words that are not read."""
    place = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return (place < MAX_SENTENCE_WORDS).astype(np.int64)


def each_word(sentences: Sequence[Sentence]) -> tuple[list[str], TokenBatch]:
    """The distinct words of some sentences, and each word as a token by its number among them."""
    words, counts, cut = gather_read_words(sentences)
    forms: dict[str, int] = {}
    rows = [[forms.setdefault(word, len(forms)) for word in row] for row in words]
    return list(forms), TokenBatch.of_rows(rows, count_word_units(counts), counts, cut=cut)


def pool_layers(
    forward: Forward,
    tokens: TokenBatch,
    slots: Sequence[tuple[str, str]],
    widths: Mapping[str, int],
    budget: int,
) -> Vectors:
    """Every layer that is asked for, pooled as is asked for, in one pass over all sentences;
    batches are of at most `budget` tokens.
    """
    by_word = any(pool == "none" for _, pool in slots)
    marks = tokens.marks if by_word else (0, 0)
    units = np.maximum(tokens.counts - sum(marks), 0) if by_word else np.ones_like(tokens.counts)
    starts = compute_offsets(units)
    layers = [np.zeros((int(starts[-1]), widths[layer]), np.float32) for layer, _ in slots]

    def work(rows: Ints) -> None:
        states, mask = forward(rows), _mask(tokens.counts[rows], marks)
        places = expand_ranges(starts[rows], starts[rows + 1])[0]
        for target, (layer, pool) in zip(layers, slots, strict=True):
            target[places] = _units(pool, states[layer], mask)

    run_batches(work, make_batches(tokens.counts, budget), side_by_side=True)
    spans = tokens.spans if by_word else None
    return Vectors(tuple(layers), SlotEncoder.names(slots), spans, tokens.cut)


def _mask(lengths: Ints, marks: tuple[int, int]) -> NDArray[np.bool_]:
    """Which tokens of a batch count [rows, longest]."""
    steps = np.arange(int(lengths.max()))
    return (steps >= marks[0]) & (steps < lengths[:, None] - marks[1])


def _units(pool: str, states: Any, mask: NDArray[np.bool_]) -> Floats:
    """The states of a batch pooled, unless the network did that."""
    import torch

    from lingprobe.extend import pool_states

    with torch.inference_mode():
        return states.numpy() if states.ndim == 2 else pool_states(pool, states, mask)
