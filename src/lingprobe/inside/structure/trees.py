"""Heads -> distances and depths in a tree, and distances -> minimum spanning trees.

Distances of a sentence of n words are a list of n (n - 1) / 2 numbers, in the order (0, 1), (0, 2)
... (1, 2), as `scipy.spatial.distance.pdist` has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.core import DataProblem
from lingprobe.data.vectors import Ints, compute_offsets


def compute_root_paths(heads: Sequence[int | None]) -> list[list[int]]:
    """For each word the words from it up to the root, which is excluded; DataProblem for a circle.

    heads  the index of each word's head, None for the root
    """
    known: dict[int, list[int]] = {}
    for word in range(len(heads)):
        way: list[int] = []
        at: int | None = word
        while at is not None and at not in known:
            if at in way:
                raise DataProblem(f"word {word + 1} has no way to the root: its heads are a circle")
            way.append(at)
            at = heads[at]
        above = [] if at is None else known[at]
        for i in range(len(way) - 1, -1, -1):
            head = heads[way[i]]
            above = [] if head is None else [way[i], *above]
            known[way[i]] = above
    return [known[word] for word in range(len(heads))]


def compute_word_depths(heads: Sequence[int | None]) -> Ints:
    """How many edges lie between each word and the root, [n]."""
    return np.array([len(path) for path in compute_root_paths(heads)], np.int64)


def compute_tree_distances(heads: Sequence[int | None]) -> Ints:
    """How many edges lie between the words of each pair, [n (n - 1) / 2]."""
    edges = np.zeros((len(heads), len(heads)), np.int64)
    for word, path in enumerate(compute_root_paths(heads)):
        edges[word, path] = 1
    depth = edges.sum(1)
    between = depth[:, None] + depth[None] - 2 * (edges @ edges.T)
    first, second = list_word_pairs(len(heads))
    return np.asarray(between[first, second])


@lru_cache(maxsize=1 << 10)
def list_word_pairs(words: int) -> tuple[Ints, Ints]:
    """The two words of each pair, in the order of distances."""
    first, second = np.triu_indices(words, 1)
    return first, second


def count_words_of_pairs(pairs: int) -> int:
    """How many words have so many pairs."""
    return (1 + isqrt(1 + 8 * pairs)) // 2


def tree_edges(
    bounds: Ints, distances: NDArray[np.float32], counts: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """The minimum spanning trees of distances: which pairs of words are edges [pairs]; only pairs
    that count can be, without punctuation.

    bounds  where the pairs of each sentence begin, and where the last end [sentences + 1]

    Of equal distances the pair that comes first wins, as in Hewitt's program, whose sort is stable:
    so trees are of the ranks of distances, which are all different.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import minimum_spanning_tree

    words = [count_words_of_pairs(int(stop - start)) for start, stop in pairwise(bounds)]
    starts = compute_offsets(words)
    every = [np.stack(list_word_pairs(n)) + start for n, start in zip(words, starts, strict=False)]
    pairs = np.concatenate([np.zeros((2, 0), np.int64), *every], 1)[:, counts]
    order = np.argsort(distances[counts], kind="stable")
    ranks = np.empty(len(order))
    ranks[order] = np.arange(1, len(order) + 1)
    graph = csr_array((ranks, (pairs[0], pairs[1])), shape=(starts[-1], starts[-1]))
    edges = np.zeros(len(distances), bool)
    chosen = minimum_spanning_tree(graph).data.astype(np.int64)
    edges[np.flatnonzero(counts)[order[chosen - 1]]] = True
    return edges
