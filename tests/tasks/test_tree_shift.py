"""BShift: what a swap changes and leaves, which words may be swapped, and that no sentence comes in
both versions.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonde.core import Sentence
from sonde.tasks.tree.shift import places, shifts, swapped

WORDS = st.lists(
    st.sampled_from(["the", "The", "dog", "cat", "ran", "n't", "'s", ",", ".", "--", '"', "old"]),
    min_size=5,
    max_size=28,
)
SENTENCES = st.lists(
    WORDS.map(tuple), min_size=2, max_size=30, unique_by=lambda words: tuple(map(str.lower, words))
)


@given(WORDS)
def test_a_swap_changes_two_neighbouring_words_and_nothing_else(words):
    for i in places(words):
        changed = swapped(words, i)
        assert [k for k in range(len(words)) if changed[k] != words[k]] == [i, i + 1]
        assert sorted(changed) == sorted(words)
        assert i > 0
        assert all(word[0].isalpha() and word != "n't" for word in changed[i : i + 2])


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("She saw dogs .", [1]),
        ("He did n't see it , did he", [3, 6]),
        ("the king 's dog barked", [3]),
        ("We can not say what you want to", [3, 4, 5, 6]),
        ("So that That Is is so", [2, 4]),
        ("No !", []),
    ],
)
def test_the_first_word_marks_clitics_and_equal_words_stay(words, expected):
    assert places(words.split()) == expected


@given(SENTENCES, st.integers(0, 9))
def test_half_is_swapped_and_no_sentence_comes_in_both_versions(listed, seed):
    sentences = [Sentence.of(words) for words in listed]
    made, out = shifts((sentences, [()] * len(listed), [""] * len(listed)), seed)
    candidates = [one.candidate for one in made]
    labels = [c.label for c in candidates]
    assert labels.count("I") == len(labels) // 2
    assert len(candidates) + sum(out.values()) == len(listed)
    for c in candidates:
        same = [words for words in listed if sorted(words) == sorted(c.sentence.words)]
        assert same
        assert '"' not in c.sentence.words
        assert (c.sentence.words in listed) or c.label == "I"
    bags = [tuple(sorted(map(str.lower, c.sentence.words))) for c in candidates]
    assert len(set(bags)) == len(bags)
    assert made == shifts((sentences, [()] * len(listed), [""] * len(listed)), seed)[0]
    for candidate, origins in made:
        words = candidate.sentence.words
        # put back where they stood
        assert tuple(words[list(origins).index(i)] for i in range(len(words))) in listed
        assert (candidate.label == "I") == (list(origins) != list(range(len(words))))
