"""Counting, numbering and what may not be: against plain enumeration and against the rules
themselves.
"""

from __future__ import annotations

import time
from itertools import product

import numpy as np
import pytest
from asked import EVERYTHING, PAPER, SMALL, made
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.data.core import DataProblem
from lingprobe_extensions.compose.events.batch import generate_sentences, realize_event
from lingprobe_extensions.compose.events.english import english
from lingprobe_extensions.compose.events.grammar import (
    REQUEST_VOICES,
    GrammarLimits,
    StructureInventory,
    list_shapes,
)
from lingprobe_extensions.compose.events.meaning import VERB_FRAMES, SentenceEvent
from lingprobe_extensions.compose.events.patterns import find_boxes, parse_pattern
from lingprobe_extensions.compose.events.request import parse_generation_request
from lingprobe_extensions.compose.events.space import make_space

ENGLISH = english()


@pytest.fixture(scope="module")
def paper():
    return made(PAPER)


@pytest.fixture(scope="module")
def everything():
    return made(EVERYTHING)


def listed(found):
    return [s.sentence.text for s in generate_sentences(found, np.arange(found.size))]


def test_every_number_is_another_sentence():
    found = made(SMALL)
    texts = listed(found)
    assert len(texts) == found.size == len(set(texts))


def by_hand(cell, asked) -> int:
    """The sentences of a cell, counted by trying every value of every variable."""
    problem = cell.problem
    options = [
        [i for i in range(problem.domain[v.path].bit_length()) if problem.domain[v.path] >> i & 1]
        for v in problem.variables
    ]
    total = 0
    for values in product(*options):
        row = dict(zip((v.path for v in problem.variables), values, strict=True))
        inside = [
            all(mask >> row[path] & 1 for path, mask in box.items()) for box in problem.forbidden
        ]
        reached = [
            any(all(mask >> row[path] & 1 for path, mask in box.items()) for box in some)
            for some in problem.required
        ]
        rivals = [
            [row[v.path] for v in problem.variables if v.kind == kind]
            for kind in ("noun", "verb", "adjective")
        ]
        total += not any(inside) and all(reached) and all(len(set(r)) == len(r) for r in rivals)
    return total


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"require": [{"predicate": "follow", "agent": {"noun": "man"}}]},
        {
            "require": [{"agent": {"noun": ["man", "cat"]}}, {"polarity": "negative"}],
            "prohibit": [{"aspect": "progressive"}],
        },
        {"require_words": ["cat"], "prohibit": [{"in": "main", "event": {"predicate": "sleep"}}]},
        {
            "matched_number": True,
            "number": ["singular", "plural"],
            "polarity": ["positive"],
            "aspect": ["simple"],
            "determiner": ["the"],
        },
    ],
    ids=["plain", "required", "required and prohibited", "words", "matched"],
)
def test_counts_are_those_of_plain_enumeration(more):
    found = made(SMALL, more)
    assert [cell.size for cell in found.cells] == [by_hand(cell, more) for cell in found.cells]
    assert len(set(listed(found))) == found.size


def test_a_structure_with_one_way_left_is_decoded_to_that_way():
    found = made(
        EVERYTHING,
        require=[
            {
                "in": "main",
                "event": {"frame": "intransitive", "agent": {"noun": "cat", "relative": {}}},
            }
        ],
    )
    for said in generate_sentences(found, np.arange(0, found.size, found.size // 400)):
        assert "cat who" not in said.sentence.text
        assert "cats who" not in said.sentence.text


TWO = {
    "nouns": ["man", "woman"],
    "verbs": {"transitive": ["help"], "intransitive": ["fall", "sleep"]},
    "aspect": ["simple", "perfect"],
    "modal": ["will"],
    "adverbs": ["often"],
    "voices": ["active", "passive without agent"],
    "at_most": {"relatives": 0, "conjuncts": 1, "adverbs": 1},
    "require": [{"also": {}}],
}


def test_a_second_verb_shares_nothing_but_the_subject():
    found = made(TWO)
    texts = listed(found)
    assert len(set(texts)) == found.size
    for first, second in (text.split(" and ") for text in texts):
        alone = second.split()[0] in ("fall", "fell", "sleep", "slept", "help", "helped")
        assert not (
            alone
            and first.split()[2] in ("will", "does", "do", "did")
            and second.split()[0] in ("fall", "sleep", "help")
        ), first
        assert not (alone and "have" in first and second.split()[0] in ("slept", "helped")), (
            first,
            second,
        )
        assert not ("will" in first and second.startswith("have")), (first, second)
        assert first.split()[2] != "often", first
    assert "the men did not help the women and often fell" in texts
    assert "the man does not sleep and falls" in texts
    assert "the men have slept and fell" in texts


def test_and_never_follows_a_relative_clause_or_a_content():
    """In "the man helped the woman that slept and fell" it could be she who fell."""
    bounds = GrammarLimits(relatives=2, complements=1, conjuncts=1, together=3)
    some = [
        shape
        for shape in list_shapes(
            StructureInventory(frames=VERB_FRAMES, voices=REQUEST_VOICES, bounds=bounds)
        )
        if shape.also is not None
    ]
    assert len(some) > 500
    for shape in some:
        assert shape.content is None
        assert not (
            shape.voice == shape.also.voice == "passive"
            and shape.agent is None
            and shape.also.agent is not None
        )
        assert all(
            getattr(getattr(shape, role), "relative", None) is None for role in shape.order[1:]
        )


def test_relative_clauses_with_two_verbs_are_of_subjects():
    for shape in list_shapes(StructureInventory(bounds=GrammarLimits(relatives=1, conjuncts=1))):
        for role in (shape.also or shape).order[1:]:
            assert (
                getattr(getattr(getattr(shape.also or shape, role), "relative", None), "also", None)
                is None
            )


def test_nothing_forbidden_is_said(everything):
    rng = np.random.default_rng(0)
    for cell in everything.cells:
        values = cell.values([int(rng.random() * cell.size) for _ in range(40)])
        for box in cell.problem.forbidden:
            inside = np.ones(40, bool)
            for path, mask in box.items():
                inside &= np.array([mask >> int(v) & 1 for v in values[path]], bool)
            assert not inside.any(), (cell.placed.shape, box)


def test_the_example_of_a_count():
    """Ettinger et al.'s system could not exhaust a cell of 67,200: 210 triples of nouns, 20 pairs
    of verbs, 16 forms.
    """
    one = {
        "frame": "transitive",
        "tense": "past",
        "aspect": "simple",
        "polarity": "positive",
        "voice": "active",
    }
    plain = {"noun": PAPER["nouns"], "relative": None}
    needed = {
        "frame": "transitive",
        "agent": {"relative": {**one, "agent": {"gap": True}, "patient": plain}},
        "patient": plain,
    }
    found = made(PAPER, number=["singular"], require=[{"in": "main", "event": needed}])
    assert found.size == 67_200


def test_counting_is_quick_and_exact(everything):
    start = time.process_time()
    found = made({})
    assert time.process_time() - start < 1
    assert found.size > 10**12
    assert everything.size > 10**18
    assert isinstance(everything.event_at(everything.size - 1), SentenceEvent)


def test_numbers_outside_are_refused(paper):
    for number in (-1, paper.size):
        with pytest.raises(DataProblem, match="numbers go from 0 to"):
            paper.event_at(number)


@given(share=st.floats(0, 1, exclude_max=True))
def test_events_and_sentences_go_together(everything, share):
    number = int(share * everything.size)
    told = everything.event_at(number)
    [said] = generate_sentences(everything, np.array([number], object))
    assert realize_event(told, ENGLISH) == said


@pytest.fixture(scope="module")
def constrained():
    pattern = {"predicate": "help", "agent": {"noun": "student", "number": "singular"}}
    return made(
        PAPER,
        require=[pattern],
        prohibit=[{"voice": "passive", "polarity": "negative"}],
        require_words=["doctor"],
    )


@given(share=st.floats(0, 1, exclude_max=True))
def test_required_and_prohibited_hold(constrained, share):
    found = constrained
    told = found.event_at(int(share * found.size))
    text = realize_event(told, ENGLISH).sentence.text
    assert any(f"{word} " in f"{text} " for word in ("help", "helps", "helped", "helping"))
    assert "student" in text
    assert "doctor" in text
    assert not passive_negative(told)


def passive_negative(told: SentenceEvent) -> bool:
    inner = [getattr(a, "relative", None) for a in (told.agent, told.patient)]
    return (told.voice, told.polarity) == ("passive", "negative") or any(
        passive_negative(e) for e in inner if e is not None
    )


def test_parts_of_a_space_add_up(paper):
    parts = [paper.having(parse_pattern({"polarity": p}, "p")) for p in ("positive", "negative")]
    assert sum(part.size for part in parts) == paper.size


def test_a_pattern_sees_a_gap_as_what_fills_it(paper):
    told = {"predicate": "help", "agent": {"noun": "student"}}
    some = [
        c.placed for c in paper.cells if find_boxes(parse_pattern(told, "p"), c.placed, ENGLISH)
    ]
    found = made(PAPER, require=[told])
    texts = {
        s.sentence.text
        for s in generate_sentences(found, np.arange(0, found.size, found.size // 300))
    }
    assert some
    assert any(
        "student that helped" in text
        or "student that helps" in text
        or "student that is helping" in text
        for text in texts
    )


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            {"require": [{"predicate": "help"}], "prohibit_words": ["help"]},
            "require.0 cannot be met with these words",
        ),
        (
            {
                "require": [{"in": "main", "event": {"tense": "past"}}, {"voice": "active"}],
                "prohibit": [{"tense": "past"}],
            },
            "require.0 and prohibit.0 cannot be met together",
        ),
        ({"require_words": ["cat"]}, "require_words 'cat' cannot be met"),
        (
            {"nouns": ["cat"], "verbs": ["recommend"]},
            r"leave nothing; what would help: other nouns \(nouns, classes, bands\)",
        ),
        (
            {"frames": ["clausal"]},
            'a clausal verb takes a clause: set "complements" in at_most to 1',
        ),
        (
            {"frames": ["ditransitive"]},
            (
                r"help: other nouns \(nouns, classes, bands\) with other verbs \(verbs, bands,"
                r" frames\)$"
            ),
        ),
        (
            {
                "matched_number": True,
                "require": [{"agent": {"number": "plural"}, "patient": {"number": "singular"}}],
            },
            "require.0 and matched",
        ),
    ],
    ids=["word", "two", "absent", "nothing", "clausal", "ditransitive", "number"],
)
def test_an_unsatisfiable_request_says_what_clashes(more, message):
    with pytest.raises(DataProblem, match=message):
        made(PAPER, more)


def test_a_request_without_end_is_refused_at_once():
    start = time.process_time()
    with pytest.raises(DataProblem, match="more than 5,000 structures; lower at_most"):
        made(
            EVERYTHING,
            relatives={"depth": 4},
            at_most={"relatives": 8, "adjectives": 8, "modifiers": 8, "complements": 8, "pairs": 8},
        )
    assert time.process_time() - start < 5


def test_default_request_is_the_papers():
    found = make_space(parse_generation_request(PAPER))
    assert len(found.cells) == 23


def test_a_request_with_too_large_diagrams_is_refused(monkeypatch):
    monkeypatch.setattr("lingprobe_extensions.compose.events.space._LARGEST", 100)
    with pytest.raises(DataProblem, match="needs diagrams of more than 100 edges; lower at_most"):
        made(PAPER)
