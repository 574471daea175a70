"""Which of the rules that see the order of words, and no structure, hold of each example of a set, whoever built it.

Words are known by the lexicon of the sentence generator. Which answer a rule speaks for is not said here: it is learnt from train, so
a rule that is right by being wrong is found as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

import numpy as np
from numpy.typing import NDArray

from sonde.core import Dataset
from sonde.sources.events.english import english
from sonde.targets import Classes
from sonde.tasks.comp.rules import NEGATION_RULES, ROLE_RULES, Rule, Tags

RULES: Mapping[tuple[str, ...], Mapping[str, Rule]] = {("noun", "verb"): ROLE_RULES, ("verb",): NEGATION_RULES}
"""What is asked about, a kind a slot -> rules by name."""


def held(dataset: Dataset) -> dict[str, NDArray[np.bool_]]:
    """Rule -> whether it says yes, [examples]; {} where asked words are not of our lexicon, or do not all occur."""
    if dataset.sites.shape[1] != 1 or (dataset.sites[:, :, 1] >= 0).any():
        return {}
    kinds = _kinds(dataset)
    seen = list(_seen(dataset, kinds)) if kinds in RULES else []
    if not all(min(places) >= 0 for _, places in seen):
        return {}
    return {name: np.fromiter((rule(*at) for at in seen), np.bool_, len(seen)) for name, rule in RULES.get(kinds, {}).items()}


def right(dataset: Dataset) -> dict[str, float]:
    """Rule -> the share of test that it is right about, speaking for the answers that it is right with on train; rounded."""
    train, test = (dataset.rows(split) for split in ("train", "test"))
    told = {}
    for name, says in held(dataset).items() if isinstance(dataset.labels, Classes) and len(train) and len(test) else ():
        counts = np.zeros((2, len(dataset.labels.names)), np.int64)
        np.add.at(counts, (says[train].astype(np.int64), dataset.labels.matrix()[train]), 1)
        answers = np.where(counts.any(1), counts.argmax(1), counts.sum(0).argmax())
        told[name] = round(float((answers[says[test].astype(np.int64)] == dataset.labels.matrix()[test]).mean()), 4)
    return told


def _kinds(dataset: Dataset) -> tuple[str, ...]:
    """What each slot asks about: 'noun' or 'verb'; '' for what is neither."""
    known = {kind: frozenset().union(*forms.values()) for kind, forms in _lemmas().items()}
    slots = [{dataset.vocabulary[w] for w in np.unique(slot)} for slot in dataset.asked.T]
    return tuple(next((kind for kind in known if words <= known[kind]), "") for words in slots)


def _seen(dataset: Dataset, kinds: tuple[str, ...]) -> Iterator[tuple[Tags, tuple[int, ...]]]:
    """Each example as rules see it: what its words are, and the first place of each asked one, -1 where it does not occur."""
    lemmas = _lemmas()
    tags = [tuple(next((kind for kind in lemmas if word in lemmas[kind]), word) for word in s.words) for s in dataset.sentences]
    for sentence, asked in zip(dataset.sites[:, 0, 0].tolist(), dataset.asked.tolist(), strict=True):
        words = dataset.sentences[sentence].words
        slots = [(dataset.vocabulary[w], lemmas[kind]) for w, kind in zip(asked, kinds, strict=True)]
        yield tags[sentence], tuple(next((i for i, word in enumerate(words) if lemma in known.get(word, ())), -1) for lemma, known in slots)


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
