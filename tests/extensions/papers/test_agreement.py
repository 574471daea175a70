"""The majority, and Krippendorff's alpha against the figures of his paper."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe_extensions.papers.sheet_score import compute_alpha, find_majority

MANY = [
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
]
TWO = ["a a b b d c c c e d d a", "b a b b b c c c e d d d"]


def units(rows):
    return [
        [vote for vote in column if vote != "."]
        for column in zip(*(row.split() for row in rows), strict=True)
    ]


def test_alpha_is_that_of_the_paper():
    assert compute_alpha(units(TWO)) == pytest.approx(0.692, abs=5e-4)  # Krippendorff 2011, part B
    assert compute_alpha(units(MANY)) == pytest.approx(0.743, abs=5e-4)  # part C, with missing data


def test_alpha_of_those_who_agree_and_of_one_alone():
    assert compute_alpha([["a", "a"], ["b", "b"]]) == 1
    assert compute_alpha([["a", "a"], ["a", "a"]]) == 1
    assert compute_alpha([["a"], ["b"]]) is None


@given(st.lists(st.lists(st.sampled_from("ab"), min_size=2, max_size=4), min_size=1, max_size=20))
def test_alpha_is_at_most_1_whoever_says_what(votes):
    assert compute_alpha(votes) <= 1
    assert compute_alpha([list(reversed(v)) for v in reversed(votes)]) == pytest.approx(
        compute_alpha(votes)
    )


def test_ties_are_all_of_the_majority():
    assert find_majority(["a", "b", "a"]) == ("a",)
    assert set(find_majority(["a", "b"])) == {"a", "b"}
