"""Constituents as tags that can be told one by one (Kitaev and Klein 2020, "Tetra-tagging", section
3), and the best tags that make a tree.

Phrases with one child are joined with it, and those with many are cut into pairs, from the right.
In between any two words stands one pair then, and in the order from left to right words and pairs
take turns. Each is told by whether it is a left or a right child, and by its labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.extend import BracketTree, Floats, Ints, format_terminal

_JOIN = "+"  # between the labels of phrases that hold the same words
_LEFT, _RIGHT = TAG_SIDES = "lr"  # a tag's first letter
_DEEPEST = 32  # phrases that wait for their right side at once; English rarely has more than 8
_ROOT = "ROOT"
_NEVER = -1e9


class TetraTags(NamedTuple):
    """The tags of a sentence's words, and those of the pairs between them, one fewer: a side, then
    labels.
    """

    words: tuple[str, ...]
    pairs: tuple[str, ...]


class PhraseLeaf(NamedTuple):
    """A word, with the labels of the phrases that hold nothing else, from the outermost one on."""

    word: int
    labels: tuple[str, ...]


class BinaryNode(NamedTuple):
    """Two neighbours; no labels where it was made by cutting."""

    labels: tuple[str, ...]
    left: PhraseLeaf | BinaryNode
    right: PhraseLeaf | BinaryNode


def compute_tetra_tags(tree: BracketTree) -> TetraTags:
    """The tags of a tree; the label of its root is not told."""
    words, pairs = list[str](), list[str]()
    for side, node in _walk_node(_binarize_phrase(tree, 0)):
        (words if isinstance(node, PhraseLeaf) else pairs).append(side + _JOIN.join(node.labels))
    return TetraTags(tuple(words), tuple(pairs))


def _binarize_phrase(tree: BracketTree, node: int) -> PhraseLeaf | BinaryNode:
    """A phrase as pairs."""
    labels, children = [tree.labels[node]], tree.children(node)
    while len(children) == 1 and (below := children[0].node) >= 0:
        labels.append(tree.labels[below])
        children = tree.children(below)
    named = tuple(labels[node == 0 :])
    if len(children) == 1:
        return PhraseLeaf(children[0].start, named)
    *others, made = (
        _binarize_phrase(tree, child.node) if child.node >= 0 else PhraseLeaf(child.start, ())
        for child in children
    )
    while others:
        made = BinaryNode(() if len(others) > 1 else named, others.pop(), made)
    return made


def _walk_node(node: PhraseLeaf | BinaryNode) -> Iterator[tuple[str, PhraseLeaf | BinaryNode]]:
    """Words and pairs from left to right, each with its side."""
    side, waiting = _LEFT, list[tuple[str, BinaryNode]]()
    while True:
        while isinstance(node, BinaryNode):
            waiting.append((side, node))
            node, side = node.left, _LEFT
        yield side, node
        if not waiting:
            return
        yield waiting[-1]
        node, side = waiting.pop()[1].right, _RIGHT


def format_brackets(words: Sequence[str], tags: Sequence[str], tree_tags: TetraTags) -> str:
    """The tree of tags that make one, on one line; `tags` are the words' parts of speech."""
    waiting: list[
        list[tuple[str, str]]
    ] = []  # phrases without their right side, the outermost first
    whole = ""
    for i, (word, part, tag) in enumerate(zip(words, tags, tree_tags.words, strict=True)):
        whole = _split_phrase_tag(tag, format_terminal(part, word))
        if tag[0] == _RIGHT:
            for pair, left in reversed(waiting.pop()):
                whole = _split_phrase_tag(pair, f"{left} {whole}")
        if i < len(tree_tags.pairs):
            if tree_tags.pairs[i][0] == _LEFT:
                waiting.append([])
            waiting[-1].append((tree_tags.pairs[i], whole))
    return f"({_ROOT} {whole})"


def _split_phrase_tag(tag: str, inside: str) -> str:
    """What stands in the phrases of a tag."""
    labels = tag[1:].split(_JOIN) if len(tag) > 1 else []
    return "".join(f"({label} " for label in labels) + inside + ")" * len(labels)


class BestTags(NamedTuple):
    """The best tag of each side [rows, 2], and its score."""

    tags: Ints
    scores: Floats

    @classmethod
    def of(cls, scores: Floats, sides: Ints) -> BestTags:
        """Of scores [rows, tags], whose sides are 0 and 1."""
        each = [np.flatnonzero(sides == side) for side in (0, 1)]
        cells = [scores[:, columns] for columns in each]
        best = [part.argmax(1) if part.size else np.zeros(len(part), int) for part in cells]
        rows = np.arange(len(scores))
        found = [
            part[rows, b] if part.size else np.full(len(part), _NEVER)
            for part, b in zip(cells, best, strict=True)
        ]
        chosen = [columns[b] if len(columns) else b for columns, b in zip(each, best, strict=True)]
        return cls(np.stack(chosen, 1), np.stack(found, 1))


def decode_tags(words: BestTags, pairs: BestTags, lengths: Ints) -> tuple[Ints, Ints]:
    """The tags with the highest sum that make a tree, of words and of pairs: those of one sentence
    behind those of the other, as `words` [words, 2] and `pairs` [words - sentences, 2] are.

    A word on the right closes the phrase that waits, a pair on the left begins to wait: so what may
    follow depends on how many wait, and the best way to each number is kept.
    """
    first = np.cumsum(lengths) - lengths
    before = first - np.arange(len(first)) - 1  # the row of a pair, but for its place
    came = _ways(words.scores, pairs.scores, (first, before), lengths)
    sides = np.zeros(len(words.tags), np.int64), np.zeros(len(pairs.tags), np.int64)
    waiting = np.zeros(len(lengths), np.int64)
    for i in range(int(lengths.max(initial=1)) - 1, 0, -1):
        rows = np.flatnonzero(lengths > i)
        closed = came[0, i, rows, waiting[rows]]
        waiting[rows] += closed
        stayed = came[1, i, rows, waiting[rows]]
        waiting[rows] -= ~stayed
        sides[0][first[rows] + i], sides[1][before[rows] + i] = closed, stayed
    return tuple(  # type: ignore[return-value]
        each.tags[np.arange(len(side)), side]
        for each, side in zip((words, pairs), sides, strict=True)
    )


def _ways(
    words: Floats, pairs: Floats, places: tuple[Ints, Ints], lengths: Ints
) -> NDArray[np.bool_]:
    """Which way the best tags came: [of word and pair, place, sentence, phrases that wait], true
    where the one at that place is on the right.
    """
    first, before = places
    longest = int(lengths.max(initial=1))
    deep = min(longest, _DEEPEST) + 2  # one more, which nothing comes to
    came = np.zeros((2, longest, len(lengths), deep), bool)
    best = np.full((len(lengths), deep), _NEVER)
    best[:, 0] = words[first, 0]
    for i in range(1, longest):
        rows = np.flatnonzero(lengths > i)
        pair, word, ways = pairs[before[rows] + i], words[first[rows] + i], best[rows]
        begun, stayed = np.full_like(ways, _NEVER), ways + pair[:, 1:]
        begun[:, 1:-1] = ways[:, :-2] + pair[:, :1]
        stayed[:, 0] = _NEVER  # nothing waits that a pair could be the right side of
        waiting = np.maximum(begun, stayed)
        closed, opened = np.full_like(ways, _NEVER), waiting + word[:, :1]
        closed[:, :-1] = waiting[:, 1:] + word[:, 1:]
        came[0, i, rows], came[1, i, rows] = closed > opened, stayed > begun
        best[rows] = np.maximum(closed, opened)
    return came
