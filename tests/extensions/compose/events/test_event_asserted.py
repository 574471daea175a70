"""What is asserted of each clause: by hand for each construction, and the same for one event and
for many.
"""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from asked import EVERYTHING, made
from hypothesis import given
from hypothesis import strategies as st

import lingprobe
from lingprobe_extensions.compose.events.assertions import (
    ASSERTION_STATUSES,
    event_assertions,
    find_assertions,
)
from lingprobe_extensions.compose.events.batch import build_shape_batches, realize_event
from lingprobe_extensions.compose.events.draw import draw_from_space
from lingprobe_extensions.compose.events.english import english
from lingprobe_extensions.compose.events.languages import load_language
from lingprobe_extensions.compose.events.meaning import (
    EventParticipant,
    RelativeGap,
    SentenceEvent,
    SharedSubject,
    from_json,
)

ENGLISH = english()
THE_MAN = EventParticipant("man", "singular", "the")
THE_WOMAN = EventParticipant("woman", "singular", "the")
SLEPT = SentenceEvent("sleep", "intransitive", "past", "simple", "positive", agent=THE_MAN)
HELPED = SentenceEvent(
    "help", "transitive", "past", "simple", "positive", agent=THE_MAN, patient=THE_WOMAN
)
NOT_HELPED = replace(HELPED, polarity="negative")
MIGHT_HELP = replace(HELPED, tense=None, modal="might")
WHO_SLEPT = replace(SLEPT, agent=RelativeGap("that"))
ALSO_SLEPT = replace(SLEPT, agent=SharedSubject())
WHO_DID_NOT = replace(WHO_SLEPT, polarity="negative")


def some(
    determiner: str, noun: str = "woman", relative: SentenceEvent | None = None
) -> EventParticipant:
    return EventParticipant(noun, "singular", determiner, relative=relative)


def told_by(verb: str, content: SentenceEvent = SLEPT, **more) -> SentenceEvent:
    return replace(
        SentenceEvent(
            verb, "clausal", "past", "simple", "positive", agent=THE_WOMAN, content=content
        ),
        **more,
    )


CASES = {
    "the man slept": (SLEPT, {"": "happens"}),
    "the man did not help the woman": (NOT_HELPED, {"": "does not"}),
    "the man might help the woman": (MIGHT_HELP, {"": "open"}),
    "no woman slept": (replace(SLEPT, agent=some("no")), {"": "does not"}),
    "the man helped no woman": (replace(HELPED, patient=some("no")), {"": "does not"}),
    "every man helped no woman": (
        replace(HELPED, agent=some("every", "man"), patient=some("no")),
        {"": "open"},
    ),
    "the man did not really help the woman": (
        replace(NOT_HELPED, adverbs=("really",)),
        {"": "does not"},
    ),
    "the man did not always help the woman": (
        replace(NOT_HELPED, adverbs=("always",)),
        {"": "open"},
    ),
    "the man did not quietly help the woman": (
        replace(NOT_HELPED, adverbs=("quietly",)),
        {"": "open"},
    ),
    "the man did not really often help the woman": (
        replace(NOT_HELPED, adverbs=("really", "often")),
        {"": "open"},
    ),
    "no man quietly slept": (
        replace(SLEPT, agent=some("no", "man"), adverbs=("quietly",)),
        {"": "open"},
    ),
    "the man often slept": (replace(SLEPT, adverbs=("often",)), {"": "happens"}),
    "the man that did not often sleep helped the woman": (
        replace(HELPED, agent=some("the", "man", replace(WHO_DID_NOT, adverbs=("often",)))),
        {"": "happens", "agent.relative.": "open"},
    ),
    "the man did not often help a woman that slept": (
        replace(NOT_HELPED, adverbs=("often",), patient=some("a", relative=WHO_SLEPT)),
        {"": "open", "patient.relative.": "open"},
    ),
    "no man helped every woman": (
        replace(HELPED, agent=some("no", "man"), patient=some("every")),
        {"": "open"},
    ),
    "no man did not help the woman": (replace(NOT_HELPED, agent=some("no", "man")), {"": "open"}),
    "the man did not help every woman": (replace(NOT_HELPED, patient=some("every")), {"": "open"}),
    "every man did not help the woman": (
        replace(NOT_HELPED, agent=some("every", "man")),
        {"": "open"},
    ),
    "a man did not help the woman": (replace(NOT_HELPED, agent=some("a", "man")), {"": "does not"}),
    "the man did not help the woman that slept": (
        replace(NOT_HELPED, patient=some("the", relative=WHO_SLEPT)),
        {"": "does not", "patient.relative.": "happens"},
    ),
    "the man did not help a woman that slept": (
        replace(NOT_HELPED, patient=some("a", relative=WHO_SLEPT)),
        {"": "does not", "patient.relative.": "open"},
    ),
    "a woman that did not sleep was not helped by the man": (
        replace(NOT_HELPED, voice="passive", patient=some("a", relative=WHO_DID_NOT)),
        {"": "does not", "patient.relative.": "does not"},
    ),
    "no woman that slept was helped by the man": (
        replace(HELPED, voice="passive", patient=some("no", relative=WHO_SLEPT)),
        {"": "does not", "patient.relative.": "open"},
    ),
    "every woman that did not sleep was helped by the man": (
        replace(HELPED, voice="passive", patient=some("every", relative=WHO_DID_NOT)),
        {"": "happens", "patient.relative.": "open"},
    ),
    "no man helped a woman that slept": (
        replace(HELPED, agent=some("no", "man"), patient=some("a", relative=WHO_SLEPT)),
        {"": "does not", "patient.relative.": "open"},
    ),
    "the man might help the woman that slept": (
        replace(MIGHT_HELP, patient=some("the", relative=WHO_SLEPT)),
        {"": "open", "patient.relative.": "happens"},
    ),
    "the woman said that the man slept": (told_by("say"), {"": "happens", "content.": "open"}),
    "the woman knew that the man slept": (told_by("know"), {"": "happens", "content.": "happens"}),
    "the woman did not know that the man slept": (
        told_by("know", polarity="negative"),
        {"": "does not", "content.": "happens"},
    ),
    "the woman proved that the man slept": (
        told_by("prove"),
        {"": "happens", "content.": "happens"},
    ),
    "the woman did not prove that the man slept": (
        told_by("prove", polarity="negative"),
        {"": "does not", "content.": "open"},
    ),
    "the woman knew that the man did not help the king that slept": (
        told_by("know", replace(NOT_HELPED, patient=some("the", "king", WHO_SLEPT))),
        {"": "happens", "content.": "does not", "content.patient.relative.": "happens"},
    ),
    "the woman thought that the man helped the king that slept": (
        told_by("think", replace(HELPED, patient=some("the", "king", WHO_SLEPT))),
        {"": "happens", "content.": "open", "content.patient.relative.": "open"},
    ),
    "the man did not help the woman and slept": (
        replace(NOT_HELPED, also=ALSO_SLEPT),
        {"": "does not", "also.": "happens"},
    ),
    "no man helped the woman and slept": (
        replace(HELPED, agent=some("no", "man"), also=ALSO_SLEPT),
        {"": "open", "also.": "open"},
    ),
    "every man helped the woman and did not sleep": (
        replace(HELPED, agent=some("every", "man"), also=replace(ALSO_SLEPT, polarity="negative")),
        {"": "happens", "also.": "open"},
    ),
    "no woman that helped the man and did not sleep met the king": (
        replace(
            HELPED,
            predicate="meet",
            agent=some(
                "no",
                relative=replace(
                    HELPED,
                    agent=RelativeGap("that"),
                    patient=THE_MAN,
                    also=replace(ALSO_SLEPT, polarity="negative"),
                ),
            ),
            patient=some("the", "king"),
        ),
        {"": "does not", "agent.relative.": "open", "agent.relative.also.": "open"},
    ),
}


@pytest.mark.parametrize("text", CASES)
def test_each_case(text):
    told, wanted = CASES[text]
    assert realize_event(told, ENGLISH).sentence.text == text
    assert event_assertions(told, ENGLISH) == wanted


@pytest.fixture(scope="module")
def everything():
    return made(EVERYTHING)


@given(start=st.floats(0, 1, exclude_max=True))
def test_many_are_as_each_of_them(everything, start):
    numbers = np.array(
        [
            (int(start * everything.size) + k * everything.size // 7) % everything.size
            for k in range(7)
        ],
        object,
    )
    for batch in build_shape_batches(everything, numbers):
        codes = find_assertions(batch.placed, batch.values, ENGLISH)
        for i, told in enumerate(batch.events()):
            assert {
                prefix: ASSERTION_STATUSES[found[i]] for prefix, found in codes.items()
            } == event_assertions(told, ENGLISH)


def test_everything_is_asserted_somewhere():
    found = dict.fromkeys(ASSERTION_STATUSES, 0)
    plain = made(EVERYTHING, at_most={**EVERYTHING["at_most"], "adverbs": 0})
    for _, parts in draw_from_space(plain, 2000, even=True).chunks():
        for batch in parts:
            for codes in find_assertions(batch.placed, batch.values, ENGLISH).values():
                for name, n in zip(
                    ASSERTION_STATUSES, np.bincount(codes, minlength=3), strict=True
                ):
                    found[name] += int(n)
    assert min(found.values()) > 100


@pytest.mark.parametrize("language", ["english", "polish"])
def test_lines_say_what_is_asserted_where_that_is_asked_for(language, tmp_path):
    asked = {"language": language, "at_most": {"relatives": 1}}
    plain, told = tmp_path / "plain.jsonl", tmp_path / "told.jsonl"
    lingprobe.generate(asked, plain, n=200)
    lingprobe.generate(asked, told, n=200, asserted=True)
    values = load_language(language)
    lines = [json.loads(line) for line in told.read_text("utf-8").splitlines()]
    for line in lines:
        assert line.pop("asserted") == event_assertions(from_json(line["event"]), values)
    assert lines == [json.loads(line) for line in plain.read_text("utf-8").splitlines()]
