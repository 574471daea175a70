"""The sets of Ettinger et al. 2018 built anew: even answers a sentence, seven held-out pairs, and
the leaks that the paper's sets have.
"""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest

from lingprobe.data.core import DataProblem, Dataset
from lingprobe.tasks import TASKS, list_task_names
from lingprobe_extensions.compose.comp.rules import apply_rules_of_thumb
from lingprobe_extensions.compose.comp.words import PAPER_LEXICON
from lingprobe_extensions.compose.events.english import english
from lingprobe_extensions.compose.readings.find import find_readings

NAMES = list_task_names("comp/released")


@cache
def made(name: str) -> Dataset:
    return TASKS.make(f"comp/{name},mode=paper,size=1000,dev=200,test=400").load()


@pytest.mark.parametrize("name", NAMES)
def test_each_sentence_is_asked_as_many_questions_with_yes_as_with_no(name):
    data = made(name)
    counts = np.zeros((len(data.sentences), 2), int)
    np.add.at(counts, (data.sites[:, 0, 0], data.labels.ids), 1)
    assert (counts[:, 0] == counts[:, 1]).all()
    where = {
        (s, split)
        for s, split in zip(data.sites[:, 0, 0].tolist(), data.splits.tolist(), strict=True)
    }
    assert len(where) == len(data.sentences)


@pytest.mark.parametrize("name", ["content2", "order", "sem-role"])
def test_test_asks_about_the_seven_pairs_of_the_paper_and_train_about_the_others(name):
    data = made(name)
    asked = [
        {tuple(data.vocabulary[w] for w in row) for row in data.asked[data.splits == split]}
        for split in range(3)
    ]
    assert len(asked[2]) == 7
    assert ("professor", "help") in asked[2]
    assert asked[2].isdisjoint(asked[0] | asked[1])
    assert {noun for noun, _ in asked[0]} == set(PAPER_LEXICON["nouns"])


def test_labels_are_what_another_reader_finds():
    for item in made("sem-role").examples():
        for reading in find_readings(item.sites[0].sentence.words):
            assert (item.asked[0] in reading.values(item.asked[1], "agent")) is (
                item.label == "yes"
            ), item
    for item in made("negation").examples():
        for reading in find_readings(item.sites[0].sentence.words):
            assert (reading.values(item.asked[0], "polarity") == ("positive",)) is (
                item.label == "yes"
            ), item


@pytest.mark.parametrize("name", ["content1", "content2"])
def test_of_the_asked_words_one_is_missing_where_the_answer_is_no(name):
    lexicon = english().lexicon.entries
    forms = {entry.lemma: set(entry.forms) for kind in ("noun", "verb") for entry in lexicon[kind]}
    for item in made(name).examples():
        missing = [
            word for word in item.asked if forms[word].isdisjoint(item.sites[0].sentence.words)
        ]
        assert len(missing) == (item.label == "no"), item


def test_rules_of_thumb_solve_these_sets():
    roles, negation = made("sem-role"), made("negation")
    yes = roles.labels.ids == 1
    assert (
        apply_rules_of_thumb(roles)["nearest noun before, or first after by"] == yes
    ).mean() > 0.8
    assert (apply_rules_of_thumb(negation)["verb after not"] != (negation.labels.ids == 1)).all()


def test_a_sentence_of_the_negation_set_has_one_negation_and_adverbs_that_the_other_split_lacks():
    data = made("negation")
    assert all(Counter(sentence.words)["not"] == 1 for sentence in data.sentences)
    said = [
        {
            w
            for s in data.sites[data.splits == k, 0, 0]
            for w in data.sentences[s].words
            if w in ADVERBS
        }
        for k in (0, 2)
    ]
    assert said[0]
    assert said[1]
    assert said[0].isdisjoint(said[1])


ADVERBS = {
    "actually",
    "really",
    "truly",
    "always",
    "constantly",
    "often",
    "usually",
    "happily",
    "quietly",
    "secretly",
    "proudly",
    "openly",
}


def test_questions_about_a_sentence_can_be_limited():
    data = TASKS.make("comp/content2,mode=paper,size=400,dev=40,test=100,per_sentence=2").load()
    assert np.bincount(data.sites[:, 0, 0]).max() == 2


def test_the_paper_has_no_set_of_the_further_questions():
    with pytest.raises(DataProblem, match="the paper has no set"):
        TASKS.make("comp/agreement,mode=paper").load()
