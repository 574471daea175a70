"""Sentences and words by rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.annotators.segment import RuleSegmenter, by_places, segment_words, split_sentences
from lingprobe.data.core import DataProblem


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He came. She left.", ["He came.", "She left."]),
        ("“Stop!” said he. “Why?” “Because.”", ["“Stop!” said he.", "“Why?”", "“Because.”"]),
        ("Mr. Smith and J. R. Hill met. So did I. Then we went.",
         ["Mr. Smith and J. R. Hill met.", "So did I.", "Then we went."]),
        ("It cost 3.50 dollars... and more", ["It cost 3.50 dollars... and more"]),
        ("Tzn. Nowak, m.in. Anna, przyszli. Źle.", ["Tzn. Nowak, m.in. Anna, przyszli.", "Źle."]),
        ("他来了。她走了！", ["他来了。", "她走了！"]),
        ("वह आया। वह गया।", ["वह आया।", "वह गया।"]),
        ("هل أتى؟ نعم.", ["هل أتى؟", "نعم."]),
        ("He met J. R. and I. She left.", ["He met J. R. and I.", "She left."]),
        ("So did x. Then y came.", ["So did x.", "Then y came."]),
        ("At 5 p.m. Anna came. (She sang.) “And?” he said.",
         ["At 5 p.m.", "Anna came.", "(She sang.)", "“And?” he said."]),
        ("Who? - nobody. What? - Nobody.", ["Who? - nobody.", "What?", "- Nobody."]),
        ("他说。“好！”她说。", ["他说。", "“好！”", "她说。"]),
        ("Last words", ["Last words"]),
        ("", []),
    ],
)  # fmt: skip
def test_sentences_end_where_the_rules_say(text, expected):
    assert split_sentences(text) == expected


def test_words_keep_their_characters_and_lose_their_clitics():
    said = "I can’t say “it's well-known”."
    assert segment_words(said) == (
        "I", "ca", "n’t", "say", "“", "it", "'s", "well-known", "”", ".",
    )  # fmt: skip
    assert [cut.words for cut in RuleSegmenter().segment("One. Two.", is_sentence=True)] == [
        ("One", ".", "Two", ".")
    ]


def test_a_sentence_has_its_own_text_and_words():
    cuts = list(RuleSegmenter().segment("  One, two.   Isn't it?  "))
    assert [(cut.words, cut.text, cut.ranges) for cut in cuts] == [
        (("One", ",", "two", "."), "One, two.", ()),
        (("Is", "n't", "it", "?"), "Isn't it?", ()),
    ]
    assert [cut.text for cut in RuleSegmenter().segment("One. Two.", is_sentence=True)] == [
        "One. Two."
    ]
    assert not list(RuleSegmenter().segment(" ", is_sentence=True))
    with pytest.raises(DataProblem, match="Thai"):
        list(RuleSegmenter().segment("แมวกินปลา"))


@given(st.text(st.sampled_from("aB1 .!?’'-“”。\u0301😀"), max_size=60))
def test_nothing_is_lost(text):
    plain = " ".join(text.split())
    cuts = list(RuleSegmenter().segment(plain))
    assert "".join("".join(c.text for c in cuts).split()) == "".join(plain.split())


def test_places_without_words_are_no_sentence():
    assert by_places("a  b", [(1, 2)]) is None
    cut = by_places("xa  b .", [(1, 2), (2, 3), (4, 5)])
    assert (cut.words, cut.text) == (("a", "b"), "a  b")
