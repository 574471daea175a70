"""One renderer for originals and altered sentences: what it writes, and that repair changes nothing
where nothing was altered.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.corpora.rendering import (
    detokenize_words,
    is_punctuation,
    render_words,
    reorder_words,
    sentence_of,
)
from lingprobe.corpora.text import tokenize_words

WORDS = st.lists(
    st.sampled_from(
        [
            "the",
            "dog",
            "Rome",
            "I",
            "n't",
            "'s",
            ",",
            ".",
            '"',
            "'",
            "(",
            ")",
            "did",
            "``",
            "''",
            "$",
            "5",
        ]
    ),
    min_size=1,
)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("She did n't see it , did she ?", "She didn't see it, did she?"),
        ('" Come in , " said Tom \'s wife .', '"Come in," said Tom\'s wife.'),
        ("`` Come in , '' he said .", '"Come in," he said.'),
        ("It cost $ 5 ( or 6 % more ) ...", "It cost $5 (or 6% more)..."),
        ("He said -LRB- twice -RRB- : no !", "He said (twice): no!"),
        ("I can not see what you are gon na do .", "I cannot see what you are gonna do."),
        ("' Come , ' said he .", "'Come,' said he."),
        ("The dogs ' bowls were full .", "The dogs' bowls were full."),
        ("“ Yes ” -- or ‘ no ’ ; who knows ?", "“Yes” -- or ‘no’; who knows?"),
    ],
)
def test_words_are_written_as_a_reader_would_see_them(words, text):
    assert render_words(words.split()) == text


@given(WORDS)
def test_nothing_is_lost_or_added_but_spaces(words):
    plain = {"``": '"', "''": '"'}
    assert render_words(words).replace(" ", "") == "".join(plain.get(w, w) for w in words)
    assert render_words(words) == render_words(words).strip()
    assert "  " not in render_words(words)


@given(WORDS, st.booleans())
def test_a_sentence_that_was_not_altered_is_repaired_to_itself_with_a_capital(words, name):
    same = reorder_words(words, range(len(words)), name)
    assert same == reorder_words(words)
    assert same[1:] == tuple(words[1:])
    assert same[0][:1] == words[0][:1].upper()
    assert sentence_of(same).text == render_words(same)


def test_hyphens_inside_words_are_closed_up_and_dashes_are_not():
    words, tags = (
        "A wild - type cell - the first - divides .".split(),
        "DT JJ HYPH NN NN : DT JJ : VBZ .".split(),
    )
    assert render_words(words, tags) == "A wild-type cell - the first - divides."
    assert render_words(words) == "A wild - type cell - the first - divides."


def test_a_word_moved_from_the_front_loses_its_capital_unless_it_is_a_name():
    words = "They left and Rome fell .".split()
    order = [3, 4, 2, 0, 1, 5]
    assert render_words(reorder_words(words, order)) == "Rome fell and they left."
    assert render_words(reorder_words(words, order, name=True)) == "Rome fell and They left."


def test_marks_are_told_from_words():
    assert all(map(is_punctuation, [",", ".", "--", "-LRB-", "``", "..."]))
    assert not any(map(is_punctuation, ["dog", "n't", "'s", "5", "é"]))


def test_running_text_is_cut_as_treebanks_cut_it():
    assert tokenize_words(["I", "don’t", "_know_", "John’s", "dog", ",", "’"]) == (
        "I",
        "do",
        "n't",
        "know",
        "John",
        "'s",
        "dog",
        ",",
        "’",
    )


MOSES = [
    ("I don 't know .", "I don't know."),
    ("It wasn 't there , she 'd said .", "It wasn't there, she'd said."),
    ('" Do you see it ? "', '"Do you see it?"'),
    ('" It was late , but she stayed .', '"It was late, but she stayed.'),
    ('Are they still here ? "', 'Are they still here?"'),
    ("We 're going to Anna 's house .", "We're going to Anna's house."),
    ("It cost $ 7 ( more or less ) .", "It cost $7 (more or less)."),
    ("Well ... maybe !", "Well... maybe!"),
    ("couldn ´ t", "couldn ´ t"),  # what the files have lost is not guessed
    ("' t is", "'t is"),
]


@pytest.mark.parametrize(("text", "wanted"), MOSES)
def test_text_is_written_as_a_reader_would_see_it(text, wanted):
    assert detokenize_words(text.split()) == wanted


@given(
    st.lists(
        st.sampled_from(
            [
                "don",
                "'t",
                "'s",
                '"',
                "'",
                ",",
                ".",
                "?",
                "word",
                "(",
                ")",
                "$",
                "´",
                "’",
                "“",
                "-",
                "n't",
                "...",
            ]
        ),
        min_size=1,
    )
)
def test_only_spaces_are_left_out(words):
    assert detokenize_words(words).replace(" ", "") == "".join(words)
