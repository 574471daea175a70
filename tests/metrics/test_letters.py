"""Letters of scores: two share one if and only if they are not told apart."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from lingprobe.metrics.letters import assign_letters


def test_the_first_name_has_the_first_letter_and_the_middle_both():
    assert assign_letters(["x", "y", "z"], [("x", "z")]) == {"x": "a", "y": "ab", "z": "b"}
    assert assign_letters(["x", "y"], []) == {"x": "a", "y": "a"}
    assert assign_letters(["x", "y"], [("y", "x")]) == {"x": "a", "y": "b"}


@given(st.sets(st.sampled_from(list(combinations("uvwxyz", 2)))))
def test_two_share_a_letter_if_and_only_if_they_are_not_told_apart(told):
    letters = assign_letters("uvwxyz", sorted(told))
    for pair in combinations("uvwxyz", 2):
        assert bool(set(letters[pair[0]]) & set(letters[pair[1]])) is (pair not in told)
    signs = sorted(set("".join(letters.values())))
    assert signs == list("abcdefghijklmnopqrstuvwxyz"[: len(signs)])
    groups = [[i for i, name in enumerate("uvwxyz") if sign in letters[name]] for sign in signs]
    assert groups == sorted(groups), "letters come in the order of the names that have them"
    assert not any(set(one) < set(other) for one in groups for other in groups)


def test_more_groups_than_letters_have_numbers():
    names = [str(i) for i in range(30)]
    letters = assign_letters(names, list(combinations(names, 2)))
    assert (letters["0"], letters["25"], letters["26"]) == ("a", "z", "a1")
