"""What predicted distances and depths are judged by, as the program of Hewitt & Manning (2019)
reports them. Statistics are of sentences, so that intervals are over sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import cast

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.digests import digest_pieces
from lingprobe.data.labels import Column, NumberLists
from lingprobe.data.vectors import Ints, expand_ranges
from lingprobe.inside.structure.trees import count_words_of_pairs, list_word_pairs, tree_edges
from lingprobe.metrics.metric import Doubles, Metric, MetricProblem, compute_ratio, sum_blocks
from lingprobe.tasks.memory import CorpusCache

_RANKED: CorpusCache[Doubles] = CorpusCache()
"""Correlations of sentences, and the numbers of their lengths, [sentences, 2]."""
_LENGTHS = range(5, 51)  # words of the sentences that correlations are averaged over
Lists = tuple[NumberLists, NumberLists]
Correlate = Callable[[Column, Column], Iterator[tuple[int, Ints, Doubles]]]


def uuas() -> Metric:
    """Share of the edges of gold trees that predicted trees have, whatever their direction.

    Both are minimum spanning trees of distances between the words that are not PUNCT; edges of all
    sentences count together.
    """
    return Metric("uuas", _edge_sums, _divide_sums)


def dspr() -> Metric:
    """Spearman's correlation of a word's gold and predicted distances to all words, also itself.

    The mean over the words of sentences of one length, then over the lengths from 5 to 50; 0 where
    predicted distances do not vary.
    """
    return _averaged_over_lengths("dspr", _by_word)


def root_accuracy() -> Metric:
    """Share of sentences whose root has the least predicted depth of all words that are not
    PUNCT.
    """
    return Metric("root-accuracy", _root_sums, _divide_sums)


def nspr() -> Metric:
    """Spearman's correlation of gold and predicted depths in a sentence.

    The mean over sentences of one length, then over the lengths from 5 to 50; 0 where predicted
    depths do not vary.
    """
    return _averaged_over_lengths("nspr", _by_sentence)


def _averaged_over_lengths(name: str, of: Correlate) -> Metric:
    """A metric of correlations of sentences."""
    every = partial(_correlation_sums, name=name, of=of)
    speeds = partial(_influences, name=name, of=of)
    return Metric(name, every, _mean_of_lengths, least=-1.0, influence=speeds)


def _lists(gold: Column, predicted: Column, metric: str, name: str) -> Lists:
    """Both as lists of the numbers that a metric is about."""
    lists = isinstance(gold, NumberLists) and isinstance(predicted, NumberLists)
    if lists and gold.names == (name,):
        return cast(Lists, (gold, predicted))
    raise MetricProblem(
        f"{metric} compares a {name} for each sentence's words: take it for structure/{name}"
    )


def _divide_sums(sums: Doubles) -> Doubles:
    return compute_ratio(sums[..., 0], sums[..., 1])


def _edge_sums(gold: Column, predicted: Column, blocks: Ints, many: int) -> Doubles:
    """Edges that are right, and gold edges, [many, 2]."""
    true, said = _lists(gold, predicted, "uuas", "distance")
    ours, theirs = (tree_edges(true.offsets, each.values, true.counted) for each in (true, said))
    sentences = np.repeat(np.arange(len(true)), np.diff(true.offsets))
    right = np.bincount(sentences, ours & theirs, len(true))
    return sum_blocks(np.stack([right, np.bincount(sentences, ours, len(true))], 1), blocks, many)


def _root_sums(gold: Column, predicted: Column, blocks: Ints, many: int) -> Doubles:
    """Sentences whose root is found, and sentences, [many, 2]."""
    true, said = _lists(gold, predicted, "root-accuracy", "depth")
    right = np.empty(len(true))
    for i in range(len(true)):
        words = np.flatnonzero(true.counted[true.offsets[i] : true.offsets[i + 1]])
        depths = said.row(i)
        best = words[depths[words].argmin()] if len(words) else depths.argmin()
        right[i] = best == true.row(i).argmin()
    return sum_blocks(np.stack([right, np.ones(len(right))], 1), blocks, many)


def _correlation_sums(
    gold: Column, predicted: Column, blocks: Ints, many: int, *, name: str, of: Correlate
) -> Doubles:
    """For each length the sum of correlations and the number of sentences, [many, 2 x lengths]."""
    correlations, places = _correlations(gold, predicted, name, of)
    has = places >= 0
    cells, size = blocks[has] * len(_LENGTHS) + places[has], many * len(_LENGTHS)
    sums = np.bincount(cells, correlations[has], size), np.bincount(cells, minlength=size)
    both = np.stack([each.reshape(many, -1) for each in sums], 1).reshape(many, -1)
    return both.astype(np.float64)


def _influences(gold: Column, predicted: Column, *, name: str, of: Correlate) -> Doubles:
    """How fast the mean of means grows with the weight of each sentence: its distance to the mean
    of its length, over the sentences of that length and the number of lengths.
    """
    correlations, places = _correlations(gold, predicted, name, of)
    sums = _correlation_sums(
        gold, predicted, np.zeros(len(gold), np.int64), 1, name=name, of=of
    ).reshape(2, -1)
    means, many = compute_ratio(*sums)[places], sums[1][places]
    lengths = np.count_nonzero(sums[1])
    return np.where(places >= 0, compute_ratio(correlations - means, many * lengths), 0.0)


def _correlations(
    gold: Column, predicted: Column, name: str, of: Correlate
) -> tuple[Doubles, Ints]:
    """The correlation of each sentence, and which of the lengths it has, -1 for none of them.

    A report asks for score, interval and differences of each result, and ranking all pairs of
    words takes most of its time; so what was ranked is remembered, by content.
    """
    true, said = _lists(gold, predicted, name, "distance" if of is _by_word else "depth")
    key = digest_pieces(name, true.offsets, true.values, said.values)

    def rank() -> Doubles:
        found = np.zeros((len(true), 2))
        for length, rows, correlations in of(true, said):
            found[rows, 0] = correlations
            found[rows, 1] = _LENGTHS.index(length) if length in _LENGTHS else -1
        return found

    values, places = _RANKED.get(key, rank).T
    return values, places.astype(np.int64)


def _mean_of_lengths(sums: Doubles) -> Doubles:
    total, sentences = np.split(sums, 2, -1)
    return compute_ratio(
        compute_ratio(total, sentences).sum(-1), (sentences > 0).sum(-1).astype(np.float64)
    )


def _by_word(gold: Column, predicted: Column) -> Iterator[tuple[int, Ints, Doubles]]:
    """For each length the sentences that have it, and the mean correlation of their words."""
    true, said = cast(Lists, (gold, predicted))
    for pairs, rows, lists in _by_length(true, said):
        first, second = list_word_pairs(words := count_words_of_pairs(pairs))
        squares = np.zeros((2, len(rows), words, words), np.float32)
        squares[:, :, first, second] = squares[:, :, second, first] = lists
        yield words, rows, _rank_correlations(*squares).mean(1)


def _by_sentence(gold: Column, predicted: Column) -> Iterator[tuple[int, Ints, Doubles]]:
    """For each length the sentences that have it, and the correlation of each."""
    true, said = cast(Lists, (gold, predicted))
    for words, rows, lists in _by_length(true, said):
        yield words, rows, _rank_correlations(*lists)


def _by_length(
    true: NumberLists, said: NumberLists
) -> Iterator[tuple[int, Ints, NDArray[np.float32]]]:
    """Each length of lists, the examples that have it, and both their lists [2, examples,
    length].
    """
    sizes = np.diff(true.offsets)
    for size in np.unique(sizes).tolist():
        rows = np.flatnonzero(sizes == size)
        cells, _ = expand_ranges(true.offsets[rows], true.offsets[rows + 1])
        yield size, rows, np.stack([c.values[cells].reshape(-1, size) for c in (true, said)])


def _rank_correlations(x: NDArray[np.float32], y: NDArray[np.float32]) -> Doubles:
    """Spearman's correlation along the last axis; 0 where one does not vary."""
    from scipy.stats import rankdata

    ranks = [rankdata(each, axis=-1) for each in (x, y)]
    x, y = (each - each.mean(-1, keepdims=True) for each in ranks)
    spread = np.sqrt((x * x).sum(-1) * (y * y).sum(-1))
    return compute_ratio((x * y).sum(-1), spread)
