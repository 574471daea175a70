"""Composition in Polish: pairs of the same words although cases tell who does what, asked lemmas
of which a form stands in the sentence, and what Polish lacks.
"""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

from fixtures import compsets
from fixtures.compsets import SMALL
from lingprobe.data.core import DataProblem
from lingprobe.tasks import TASKS
from lingprobe.testing.tasks import check_task
from lingprobe_extensions.compose.comp.designs import _POLISH
from lingprobe_extensions.compose.comp.rules import apply_rules_of_thumb
from lingprobe_extensions.compose.events.polish import polish

LACKING = [name for name, design in _POLISH.items() if isinstance(design, str)]
HAS = [name for name in _POLISH if name not in LACKING]
POLISH_SMALL = f"{SMALL},language=polish"


def made(name: str, more: str = ""):
    return compsets.made(name, POLISH_SMALL + more)


@pytest.mark.parametrize("name", [name for name in HAS if "content" not in name])
def test_the_sentences_of_a_pair_have_the_same_words_in_every_case(name):
    bags = [Counter(item.sites[0].sentence.words) for item in made(name).examples()]
    assert bags[0::2] == bags[1::2]


@pytest.mark.parametrize("name", [name for name in HAS if "content" not in name])
def test_a_form_of_each_asked_lemma_stands_in_the_sentence(name):
    lexicon = polish().lexicon.entries
    forms: dict[str, set[str]] = {}
    for entry in (e for kind in ("noun", "verb", "adjective") for e in lexicon[kind]):
        forms.setdefault(entry.lemma, set()).update(entry.forms)
    others = 0
    for item in made(name).examples():
        for lemma in item.asked:
            assert forms[lemma] & set(item.sites[0].sentence.words), item
            others += lemma not in item.sites[0].sentence.words
    assert others  # so it is not the lemma itself that is looked for


def test_commas_are_words_that_no_space_stands_before():
    sentences = made("sem-role").sentences
    assert all("," in s.words and " ," not in s.text for s in sentences)
    assert all(s.text == " ".join(s.words).replace(" ,", ",") for s in sentences)
    cased = made("sem-role", ",written=cased").sentences
    assert all(s.text == " ".join(s.words).replace(" ,", ",").replace(" .", ".") for s in cased)
    assert all(s.text[0].isupper() for s in cased)


@pytest.mark.parametrize("nouns", [["kobieta", "lekarka", "aktorka", "pisarka", "matka"], None])
def test_nouns_of_one_s_own_may_have_any_gender(nouns, tmp_path):
    both = ["kobieta", "lekarka", "aktorka", "lekarz", "poeta", "mężczyzna", "dziecko"]
    file = tmp_path / "nouns.json"
    few = {"relatives": {"depth": 1}, "at_most": {"relatives": 1, "together": 1}}
    file.write_text(json.dumps({"nouns": nouns or both, **few}), "utf-8")
    data = made("sem-role", f",request={file},balance=none")
    bags = [Counter(item.sites[0].sentence.words) for item in data.examples()]
    assert bags[0::2] == bags[1::2]


def test_a_reader_of_order_solves_negation_as_the_page_says():
    rules = made("negation").notes["rules"]
    assert rules["verb after not"] == 1
    assert rules["first verb"] < 0.6


def test_rules_are_held_against_polish_sets_without_being_told_the_language():
    data = made("order")
    assert (apply_rules_of_thumb(data)["before the verb"] == (data.labels.matrix() == 1)).all()


def test_the_pairs_are_found_with_vectors_of_asked_words():
    check_task(f"comp/embedded-tense,{POLISH_SMALL},asked=vectors")


@pytest.mark.parametrize("name", LACKING)
def test_what_polish_lacks_is_refused_with_the_reason(name):
    with pytest.raises(DataProblem, match=f"comp/{name} is not there in Polish: "):
        made(name)


@pytest.mark.parametrize(
    ("options", "own", "message"),
    [
        ("mode=paper", {}, "the paper's sets are English"),
        ("", {"language": "english"}, "language=english"),
        ("", {"nouns": ["professor"]}, "no noun 'professor'"),
        ("", {"more_words": "WORDS"}, "readings=none"),
    ],
)
def test_what_cannot_be_built_is_said_in_a_line(options, own, message, tmp_path):
    words = tmp_path / "words.tsv"
    words.write_text(
        "kind\tlemma\tforms\tframe or class\tflags\tband\n"
        "noun\tlistonosz\tlistonosza listonosza listonoszem listonosze listonoszy listonoszy"
        " listonoszami\tperson\tm1\tlow\n",
        "utf-8",
    )
    own = {key: str(words) if value == "WORDS" else value for key, value in own.items()}
    file = tmp_path / "request.json"
    file.write_text(json.dumps(own), "utf-8")
    with pytest.raises(DataProblem, match=message) as caught:
        TASKS.make(f"comp/sem-role,{POLISH_SMALL},request={file},{options}".rstrip(",")).load()
    assert "\n" not in str(caught.value)


def test_answers_are_even_in_every_split():
    for name in HAS:
        data = made(name)
        for split in ("train", "dev", "test"):
            assert np.mean(data.labels.matrix()[data.rows(split)]) == 0.5
