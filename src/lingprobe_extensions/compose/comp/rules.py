"""Rules that see the order of words and no structure: what a set about meaning must not give away,
and what they say of each example of a set, whoever built it.

A rule of thumb looks at where the asked words stand among nouns, verbs and a few small words, and
says yes or no of each example [n]. Words are known by the languages of the sentence generator,
whose lexicon may be the user's own. Which answer a rule speaks for is not said here: it is learnt
from train, so a rule that is right by being wrong is found as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from lingprobe import Dataset
from lingprobe.extend import Ints
from lingprobe_extensions.compose.comp.shallow import (
    Flags,
    ShallowExamples,
    language_of,
    list_slot_kinds,
    shallow_examples,
)
from lingprobe_extensions.compose.events.language import Language

Rule = Callable[[ShallowExamples], Flags]


def _same(one: Ints, other: Ints) -> Flags:
    """Whether two places are the same [n]."""
    return np.asarray(one == other, np.bool_)


def _index(seen: ShallowExamples) -> Ints:
    return np.arange(seen.codes.shape[1])


def _noun(seen: ShallowExamples) -> Ints:
    return seen.places[:, 0]


def _verb(seen: ShallowExamples) -> Ints:
    return seen.places[:, -1]


def _after(where: Flags, start: Ints) -> Ints:
    """The first of some places after another [n]; -1 where there is none."""
    later = where & (np.arange(where.shape[1]) > start[:, None])
    return np.where(later.any(1), later.argmax(1), -1)


def _before(where: Flags, stop: Ints) -> Ints:
    """The last of some places before another [n]; -1 where there is none."""
    earlier = where & (np.arange(where.shape[1]) < stop[:, None])
    return np.where(earlier.any(1), where.shape[1] - 1 - earlier[:, ::-1].argmax(1), -1)


def _nearest(where: Flags, to: Ints) -> Ints:
    """The nearest of some places [n]; of two that are, the one before."""
    away = np.abs(np.arange(where.shape[1]) - to[:, None])
    return np.asarray(np.where(where, away, where.shape[1]).argmin(1), np.int64)


def _by_follows(seen: ShallowExamples) -> Flags:
    return np.asarray(np.isin(seen.at(_verb(seen) + 1), seen.signs["by"]), np.bool_)


def _of_negations(
    seen: ShallowExamples, some: str, verb_of: Callable[[Flags, Ints], Ints]
) -> Flags:
    """Whether the verb is the one that goes with some negation [n]."""
    verbs, negated = seen.are("verb"), seen.are(some)
    rows, places = np.nonzero(negated)
    hits = verb_of(verbs[rows], places) == _verb(seen)[rows]
    says = np.zeros(len(negated), bool)
    np.logical_or.at(says, rows, hits)
    return says


def before_verb(seen: ShallowExamples) -> Flags:
    """The noun stands before the verb."""
    return _noun(seen) < _verb(seen)


def nearest_left(seen: ShallowExamples) -> Flags:
    """The noun is the nearest one before the verb."""
    return _same(_noun(seen), _before(seen.are("noun"), _verb(seen)))


def is_nearest_noun(seen: ShallowExamples) -> Flags:
    """The noun is the nearest one, on either side; of two that are, the one before."""
    return _same(_noun(seen), _nearest(seen.are("noun"), _verb(seen)))


def nearest_or_by(seen: ShallowExamples) -> Flags:
    """The noun is the nearest one before the verb, or after "by" where that follows the verb."""
    nouns, verb = seen.are("noun"), _verb(seen)
    return _same(
        _noun(seen), np.where(_by_follows(seen), _after(nouns, verb), _before(nouns, verb))
    )


def after_by(seen: ShallowExamples) -> Flags:
    """The noun is the first one after the first "by"."""
    by = seen.are("by")
    return by.any(1) & _same(_noun(seen), _after(seen.are("noun"), by.argmax(1)))


def before_unless_by(seen: ShallowExamples) -> Flags:
    """The noun stands before the verb, or after it where "by" follows the verb."""
    return before_verb(seen) ^ _by_follows(seen)


def first_noun(seen: ShallowExamples) -> Flags:
    """The noun is the first one."""
    return _same(_noun(seen), seen.are("noun").argmax(1))


def last_noun(seen: ShallowExamples) -> Flags:
    """The noun is the last one."""
    return _same(
        _noun(seen), _before(seen.are("noun"), np.full(len(seen.codes), seen.codes.shape[1]))
    )


def heads_relative(seen: ShallowExamples) -> Flags:
    """The noun stands right before "that" or "who", but for a comma."""
    next_ = seen.at(_noun(seen) + 1)
    return np.isin(np.where(next_ == ",", seen.at(_noun(seen) + 2), next_), seen.signs["link"])


def after_not(seen: ShallowExamples) -> Flags:
    """The verb is the first one after some "not"."""
    return _of_negations(seen, "not", _after)


def after_negation(seen: ShallowExamples) -> Flags:
    """The verb is the first one after some "not" or "no"."""
    return _of_negations(seen, "negation", _after)


def last_before_negation(seen: ShallowExamples) -> Flags:
    """The verb is the last one before some "not" or "no"."""
    return _of_negations(seen, "negation", _before)


def nearest_to_negation(seen: ShallowExamples) -> Flags:
    """No verb is nearer to a "not" or "no"."""
    return _of_negations(seen, "negation", _nearest)


def anywhere_after_negation(seen: ShallowExamples) -> Flags:
    """The verb stands somewhere after a "not" or "no"."""
    return np.asarray(
        (seen.are("negation") & (_index(seen) < _verb(seen)[:, None])).any(1), np.bool_
    )


def first_verb(seen: ShallowExamples) -> Flags:
    """The verb is the first one."""
    return _same(_verb(seen), seen.are("verb").argmax(1))


def last_verb(seen: ShallowExamples) -> Flags:
    """The verb is the last one."""
    return _same(
        _verb(seen), _before(seen.are("verb"), np.full(len(seen.codes), seen.codes.shape[1]))
    )


ROLE_RULES: Final[Mapping[str, Rule]] = {
    "before the verb": before_verb,
    "nearest noun": is_nearest_noun,
    "nearest noun before, or first after by": nearest_or_by,
    "first after by": after_by,
    "nearest noun before the verb": nearest_left,
    "before the verb unless by follows": before_unless_by,
    "first noun": first_noun,
    "last noun": last_noun,
    "before that": heads_relative,
}
ORDER_RULES: Final[Mapping[str, Rule]] = {
    "nearest noun": is_nearest_noun,
    "first after by": after_by,
    "before that": heads_relative,
}
NEGATION_RULES: Final[Mapping[str, Rule]] = {
    "verb after not": after_not,
    "verb after not or no": after_negation,
    "last verb before not or no": last_before_negation,
    "verb nearest to not or no": nearest_to_negation,
    "after not or no": anywhere_after_negation,
    "first verb": first_verb,
    "last verb": last_verb,
}


_RULES: Mapping[tuple[str, ...], Mapping[str, Rule]] = {
    ("noun", "verb"): ROLE_RULES,
    ("verb",): NEGATION_RULES,
}
"""What is asked about, a kind a slot -> rules of thumb by name."""


def apply_rules_of_thumb(dataset: Dataset, language: Language | None = None) -> dict[str, Flags]:
    """Rule of thumb -> whether it says yes, [examples]; {} where asked words do not all stand in
    their sentences, or no language has them.
    """
    known = language or language_of(dataset)
    examples = None if known is None else shallow_examples(dataset, known)
    if known is None or examples is None or (examples.places < 0).any():
        return {}
    rules = _RULES.get(list_slot_kinds(dataset, known), {})
    return {name: rule(examples) for name, rule in rules.items()}


def score_rules(dataset: Dataset, language: Language | None = None) -> dict[str, float]:
    """What rules of thumb score: rule -> the share of test that it is right about, as train says
    which answer it speaks for; rounded.

    One that says the same of all examples is about something else, so it is excluded.
    """
    train, test = (dataset.rows(split) for split in ("train", "test"))
    if dataset.labels.classes is None or not len(train) or not len(test):
        return {}
    shares, labels = {}, dataset.labels.matrix()
    for name, says in apply_rules_of_thumb(dataset, language).items():
        if not says.any() or says.all():
            continue
        counts = np.zeros((2, len(dataset.labels.names)), np.int64)
        np.add.at(counts, (says[train].astype(np.int64), labels[train]), 1)
        answers = np.where(counts.any(1), counts.argmax(1), counts.sum(0).argmax())
        hits = answers[says[test].astype(np.int64)] == labels[test]
        shares[name] = round(float(hits.mean()), 4)
    return shares
