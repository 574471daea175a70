"""The best tree over words."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from lingprobe.corpora.trees import compute_tree_depth
from lingprobe_extensions.train.parsers.spanning import compute_best_tree


def is_tree(above: tuple[int, ...]) -> bool:
    return above.count(-1) == 1 and bool(compute_tree_depth(above))


def total(scores: np.ndarray, above: tuple[int, ...]) -> float:
    return float(sum(scores[i, head + 1] for i, head in enumerate(above)))


@pytest.mark.parametrize("seed", range(40))
def test_no_tree_with_one_root_is_better(seed):
    draws = np.random.default_rng(seed)
    size = 1 + seed % 5
    scores = draws.normal(size=(size, size + 1))
    scores[:, 0] += draws.choice([0, 3])  # where all words would be roots
    found = compute_best_tree(scores)
    every = itertools.product(range(-1, size), repeat=size)
    tried = [total(scores, above) for above in every if is_tree(above)]
    assert is_tree(found)
    assert total(scores, found) == pytest.approx(max(tried))


def test_long_sentences_whose_words_point_in_rings_are_trees():
    draws = np.random.default_rng(0)
    scores = draws.normal(size=(120, 121))
    scores[np.arange(120), (np.arange(120) ^ 1) + 1] += 5  # pairs that point at one another
    found = compute_best_tree(scores)
    assert is_tree(found)


def test_a_word_is_never_its_own_head():
    scores = np.zeros((3, 4))
    scores[np.arange(3), np.arange(3) + 1] = 9
    assert is_tree(compute_best_tree(scores))
