"""Words of one's own in composition tasks: they are asked about like any other, or it is said why
not.
"""

from __future__ import annotations

import json
from collections import Counter

import pytest

from lingprobe.data.core import DataProblem
from lingprobe.tasks import TASKS
from lingprobe_extensions.compose.events.english import _TABLE

HEADER = next(line for line in _TABLE.read_text("utf-8").splitlines() if line.startswith("kind\t"))
USUAL = {"transitive": ["hug", "envy", "pay"], "intransitive": ["sneeze", "smile", "laugh"]}
OTHERS = [verb for verbs in USUAL.values() for verb in verbs]
PEOPLE = ["king", "queen", "poet", "pupil", "guest"]
GOOGLE = "verb\tgoogle\tgoogles googled googled googling\ttransitive\t-\thigh"
# "found" is of "find", too
FOUND = "verb\tfound\tfounds founded founded founding\ttransitive\t-\thigh"
PUT = "verb\tput\tputs put put putting\ttransitive\t-\thigh"
# all but the lemma are forms of "help"
ODD = "verb\tgoogle\thelps helped helped helping\ttransitive\t-\thigh"
VLOG = "verb\tvlog\tvlogs vlogged vlogged vlogging\tintransitive\t-\thigh"
VLOGGER = "noun\tvlogger\tvloggers\tperson\t-\thigh"
NARROW = {"aspect": ["simple", "progressive"], "at_most": {"relatives": 1, "together": 1}}


@pytest.fixture
def built(tmp_path):
    """Builds a set from a request with words of one's own: beside the built-in ones, or in a table
    in place of theirs.
    """

    def build(*lines, task="sem-role", key="more_words", size=160, options="", **asked):
        known = _TABLE.read_text("utf-8").rstrip("\n") if key == "lexicon" else HEADER
        (tmp_path / "own.tsv").write_text("\n".join([known, *lines]) + "\n", "utf-8")
        own = {"nouns": PEOPLE, key: str(tmp_path / "own.tsv"), **NARROW, **asked}
        (tmp_path / "own.json").write_text(json.dumps(own), "utf-8")
        reference = f"comp/{task},size={size},dev=32,test=96,balance=none,request={tmp_path / 'own.json'}{options}"
        return TASKS.make(reference).load()

    return build


def asked(found):
    """How many items ask about each word."""
    return Counter(word for item in found.examples() for word in item.asked)


@pytest.mark.parametrize(
    ("line", "key", "task"),
    [
        (GOOGLE, "more_words", "sem-role"),
        (GOOGLE, "more_words", "order"),
        (GOOGLE, "more_words", "content1"),
        (GOOGLE, "lexicon", "sem-role"),
        (VLOG, "more_words", "sem-role"),
        (VLOG, "lexicon", "content1"),
    ],
    ids=lambda told: told.split("\t")[1] if "\t" in told else told,
)
def test_a_verb_of_one_s_own_is_asked_about_like_others_of_its_frame(line, key, task, built):
    _, word, _, frame, *_ = line.split("\t")
    found = built(
        line, key=key, task=task, size=1000, verbs={**USUAL, frame: [*USUAL[frame], word]}
    )
    counts = asked(found)
    assert counts[word] >= 0.5 * sum(counts[verb] for verb in USUAL[frame]) / 3 > 0
    assert {item.label for item in found.examples() if word in item.asked} == {"no", "yes"}
    assert not any(word[:4] in text for text in found.notes["unclear"]["as"])


def test_a_noun_of_one_s_own_is_asked_about(built):
    assert asked(built(VLOGGER, nouns=["vlogger", *PEOPLE[1:]], verbs=OTHERS))["vlogger"] >= 20


@pytest.mark.parametrize("key", ["more_words", "lexicon"])
def test_a_verb_whose_tense_nobody_could_tell_is_refused(key, built):
    with pytest.raises(
        DataProblem, match=r"own\.json: .*own\.tsv: the past of the verb 'put' is the same"
    ):
        built(PUT, key=key, verbs=["put", *OTHERS])


def test_a_verb_with_a_form_of_another_is_asked_about_where_it_is_clear_and_the_rest_is_noted(
    built,
):
    found = built(
        FOUND, verbs=["found", *OTHERS], tense=["present"], number=["plural"], aspect=["simple"]
    )
    unclear = found.notes["unclear"]
    assert unclear["pairs"] > 0
    assert any(" found " in text for text in unclear["as"])
    assert asked(found)["found"] > 0


def test_a_verb_that_no_sentence_makes_clear_is_not_left_out_in_silence(built):
    with pytest.raises(
        DataProblem,
        match=(
            r"own\.json: 'google' is asked about in no item, because the readings .* do not agree,"
            r" as of '"
        ),
    ):
        built(ODD, verbs=["google", *OTHERS], tense=["past"])
    assert (
        asked(built(ODD, verbs=["google", *OTHERS], tense=["past"], options=",readings=none"))[
            "google"
        ]
        >= 10
    )


def test_tables_that_are_written_anew_are_read_again(built):
    assert asked(built(GOOGLE, verbs=["google", *OTHERS]))["google"] > 0
    counts = asked(built(FOUND, verbs=["found", *OTHERS]))
    assert counts["found"] > 0
    assert counts["google"] == 0
    with pytest.raises(DataProblem, match="no verb 'found'"):
        built(GOOGLE, verbs=["found", *OTHERS])
