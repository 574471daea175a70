"""A generated sentence as it is written, compared with what is read from its words: all is well,
and no two words can change places.
"""

from __future__ import annotations

import json
from itertools import combinations

import pytest

from lingprobe_extensions.compose.events.batch import ShapeBatch, map_in_order
from lingprobe_extensions.compose.events.draw import draw_from_space
from lingprobe_extensions.compose.events.request import parse_generation_request
from lingprobe_extensions.compose.events.space import make_space
from lingprobe_extensions.compose.readings.gold import find_disagreements

ENGLISH = {
    "frames": ["transitive"],
    "relatives": {"frames": ["transitive"]},
    "aspect": ["simple", "progressive", "perfect progressive"],
    "polarity": ["positive", "negative"],
    "at_most": {"relatives": 1, "adjectives": 1, "modifiers": 1, "adverbs": 1, "together": 1},
    "even_structures": True,
}
ONE = dict.fromkeys(
    ("adjectives", "modifiers", "complements", "pairs", "conjuncts", "reflexives"), 1
)
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


def lines(asked, n):
    for size, parts in draw_from_space(
        make_space(parse_generation_request(asked)), n, seed=5, even=True
    ).chunks():
        yield from map(json.loads, map_in_order(parts, size, ShapeBatch.lines))


@pytest.mark.parametrize("asked", [ENGLISH, WIDE, POLISH], ids=["plain", "wide", "polish"])
def test_what_is_written_of_a_sentence_is_what_is_read_from_its_words(asked):
    for line in lines(asked, 400):
        assert find_disagreements(line, asked.get("language", "english")) == [], line["text"]


@pytest.mark.parametrize("asked", [WIDE, POLISH], ids=["wide", "polish"])
def test_roles_of_two_words_that_change_places_are_told(asked):
    changed = 0
    for line in lines(asked, 60):
        roles = line["roles"]
        for i, j in combinations(range(len(roles)), 2):
            if roles[i] != roles[j]:
                other = [*roles[:i], roles[j], *roles[i + 1 : j], roles[i], *roles[j + 1 :]]
                assert find_disagreements(
                    {**line, "roles": other}, asked.get("language", "english")
                ), (
                    line["text"],
                    roles[i],
                    roles[j],
                )
                changed += 1
    assert changed > 3000
