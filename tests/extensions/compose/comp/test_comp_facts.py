"""Oracles of composition: each answers its task's questions, and is readable by the task's own
probe where it says so.
"""

from __future__ import annotations

import numpy as np
import pytest

from fixtures.compsets import SMALL, made
from lingprobe.data.core import Sentence
from lingprobe.data.oracles import facts_of, oracles_of
from lingprobe.data.reading import Readings
from lingprobe.encoders import ENCODERS
from lingprobe.tasks import TASKS, list_task_names
from lingprobe.testing.tasks import check_task
from lingprobe_extensions.compose.comp.designs import _POLISH
from lingprobe_extensions.compose.comp.facts import SENTENCE_ORACLES, locate_clause
from lingprobe_extensions.compose.comp.released import list_reading_facts
from lingprobe_extensions.compose.readings.find import find_readings

YES = {"negation": "happens", "agreement": "plural", "embedded-tense": "past"}


@pytest.mark.parametrize("mode", ["", ",mode=paper", ",language=polish"])
@pytest.mark.parametrize(
    "name", [name for name in list_task_names("comp") if name not in ("content1", "content2")]
)
def test_the_bound_facts_of_a_task_hold_the_answer_to_each_question(name, mode):
    if "paper" in mode and name not in list_task_names("comp/released"):
        pytest.skip("the paper has no such set")
    if "polish" in mode and isinstance(_POLISH[name], str):
        pytest.skip("Polish has no such task")
    options = f"{SMALL}{mode}"
    task, data = TASKS.make(f"comp/{name},{options}"), made(name, options)
    known = task.facts(next(iter(task.oracles)), data.sentences)
    for item in data.examples():
        (facts,) = known[item.sites[0].sentence]
        if name in YES:
            assert (f"{item.asked[0]} {YES[name]}" in facts) is (item.label == "yes"), item
        else:
            adjectival = name == "adjective"
            fact = " ".join(item.asked if adjectival else item.asked[::-1])
            assert (fact in facts) is (item.label == "yes"), item


@pytest.mark.parametrize("name", ["content1", "content2"])
def test_words_are_facts(name):
    task, data = TASKS.make(f"comp/{name},{SMALL}"), made(name)
    known = task.facts("words", data.sentences)
    assert all(
        (set(item.asked) <= set(known[item.sites[0].sentence][0])) is (item.label == "yes")
        for item in data.examples()
    )


def reading(text: str):
    return find_readings(text.split())[0]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("the man helped the nurse", {"help": "main"}),
        ("the man that the nurse met slept", {"sleep": "main", "meet": "main agent relative"}),
        ("the man helped the nurse that slept", {"help": "main", "sleep": "main patient relative"}),
        ("the man slept and laughed", {"sleep": "main", "laugh": "main and"}),
        ("the man said that the nurse slept", {"say": "main", "sleep": "main content"}),
        (
            "the nurse met the man that helped the poet that slept",
            {"sleep": "main patient relative patient relative"},
        ),
    ],
)
def test_clauses_are_known_by_their_place(text, places):
    found = reading(text)
    assert {verb: locate_clause(found, verb) for verb in places} == places


def test_slots_say_either_word_with_the_place_and_relations_both_together():
    found = reading("the man that the nurse met slept")
    told = {name: set(oracle.facts(found)) for name, oracle in SENTENCE_ORACLES["sem-role"].items()}
    assert told["relations"] == {"sleep man", "meet nurse"}
    assert told["slots"] == {
        "main: 0 sleep",
        "main: 1 man",
        "main agent relative: 0 meet",
        "main agent relative: 1 nurse",
    }


def test_released_sentences_are_read_and_those_that_cannot_be_have_no_facts():
    told = SENTENCE_ORACLES["sem-role"]["relations"].facts
    assert list(
        list_reading_facts(told, Sentence.of("the man is helped by the doctor".split()))
    ) == ["help doctor"]
    assert list(list_reading_facts(told, Sentence.of("man the the blorp".split()))) == []


@pytest.mark.parametrize("name", list_task_names("comp"))
def test_each_oracle_says_what_it_is_for(name):
    about = oracles_of(TASKS.make(f"comp/{name}"))
    assert set(about) == set(SENTENCE_ORACLES[name])
    assert all(" for " in told for told in about.values())


def test_the_probe_of_the_task_reads_the_first_oracle_of_a_question_about_one_word():
    options = "size=2000,dev=8,test=300,readings=none"
    task, data = TASKS.make(f"comp/negation,{options}"), made("negation", options)
    gold = ENCODERS.make("gold:polarity,width=64").with_facts(
        facts_of(task, "polarity", data), False
    )
    read = Readings(data, gold.encode(data.sentences), task.view)
    train, test = (read.take(data.rows(split)).features("-") for split in ("train", "test"))
    labels = data.labels.matrix()
    from sklearn.neural_network import MLPClassifier

    fitted = MLPClassifier((32,), max_iter=60, random_state=0).fit(
        train, labels[data.rows("train")]
    )
    assert fitted.score(test, labels[data.rows("test")]) > 0.95


@pytest.mark.parametrize(
    "options", ["asked=vectors", "written=cased", "asked=vectors,written=cased"]
)
def test_asked_words_as_vectors_and_sentences_as_texts(options):
    reference = f"comp/sem-role,{SMALL},{options}"
    check_task(reference)
    task, plain = TASKS.make(reference), made("sem-role")
    data = task.load()
    assert np.array_equal(data.asked, plain.asked)
    first = data.sentences[0]
    if "cased" in options:
        assert first.text == plain.sentences[0].text.capitalize() + "."
        assert first.words[-1] == "."
    if "vectors" in options:
        bag = ENCODERS.make("bow:random,dim=8")
        read = Readings(data, bag.encode(data.sentences), task.view)
        found = read.features("-")
        assert found.shape == (len(data), 8 * 3)
        word = bag.encode([Sentence.of([data.vocabulary[data.asked[5, 1]]])]).layers[0][0]
        np.testing.assert_allclose(found[5, 16:], word, rtol=1e-6)
