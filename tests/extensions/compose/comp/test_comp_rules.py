"""Rules on sentences of any origin: which hold, and where rules say nothing."""

import pytest

from lingprobe.data.core import Dataset, Example, Sentence, Site
from lingprobe_extensions.compose.comp.rules import (
    NEGATION_RULES,
    ROLE_RULES,
    apply_rules_of_thumb,
    score_rules,
)

AGENT = "nearest noun before, or first after by"
CHANGED = "before the verb unless by follows"


def asked(text, *words):
    return Example((Site(Sentence.of(text.split())),), "yes", "train", words)


def holding(text, *words):
    """The names of the rules that say yes."""
    return {
        name
        for name, holds in apply_rules_of_thumb(Dataset.of([asked(text, *words)])).items()
        if holds[0]
    }


def test_a_rule_is_right_as_it_was_on_train_and_wrong_ones_turn_round():
    texts = ["the doctor called the man", "the man called the doctor"] * 10
    examples = [asked(text, "doctor", "call") for text in texts]
    data = Dataset.of(
        e.__class__(e.sites, label, split, e.asked)
        for split in ("train", "test")
        for e, label in zip(examples, ["no", "yes"] * 10, strict=True)
    )
    found = score_rules(data)
    assert found["before the verb"] == found["last noun"] == 1
    assert "first after by" not in found  # there is none, so the rule is about something else
    assert score_rules(data.take(data.rows("train"))) == {}


ACTIVE = "the doctor that the students called is helping the man"
PASSIVE = "the doctor that was called by the students is helping the man"


@pytest.mark.parametrize(
    ("text", "noun", "verb", "found"),
    [
        (
            ACTIVE,
            "student",
            "call",
            {"before the verb", "nearest noun", "nearest noun before the verb", AGENT, CHANGED},
        ),
        (ACTIVE, "doctor", "call", {"before the verb", CHANGED, "first noun", "before that"}),
        (ACTIVE, "man", "help", {"nearest noun", "last noun"}),
        (PASSIVE, "student", "call", {"first after by", AGENT, CHANGED}),
        (
            PASSIVE,
            "doctor",
            "call",
            {
                "before the verb",
                "nearest noun",
                "nearest noun before the verb",
                "first noun",
                "before that",
            },
        ),
    ],
)
def test_where_the_asked_noun_stands(text, noun, verb, found):
    assert holding(text, noun, verb) == found


NEGATED = "the men that were not really sleeping are calling the women"


@pytest.mark.parametrize(
    ("text", "verb", "found"),
    [
        (
            NEGATED,
            "sleep",
            {
                "verb after not",
                "verb after not or no",
                "verb nearest to not or no",
                "after not or no",
                "first verb",
            },
        ),
        (NEGATED, "call", {"after not or no", "last verb"}),
        (
            "no man that sleeps dances",
            "sleep",
            {"verb after not or no", "verb nearest to not or no", "after not or no", "first verb"},
        ),
        ("no man that sleeps dances", "dance", {"after not or no", "last verb"}),
        ("the man that slept did not dance", "sleep", {"last verb before not or no", "first verb"}),
        (
            "the man that slept did not dance",
            "dance",
            {
                "verb after not",
                "verb after not or no",
                "verb nearest to not or no",
                "after not or no",
                "last verb",
            },
        ),
    ],
)
def test_where_the_asked_verb_stands(text, verb, found):
    assert holding(text, verb) == found


def test_sentences_are_read_once_and_questions_in_order():
    dataset = Dataset.of(
        [
            asked(ACTIVE, "student", "call"),
            asked(ACTIVE, "doctor", "call"),
            asked(PASSIVE, "doctor", "call"),
        ]
    )
    found = apply_rules_of_thumb(dataset)
    assert found["nearest noun before the verb"].tolist() == [True, False, True]
    assert list(found) == list(ROLE_RULES)
    assert list(apply_rules_of_thumb(Dataset.of([asked(NEGATED, "call")]))) == list(NEGATION_RULES)


def test_where_words_are_not_there_or_not_known_or_nothing_is_asked_there_are_no_rules():
    assert apply_rules_of_thumb(Dataset.of([asked(ACTIVE, "lawyer", "call")])) == {}
    assert apply_rules_of_thumb(Dataset.of([asked("the blorp sleeps", "blorp", "sleep")])) == {}
    assert apply_rules_of_thumb(Dataset.of([asked(ACTIVE)])) == {}
    assert (
        apply_rules_of_thumb(
            Dataset.of(
                [Example((Site(Sentence.of(["man", "sleeps"]), (0, 2)),), "yes", asked=("sleep",))]
            )
        )
        == {}
    )
    assert apply_rules_of_thumb(Dataset.of([asked(ACTIVE, "call", "doctor")])) == {}
