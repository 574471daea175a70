"""Linear rules: what a reader would answer who sees the order of words and knows no syntax (after Ettinger et al. 2018, section 7.2).

A rule looks at where nouns, verbs and the asked words stand and says whether its cue holds. Which answer a cue speaks for is
learnt from training examples, so a rule that is right by being wrong is found as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sonde.core import Dataset
from sonde.sources.events.english import english

NEGATIVES = frozenset({"not", "n't", "no", "never", "nobody", "none", "without"})


class Places(NamedTuple):
    """A sentence as rules see it: its words, where nouns and verbs stand, and the first place of each asked word."""

    words: Sequence[str]
    nouns: Sequence[int]
    verbs: Sequence[int]
    asked: Sequence[int]


Rule = Callable[[Places], bool]


def noun_before_verb(at: Places) -> bool:
    """The asked noun comes before the asked verb."""
    return at.asked[0] < at.asked[1]


def nearest_noun(at: Places) -> bool:
    """No noun is nearer to the asked verb than the asked one; of two at the same distance the left one counts."""
    noun, verb = at.asked
    return min(at.nouns, key=lambda i: (abs(i - verb), i)) == noun


def nearest_noun_before(at: Places) -> bool:
    """The asked noun is the last one before the asked verb."""
    noun, verb = at.asked
    return _last(at.nouns, verb) == noun


def first_after_by(at: Places) -> bool:
    """The asked noun is the first one after the first `by`."""
    return "by" in at.words and _next(at.nouns, list(at.words).index("by")) == at.asked[0]


def nearest_or_by(at: Places) -> bool:
    """The first noun after `by` where that follows the asked verb, otherwise the last noun before the verb, is the asked one."""
    noun, verb = at.asked
    return (_next if _by(at) else _last)(at.nouns, verb) == noun


def order_xor_by(at: Places) -> bool:
    """The asked noun comes before the asked verb, or `by` follows the verb, and not both."""
    return noun_before_verb(at) != _by(at)


def first_noun(at: Places) -> bool:
    """The asked noun is the first of the sentence."""
    return at.nouns[0] == at.asked[0]


def verb_after_not(at: Places) -> bool:
    """The asked verb is the first one after the first `not`."""
    return "not" in at.words and _next(at.verbs, list(at.words).index("not")) == at.asked[-1]


def verb_after_negative(at: Places) -> bool:
    """The asked verb is the first one after the first negative word (`not`, `no`, `never`, ...)."""
    places = _negatives(at)
    return bool(places) and _next(at.verbs, places[0]) == at.asked[-1]


def verb_nearest_negative(at: Places) -> bool:
    """No verb is nearer to a negative word than the asked one."""
    verb = at.asked[-1]
    return any(abs(verb - place) <= min(abs(i - place) for i in at.verbs) for place in _negatives(at))


def anywhere_after_negative(at: Places) -> bool:
    """A negative word comes before the asked verb."""
    return any(place < at.asked[-1] for place in _negatives(at))


def first_verb(at: Places) -> bool:
    """The asked verb is the first of the sentence."""
    return at.verbs[0] == at.asked[-1]


RULES: Mapping[tuple[str, ...], Mapping[str, Rule]] = {
    ("noun", "verb"): {
        "noun before the verb": noun_before_verb,
        "nearest noun": nearest_noun,
        "nearest noun before the verb": nearest_noun_before,
        "first after by": first_after_by,
        "nearest noun before, or first after by": nearest_or_by,
        "order xor by": order_xor_by,
        "first noun": first_noun,
    },
    ("verb",): {
        "verb after not": verb_after_not,
        "verb after a negative": verb_after_negative,
        "verb nearest to a negative": verb_nearest_negative,
        "anywhere after a negative": anywhere_after_negative,
        "first verb": first_verb,
    },
}
"""What is asked about, a kind a slot -> rules by name."""


def held(dataset: Dataset) -> dict[str, NDArray[np.bool_]]:
    """Rule -> whether its cue holds, [examples]; {} where the asked words are not of our lexicon or do not all occur."""
    if not dataset.asked.shape[1] or dataset.sites.shape[1] != 1 or (dataset.sites[:, :, 1] >= 0).any():
        return {}
    rules = RULES.get(_kinds(dataset), {})
    seen = list(_places(dataset)) if rules else []
    if not all(min(at.asked) >= 0 for at in seen):
        return {}
    return {name: np.fromiter(map(rule, seen), np.bool_, len(seen)) for name, rule in rules.items()}


def _kinds(dataset: Dataset) -> tuple[str, ...]:
    """What each slot asks about: 'noun' or 'verb'; '' for what is neither."""
    lemmas = _lemmas()
    known = {kind: {lemma for found in forms.values() for lemma in found} for kind, forms in lemmas.items()}
    slots = [{dataset.vocabulary[w] for w in np.unique(slot)} for slot in dataset.asked.T]
    return tuple(next((kind for kind in known if words <= known[kind]), "") for words in slots)


def _places(dataset: Dataset) -> Iterator[Places]:
    forms = _lemmas()
    marked = [
        (s.words, *([i for i, word in enumerate(s.words) if word in forms[kind]] for kind in ("noun", "verb"))) for s in dataset.sentences
    ]
    slots = [forms[kind] for kind in _kinds(dataset)]
    for sentence, asked in zip(dataset.sites[:, 0, 0].tolist(), dataset.asked.tolist(), strict=True):
        words, nouns, verbs = marked[sentence]
        lemmas = [dataset.vocabulary[w] for w in asked]
        found = [
            next((i for i, word in enumerate(words) if lemma in known.get(word, ())), -1)
            for lemma, known in zip(lemmas, slots, strict=True)
        ]
        yield Places(words, nouns, verbs, found)


@cache
def _lemmas() -> dict[str, dict[str, frozenset[str]]]:
    """Kind -> form -> the lemmas that have it."""
    lexicon = english().lexicon
    found: dict[str, dict[str, frozenset[str]]] = {"noun": {}, "verb": {}}
    for kind, forms in found.items():
        for entry in lexicon.entries[kind]:
            for form in entry.forms:
                forms[form] = forms.get(form, frozenset()) | {entry.lemma}
    return found


def _by(at: Places) -> bool:
    """Whether `by` follows the asked verb."""
    after = at.asked[1] + 1
    return after < len(at.words) and at.words[after] == "by"


def _negatives(at: Places) -> list[int]:
    return [i for i, word in enumerate(at.words) if word in NEGATIVES]


def _next(places: Sequence[int], after: int) -> int:
    return next((i for i in places if i > after), -1)


def _last(places: Sequence[int], before: int) -> int:
    return next((i for i in reversed(places) if i < before), -1)
