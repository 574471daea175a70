"""Constituents as tags, and the best tags that make a tree."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.corpora import brackets
from lingprobe_extensions.train.parsers import tetra


def tree(text: str) -> brackets.BracketTree:
    return brackets.parse_brackets(text, "made.ptb", 1)


def test_the_tags_of_a_small_tree_are_those_one_writes_down_by_hand():
    told = tetra.compute_tetra_tags(tree("(TOP (S (NP (DT the) (NN dog)) (VP (VBD ran)) (. .)))"))
    assert told == tetra.TetraTags(("l", "r", "lVP", "r"), ("lNP", "lS", "r"))


@st.composite
def trees(draw: st.DrawFn) -> str:
    def phrase(words: int, deep: int) -> str:
        label = draw(st.sampled_from(["S", "NP", "VP", "X"]))
        if words == 1 and (deep > 4 or draw(st.booleans())):
            return "(T w)"
        if deep > 8:
            return f"({label} " + " ".join(["(T w)"] * words) + ")"
        parts = draw(st.integers(1, min(words, 4)))
        cuts = sorted(draw(st.permutations(range(1, words)))[: parts - 1])
        sizes = np.diff([0, *cuts, words]).tolist()
        return f"({label} " + " ".join(phrase(n, deep + 1) for n in sizes) + ")"

    words = draw(st.integers(1, 12))
    inner = phrase(words, 0)
    return f"(ROOT {inner})"


@given(trees())
def test_tags_give_their_tree_back(text):
    one = tree(text)
    told = tetra.compute_tetra_tags(one)
    assert (len(told.words), len(told.pairs)) == (len(one.words), len(one.words) - 1)
    assert tetra.format_brackets(one.words, one.tags, told) == text


def test_brackets_of_words_that_are_brackets_are_escaped():
    text = "(ROOT (X (-LRB- -LRB-) (NN x) (-RRB- -RRB-)))"
    one = tree(text)
    assert one.words == ("(", "x", ")")
    assert tetra.format_brackets(one.words, one.tags, tetra.compute_tetra_tags(one)) == text


def best(scores: np.ndarray) -> tetra.BestTags:
    return tetra.BestTags.of(scores, np.array([0, 1]))


def makes_a_tree(words: tuple[int, ...], pairs: tuple[int, ...]) -> bool:
    waiting = 0
    for i, word in enumerate(words):
        waiting -= word
        if waiting < 0:
            return False
        if i < len(pairs):
            if pairs[i] and not waiting:
                return False
            waiting += 1 - pairs[i]
    return waiting == 0


@pytest.mark.parametrize("seed", range(5))
def test_the_best_tags_are_those_that_trying_all_finds(seed):
    draws = np.random.default_rng(seed)
    lengths = np.array([4, 1, 5, 2])
    words, pairs = draws.normal(size=(12, 2)), draws.normal(size=(8, 2))
    told = tetra.decode_tags(best(words), best(pairs), lengths)
    at = behind = 0
    for n in lengths.tolist():
        mine, between = words[at : at + n], pairs[behind : behind + n - 1]
        tried = {
            (w, p): mine[np.arange(n), w].sum() + between[np.arange(n - 1), p].sum()
            for w in itertools.product((0, 1), repeat=n)
            for p in itertools.product((0, 1), repeat=n - 1)
            if makes_a_tree(w, p)
        }
        found = (
            tuple(told[0][at : at + n].tolist()),
            tuple(told[1][behind : behind + n - 1].tolist()),
        )
        assert found == max(tried, key=tried.__getitem__)
        at, behind = at + n, behind + n - 1


def test_of_many_tags_the_best_of_each_side_counts():
    sides = np.array([0, 1, 1, 0])
    found = tetra.BestTags.of(np.array([[0.1, 0.2, 0.9, 0.4]]), sides)
    assert found.tags.tolist() == [[3, 2]]
    np.testing.assert_allclose(found.scores, [[0.4, 0.9]])


def test_a_side_that_no_tag_has_is_never_taken():
    one = tetra.BestTags.of(np.zeros((2, 1)), np.array([0]))  # all of them on the left
    other = tetra.BestTags.of(np.zeros((1, 1)), np.array([0]))
    words, pairs = tetra.decode_tags(one, other, np.array([2]))
    assert (words.shape, pairs.shape) == ((2,), (1,))
