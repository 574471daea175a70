"""Sentences in Polish: case, gender, aspect, agreement and commas, by hand and as invariants."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from asked import made
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.data.core import DataProblem
from lingprobe_extensions.compose.events import files
from lingprobe_extensions.compose.events.assertions import event_assertions
from lingprobe_extensions.compose.events.batch import ShapeBatch, generate_sentences, realize_event
from lingprobe_extensions.compose.events.draw import draw_from_space
from lingprobe_extensions.compose.events.lexicon import _HEADER
from lingprobe_extensions.compose.events.meaning import (
    EventParticipant,
    ParticipantModifier,
    ParticipantPair,
    ReflexiveParticipant,
    RelativeGap,
    SentenceEvent,
    SharedSubject,
    from_json,
    to_json,
)
from lingprobe_extensions.compose.events.polish import polish
from lingprobe_extensions.compose.events.polish_columns import _CONCORD, GENDERS_IN_ORDER

POLISH = polish()
WIDE = {
    "language": "polish",
    "frames": ["intransitive", "transitive", "clausal"],
    "voices": ["active", "passive", "passive without agent"],
    "relatives": {"voices": ["active", "passive", "passive without agent"]},
    "tense": ["past", "present", "future"],
    "determiner": ["bare", "ten", "każdy"],
    "at_most": {
        **dict.fromkeys(
            [
                "conjuncts",
                "relatives",
                "reflexives",
                "pairs",
                "complements",
                "modifiers",
                "adjectives",
                "together",
            ],
            1,
        ),
        "adverbs": 2,
    },
}


def a(noun: str, number: str = "singular", determiner: str = "bare", **more) -> EventParticipant:
    return EventParticipant(noun, number, determiner, **more)


def did(predicate: str, frame: str = "transitive", **more) -> SentenceEvent:
    perfective = (
        "perfective" in next(e for e in POLISH.values("verb") if e.lemma == predicate).flags
    )
    return replace(
        SentenceEvent(
            predicate, frame, "past", "perfective" if perfective else "imperfective", "positive"
        ),
        **more,
    )


def said(told: SentenceEvent) -> str:
    return realize_event(told, POLISH).sentence.text


MAN, WOMAN, CHILD = a("mężczyzna"), a("kobieta"), a("dziecko")
STUDENTS, SISTERS = a("student", "plural"), a("siostra", "plural")
SAW = did("widzieć", agent=MAN, patient=WOMAN)
SLEEPING = did("spać", "intransitive", tense="present", agent=RelativeGap("który"))
NOT = {"polarity": "negative"}
SAYINGS = {
    "mężczyzna widział kobietę": SAW,
    "mężczyzna nie widział kobiety": replace(SAW, **NOT),
    "kobieta widzi mężczyznę": replace(SAW, tense="present", agent=WOMAN, patient=MAN),
    "studenci nie będą widzieli sióstr": replace(
        SAW, tense="future", agent=STUDENTS, patient=SISTERS, **NOT
    ),
    "siostry będą widziały studentów": replace(
        SAW, tense="future", agent=SISTERS, patient=STUDENTS
    ),
    "dziecko przestraszyło psa": did("przestraszyć", agent=CHILD, patient=a("pies")),
    "dziecko przestraszy psy": did(
        "przestraszyć", tense="future", agent=CHILD, patient=a("pies", "plural")
    ),
    "wujek kupi stół i książkę": did(
        "kupić",
        tense="future",
        agent=a("wujek"),
        patient=ParticipantPair((a("stół"), a("książka"))),
    ),
    "wujek nie kupi stołu i książki": did(
        "kupić",
        tense="future",
        agent=a("wujek"),
        patient=ParticipantPair((a("stół"), a("książka"))),
        **NOT,
    ),
    "mężczyzna i kobieta spali": did("spać", "intransitive", agent=ParticipantPair((MAN, WOMAN))),
    "kobieta i dziecko spały": did("spać", "intransitive", agent=ParticipantPair((WOMAN, CHILD))),
    "kobieta została zaproszona przez studentów": did(
        "zaprosić", voice="passive", agent=STUDENTS, patient=WOMAN
    ),
    "studenci nie byli zapraszani": did("zapraszać", voice="passive", patient=STUDENTS, **NOT),
    "dzieci są zapraszane przez siostry": did(
        "zapraszać", voice="passive", tense="present", agent=SISTERS, patient=a("dziecko", "plural")
    ),
    "pudełko zostanie znalezione": did(
        "znaleźć", voice="passive", tense="future", patient=a("pudełko")
    ),
    "kobieta, która śpi, widziała mężczyznę": replace(
        SAW, agent=a("kobieta", relative=SLEEPING), patient=MAN
    ),
    "mężczyzna widział siostry, które śpią": replace(
        SAW, patient=a("siostra", "plural", relative=SLEEPING)
    ),
    "mężczyzna nie widział sióstr, które śpią": replace(
        SAW, patient=a("siostra", "plural", relative=SLEEPING), **NOT
    ),
    "studenci, których kobieta widziała, śpią": replace(
        SLEEPING,
        agent=a(
            "student", "plural", relative=replace(SAW, agent=WOMAN, patient=RelativeGap("który"))
        ),
    ),
    "kobieta, której mężczyzna nie widział, śpi": replace(
        SLEEPING, agent=a("kobieta", relative=replace(SAW, patient=RelativeGap("który"), **NOT))
    ),
    "pies, którego kobieta widziała, śpi": replace(
        SLEEPING, agent=a("pies", relative=replace(SAW, agent=WOMAN, patient=RelativeGap("który")))
    ),
    "ci młodzi studenci nie widzieli tej wysokiej kobiety": replace(
        SAW,
        agent=a("student", "plural", "ten", adjectives=("młody",)),
        patient=a("kobieta", determiner="ten", adjectives=("wysoki",)),
        **NOT,
    ),
    "ta kobieta widziała tę siostrę": replace(
        SAW, agent=a("kobieta", determiner="ten"), patient=a("siostra", determiner="ten")
    ),
    "każde dziecko widziało te stare psy": replace(
        SAW,
        agent=a("dziecko", determiner="każdy"),
        patient=a("pies", "plural", "ten", adjectives=("stary",)),
    ),
    "kobieta za mężczyzną spała": did(
        "spać", "intransitive", agent=a("kobieta", modifier=ParticipantModifier("za", MAN))
    ),
    "kobieta obok tych wysokich mężczyzn spała": did(
        "spać",
        "intransitive",
        agent=a(
            "kobieta",
            modifier=ParticipantModifier(
                "obok", a("mężczyzna", "plural", "ten", adjectives=("wysoki",))
            ),
        ),
    ),
    "mężczyzna naprawdę będzie często cierpliwie czekał": did(
        "czekać",
        "intransitive",
        tense="future",
        adverbs=("naprawdę", "często", "cierpliwie"),
        agent=MAN,
    ),
    "mężczyzna naprawdę nie czekał": did(
        "czekać", "intransitive", adverbs=("naprawdę",), agent=MAN, **NOT
    ),
    "kobieta, która powiedziała, że mężczyzna śpi, nie zasnęła": did(
        "zasnąć",
        "intransitive",
        agent=a(
            "kobieta",
            relative=did(
                "powiedzieć",
                "clausal",
                agent=RelativeGap("który"),
                content=replace(SLEEPING, agent=MAN),
            ),
        ),
        **NOT,
    ),
    "mężczyzna nie widział siebie i zasnął": replace(
        SAW,
        patient=ReflexiveParticipant(),
        also=did("zasnąć", "intransitive", agent=SharedSubject()),
        **NOT,
    ),
}


@pytest.mark.parametrize("text", SAYINGS)
def test_each_construction(text):
    assert said(SAYINGS[text]) == text
    assert from_json(to_json(SAYINGS[text])) == SAYINGS[text]


def test_commas_lean_on_the_word_before():
    told = SAYINGS["kobieta, która śpi, widziała mężczyznę"]
    found = realize_event(told, POLISH)
    assert found.sentence.words == ("kobieta", ",", "która", "śpi", ",", "widziała", "mężczyznę")
    assert found.roles[1] == found.roles[4] == "agent.relative.comma"


@pytest.fixture(scope="module")
def wide():
    return made(WIDE)


@given(share=st.floats(0, 1, exclude_max=True))
def test_events_and_sentences_go_together(wide, share):
    number = int(share * wide.size)
    told = wide.event_at(number)
    [found] = generate_sentences(wide, np.array([number], object))
    assert realize_event(told, POLISH) == found
    assert from_json(to_json(told)) == told
    assert len(found.roles) == len(found.sentence.words)
    assert set(event_assertions(told, POLISH).values()) <= {"happens", "does not", "open"}


def test_commas_stand_around_clauses_and_nowhere_else(wide):
    for _, parts in draw_from_space(wide, 3000, even=True).chunks():
        for batch in parts:
            for spaced, text in zip(batch.spaced_words(), batch.texts(), strict=True):
                words = spaced.split()
                assert ",," not in text
                assert not text.endswith(",")
                assert spaced.split() == text.replace(",", " ,").split()
                for before, word in pairwise(words):
                    assert (before == ",") or (word != "że" and not word.startswith("któr")), text


NOUN = {e.lemma: e for e in POLISH.values("noun")}


@given(share=st.floats(0, 1, exclude_max=True))
def test_past_verbs_agree_with_their_subjects(wide, share):
    number = int(share * wide.size)
    told = wide.event_at(number)
    subject = told.patient if told.voice == "passive" else told.agent
    if told.tense == "past" and told.voice == "active" and not isinstance(subject, ParticipantPair):
        [found] = generate_sentences(wide, np.array([number], object))
        word = dict(zip(found.roles, found.sentence.words, strict=True))["predicate"]
        gender = next(i for i, g in enumerate(GENDERS_IN_ORDER) if g in NOUN[subject.noun].flags)
        end = ("ł", "ła", "ło", "li", "ły")[_CONCORD[int(subject.number == "plural"), gender]]
        assert word.endswith(end)


def test_objects_under_negation_are_genitive(wide):
    seen = 0
    for _, parts in draw_from_space(wide, 2000, even=True).chunks():
        for batch in parts:
            for told, found in zip(batch.events(), batch.sentences(), strict=True):
                if told.voice == "active" and isinstance(told.patient, EventParticipant):
                    word = dict(zip(found.roles, found.sentence.words, strict=True))["patient.noun"]
                    case = 1 if told.polarity == "negative" else 2
                    assert (
                        word
                        == NOUN[told.patient.noun].forms[
                            4 * (told.patient.number == "plural") + case
                        ]
                    )
                    seen += told.polarity == "negative"
    assert seen > 30


def test_subject_and_object_cannot_change_places():
    sisters = {"noun": ["kobieta", "siostra"], "number": "plural"}
    asked = {
        **WIDE,
        "at_most": {"relatives": 0},
        "require": [{"agent": sisters, "patient": sisters, "polarity": "positive"}],
    }
    asked["prohibit"] = [{"voice": "passive"}]
    with pytest.raises(DataProblem, match="cannot be met"):
        made(asked)
    assert made(asked, allow=["ambiguous case"]).size > 0


def test_genders_of_accusatives_in_the_lexicon():
    """The accusative of m1 is the genitive, in the plural too; of m2 in the singular only; that of
    m3 and n never.
    """
    for noun in POLISH.values("noun"):
        _, genitive, accusative, _, nominative_many, genitive_many, accusative_many, _ = noun.forms
        [gender] = noun.flags & set(GENDERS_IN_ORDER)
        assert accusative_many == (genitive_many if gender == "m1" else nominative_many), noun
        if gender in ("m3", "n"):
            assert accusative == noun.lemma
        elif gender == "m2" or (gender == "m1" and not noun.lemma.endswith("a")):
            assert accusative == genitive
        elif noun.lemma.endswith("a"):
            assert accusative == (noun.lemma[:-1] + ("ę" if noun.lemma != "królowa" else "ą"))


def test_every_form_is_of_one_word_only():
    owners = {
        (form, kind, entry.lemma)
        for kind, some in POLISH.lexicon.entries.items()
        for entry in some
        for form in entry.forms
    }
    assert len({form for form, _, _ in owners}) == len(owners)


def test_aspect_is_that_of_the_verb(wide):
    for number in range(0, wide.size, wide.size // 300):
        told = wide.event_at(number)
        verb = POLISH.values("verb")[POLISH.lexicon.number("verb", told.predicate, told.frame)]
        assert ("perfective" in verb.flags) == (told.aspect == "perfective")
        assert (told.tense, told.aspect) != ("present", "perfective")


def test_lines_say_where_words_begin(wide, tmp_path):
    drawn = draw_from_space(wide, 200, even=True)
    files.write_draw(tmp_path / "s.jsonl", drawn)
    for line in (tmp_path / "s.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        assert all(
            row["text"][start:].startswith(word)
            for start, word in zip(row["starts"], row["words"], strict=True)
        )
        assert from_json(row["event"])
        assert len(row["words"]) == len(row["roles"])


REFUSED = [
    (
        {"frames": ["ditransitive"]},
        "request.frames: Polish has no ditransitive verb in its lexicon",
    ),
    ({"modal": ["will"]}, "modal 'will' is not there in Polish"),
    ({"nouns": ["man"]}, "no noun 'man' in the lexicon"),
    ({"relativiser": ["that"]}, "request.relativiser: 'that' is not there; there are który"),
]


@pytest.mark.parametrize(("asked", "message"), REFUSED, ids=[m for _, m in REFUSED])
def test_what_polish_lacks_is_named(asked, message):
    with pytest.raises(DataProblem, match=message):
        made({"language": "polish", **asked})


def test_a_noun_without_gender_is_named(tmp_path):
    line = "noun\tkrowa\tkrowy krowę krową krowy krów krowy krowami\tanimal\t-\thigh"
    (tmp_path / "l.tsv").write_text(f"{_HEADER}\n{line}\n", "utf-8")
    with pytest.raises(
        DataProblem, match="the noun 'krowa' has one flag of m1, m2, m3, f, n, not 0"
    ):
        polish(tmp_path / "l.tsv")


def test_polish_is_counted_at_once():
    found = made({"language": "polish"})
    assert found.size > 10**9
    assert len(set(ShapeBatch.texts(next(iter(draw_from_space(found, 50).chunks()))[1][0]))) > 0
