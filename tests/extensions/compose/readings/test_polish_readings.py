"""Polish sentences of which a person knows all readings; strings that have none; generated
sentences, whose event must be a reading.
"""

from __future__ import annotations

import json

import pytest

from lingprobe_extensions.compose.events.batch import ShapeBatch, map_in_order
from lingprobe_extensions.compose.events.draw import draw_from_space
from lingprobe_extensions.compose.events.request import parse_generation_request
from lingprobe_extensions.compose.events.space import make_space
from lingprobe_extensions.compose.readings.find import find_readings
from lingprobe_extensions.compose.readings.gold import list_event_facts


def told(text: str, facts: set[frozenset[str]]) -> set[frozenset[str]]:
    """The readings of a sentence, as far as the lemmas of some facts are concerned in their
    respects.
    """
    about = {(of, says) for reading in facts for of, says, *_ in map(str.split, reading)}
    every = find_readings(text.replace(",", " ,").split(), "polish")
    return {
        frozenset(" ".join(fact) for fact in reading.facts if fact[:2] in about)
        for reading in every
    }


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            "lekarz nie widział matki",
            [
                "widzieć agent lekarz, widzieć patient matka, widzieć polarity negative, widzieć"
                " tense past"
            ],
        ),
        ("matkę widzi lekarz", ["widzieć agent lekarz, widzieć patient matka"]),
        (
            "lekarz zaprosi matkę",
            ["zaprosić tense future, zaprosić aspect perfective, zaprosić patient matka"],
        ),
        (
            "lekarze będą zapraszali matkę",
            ["zapraszać tense future, zapraszać aspect imperfective"],
        ),
        ("lekarze będą zapraszać matkę", ["zapraszać tense future, zapraszać aspect imperfective"]),
        (
            "matka została zaproszona przez lekarza",
            ["zaprosić voice passive, zaprosić agent lekarz, zaprosić patient matka"],
        ),
        (
            "psy nie są myte",
            ["myć voice passive, myć tense present, myć polarity negative, myć patient pies"],
        ),
        (
            "ci mądrzy lekarze śpią",
            ["lekarz determiner ten, lekarz adjective mądry, lekarz number plural"],
        ),
        (
            "lekarz, którego matki nie widzieli policjanci, śpi",
            ["spać agent lekarz, widzieć agent policjant, matka of lekarz"],
        ),
        (
            "matka, którą widział lekarz, śpi",
            ["widzieć agent lekarz, widzieć patient matka, spać agent matka"],
        ),
        (
            "lekarz, który widzi matkę, która śpi, krzyczał",
            ["lekarz relative widzieć, matka relative spać, krzyczeć agent lekarz"],
        ),
        ("lekarz obok matki, która śpi, krzyczał", ["spać agent matka"]),
        (
            "lekarz mówi, że matka chwali psa",
            ["mówić content chwalić, chwalić agent matka, mówić agent lekarz"],
        ),
        ("lekarz i matka spali", ["spać agent lekarz, spać agent matka, lekarz and matka"]),
        ("pies i matka spały", ["spać agent pies, spać agent matka"]),
        ("lekarz chwali siebie", ["chwalić patient lekarz, chwalić reflexive patient"]),
        ("matka śpi i goni psa", ["spać agent matka, gonić agent matka, spać and gonić"]),
        ("lekarze myli psy", ["myć tense past"]),
        (
            "dziecko widzi zwierzę",
            [
                "widzieć agent dziecko, widzieć patient zwierzę",
                "widzieć agent zwierzę, widzieć patient dziecko",
            ],
        ),
        ("dziecko widzi lustro", ["widzieć agent dziecko, widzieć patient lustro"]),
        (
            "psy, które gonią koty, śpią",
            ["gonić agent pies, gonić patient kot", "gonić agent kot, gonić patient pies"],
        ),
        ("lekarz nie widzi myszy", ["mysz number singular", "mysz number plural"]),
        ("lekarz obok matki śpi", ["lekarz obok matka", "spać obok matka"]),
        ("lekarz chwali matkę za ojcem", ["matka za ojciec", "chwalić za ojciec"]),
        ("aktor obok lekarza, który śpi, krzyczał", ["spać agent aktor", "spać agent lekarz"]),
        ("matka widzi psa i lwa, który śpi", ["spać agent lew"]),
        (
            "matka widzi psa i lwa obok ojca",
            ["pies obok ojciec, lew obok ojciec", "lew obok ojciec", "widzieć obok ojciec"],
        ),
        (
            "matka często śpi i goni psa",
            ["spać adverb często", "spać adverb często, gonić adverb często"],
        ),
        (
            "matka była budzona i została zaproszona przez lekarza",
            ["zaprosić agent lekarz", "zaprosić agent lekarz, budzić agent lekarz"],
        ),
        (
            "lekarz naprawdę często śpi",
            ["spać adverb naprawdę, spać adverb często", "spać adverb naprawdę często"],
        ),
        (
            "aktor, którego siostra rysuje, śpi",
            [
                "rysować agent siostra, rysować patient aktor",
                "rysować agent siostra, siostra of aktor",
            ],
        ),
        (
            "aktorka, której siostry nie widzą, śpi",
            [
                "widzieć agent siostra, widzieć patient aktorka",
                "widzieć agent siostra, siostra of aktorka",
                "widzieć patient siostra, siostra of aktorka",
            ],
        ),
    ],
)
def test_readings(text, facts):
    expected = {frozenset(fact.strip() for fact in one.split(",")) for one in facts}
    assert told(text, expected) == expected


@pytest.mark.parametrize(
    "text",
    [
        "lekarz śpią",
        "matka spał",
        "lekarz widzi matka",
        "lekarz nie widzi matkę",
        "lekarz widzi ojciec",
        "lekarz śpi matkę",
        "stary matka śpi",
        "ten matka śpi",
        "każdy lekarze śpią",
        "lekarz i matka spały",
        "lekarz który śpi krzyczał",
        "lekarz, która śpi, krzyczał",
        "lekarz, który śpi krzyczał",
        "lekarz, którego widzi matkę, krzyczał",
        "lekarz obok matkę śpi",
        "lekarz za matki śpi",
        "matka była zaproszony",
        "matka została zapraszana",
        "matka została zaproszona przez lekarz",
        "lekarz będzie zaprosił matkę",
        "lekarz mówi że matka śpi",
        "lekarz mówi, że matka",
        "lekarz i śpi",
        "lekarz, którego ten ojciec śpi, krzyczał",
    ],
)
def test_no_reading(text):
    assert find_readings(text.replace(",", " ,").split(), "polish") == ()


EVERYTHING = {
    "language": "polish",
    "frames": ["intransitive", "transitive", "clausal"],
    "voices": ["active", "passive", "passive without agent"],
    "classes": ["person", "animal", "thing"],
    "at_most": {
        "adjectives": 1,
        "modifiers": 1,
        "complements": 1,
        "pairs": 1,
        "conjuncts": 1,
        "reflexives": 1,
        "adverbs": 2,
        "together": 1,
    },
    "tense": ["past", "present", "future"],
    "determiner": ["bare", "ten", "każdy"],
}


def test_the_event_of_a_generated_sentence_is_one_of_its_readings():
    for n, parts in draw_from_space(
        make_space(parse_generation_request(EVERYTHING)), 2000, seed=5, even=True
    ).chunks():
        for line in map(json.loads, map_in_order(parts, n, ShapeBatch.lines)):
            assert list_event_facts(line["event"]) in find_readings(line["words"], "polish"), line[
                "text"
            ]
