"""The best tree over the words of a sentence (Chu and Liu 1965, Edmonds 1967; McDonald et al.
2005).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lingprobe.extend import Floats, Ints, compute_tree_depth

Table = NDArray[np.floating]


def compute_best_tree(scores: Floats) -> tuple[int, ...]:
    """The head of each word in the tree with one root whose scores have the greatest sum; -1 at the
    root.

    scores  of word d below the root, [d, 0], and below word h, [d, h + 1]
    """
    likeliest = tuple((scores.argmax(1) - 1).tolist())
    if likeliest.count(-1) == 1 and compute_tree_depth(likeliest):
        return likeliest
    size = len(scores)
    table = np.full((size + 1, size + 1), -np.inf)
    table[1:] = scores
    np.fill_diagonal(table, -np.inf)
    # so dear that no tree has two words below the root
    table[1:, 0] -= 1 + size * float(np.ptp(scores[np.isfinite(scores)]))
    return tuple((_find_spanning_tree(table)[1:] - 1).tolist())


def _find_spanning_tree(scores: Table) -> Ints:
    """The head of each node but node 0, which is the root; scores [node, head]."""
    above = scores.argmax(1)
    above[0] = 0
    ring = _ring(above.tolist())
    if not len(ring):
        return np.asarray(above)
    inside = np.zeros(len(scores), bool)
    inside[ring] = True
    outside = np.flatnonzero(~inside)
    # the ring becomes one node, the last: what it costs to leave one of its arcs for one that
    # comes in, and which of its nodes is the best head of each node outside
    gains = scores[np.ix_(ring, outside)] - scores[ring, above[ring]][:, None]
    enters, gives = gains.argmax(0), scores[np.ix_(outside, ring)].argmax(1)
    many = len(outside)
    small = np.full((many + 1, many + 1), -np.inf)
    small[:many, :many] = scores[np.ix_(outside, outside)]
    small[many, :many] = gains.max(0)
    small[:many, many] = scores[outside, ring[gives]]
    found = _find_spanning_tree(small)
    for node, head in enumerate(found[:many].tolist()):
        if node:  # the root is the first of those outside
            above[outside[node]] = ring[gives[node]] if head == many else outside[head]
    entered = int(found[many])
    above[ring[enters[entered]]] = outside[entered]
    return np.asarray(above)


def _ring(above: Sequence[int]) -> Ints:
    """The nodes of one ring of heads; none where every node is below node 0."""
    known = [0] * len(above)
    known[0] = -1
    for start in range(1, len(above)):
        node = start
        while not known[node]:
            known[node] = start
            node = above[node]
        if known[node] == start:
            ring = [node]
            while (node := above[node]) != ring[0]:
                ring.append(node)
            return np.array(ring)
    return np.empty(0, np.int64)
