"""A check is worth what it catches: faults are put into the generator, or into what it writes, and each must be told."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import pytest

from sonde.sources.events import english_columns
from sonde.sources.events.batch import Batch, in_order
from sonde.sources.events.draw import draw
from sonde.sources.events.english_verbs import Group, group
from sonde.sources.events.render import layout
from sonde.sources.events.request import request
from sonde.sources.events.space import space
from sonde.sources.readings.compare import disagreements

ENGLISH = {
    "frames": ["transitive"],
    "relatives": {"frames": ["transitive"]},
    "aspect": ["simple", "progressive", "perfect progressive"],
    "polarity": ["positive", "negative"],
    "at_most": {"relatives": 1, "adjectives": 1, "modifiers": 1, "adverbs": 1, "together": 1},
    "even_structures": True,
}
ONE = dict.fromkeys(("adjectives", "modifiers", "complements", "pairs", "conjuncts", "reflexives"), 1)
WIDE = {
    "frames": ["intransitive", "transitive", "ditransitive", "clausal"],
    "voices": ["active", "passive", "passive without agent"],
    "classes": ["person", "animal", "thing", "food", "text"],
    "modal": ["will", "might"],
    "aspect": ["simple", "progressive", "perfect", "perfect progressive"],
    "determiner": ["the", "a", "some", "every", "no", "not one", "these"],
    "relativiser": ["that", "who"],
    "at_most": {**ONE, "adverbs": 3, "together": 1},
    "even_structures": True,
}
POLISH = {
    "language": "polish",
    "frames": ["intransitive", "transitive", "clausal"],
    "tense": ["past", "present", "future"],
    "determiner": ["bare", "ten", "każdy"],
    "at_most": {**ONE, "adverbs": 3, "together": 1},
    "even_structures": True,
}


@pytest.fixture(autouse=True)
def fresh():
    """What is remembered of how shapes are said is forgotten, before a fault and after it."""
    remembered = (layout, english_columns._groups)
    for known in remembered:
        known.cache_clear()
    yield
    for known in remembered:
        known.cache_clear()


@cache
def drawn(asked, n):
    return draw(space(request(json.loads(asked))), n, seed=5, even=True)


def lines(asked, n):
    for size, parts in drawn(json.dumps(asked), n).chunks():
        yield from map(json.loads, in_order(parts, size, Batch.lines))


@pytest.mark.parametrize("asked", [ENGLISH, WIDE, POLISH], ids=["plain", "wide", "polish"])
def test_what_is_written_of_a_sentence_is_what_is_read_from_its_words(asked):
    for line in lines(asked, 400):
        assert disagreements(line, asked.get("language", "english")) == [], line["text"]


def changed(line, key, value):
    return {**line, key: value}


def swapped_in_the_event(line):
    event = line["event"]
    if event["voice"] == "passive":
        return changed(line, "event", {**event, "agent": event["patient"], "patient": event["agent"]})
    return line


def adjective_and_noun_exchanged(line):
    def other(path):
        if path.endswith(".adjectives.0"):
            return path.removesuffix("adjectives.0") + "noun"
        described = f"{path.removesuffix('noun')}adjectives.0"
        return described if path.endswith(".noun") and described in line["roles"] else path

    return changed(line, "roles", [other(path) for path in line["roles"]])


def agent_and_patient_exchanged_in_passives(line):
    names = {"agent": "patient", "patient": "agent"} if line["event"]["voice"] == "passive" else {}
    heads = (path.partition(".") for path in line["roles"])
    return changed(line, "roles", ["".join((names.get(first, first), dot, rest)) for first, dot, rest in heads])


def starts_off_by_one(line):
    return changed(line, "starts", [start + (i > 9) for i, start in enumerate(line["starts"])])


def relative_clause_moved_in_the_event(line):
    event = line["event"]
    agent, patient = dict(event["agent"]), dict(event["patient"])
    if "relative" in agent and not {"relative", "modifier"} & patient.keys():
        patient["relative"] = agent.pop("relative")
    return changed(line, "event", {**event, "agent": agent, "patient": patient})


WRITTEN = [
    swapped_in_the_event,
    adjective_and_noun_exchanged,
    agent_and_patient_exchanged_in_passives,
    starts_off_by_one,
    relative_clause_moved_in_the_event,
]


@pytest.mark.parametrize("fault", WRITTEN, ids=lambda fault: fault.__name__)
def test_a_fault_in_what_is_written_is_told(fault):
    touched = [wrong for line in lines(ENGLISH, 200) if (wrong := fault(line)) != line]
    assert len(touched) >= 20
    for wrong in touched:
        assert disagreements(wrong), wrong["text"]


number, phrase, clause, verb_group = (getattr(english_columns, name) for name in ("_number", "_phrase", "_clause", "_verb_group"))


def agreement_with_the_head(path, placed, language):
    head = path.removesuffix(".relative.agent")
    return number(head if head != path else path, placed, language)


def agreement_with_an_attractor(path, placed, language):
    inside = f"{path}.modifier.participant"
    return number(inside if any(p.path == inside for p in placed.phrases) else path, placed, language)


def not_after_the_second_auxiliary(form, voice, plural):
    before, after, verb = group(form, voice, plural)
    if form.polarity == "negative" and after:
        return Group(before[:-1], (after[0], before[-1], *after[1:]), verb)
    return Group(before, after, verb)


def form_of_the_main_clause(at, placed, language):
    main = placed.clauses[0]
    for column in verb_group(at, placed, language):
        keys = (key._replace(path="form") if key.path == f"{at.prefix}form" and at != main else key for key in column.keys)
        yield replace(column, keys=tuple(keys))


def roles_swapped(path, told, placed, language):
    paths = {p.path: p.phrase for p in placed.phrases}
    other = {"agent": "patient", "patient": "agent"}.get(path, path)
    yield from phrase(other if paths.get(other) == told else path, told, placed, language)


def relative_clause_moved(path, told, placed, language):
    agent = next(p.phrase for p in placed.phrases if p.path == "agent")
    moved = agent.relative is not None and placed.shape.voice == "active"
    yield from phrase(path, replace(told, relative=None) if moved and path == "agent" else told, placed, language)
    if moved and path == "patient":
        yield from clause(placed.clause("agent.relative."), placed, language)


SAID = {
    agreement_with_the_head: "_number",
    agreement_with_an_attractor: "_number",
    not_after_the_second_auxiliary: "group",
    form_of_the_main_clause: "_verb_group",
    roles_swapped: "_phrase",
    relative_clause_moved: "_phrase",
}


@pytest.mark.parametrize("fault", SAID, ids=lambda fault: fault.__name__)
def test_a_fault_in_how_events_are_said_is_told(fault, monkeypatch):
    right = {json.dumps(line["event"]): line["text"] for line in lines(ENGLISH, 400)}
    layout.cache_clear()
    english_columns._groups.cache_clear()
    monkeypatch.setattr(english_columns, SAID[fault], fault)
    touched = [line for line in lines(ENGLISH, 400) if line["text"] != right[json.dumps(line["event"])]]
    assert len(touched) >= 10
    for line in touched:
        assert disagreements(line), line["text"]
