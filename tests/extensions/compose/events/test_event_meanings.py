"""Events as values, as JSON, and as the sentences that they lead to."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby

import numpy as np
import pytest
from asked import EVERYTHING, made
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.data.core import DataProblem
from lingprobe_extensions.compose.events.batch import generate_sentences, realize_event
from lingprobe_extensions.compose.events.english import english
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

ENGLISH = english()


def the(noun: str, number: str = "singular", **more) -> EventParticipant:
    return EventParticipant(noun, number, "the", **more)


def did(predicate: str, frame: str = "transitive", **more) -> SentenceEvent:
    return replace(SentenceEvent(predicate, frame, "past", "simple", "positive"), **more)


def said(told: SentenceEvent) -> str:
    return realize_event(told, ENGLISH).sentence.text


SLEEPING = did(
    "sleep", "intransitive", tense="present", aspect="progressive", agent=RelativeGap("who")
)
FIGURE_1 = did(
    "help",
    voice="passive",
    polarity="negative",
    agent=the("professor"),
    patient=the("student", relative=SLEEPING),
)  # Ettinger et al. 2018, Figure 1


def test_figure_1():
    found = realize_event(FIGURE_1, ENGLISH)
    assert found.sentence.text == "the student who is sleeping was not helped by the professor"
    assert dict(zip(found.sentence.words, found.roles, strict=True)) == {
        "the": "agent.determiner",
        "student": "patient.noun",
        "who": "patient.relative.agent.gap",
        "is": "patient.relative.auxiliary",
        "sleeping": "patient.relative.predicate",
        "was": "auxiliary",
        "not": "negation",
        "helped": "predicate",
        "by": "agent.marker",
        "professor": "agent.noun",
    }


MAN, WOMAN, GIRL, BOOK = the("man"), the("woman"), the("girl"), the("book")
SAW = did("see", agent=RelativeGap("that"), patient=WOMAN)
SLEPT = did("sleep", "intransitive", agent=MAN)
GIVE = did("give", "ditransitive", agent=MAN, recipient=GIRL, patient=BOOK)
SAYINGS = {
    "the man slept": did("sleep", "intransitive", agent=MAN),
    "the men were sleeping": did(
        "sleep", "intransitive", aspect="progressive", agent=the("man", "plural")
    ),
    "the man does not help the woman": did(
        "help", tense="present", polarity="negative", agent=MAN, patient=WOMAN
    ),
    "the women were being helped by the lawyers": did(
        "help",
        voice="passive",
        aspect="progressive",
        agent=the("lawyer", "plural"),
        patient=the("woman", "plural"),
    ),
    "the woman was not really helped": did(
        "help", voice="passive", polarity="negative", adverbs=("really",), patient=WOMAN
    ),
    "the man really often helped the woman": did(
        "help", adverbs=("really", "often"), agent=MAN, patient=WOMAN
    ),
    "the man might have been helping the woman": did(
        "help", tense=None, modal="might", aspect="perfect progressive", agent=MAN, patient=WOMAN
    ),
    "the scientist that the professors met is dancing": did(
        "dance",
        "intransitive",
        tense="present",
        aspect="progressive",
        agent=the(
            "scientist",
            relative=did("meet", agent=the("professor", "plural"), patient=RelativeGap("that")),
        ),
    ),
    "the doctors that helped the lawyers are being recommended by the student": did(
        "recommend",
        tense="present",
        aspect="progressive",
        voice="passive",
        agent=the("student"),
        patient=the(
            "doctor",
            "plural",
            relative=did("help", agent=RelativeGap("that"), patient=the("lawyer", "plural")),
        ),
    ),
    "the man that saw the woman has slept": did(
        "sleep", "intransitive", tense="present", aspect="perfect", agent=the("man", relative=SAW)
    ),
    "the man gave the girl the book": replace(GIVE, dative="object"),
    "the man gave the book to the girl": replace(GIVE, dative="to"),
    "the girl was given the book by the man": replace(GIVE, dative="object", voice="passive"),
    "the book was given to the girl by the man": replace(GIVE, dative="to", voice="passive"),
    "the book was given to the girl": replace(GIVE, dative="to", voice="passive", agent=None),
    "the man near the women sleeps": did(
        "sleep",
        "intransitive",
        tense="present",
        agent=the("man", modifier=ParticipantModifier("near", the("woman", "plural"))),
    ),
    "an honest man and a tall woman sleep": did(
        "sleep",
        "intransitive",
        tense="present",
        agent=ParticipantPair(
            (
                EventParticipant("man", "singular", "a", ("honest",)),
                EventParticipant("woman", "singular", "a", ("tall",)),
            )
        ),
    ),
    "the woman that helped herself slept": did(
        "sleep",
        "intransitive",
        agent=the(
            "woman", relative=did("help", agent=RelativeGap("that"), patient=ReflexiveParticipant())
        ),
    ),
    "the lawyers help themselves": did(
        "help", tense="present", agent=the("lawyer", "plural"), patient=ReflexiveParticipant()
    ),
    "the man said that an actor slept": did(
        "say",
        "clausal",
        agent=MAN,
        content=did("sleep", "intransitive", agent=EventParticipant("actor", "singular", "a")),
    ),
    "no artist helped every uncle": did(
        "help",
        agent=EventParticipant("artist", "singular", "no"),
        patient=EventParticipant("uncle", "singular", "every"),
    ),
}


@pytest.mark.parametrize("text", SAYINGS)
def test_each_construction(text):
    assert said(SAYINGS[text]) == text
    assert from_json(to_json(SAYINGS[text])) == SAYINGS[text]


def test_one_thing_changed_is_a_minimal_pair():
    told = did("help", agent=MAN, patient=WOMAN)
    assert sorted(said(told).split()) == sorted(
        said(replace(told, agent=told.patient, patient=told.agent)).split()
    )


@pytest.fixture(scope="module")
def everything():
    return made(EVERYTHING)


@given(share=st.floats(0, 1, exclude_max=True))
def test_json_and_back_is_the_same(everything, share):
    told = everything.event_at(int(share * everything.size))
    assert from_json(to_json(told)) == told
    assert hash(told) == hash(from_json(to_json(told)))


def paths(value: object, path: str = "") -> set[str]:
    """Where the words of an event stand in its JSON."""
    found: set[str] = set()
    if isinstance(value, dict):
        for key, inner in value.items():
            found |= paths(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            found |= paths(inner, f"{path}.{i}")
    elif path.rpartition(".")[2] not in (
        "frame",
        "tense",
        "aspect",
        "polarity",
        "voice",
        "dative",
        "number",
        "shared",
    ):
        found.add(path)
    return found


SLEPT_ALSO = did("sleep", "intransitive", agent=SharedSubject())
DOCTOR = the("doctor")
JOINED = {
    "the man helped the woman and met the doctor": did(
        "help", agent=MAN, patient=WOMAN, also=did("meet", agent=SharedSubject(), patient=DOCTOR)
    ),
    "the men did not help the woman and are often met by the doctor": did(
        "help",
        polarity="negative",
        agent=the("man", "plural"),
        patient=WOMAN,
        also=did(
            "meet",
            tense="present",
            voice="passive",
            adverbs=("often",),
            agent=DOCTOR,
            patient=SharedSubject(),
        ),
    ),
    "the woman was not helped and slept": did(
        "help", polarity="negative", voice="passive", patient=WOMAN, also=SLEPT_ALSO
    ),
    "the woman that met the doctor and slept helped the man": did(
        "help",
        agent=the(
            "woman",
            relative=did("meet", agent=RelativeGap("that"), patient=DOCTOR, also=SLEPT_ALSO),
        ),
        patient=MAN,
    ),
    "the woman slept and helped herself": did(
        "sleep",
        "intransitive",
        agent=WOMAN,
        also=did("help", agent=SharedSubject(), patient=ReflexiveParticipant()),
    ),
    "the man slept and said that the woman met the doctor": did(
        "sleep",
        "intransitive",
        agent=MAN,
        also=did(
            "say",
            "clausal",
            agent=SharedSubject(),
            content=did("meet", agent=WOMAN, patient=DOCTOR),
        ),
    ),
}


@pytest.mark.parametrize("text", JOINED)
def test_two_verbs_of_one_subject(text):
    assert said(JOINED[text]) == text
    assert from_json(to_json(JOINED[text])) == JOINED[text]


MARKERS = ("auxiliary", "negation", "marker", "conjunction", "complementiser")


@given(share=st.floats(0, 1, exclude_max=True))
def test_every_word_of_an_event_is_said_once(everything, share):
    number = int(share * everything.size)
    told = to_json(everything.event_at(number))
    [found] = generate_sentences(everything, np.array([number], object))
    # "not one" is one determiner
    words = [role for role, _ in groupby(found.roles) if role.rpartition(".")[2] not in MARKERS]
    assert sorted(words) == sorted(paths(told))
    negations = sum(role.endswith("negation") for role in found.roles)
    assert negations == str(told).count("'polarity': 'negative'")


SINGULAR, PLURAL = {"is", "was", "has", "does"}, {"are", "were", "have", "do"}


@given(share=st.floats(0, 1, exclude_max=True))
def test_the_finite_verb_agrees_with_the_subject(everything, share):
    number = int(share * everything.size)
    told = everything.event_at(number)
    [found] = generate_sentences(everything, np.array([number], object))
    subject = (
        told.patient
        if told.voice == "passive" and told.dative != "object"
        else told.recipient
        if told.voice == "passive"
        else told.agent
    )
    plural = isinstance(subject, ParticipantPair) or subject.number == "plural"
    main = [
        w
        for w, role in zip(found.sentence.words, found.roles, strict=True)
        if role in ("modal", "auxiliary", "predicate")
    ]
    assert main[0] not in (SINGULAR if plural else PLURAL)
    if told.tense == "present" and len(main) == 1:
        assert main[0].endswith("s") != plural


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"colour": "red"}, "event: unknown key 'colour'"),
        (
            {"agent": {"noun": "man", "number": "dual", "determiner": "the"}},
            "event.agent.number: 'dual' is not one of singular, plural",
        ),
        ({"agent": {"noun": "man", "determiner": "the"}}, "event.agent: 'number' is missing"),
        ({"tense": None}, "event.tense: is a text"),
        ({"modal": "will"}, "event: give either a tense or a modal"),
        ({"adverbs": "really"}, "event.adverbs: is a list of words"),
        ({"agent": {"both": []}}, "event.agent.both: is a list of two participants"),
        ({"agent": 3}, "event.agent: is a JSON object"),
    ],
    ids=["key", "value", "missing", "null", "both", "list", "pair", "number"],
)
def test_what_is_wrong_is_named_with_its_path(change, message):
    told = {
        "predicate": "sleep",
        "frame": "intransitive",
        "tense": "past",
        "aspect": "simple",
        "polarity": "positive",
    }
    with pytest.raises(DataProblem, match=message):
        from_json({**told, **change})


@pytest.mark.parametrize(
    ("told", "message"),
    [
        (
            did("sleep", agent=MAN, patient=WOMAN),
            "the verb 'sleep' is not transitive: the lexicon has it as intransitive",
        ),
        (did("zzz", agent=MAN, patient=WOMAN), "no verb 'zzz' in the lexicon"),
        (
            did("help", agent=the("mann"), patient=WOMAN),
            "no noun 'mann' in the lexicon; near it are man, manager",
        ),
        (
            did("help", agent=EventParticipant("man", "plural", "a"), patient=WOMAN),
            "English has no phrase 'plural a'",
        ),
        (
            did("help", tense="future", agent=MAN, patient=WOMAN),
            "English has no form 'future simple positive'",
        ),
        (
            did("help", adverbs=("often", "really"), agent=MAN, patient=WOMAN),
            "adverbs: English has no adverbs",
        ),
        (did("help", agent=MAN), "event: active transitive takes agent, patient; there is agent"),
        (
            did("give", "ditransitive", agent=MAN),
            "there is no active ditransitive with dative left out",
        ),
        (
            did(
                "help",
                agent=MAN,
                patient=the("woman", relative=did("sleep", "intransitive", agent=MAN)),
            ),
            "event.patient.relative: one participant",
        ),
        (
            did("sleep", "intransitive", agent=RelativeGap("that")),
            "event: only a relative clause has a gap",
        ),
        (
            SLEPT_ALSO,
            "event: only a relative clause has a gap, and only a second verb a shared subject",
        ),
        (
            replace(SLEPT, also=SLEPT),
            "event.also: of a second verb the subject, and nothing else, is shared",
        ),
        (
            replace(SLEPT, also=did("help", agent=MAN, patient=SharedSubject())),
            "event.also: of a second verb the subject",
        ),
        (
            replace(SLEPT, also=replace(SLEPT_ALSO, also=SLEPT_ALSO)),
            "event: two verbs at most share a subject",
        ),
    ],
    ids=[
        "frame",
        "verb",
        "noun",
        "determiner",
        "tense",
        "order of adverbs",
        "role",
        "dative",
        "no gap",
        "gap",
        "shared",
        "own",
        "object",
        "three",
    ],
)
def test_what_a_language_lacks_is_named(told, message):
    with pytest.raises(DataProblem, match=message):
        realize_event(told, ENGLISH)
