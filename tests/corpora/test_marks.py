"""Marks of print in the scripts of the world."""

import unicodedata

import pytest

from lingprobe.corpora.marks import (
    _ASKING,
    classify_final_mark,
    final_mark,
    find_question_mark,
    fold_form,
    fold_marks,
    strip_marks,
)
from lingprobe.data.core import Sentence


def test_question_marks_are_those_that_unicode_calls_so():
    opening = ("INVERTED", "INITIAL")
    names = {c: unicodedata.name(c, "") for c in map(chr, range(0x20000))}
    named = {
        c
        for c, name in names.items()
        if name.endswith(("QUESTION MARK", "INTERROBANG")) and unicodedata.category(c) == "Po"
        if not any(word in name for word in opening)
    }
    assert named | {"⁈", ";"} == _ASKING  # QUESTION EXCLAMATION MARK, and that of Greek


ASKS, QUOTED, NOT = (True, False), (True, True), (False, False)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("did it ?", ASKS),
        ("did it ?!?", ASKS),
        ("did it ? )", ASKS),
        ("did it ? ”", QUOTED),
        ("it did ; or not", NOT),
        ("it did ;", NOT),
        ("Τι κάνεις ;", ASKS),  # Greek: a semicolon, which U+037E is in composed text
        ("Τι κάνεις \u037e", ASKS),
        ("« Τι είπες ; »", QUOTED),
        ("Ήρθε ; δεν ξέρω .", NOT),
        ("Ո՞րն էր ելքը :", ASKS),  # Armenian: on the word that is asked about
        ("քեզ պե ՞ տք է ։", ASKS),
        ("« Ուր ե՞նք գնում » , հարցրի ։", QUOTED),
        ("գյուղը եկել է ։", NOT),
        ("هل هذا كتاب ؟", ASKS),
        ("这 是 书 吗 ？", ASKS),
        ("ምንድን ነው ፧", ASKS),
        ("the book : it", NOT),
    ],
)
def test_questions_by_script(words, expected):
    assert find_question_mark(words.split()) == expected


@pytest.mark.parametrize(
    ("words", "mark"),
    [
        ("वह आया ।", "."),
        ("وہ آیا ۔", "."),
        ("ਉਹ ਆਇਆ ॥", "."),
        ("ነው ።", "."),
        ("եկել է :", "."),  # Armenian writes its full stop as a colon, too
        ("եկել է ։", "."),
        ("it is :", "none"),
        ("他 来 了 。", "."),
        ("他 来 了 ！", "!"),
    ],
)
def test_sentences_end_at_the_marks_of_their_script(words, mark):
    assert classify_final_mark(final_mark(words.split())[0]) == mark


def stripped(text: str) -> tuple[str, str]:
    bare = strip_marks(Sentence(tuple(text.split()), text))
    return " ".join(bare.words), bare.text


def test_marks_are_taken_off():
    assert stripped("Τι κάνεις ;") == ("Τι κάνεις",) * 2
    assert stripped("did it ? ”") == ("did it",) * 2
    assert stripped("Ո՞րն էր ելքը :") == ("Որն էր ելքը",) * 2
    assert stripped("no mark") == ("no mark",) * 2
    assert stripped("?") == ("?",) * 2


@pytest.mark.parametrize(
    "text",
    ["¿ Vienes", "¿Vienes", "Vienes ? ...", "Umiesz ? !", "бар ? . ."],
)
def test_a_question_mark_asks_at_the_beginning_and_before_other_marks(text):
    assert find_question_mark(tuple(text.split()))[0]


@pytest.mark.parametrize(
    "text", ["it fell ( ? ) .", "« ¿ Vienes ? » dijo .", "no mark ...", "a ; b ."]
)
def test_a_question_mark_in_brackets_or_quotes_is_not_that_of_the_sentence(text):
    assert not find_question_mark(tuple(text.split()))[0]


def test_all_marks_that_ask_are_taken_off():
    assert stripped("¿ Vienes ? ...") == ("Vienes",) * 2
    assert stripped("Who ? she asked .") == ("Who she asked",) * 2
    assert stripped("a ; b .") == ("a ; b",) * 2  # a semicolon asks in Greek alone


def test_points_of_consonant_scripts_are_folded_and_other_marks_stay():
    assert fold_marks("אֱלֹהִ֑ים") == fold_marks("אֱלֹהִים") == "אלהים"
    assert fold_marks("كِتَاب") == "كتاب"
    assert fold_marks("أنا") == "أنا"  # hamza is part of the letter
    assert (fold_marks("Mąż"), fold_marks("Ọba"), fold_marks("A")) == ("mąż", "ọba", "a")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("אֱלֹהִ֑ים", "אלהים"),  # points and cantillation
        ("كِتَابٌ", "كتاب"),
        ("كتـــاب", "كتاب"),  # stretched
        ("بِسْمِ", "بسم"),
        ("ܫܠܳܡܳܐ", "ܫܠܡܐ"),
        ("می\u200cروم", "میروم"),  # a joiner that is not seen
        ("co\u00adop", "coop"),
        ("अ॒ग्निम्", "अग्निम्"),
        ("τὸ", "τό"),  # the accent before another word
        ("ἄνθρωπός", "ἄνθρωπος"),  # a second one before an enclitic
        ("за́мок", "замок"),
        ("ⲡⲣ̅", "ⲡⲣ"),
        ("ﬁn", "fin"),  # a ligature
        ("Ａb", "ab"),
        (unicodedata.normalize("NFD", "été"), "été"),
    ],
)
def test_spellings_of_one_form(one, other):
    assert fold_form(one) == fold_form(other) == fold_form(fold_form(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("lęk", "lek"), ("ёлка", "елка"), ("ќе", "ке"), ("йод", "иод"), ("أكل", "اكل"),
        ("کو", "کی"), ("कि", "की"), ("น้ำ", "นำ"), ("νόμος", "νομός"), ("が", "か"),
        ("ā", "a"), ("ñ", "n"), ("ḥ", "h"),
    ],
)  # fmt: skip
def test_marks_that_tell_words_apart_stay(one, other):
    assert fold_form(one) != fold_form(other)
