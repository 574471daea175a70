"""Sentences of which a person knows all readings; strings that have none; generated sentences,
whose event must be a reading.
"""

from __future__ import annotations

import json

import pytest

from lingprobe.data.core import DataProblem
from lingprobe_extensions.compose.events.batch import ShapeBatch, map_in_order
from lingprobe_extensions.compose.events.draw import draw_from_space
from lingprobe_extensions.compose.events.request import parse_generation_request
from lingprobe_extensions.compose.events.space import make_space
from lingprobe_extensions.compose.readings.find import find_agreed_answer, find_readings
from lingprobe_extensions.compose.readings.gold import list_event_facts


def told(text: str, about: set[tuple[str, str]]) -> set[frozenset[str]]:
    """The readings of a sentence, as far as some lemmas are concerned in some respects."""
    every = find_readings(text.split())
    return {
        frozenset(" ".join(fact) for fact in reading.facts if fact[:2] in about)
        for reading in every
    }


def expected(*texts: str) -> set[frozenset[str]]:
    return {frozenset(fact.strip() for fact in text.split(",")) for text in texts}


def respects(facts: set[frozenset[str]]) -> set[tuple[str, str]]:
    return {(of, says) for reading in facts for of, says, *_ in map(str.split, reading)}


def test_figure_1_of_ettinger_2018_has_one_reading():
    (found,) = find_readings("the student who is sleeping was not helped by the professor".split())
    assert {" ".join(fact) for fact in found.facts} == {
        *(
            "help tense past",
            "help aspect simple",
            "help polarity negative",
            "help voice passive",
            "help clause main",
        ),
        *(
            "help agent professor",
            "help patient student",
            "student relative sleep",
            "sleep clause relative",
        ),
        *(
            "sleep tense present",
            "sleep aspect progressive",
            "sleep polarity positive",
            "sleep voice active",
            "sleep agent student",
        ),
        *(
            "student number singular",
            "student determiner the",
            "professor number singular",
            "professor determiner the",
        ),
    }


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            "the man really did not help a woman",
            "help polarity negative, help tense past, help adverb really",
        ),
        (
            "the men must have been helping the boy",
            "help modal must, help aspect perfect progressive, help voice active",
        ),
        ("not one man has helped the woman", "help polarity positive, man determiner not one"),
        (
            "the man has not helped not one woman",
            "help polarity negative, woman determiner not one",
        ),
        (
            "the man was being helped",
            "help aspect progressive, help voice passive, help patient man",
        ),
        ("the man was given the book", "give patient book, give recipient man"),
        (
            "the book was given to the man by the woman",
            "give agent woman, give patient book, give recipient man",
        ),
        (
            "the book was given by the woman to the man",
            "give agent woman, give patient book, give recipient man",
        ),
        (
            "the man gave the girl the book",
            "give agent man, give patient book, give recipient girl",
        ),
        (
            "the book that the man gave the girl fell",
            "fall agent book, give agent man, give patient book, give recipient girl",
        ),
        (
            "the book that the man gave to the girl fell",
            "fall agent book, give agent man, give patient book, give recipient girl",
        ),
        (
            "the girl that the man gave the book to slept",
            "sleep agent girl, give agent man, give patient book, give recipient girl",
        ),
        (
            "the man that knows that the woman slept laughed",
            "know agent man, know content sleep, laugh agent man, sleep agent woman",
        ),
        (
            "the man admired himself",
            "admire agent man, admire patient man, admire reflexive patient",
        ),
        (
            "the man slept and was helped by the women",
            "sleep agent man, sleep and help, help patient man, help agent woman",
        ),
        (
            "the man and the old woman slept",
            "man and woman, sleep agent man, sleep agent woman, woman adjective old",
        ),
        (
            "the man that the women near the girl follow slept",
            "sleep agent man, follow agent woman, follow patient man, woman near girl",
        ),
        (
            "the man near the women that sleeps laughs",
            "laugh agent man, man near woman, man relative sleep, sleep agent man",
        ),
        (
            "the men near the woman that sleeps laugh",
            "laugh agent man, man near woman, woman relative sleep, sleep agent woman",
        ),
        (
            "an actor near the table who sleeps laughs",
            "laugh agent actor, actor near table, actor relative sleep, sleep agent actor",
        ),
        (
            "the man did not see the girl and help the boy",
            "see polarity negative, help polarity negative, help tense past",
        ),
        (
            "the man has helped the girl and seen the boy",
            "see tense present, see aspect perfect, see voice active",
        ),
        ("the guard guides the cook", "guide agent guard, guide patient cook"),
    ],
)
def test_one_reading(text, facts):
    assert told(text, respects(expected(facts))) == expected(facts)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("the man saw the woman near the girl", ["see near girl", "woman near girl"]),
        (
            "the man slept near the girl behind the woman",
            ["sleep near girl, sleep behind woman", "sleep near girl, girl behind woman"],
        ),
        ("the man who slept quietly laughed", ["sleep adverb quietly", "laugh adverb quietly"]),
        (
            "the man really quietly laughed",
            ["laugh adverb really, laugh adverb quietly", "laugh adverb really quietly"],
        ),
        ("the man said that the woman slept often", ["say adverb often", "sleep adverb often"]),
        (
            "the girl was shown the man that was helped by the boy",
            ["show agent boy", "help agent boy"],
        ),
        (
            "the girl read the book that was sold to the boy",
            ["read recipient boy", "sell recipient boy"],
        ),
        (
            "the man said that the book was given to the boy",
            ["say recipient boy", "give recipient boy"],
        ),
        (
            "the man helped the boy and the girl who slept",
            ["boy relative sleep, girl relative sleep", "girl relative sleep"],
        ),
        (
            "the man helped the boy and the girl near the dog",
            ["boy near dog, girl near dog", "girl near dog", "help near dog"],
        ),
        (
            "the man near the boy and the girl slept",
            ["sleep agent man", "sleep agent man, sleep agent girl"],
        ),
        (
            "the man that helped the boy and the girl slept",
            ["sleep agent man", "sleep agent man, sleep agent girl"],
        ),
        (
            "the men helped the woman and praised themselves",
            ["praise agent man, praise patient man"],
        ),
        (
            "the men helped the women that slept and laughed",
            ["laugh agent man", "laugh agent woman"],
        ),
        (
            "the man was helped and will be praised by the girl",
            ["praise agent girl", "praise agent girl, help agent girl"],
        ),
        (
            "the man called and helped the girl",
            ["help patient girl", "help patient girl, call patient girl"],
        ),
        (
            "the man sent a letter and gave a book to the girl",
            ["give recipient girl", "give recipient girl, send recipient girl"],
        ),
        (
            "the man often slept and helped the girl",
            ["sleep adverb often", "sleep adverb often, help adverb often"],
        ),
        (
            "the man slept and sneezed quietly",
            ["sneeze adverb quietly", "sneeze adverb quietly, sleep adverb quietly"],
        ),
        (
            "the man has helped the girl and called the boy",
            ["call tense past", "call tense present"],
        ),
        (
            "the man was helped by the girl and sold the book",
            ["sell agent man", "sell recipient man"],
        ),
        (
            "the man near the woman that slept laughed",
            ["man relative sleep", "woman relative sleep"],
        ),
        (
            "the doctor warned the man that the woman called",
            [
                "warn patient man, warn agent doctor, call agent woman, call patient man",
                "warn recipient man, warn agent doctor, warn content call, call agent woman",
            ],
        ),
        (
            "the man called himself",
            [
                "call patient man, call agent man, call reflexive patient",
                "call agent man, man emphatic himself",
            ],
        ),
        (
            "the king showed the man himself",
            ["show reflexive patient", "man emphatic himself", "king emphatic himself"],
        ),
        ("the girls saw the table", ["see tense past", "saw tense present"]),
        ("the man said that the girl slept and laughed", ["say and laugh", "sleep and laugh"]),
    ],
)
def test_several_readings(text, facts):
    assert told(text, respects(expected(*facts))) == expected(*facts)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "the man",
        "the man sleep",
        "the men sleeps",
        "the man that the women helps slept",
        "the man and the woman sleeps",
        "the man did not helped the woman",
        "the man must has slept",
        "the man was been helped",
        "the man is help the woman",
        "a men slept",
        "an man slept",
        "a artist slept",
        "these man slept",
        "every boys slept",
        "man the slept",
        "the man slept the woman",
        "the man admired",
        "the man knew that the woman",
        "the man that the woman helped the girl slept",
        "the man that helped slept the woman",
        "the man was slept",
        "the man was helped by by the woman",
        "the man helped by the woman",
        "the table who fell broke",
        "the man admired herself",
        "the men admired himself",
        "the man slept always",
        "the man arrested quietly the thief",
        "the man not slept",
        "the man has helped the girl and see the boy",
        "the man helped the girl and seen the boy",
        "not one men slept",
        "not the man slept",
        "the wug slept",
        "the man sleeped",
    ],
)
def test_no_reading(text):
    assert find_readings(text.split()) == ()


def test_what_all_readings_answer():
    def hosts(reading):
        return reading.values("sleep", "adverb")

    assert find_agreed_answer("the man who slept laughed quietly".split(), hosts) == ()
    assert find_agreed_answer("the man who slept quietly laughed".split(), hosts) is None
    assert (
        find_agreed_answer(
            "the man quietly slept".split(), lambda reading: hosts(reading) == ("quietly",)
        )
        is True
    )
    assert find_agreed_answer("slept man the".split(), lambda reading: True) is None
    with pytest.raises(DataProblem, match="no readings of 'klingon'; there are english"):
        find_readings(["nuqneH"], "klingon")


def test_readings_that_nobody_has_are_kept_on_request():
    words = "the book that the man gave the girl fell".split()
    assert {reading.values("give", "recipient") for reading in find_readings(words)} == {("girl",)}
    assert {reading.values("give", "recipient") for reading in find_readings(words, odd=True)} == {
        ("girl",),
        ("book",),
    }


EVERYTHING = {
    "frames": ["intransitive", "transitive", "ditransitive", "clausal"],
    "voices": ["active", "passive", "passive without agent"],
    "classes": ["person", "animal", "thing", "food", "text"],
    "relatives": {
        "frames": ["intransitive", "transitive", "ditransitive"],
        "voices": ["active", "passive"],
    },
    "at_most": {
        "relatives": 1,
        "adjectives": 1,
        "modifiers": 1,
        "complements": 1,
        "pairs": 1,
        "reflexives": 1,
        "adverbs": 2,
        "together": 1,
    },
    "modal": ["will", "might"],
    "aspect": ["simple", "progressive", "perfect", "perfect progressive"],
    "determiner": ["the", "a", "some", "every", "no", "not one", "these"],
    "relativiser": ["that", "who"],
}


def lines(asked, n):
    for size, parts in draw_from_space(
        make_space(parse_generation_request(asked)), n, seed=5, even=True
    ).chunks():
        yield from map(json.loads, map_in_order(parts, size, ShapeBatch.lines))


def test_the_event_of_a_generated_sentence_is_one_of_its_readings():
    for line in lines(EVERYTHING, 3000):
        assert list_event_facts(line["event"]) in find_readings(line["words"]), line["text"]


def test_another_event_is_not_among_the_readings():
    for line in lines(
        {"frames": ["transitive"], "voices": ["active", "passive"], "modal": ["might"]}, 200
    ):
        event = line["event"]
        tense = {"tense": "present" if event.get("tense") == "past" else "past", "modal": None}
        polarity = {"polarity": "negative" if event["polarity"] == "positive" else "positive"}
        for other in (
            {"agent": event["patient"], "patient": event["agent"]},
            tense,
            polarity,
            {"aspect": "perfect"},
        ):
            assert list_event_facts({**event, **other}) not in find_readings(line["words"]), (
                line["text"],
                other,
            )
