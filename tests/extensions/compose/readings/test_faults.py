"""A check is worth what it catches: eleven faults are put into the generator, one by one, and the
check of its sentences must tell each.

The check is `benchmarks/readings.py`, run as from the command line; it must name the sentences that
a fault spoils, and no others."""

from __future__ import annotations

import importlib.util
import json
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from lingprobe_extensions.compose.events import batch, english_columns
from lingprobe_extensions.compose.events.batch import ShapeBatch, lay_out_shape, map_in_order
from lingprobe_extensions.compose.events.draw import draw_from_space
from lingprobe_extensions.compose.events.english_columns import (
    EnglishVerbGroup,
    build_english_group,
)
from lingprobe_extensions.compose.events.request import parse_generation_request
from lingprobe_extensions.compose.events.space import make_space

SOME = 400  # sentences
REQUEST = {
    "frames": ["transitive"],
    "relatives": {"frames": ["transitive"]},
    "aspect": ["simple", "progressive", "perfect progressive"],
    "polarity": ["positive", "negative"],
    "at_most": {"relatives": 1, "adjectives": 1, "modifiers": 1, "adverbs": 1, "together": 1},
    "even_structures": True,
}


def changed(line, key, value):
    return {**line, key: value}


def roles_swapped_in_events_of_passives(line):
    event = line["event"]
    if event["voice"] == "passive":
        return changed(
            line, "event", {**event, "agent": event["patient"], "patient": event["agent"]}
        )
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
    return changed(
        line, "roles", ["".join((names.get(first, first), dot, rest)) for first, dot, rest in heads]
    )


def starts_off_by_one_after_the_tenth_word(line):
    return changed(line, "starts", [start + (i > 9) for i, start in enumerate(line["starts"])])


def relative_clause_of_the_other_noun_in_events(line):
    event = line["event"]
    agent, patient = dict(event["agent"]), dict(event["patient"])
    if "relative" in agent and not {"relative", "modifier"} & patient.keys():
        patient["relative"] = agent.pop("relative")
    return changed(line, "event", {**event, "agent": agent, "patient": patient})


WRITTEN = [
    roles_swapped_in_events_of_passives,
    adjective_and_noun_exchanged,
    agent_and_patient_exchanged_in_passives,
    starts_off_by_one_after_the_tenth_word,
    relative_clause_of_the_other_noun_in_events,
]
written = batch._format_json_line
number, phrase, clause, verb_group = (
    getattr(english_columns, name)
    for name in ("_get_subject_number", "_phrase", "_clause", "_verb_group")
)


def agreement_with_the_head_in_object_relatives(path, placed, language):
    head = path.removesuffix(".relative.agent")
    return number(head if head != path else path, placed, language)


def agreement_with_an_attractor(path, placed, language):
    inside = f"{path}.modifier.participant"
    return number(
        inside if any(p.path == inside for p in placed.phrases) else path, placed, language
    )


def not_after_the_second_auxiliary(form, voice, plural):
    before, after, verb = build_english_group(form, voice, plural)
    if form.polarity == "negative" and after:
        return EnglishVerbGroup(before[:-1], (after[0], before[-1], *after[1:]), verb)
    return EnglishVerbGroup(before, after, verb)


def negation_and_form_of_the_main_clause_in_relative_clauses(at, placed, language):
    main = placed.clauses[0]
    for column in verb_group(at, placed, language):
        keys = (
            key._replace(path="form") if key.path == f"{at.prefix}form" and at != main else key
            for key in column.keys
        )
        yield replace(column, keys=tuple(keys))


def roles_swapped(path, told, placed, language):
    paths = {p.path: p.phrase for p in placed.phrases}
    other = {"agent": "patient", "patient": "agent"}.get(path, path)
    yield from phrase(other if paths.get(other) == told else path, told, placed, language)


def relative_clause_after_the_other_noun(path, told, placed, language):
    agent = next(p.phrase for p in placed.phrases if p.path == "agent")
    moved = agent.relative is not None and placed.shape.voice == "active"
    yield from phrase(
        path, replace(told, relative=None) if moved and path == "agent" else told, placed, language
    )
    if moved and path == "patient":
        yield from clause(placed.clause("agent.relative."), placed, language)


SAID = {
    agreement_with_the_head_in_object_relatives: "_get_subject_number",
    agreement_with_an_attractor: "_get_subject_number",
    not_after_the_second_auxiliary: "build_english_group",
    negation_and_form_of_the_main_clause_in_relative_clauses: "_verb_group",
    roles_swapped: "_phrase",
    relative_clause_after_the_other_noun: "_phrase",
}
FAULTS = [*SAID, *WRITTEN]


def injected(fault, monkeypatch):
    """The generator is made wrong: in how it says an event, or in what it writes of a sentence."""
    if fault in SAID:
        monkeypatch.setattr(english_columns, SAID[fault], fault)
    else:
        monkeypatch.setattr(
            batch, "_format_json_line", lambda *told: json.dumps(fault(json.loads(written(*told))))
        )


@pytest.fixture(autouse=True)
def fresh():
    """What is remembered of how shapes are said is forgotten, before a fault and after it."""
    forget()
    yield
    forget()


def forget():
    for known in (lay_out_shape, english_columns._groups):
        known.cache_clear()


@pytest.fixture(scope="module")
def bench():
    """The check as a module; what it draws is drawn once."""
    spec = importlib.util.spec_from_file_location(
        "readings_of_all", Path(__file__).parents[4] / "benchmarks" / "readings.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def drawn():
    return draw_from_space(make_space(parse_generation_request(REQUEST)), SOME, seed=5, even=True)


def lines(*_):
    """Sentences as the generator writes them now, whatever is wrong with it."""
    for size, parts in drawn().chunks():
        yield from map(json.loads, map_in_order(parts, size, ShapeBatch.lines))


@pytest.fixture(scope="module")
def right():
    """The same sentences, written by a generator without faults."""
    forget()
    return list(lines())


def checked(bench, monkeypatch, misses):
    """The exit code of the check, run on these sentences, and what it says of them."""
    monkeypatch.setattr(bench, "REQUESTS", {"english": {"plain": REQUEST}})
    monkeypatch.setattr(bench, "lines", lines)
    monkeypatch.setattr(sys, "argv", ["readings.py", "--n", str(SOME), "--misses", str(misses)])
    code = bench.main()
    return code, misses.read_text("utf-8").splitlines()


def test_there_are_eleven_faults():
    assert len(set(FAULTS)) == 11


def test_without_a_fault_nothing_is_told(bench, right, monkeypatch, tmp_path):
    assert checked(bench, monkeypatch, tmp_path / "misses.txt") == (0, [])
    assert list(lines()) == right


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_of_the_generator_is_told(fault, bench, right, monkeypatch, tmp_path):
    injected(fault, monkeypatch)
    spoilt = [wrong["text"] for wrong, line in zip(lines(), right, strict=True) if wrong != line]
    assert len(spoilt) >= 10
    code, misses = checked(bench, monkeypatch, tmp_path / "misses.txt")
    assert code == 1
    assert [miss.partition(": ")[0] for miss in misses] == spoilt


def test_the_check_as_it_comes_finds_nothing_in_either_language(bench, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["readings.py", "--n", "80"])
    assert bench.main() == 0
    assert capsys.readouterr().out.count("100.000 %  event among the readings") == 4
