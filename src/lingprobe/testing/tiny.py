"""Tiny data sets of every family, from ten-word sentences that a template of ours writes.

Each is a function of (sizes, seed) and returns a Dataset in which every split has its own
sentences, so that whatever works on `TINY_DATASET_FAMILIES` works on a label about a sentence,
asked words, one span, two spans, and a pair with a score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from lingprobe.data.core import DATA_SPLITS, Dataset, Example, Sentence, Site

_PEOPLE = ("teacher", "doctor", "farmer", "painter", "sailor", "baker", "lawyer", "singer")
_TRAITS = ("old", "young", "tall", "quiet", "clever", "happy")
_STEMS = (
    "prais",
    "follow",
    "visit",
    "help",
    "call",
    "paint",
    "warn",
    "thank",
    "remember",
    "answer",
)
_PLACES = (
    "in the garden",
    "near the bridge",
    "after the lesson",
    "at the market",
    "before the concert",
    "during the storm",
)

Sizes = tuple[int, int, int]


class TinyScene(NamedTuple):
    """Who did what to whom: the sentence and where its parts stand."""

    sentence: Sentence
    agent: str
    patient: str
    action: str
    past: bool
    place: str


def sentence(sizes: Sizes = (60, 20, 20), seed: int = 0) -> Dataset:
    """Is the verb past or present? One class a sentence, tagged with its verb and the majority
    feature.
    """
    rng = np.random.default_rng(seed)
    examples = []
    for split, scene in _scenes(rng, sizes, alternate=True):
        label = "PAST" if scene.past else "PRES"
        examples.append(
            Example.about(
                scene.sentence, label, split, verb=scene.action, **{"majority-feature": label}
            )
        )
    return Dataset.of(examples, {"family": "sentence", "written": len(examples)})


def asked_words(sizes: Sizes = (60, 20, 20), seed: int = 0) -> Dataset:
    """Does the asked person do the asked action? Two asked words, yes or no (Ettinger et al.
    2018).
    """
    rng = np.random.default_rng(seed)
    examples = []
    for number, (split, scene) in enumerate(_scenes(rng, sizes)):
        label = "yes" if number % 2 == 0 else "no"
        who = scene.agent if label == "yes" else scene.patient
        examples.append(
            Example(
                (Site(scene.sentence),),
                label,
                split,
                (who, scene.action),
                {"construction": "active"},
            )
        )
    return Dataset.of(examples, {"family": "asked"})


def span(sizes: Sizes = (60, 20, 20), seed: int = 0) -> Dataset:
    """What is the span? One span, a set of labels that is known in full."""
    rng = np.random.default_rng(seed)
    examples = []
    for number, (split, scene) in enumerate(_scenes(rng, sizes)):
        spans = (
            ((0, 3), {"person", "agent"}),
            ((3, 4), {"action"}),
            ((4, 7), {"person"}),
            ((7, 10), {"place"}),
        )
        where, labels = spans[number % len(spans)]
        examples.append(Example((Site(scene.sentence, where),), frozenset(labels), split))
    return Dataset.of(examples, {"family": "span"})


def spans(sizes: Sizes = (60, 20, 20), seed: int = 0) -> Dataset:
    """Which properties has the second span in the event of the first? Label weights, annotated in
    part (Tenney et al. 2019).
    """
    rng = np.random.default_rng(seed)
    examples = []
    for number, (split, scene) in enumerate(_scenes(rng, sizes)):
        agent = number % 2 == 0
        weights = {
            "volition": 1.0 if agent else 0.0,
            "affected": 0.25 if agent else 1.0,
            "exists": 1.0,
        }
        weights.pop(str(rng.choice(list(weights))))
        sites = (Site(scene.sentence, (3, 4)), Site(scene.sentence, (0, 3) if agent else (4, 7)))
        examples.append(
            Example(sites, weights, split, strata={"order": "before" if agent else "after"})
        )
    return Dataset.of(examples, {"family": "spans"})


def pair(sizes: Sizes = (60, 20, 20), seed: int = 0) -> Dataset:
    """How alike are two sentences, from 0 to 5? A score about a pair."""
    rng = np.random.default_rng(seed)
    examples = []
    for split, first in _scenes(rng, sizes):
        second = _scene(rng, first, past=first.past, keep=float(rng.random()))
        same = sum(a == b for a, b in zip(first.sentence.words, second.sentence.words, strict=True))
        examples.append(
            Example(
                (Site(first.sentence), Site(second.sentence)),
                same / len(first.sentence.words) * 5,
                split,
            )
        )
    return Dataset.of(examples, {"family": "pair"})


TINY_DATASET_FAMILIES: dict[str, Callable[..., Dataset]] = {
    "sentence": sentence,
    "asked": asked_words,
    "span": span,
    "spans": spans,
    "pair": pair,
}


def _scenes(
    rng: np.random.Generator, sizes: Sizes, alternate: bool = False
) -> Iterator[tuple[str, TinyScene]]:
    """As many distinct scenes as asked for, with the split of each; past and present in turn, or at
    random.
    """
    seen: set[tuple[str, ...]] = set()
    for split, size in zip(DATA_SPLITS, sizes, strict=True):
        for number in range(size):
            past = number % 2 == 0 if alternate else None
            scene = _scene(rng, past=past)
            while scene.sentence.words in seen:
                scene = _scene(rng, past=past)
            seen.add(scene.sentence.words)
            yield split, scene


def _scene(
    rng: np.random.Generator,
    like: TinyScene | None = None,
    *,
    past: bool | None = None,
    keep: float = 1.0,
) -> TinyScene:
    """A random scene; or one like another, each part of which is kept with a probability."""
    people = rng.choice(_PEOPLE, 2, replace=False).tolist()
    stem, place = str(rng.choice(_STEMS)), str(rng.choice(_PLACES))
    traits = rng.choice(_TRAITS, 2).tolist()
    if past is None:
        past = bool(rng.integers(2))
    if like is not None:
        kept = (rng.random(4) < keep).tolist()
        people = [like.agent, like.patient] if kept[0] else people
        stem = _stem_action(like.action) if kept[1] else stem
        place = like.place if kept[2] else place
        traits = [like.sentence.words[1], like.sentence.words[5]] if kept[3] else traits
    action = stem + ("ed" if past else "es" if stem == "prais" else "s")
    words = ("the", traits[0], people[0], action, "the", traits[1], people[1], *place.split())
    return TinyScene(Sentence.of(words), people[0], people[1], action, past, place)


def _stem_action(action: str) -> str:
    return next(stem for stem in _STEMS if action.startswith(stem))
