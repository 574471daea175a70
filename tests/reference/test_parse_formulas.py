"""Parses against all trees there are, and how sure they are against the product written out."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lingprobe_extensions.train.nets.parsing import PHRASE_PAIRS, PHRASE_WORDS, LogProbabilities
from lingprobe_extensions.train.parsers import spanning
from lingprobe_extensions.train.parsers.decoding import DEPREL_COLUMN, decode_annotations
from reference import trees

TAGS = ("lNP", "l", "r", "rVP")
LABELS = ("nsubj", "root", "obj")
WORDS = (("a", "b", "c"), ("d",), ("e", "f", "g", "h"))
LENGTHS = [len(words) for words in WORDS]


class Drawn:
    """Heads of a network that says what was drawn, as logarithms of probabilities."""

    def __init__(self, seed: int, kinds: tuple[str, ...]) -> None:
        draws = np.random.default_rng(seed)
        words, pairs = sum(LENGTHS), sum(LENGTHS) - len(LENGTHS)
        sizes = {PHRASE_WORDS: words, PHRASE_PAIRS: pairs}
        self.tags = {
            kind: torch.from_numpy(_shares(draws, sizes[kind], len(TAGS)))
            for kind in sizes
            if "phrases" in kinds
        }
        self.arcs = None
        if "heads" in kinds:
            self.arcs = torch.full((len(WORDS), max(LENGTHS), max(LENGTHS) + 1), -torch.inf)
            for i, n in enumerate(LENGTHS):
                self.arcs[i, :n, : n + 1] = torch.from_numpy(_shares(draws, n, n + 1))
        self.named = draws.dirichlet(np.ones(len(LABELS)), (words, max(LENGTHS) + 1))

    def __call__(self, states, lengths):
        return LogProbabilities(self.tags, self.arcs)

    def labels(self, states, lengths, heads):
        rows = np.arange(len(heads))
        return torch.from_numpy(np.log(self.named[rows, heads.numpy()]))


def _shares(draws, rows, columns):
    return np.log(draws.dirichlet(np.ones(columns), rows)).astype(np.float32)


def head_chances(drawn: Drawn, i: int, start: int) -> list[list[float]]:
    """The probabilities of each word's head and label in the best tree; at the root the label is
    sure.
    """
    n = LENGTHS[i]
    table = drawn.arcs[i, :n, : n + 1].numpy()
    chances = []
    for word, head in enumerate(trees.spanning(table.tolist())):
        others = [0, 2]
        label = 1.0 if head < 0 else drawn.named[start + word, head + 1][others].max()
        chances.append([float(np.exp(table[word, head + 1])), label])
    return chances


def phrase_chances(drawn: Drawn, i: int, start: int) -> list[list[float]]:
    """The probabilities of each word's tag, and of the tag of the pair behind it, in the best
    tree.
    """
    n = LENGTHS[i]
    words, pairs = (
        [
            {side: max(row[k] for k, tag in enumerate(TAGS) if tag[0] == side) for side in "lr"}
            for row in drawn.tags[kind][first : first + many].tolist()
        ]
        for kind, first, many in ((PHRASE_WORDS, start, n), (PHRASE_PAIRS, start - i, n - 1))
    )
    sides = trees.tagged(words, pairs)
    mine = [[np.exp(word[side])] for word, side in zip(words, sides[0], strict=True)]
    for k, (pair, side) in enumerate(zip(pairs, sides[1], strict=True)):
        mine[k].append(np.exp(pair[side]))
    return mine


@pytest.mark.parametrize("kinds", [("heads",), ("phrases",), ("heads", "phrases")], ids="+".join)
@pytest.mark.parametrize("seed", range(4))
def test_confidence_is_the_mean_of_heads_labels_and_tags_of_words_and_pairs(kinds, seed):
    drawn = Drawn(seed, kinds)
    names = {PHRASE_WORDS: TAGS, PHRASE_PAIRS: TAGS, DEPREL_COLUMN: LABELS}
    states = torch.zeros(len(WORDS), max(LENGTHS), 1)
    found = list(decode_annotations(drawn, states, torch.tensor(LENGTHS), WORDS, names))
    start = 0
    for i, annotation in enumerate(found):
        chances = []
        if "heads" in kinds:
            chances += head_chances(drawn, i, start)
            table = drawn.arcs[i, : LENGTHS[i], : LENGTHS[i] + 1]
            assert annotation.heads == trees.spanning(table.tolist())
        if "phrases" in kinds:
            chances += phrase_chances(drawn, i, start)
        assert annotation.confidence == pytest.approx(trees.confidence(chances), rel=1e-5)
        start += LENGTHS[i]


@given(st.integers(1, 4), st.integers(0, 10**6))
def test_heads_are_the_best_of_all_trees(n, seed):
    scores = np.random.default_rng(seed).normal(size=(n, n + 1))
    assert spanning.compute_best_tree(scores) == trees.spanning(scores.tolist())
