"""Trees as text, and how alike two are."""

from __future__ import annotations

from lingprobe_extensions.train.linear_trees import (
    count_tree_words,
    find_commonest_trees,
    labelled_f1,
    parse_constituents,
)

TREE = "(S (NP DT NN )NP (VP VBZ (NP PRP )NP )VP . )S".split()


def test_constituents_are_spans_of_words_without_the_outermost():
    assert dict(parse_constituents(TREE)) == {("NP", 0, 2): 1, ("NP", 3, 4): 1, ("VP", 2, 4): 1}
    assert count_tree_words(TREE) == 5


def test_what_is_malformed_costs_only_itself():
    assert dict(parse_constituents("(S (NP DT )VP NN )NP (VP VBZ".split())) == {("NP", 0, 2): 1}
    assert not parse_constituents([])
    assert not parse_constituents(")S )S )NP".split())


def test_f1_counts_constituents_over_all_trees():
    flat = "(S (NP DT NN )NP VBZ PRP . )S".split()
    assert labelled_f1([TREE], [TREE]) == 100
    assert labelled_f1([flat], [TREE]) == 2 * 100 * 1 / (1 + 3)
    assert labelled_f1([flat, TREE], [TREE, TREE]) == 2 * 100 * 4 / (4 + 6)
    assert labelled_f1([[]], [TREE]) == 0


def test_the_commonest_tree_has_as_many_words():
    other = "(S (NP NNP )NP VBZ )S".split()
    found = find_commonest_trees([TREE, other, other, TREE, TREE], [5, 2, 7])
    assert found == [tuple(TREE), tuple(other), ()]
