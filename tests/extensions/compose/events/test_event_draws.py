"""Draws without replacement: permutations, shares, seeds, and what is written."""

from __future__ import annotations

import json
import time
from collections import Counter

import numpy as np
import pytest
from asked import EVERYTHING, PAPER, SMALL, made
from hypothesis import given, settings
from hypothesis import strategies as st

from lingprobe.data.core import DataProblem
from lingprobe_extensions.compose.events import files
from lingprobe_extensions.compose.events.batch import ShapeBatch, map_in_order
from lingprobe_extensions.compose.events.draw import KeyedPermutation, draw_from_space
from lingprobe_extensions.compose.events.english import english
from lingprobe_extensions.compose.events.meaning import from_json, to_json


def texts(drawn, size=1 << 15):
    return [t for n, parts in drawn.chunks(size) for t in map_in_order(parts, n, ShapeBatch.texts)]


@given(size=st.integers(1, 3000), key=st.integers(0, 2**31))
def test_a_permutation_is_one(size, key):
    assert sorted(KeyedPermutation(size, (key,))(np.arange(size)).tolist()) == list(range(size))


@given(start=st.integers(0, 2**70 - 50), size=st.sampled_from([2**70, 2**119 + 7, 2**200 + 1]))
def test_permutations_of_more_than_arrays_hold(start, size):
    found = KeyedPermutation(size, (3,))(np.array(range(start, start + 40), object))
    assert len(set(found)) == 40
    assert all(0 <= number < size for number in found)
    assert max(found) > size // 4  # the chance of a miss is that of forty tails


def test_the_two_ways_of_permuting_need_no_luck():
    for size in (2, 3, 2**20 + 1, 2**61):
        numbers = KeyedPermutation(size, (1, 2))(np.arange(min(size, 1000)))
        assert len(set(numbers.tolist())) == min(size, 1000)
        assert numbers.max() < size


@pytest.mark.parametrize("size", [5, 1000, 2**20 + 1, 2**61 + 3, 2**63 + 5, 2**119 + 7])
def test_numbers_go_where_they_go_whether_few_or_many_are_asked_for(size):
    order, positions = KeyedPermutation(size, (4, 5)), np.arange(min(size, 200)).astype(object)
    many = order(positions)
    few = [order(positions[i : i + 7]) for i in range(0, len(positions), 7)]
    assert {part.dtype for part in few} == {many.dtype}
    assert np.concatenate(few).tolist() == many.tolist()


def test_exhausting_a_request_gives_each_sentence_once():
    found = made(SMALL)
    assert len(set(texts(draw_from_space(found)))) == found.size


def test_67_200_sentences_in_two_seconds():
    one = {
        "frame": "transitive",
        "tense": "past",
        "aspect": "simple",
        "polarity": "positive",
        "voice": "active",
    }
    needed = {
        "frame": "transitive",
        "agent": {"relative": {**one, "agent": {"gap": True}, "patient": {"relative": None}}},
    }
    found = made(PAPER, number=["singular"], require=[{"in": "main", "event": needed}])
    start = time.process_time()
    said = texts(draw_from_space(found))
    assert time.process_time() - start < 2
    assert len(set(said)) == len(said) == 67_200


def test_a_seed_is_a_draw_and_chunks_do_not_matter():
    found = made(PAPER)
    first = texts(draw_from_space(found, 500, seed=1))
    assert first == texts(draw_from_space(found, 500, seed=1), 77)
    # a larger draw begins with the smaller one
    assert first == texts(draw_from_space(found, 900, seed=1))[:500]
    assert len(set(first) & set(texts(draw_from_space(found, 500, seed=2)))) < 5


def test_draws_are_uniform():
    found = made(SMALL)
    sizes = Counter(cell.placed for cell in found.cells for _ in range(cell.size))
    drawn = Counter(
        p.placed
        for _, parts in draw_from_space(made(SMALL), found.size // 2, 5).chunks()
        for p in parts
        for _ in p.places
    )
    for placed, n in sizes.items():
        assert abs(drawn[placed] - n / 2) < 5 * n**0.5


def test_priors_are_met_exactly():
    priors = {
        "polarity": {"negative": 0.2, "positive": 0.8},
        "agent.number": {"singular": 3, "plural": 1},
    }
    drawn = draw_from_space(made(PAPER), 1000, priors=priors)
    events = [e for _, parts in drawn.chunks(300) for p in parts for e in p.events()]
    assert Counter((e.polarity, e.agent.number) for e in events) == {
        ("negative", "singular"): 150,
        ("negative", "plural"): 50,
        ("positive", "singular"): 600,
        ("positive", "plural"): 200,
    }
    assert len(set(events)) == 1000


@pytest.fixture(scope="module")
def everything():
    return made(EVERYTHING)


def structures(drawn):
    return Counter(p.placed for _, parts in drawn.chunks() for p in parts for _ in p.places)


def test_structures_can_be_even(everything):
    seen = structures(draw_from_space(everything, len(everything.cells) * 3, even=True))
    assert set(seen.values()) == {3}
    assert len(seen) == len(everything.cells)


@given(st.integers(1, 2000), st.integers(0, 99))
@settings(max_examples=10)
def test_structures_are_even_however_many_sentences_are_asked_for(everything, n, seed):
    seen = structures(draw_from_space(everything, n, seed, even=True))
    assert seen.total() == n
    assert max(seen.values()) - min(seen[cell.placed] for cell in everything.cells) <= 1


def test_fewer_sentences_than_structures_are_of_structures_of_any_size(everything):
    order = [cell.placed for cell in sorted(everything.cells, key=lambda cell: cell.size)]
    ranks = [
        order.index(placed) / len(order)
        for placed in structures(draw_from_space(everything, 60, even=True))
    ]
    assert len(ranks) == 60
    assert 0.35 < sum(ranks) / 60 < 0.65
    assert draw_from_space(everything, 60, 1, even=True) != draw_from_space(
        everything, 60, 2, even=True
    )


def test_what_small_structures_cannot_give_the_others_do():
    found = made(SMALL)
    sizes = {cell.placed: cell.size for cell in found.cells}
    seen = structures(draw_from_space(found, found.size - 1, even=True))
    assert sum(sizes[placed] - n for placed, n in seen.items()) == 1


@pytest.mark.parametrize(
    ("n", "priors", "message"),
    [
        (0, None, "ask for at least 1"),
        (10**9, None, "1,000,000,000 sentences are asked for, the request has 26,572,896"),
        (
            100,
            {"polarity": {"negative": 1}},
            "13,286,448 of 26,572,896 sentences are none of negative",
        ),
        (
            10**7,
            {"frame": {"intransitive": 0.9, "transitive": 0.1}},
            "the priors ask for 9,000,000 sentences with frame=intransitive",
        ),
    ],
    ids=["none", "too many", "left out", "share"],
)
def test_impossible_sizes(n, priors, message):
    with pytest.raises(DataProblem, match=message):
        draw_from_space(made(PAPER), n, priors=priors)


def test_lines_say_what_the_sentences_are(tmp_path):
    found = made(EVERYTHING)
    drawn = draw_from_space(found, 400, seed=4, even=True)
    files.write_draw(tmp_path / "s.jsonl", drawn)
    events = [
        e for n, parts in drawn.chunks() for e in map_in_order(parts, n, lambda p: list(p.events()))
    ]
    lines = (tmp_path / "s.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == len(events) == 400
    assert list(tmp_path.iterdir()) == [tmp_path / "s.jsonl"]
    for line, told in zip(lines, events, strict=True):
        row = json.loads(line)
        assert row["event"] == to_json(told)
        assert from_json(row["event"]) == told
        assert len(row["words"]) == len(row["starts"]) == len(row["roles"])
        assert all(
            row["text"][start:].startswith(word)
            for start, word in zip(row["starts"], row["words"], strict=True)
        )


def test_a_failed_write_leaves_nothing(tmp_path):
    def fail(n: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        files.write_draw(tmp_path / "s.jsonl", draw_from_space(made(SMALL)), progress=fail)
    assert not list(tmp_path.iterdir())


def test_english_is_read_once():
    assert english() is english()
