"""Requests that several tests share."""

from __future__ import annotations

import json
from typing import Any

from lingprobe_extensions.compose.events.request import parse_generation_request
from lingprobe_extensions.compose.events.space import SentenceSpace, make_space

PAPER: dict[str, Any] = {  # the vocabulary of Ettinger et al. 2018, section 5
    "nouns": ["professor", "student", "woman", "man", "doctor", "scientist", "lawyer"],
    "verbs": {
        "transitive": ["call", "help", "follow", "recommend", "meet"],
        "intransitive": ["dance", "sleep"],
    },
}
EVERYTHING: dict[str, Any] = {
    "classes": ["person", "animal", "thing", "food", "text"],
    "frames": ["intransitive", "transitive", "ditransitive", "clausal"],
    "voices": ["active", "passive", "passive without agent"],
    "relatives": {"voices": ["active", "passive", "passive without agent"]},
    "modal": ["will", "might", "should"],
    "aspect": ["simple", "progressive", "perfect", "perfect progressive"],
    "determiner": ["the", "a", "some", "every", "no", "this", "these", "not one"],
    "relativiser": ["that", "who"],
    "at_most": {
        "relatives": 1,
        "adjectives": 1,
        "modifiers": 1,
        "complements": 1,
        "pairs": 1,
        "conjuncts": 1,
        "reflexives": 1,
        "together": 1,
        "adverbs": 2,
    },
}
SMALL: dict[str, Any] = {
    "nouns": ["man", "woman", "cat"],
    "verbs": ["follow", "know", "sleep"],
    "classes": ["person", "animal"],
    "tense": ["past"],
    "aspect": ["simple", "progressive"],
    "number": ["singular"],
    "determiner": ["the", "every"],
    "relativiser": ["that", "who"],
    "voices": ["active"],
    "relatives": {"voices": ["active"], "gaps": ["subject"], "frames": ["transitive"]},
}


def made(*parts: dict[str, Any], **more: Any) -> SentenceSpace:
    """The space of a request put together from parts."""
    whole: dict[str, Any] = {}
    for part in (*parts, more):
        whole |= json.loads(json.dumps(part))
    return make_space(parse_generation_request(whole))
