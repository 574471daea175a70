"""Steps of CBOW with negative sampling over whole sentences, compiled by numba: each word is
predicted from the mean of the other words and bigrams of its sentence (Pagliardini et al. 2018,
section 2; Mikolov et al. 2013).

Steps are taken word after word. What a word's step adds to the vectors of its context is the same
for all of them, so that one sum for a sentence stands for it until the sentence ends, and a word
costs the same in long sentences and short ones. A word or bucket that stands several times in a
sentence is moved once for each of its places. Nothing is drawn here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

from lingprobe.extend import Floats, Ints

BEYOND = 6.0  # a score, at which word2vec's table of the logistic function ends
F = TypeVar("F", bound=Callable[..., object])


def _compile(function: F) -> F:
    # sums of products may be reordered, or no processor could add several at once
    return cast(F, numba.njit(fastmath={"reassoc", "contract", "nsz"}, cache=True)(function))


def _inline(function: F) -> F:
    # functions of their own would be compiled twice, and which of the two is called would depend on
    # whether the code comes from the cache: the bits would, too
    return cast(F, numba.njit(inline="always")(function))


class VectorTables(NamedTuple):
    """What is learnt: vectors of words and bigrams that are read [words + buckets, dim], and of
    words that are predicted [words, dim].
    """

    source: Floats
    target: Floats


class TrainingPart(NamedTuple):
    """Some sentences, one after the other.

    ids        of the words
    starts     of the sentences, and the end of the last
    bigrams    rows of source for each word's bigram with the next; -1 for none
    predicted  which words are predicted
    negatives  words drawn against each [words, negatives]; one that is the word itself is no
               negative
    """

    ids: NDArray[np.int32]
    starts: Ints
    bigrams: NDArray[np.int32]
    predicted: NDArray[np.bool_]
    negatives: NDArray[np.int32]


class LearningRates(NamedTuple):
    """The rate of learning at the first word and behind the last, with a straight line between.

    divided  the step of a context's vectors is divided by how many they are, which makes it the
             gradient; false: as word2vec and gensim, which leave that out, and for which a word
             that is as sure as BEYOND teaches nothing, right or wrong
    """

    first: float
    last: float
    divided: bool


class _Work(NamedTuple):
    """What is known of a sentence on the way.

    total   the sum of its vectors as they are now
    hidden  the mean of a word's context
    moved   what all vectors of the sentence were moved by
    steps   of which the words' own share was, which their own vectors are not moved by; zeros for
            words that are not predicted [words + 1, dim]
    words   how often each word stands in the sentence [words + 1]
    bigrams  how often the bucket of each bigram does [words + 1]
    """

    total: Floats
    hidden: Floats
    moved: Floats
    steps: Floats
    words: Ints
    bigrams: Ints


@_inline
def _work(longest: int, dim: int) -> _Work:
    return _Work(
        np.zeros(dim, np.float32),
        np.zeros(dim, np.float32),
        np.zeros(dim, np.float32),
        np.zeros((longest + 1, dim), np.float32),
        np.zeros(longest + 1, np.int64),
        np.zeros(longest + 1, np.int64),
    )


@_inline
def _count(rows: NDArray[np.int32], counts: Ints) -> int:
    """Count how often each row is among some, but for -1; the counts, summed over the rows."""
    total = 0
    for i in range(len(rows)):
        counts[i] = 0
        if rows[i] >= 0:
            for j in range(len(rows)):
                counts[i] += rows[i] == rows[j]
        total += counts[i]
    return total


@_inline
def _begin(source: Floats, part: TrainingPart, sentence: int, work: _Work) -> tuple[int, int]:
    """Sum the vectors of a sentence; how many there are, and how often these stand in it, summed
    over them.
    """
    first, last = part.starts[sentence], part.starts[sentence + 1]
    total, dim = work.total, len(work.total)
    total[:] = 0
    work.moved[:] = 0
    work.steps[: last - first + 1] = 0
    many = int(last - first)
    for at in range(first, last):
        word = source[part.ids[at]]
        for i in range(dim):
            total[i] += word[i]
        if part.bigrams[at] >= 0:
            many += 1
            bigram = source[part.bigrams[at]]
            for i in range(dim):
                total[i] += bigram[i]
    times = _count(part.ids[first:last], work.words)
    return many, times + _count(part.bigrams[first:last], work.bigrams)


@_inline
def _take(
    source: Floats,
    rows: NDArray[np.int32],
    place: tuple[int, int, int],
    many: tuple[int, int],
    work: _Work,
) -> None:
    """Take the vector of a word or of a bigram, as it is now, out of `hidden`.

    rows   of the words, or of the bigrams
    place  where it stands, the first word of its sentence, and the one that is predicted
    many   how often it stands in the sentence, and how many words it is of
    """
    at, first, predicted = place
    hidden, vector = work.hidden, source[rows[at]]
    times = np.float32(many[0])
    for i in range(len(hidden)):
        hidden[i] -= vector[i] + times * work.moved[i]
    for other in range(first, predicted):  # none of its places was moved by their own words' steps
        if rows[other] == rows[at]:
            for word in range(other, other + many[1]):
                step = work.steps[word - first]
                for i in range(len(hidden)):
                    hidden[i] += step[i]


@_inline
def _context(
    source: Floats, part: TrainingPart, place: tuple[int, int, int, int], work: _Work
) -> tuple[int, int]:
    """Put the mean of a word's context into `hidden`; how many vectors it is of, and how often
    these stand in the sentence, summed over them.

    place  the word, the first one of its sentence, and both numbers of the whole sentence
    """
    at, first, count, times = place
    hidden = work.hidden
    hidden[:] = work.total
    here = work.words[at - first]
    _take(source, part.ids, (at, first, at), (here, 1), work)
    count, times = count - 1, times - here
    for other in range(max(at - 1, first), at + 1):
        if part.bigrams[other] >= 0:
            here = work.bigrams[other - first]
            _take(source, part.bigrams, (other, first, at), (here, 2), work)
            count, times = count - 1, times - here
    if count:
        share = np.float32(1) / np.float32(count)
        for i in range(len(hidden)):
            hidden[i] *= share
    return count, times


@_inline
def _product(one: Floats, other: Floats) -> np.float32:
    total = np.float32(0)
    for i in range(len(one)):
        total += one[i] * other[i]
    return total


@_inline
def _predict(
    target: Floats,
    part: TrainingPart,
    place: tuple[int, int],
    rate: float,
    beyond: float,
    work: _Work,
) -> float:
    """Move a word and its negatives, and put the step of the context into `steps`; the loss.

    place   the word, and the first one of its sentence
    beyond  scores as far from 0 teach nothing
    """
    at, first = place
    hidden, step = work.hidden, work.steps[at - first]
    word, loss = part.ids[at], 0.0
    for k in range(part.negatives.shape[1] + 1):
        row = word if k == 0 else part.negatives[at, k - 1]
        if k and row == word:
            continue
        vector = target[row]
        score = _product(hidden, vector)
        wrong = -score if k == 0 else score
        small = np.exp(-abs(wrong))
        loss += max(wrong, np.float32(0)) + np.log1p(small)
        if abs(score) >= beyond:
            continue
        share = np.float32(1) / (1 + small) if wrong > 0 else small / (1 + small)
        move = np.float32((rate if k == 0 else -rate) * share)
        for i in range(len(hidden)):
            step[i] += move * vector[i]
            vector[i] += move * hidden[i]
    return loss


@_inline
def _add(work: _Work, at: int, share: np.float32, times: np.float32) -> None:
    """Take the step of a word, of which that share holds, for all vectors of its context."""
    step = work.steps[at]
    for i in range(len(step)):
        step[i] *= share
        work.moved[i] += step[i]
        work.total[i] += times * step[i]


@_inline
def _end(source: Floats, part: TrainingPart, sentence: int, work: _Work) -> None:
    """Move the vectors of a sentence."""
    first, last = part.starts[sentence], part.starts[sentence + 1]
    moved, steps = work.moved, work.steps
    dim = len(moved)
    for at in range(first, last):
        word, step = source[part.ids[at]], steps[at - first]
        for i in range(dim):
            word[i] += moved[i] - step[i]
        if part.bigrams[at] >= 0:
            bigram, after = source[part.bigrams[at]], steps[at - first + 1]
            for i in range(dim):
                bigram[i] += moved[i] - step[i] - after[i]


@_compile
def take_steps(
    tables: VectorTables, batch: TrainingPart, rates: LearningRates
) -> tuple[float, int]:
    """Take the steps of some sentences, in place; the loss, summed, and over how many words."""
    loss, count = 0.0, 0
    starts, all_words = batch.starts, len(batch.ids)
    work = _work(np.diff(starts).max(), tables.source.shape[1])
    beyond = np.inf if rates.divided else BEYOND
    for sentence in range(len(starts) - 1):
        first = starts[sentence]
        rate = rates.first + (rates.last - rates.first) * first / all_words
        many, times = _begin(tables.source, batch, sentence, work)
        for at in range(first, starts[sentence + 1]):
            if not batch.predicted[at]:
                continue
            of, moved = _context(tables.source, batch, (at, first, many, times), work)
            if of == 0:
                continue
            loss += _predict(tables.target, batch, (at, first), rate, beyond, work)
            count += 1
            share = np.float32(1) / np.float32(of) if rates.divided else np.float32(1)
            _add(work, at - first, share, np.float32(moved))
        _end(tables.source, batch, sentence, work)
    return loss, count


@_compile
def average_contexts(source: Floats, batch: TrainingPart) -> Floats:
    """The mean of the context of each word [words, dim], zeros for a word that has none."""
    made = np.zeros((len(batch.ids), source.shape[1]), np.float32)
    work = _work(np.diff(batch.starts).max(), source.shape[1])
    for sentence in range(len(batch.starts) - 1):
        first = batch.starts[sentence]
        many, times = _begin(source, batch, sentence, work)
        for at in range(first, batch.starts[sentence + 1]):
            if _context(source, batch, (at, first, many, times), work)[0]:
                made[at] = work.hidden
    return made
