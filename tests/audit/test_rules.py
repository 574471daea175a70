"""Linear rules on hand-written sentences: where each cue holds, and where rules say nothing."""

import pytest

from sonde.audit.rules import RULES, held
from sonde.core import Dataset, Example, Sentence, Site


def asked(text, *words, label="yes", split="train"):
    return Example((Site(Sentence.of(text.split())),), label, split, words)


def cues(text, *words):
    """The names of the rules whose cue holds."""
    return {name for name, holds in held(Dataset.of([asked(text, *words)])).items() if holds[0]}


ACTIVE = "the doctor that the students called is helping the man"
PASSIVE = "the doctor that was called by the students is helping the man"
ALWAYS_AGENT = "nearest noun before, or first after by"


@pytest.mark.parametrize(
    ("text", "noun", "verb", "holding"),
    [
        (ACTIVE, "student", "call", {"noun before the verb", "nearest noun", "nearest noun before the verb", ALWAYS_AGENT, "order xor by"}),
        (ACTIVE, "doctor", "call", {"noun before the verb", "order xor by", "first noun"}),
        (ACTIVE, "man", "help", {"nearest noun"}),
        (PASSIVE, "student", "call", {"first after by", ALWAYS_AGENT, "order xor by"}),
        (PASSIVE, "doctor", "call", {"noun before the verb", "nearest noun", "nearest noun before the verb", "first noun"}),
        (
            PASSIVE,
            "student",
            "help",
            {"noun before the verb", "nearest noun", "nearest noun before the verb", "first after by", ALWAYS_AGENT, "order xor by"},
        ),
    ],
)
def test_where_the_asked_noun_stands(text, noun, verb, holding):
    assert cues(text, noun, verb) == holding


NEGATED = "the man that was not really sleeping is calling the women"


@pytest.mark.parametrize(
    ("text", "verb", "holding"),
    [
        (
            NEGATED,
            "sleep",
            {"verb after not", "verb after a negative", "verb nearest to a negative", "anywhere after a negative", "first verb"},
        ),
        (NEGATED, "call", {"anywhere after a negative"}),
        (
            "no man that sleeps dances",
            "sleep",
            {"verb after a negative", "verb nearest to a negative", "anywhere after a negative", "first verb"},
        ),
        ("no man that sleeps dances", "dance", {"anywhere after a negative"}),
        ("the man sleeps and does not dance", "sleep", {"first verb"}),
        ("the men call the man that never slept", "call", {"first verb"}),
    ],
)
def test_where_the_asked_verb_stands(text, verb, holding):
    assert cues(text, verb) == holding


def test_of_two_nouns_at_the_same_distance_the_left_one_counts():
    assert "nearest noun" in cues("the man recommends women", "man", "recommend")
    assert "nearest noun" not in cues("the man recommends women", "woman", "recommend")


def test_sentences_are_read_once_and_questions_in_order():
    dataset = Dataset.of([asked(ACTIVE, "student", "call"), asked(ACTIVE, "doctor", "call"), asked(PASSIVE, "doctor", "call")])
    assert held(dataset)["nearest noun before the verb"].tolist() == [True, False, True]


def test_where_words_are_not_there_or_not_known_or_nothing_is_asked_there_are_no_rules():
    assert held(Dataset.of([asked(ACTIVE, "lawyer", "call")])) == {}
    assert held(Dataset.of([asked("the blorp sleeps", "blorp", "sleep")])) == {}
    assert held(Dataset.of([asked(ACTIVE)])) == {}
    assert held(Dataset.of([Example((Site(Sentence.of(["man", "sleeps"]), (0, 2)),), "yes", asked=("sleep",))])) == {}
    assert held(Dataset.of([asked(ACTIVE, "call", "doctor")])) == {}


def test_every_rule_says_what_its_cue_is():
    assert all(rule.__doc__ for rules in RULES.values() for rule in rules.values())
