"""Rules of thumb that see the order of words and no structure: what a set about meaning must not
give away.

A rule looks at where the asked words stand among nouns, verbs and a few small words, and says yes
or no of each example [n].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from sonde.tasks.comp.shallow import BY, LINKS, NEGATIONS, NOT, NOUNS, VERBS, Flags, Seen
from sonde.vectors import Ints

Rule = Callable[[Seen], Flags]


def _same(one: Ints, other: Ints) -> Flags:
    """Whether two places are the same [n]."""
    return np.asarray(one == other, np.bool_)


def _index(seen: Seen) -> Ints:
    return np.arange(seen.codes.shape[1])


def _noun(seen: Seen) -> Ints:
    return seen.places[:, 0]


def _verb(seen: Seen) -> Ints:
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


def _by_follows(seen: Seen) -> Flags:
    return np.asarray(np.isin(seen.at(_verb(seen) + 1), BY), np.bool_)


def _of_negations(
    seen: Seen, some: tuple[str, ...], verb_of: Callable[[Flags, Ints], Ints]
) -> Flags:
    """Whether the verb is the one that goes with some negation [n]."""
    verbs, negated = seen.are(VERBS), seen.are(some)
    rows, places = np.nonzero(negated)
    hits = verb_of(verbs[rows], places) == _verb(seen)[rows]
    says = np.zeros(len(negated), bool)
    np.logical_or.at(says, rows, hits)
    return says


def before_verb(seen: Seen) -> Flags:
    """The noun stands before the verb."""
    return _noun(seen) < _verb(seen)


def nearest_left(seen: Seen) -> Flags:
    """The noun is the nearest one before the verb."""
    return _same(_noun(seen), _before(seen.are(NOUNS), _verb(seen)))


def nearest(seen: Seen) -> Flags:
    """The noun is the nearest one, on either side; of two that are, the one before."""
    return _same(_noun(seen), _nearest(seen.are(NOUNS), _verb(seen)))


def nearest_or_by(seen: Seen) -> Flags:
    """The noun is the nearest one before the verb, or after "by" where that follows the verb."""
    nouns, verb = seen.are(NOUNS), _verb(seen)
    return _same(
        _noun(seen), np.where(_by_follows(seen), _after(nouns, verb), _before(nouns, verb))
    )


def after_by(seen: Seen) -> Flags:
    """The noun is the first one after the first "by"."""
    by = seen.are(BY)
    return by.any(1) & _same(_noun(seen), _after(seen.are(NOUNS), by.argmax(1)))


def before_unless_by(seen: Seen) -> Flags:
    """The noun stands before the verb, or after it where "by" follows the verb."""
    return before_verb(seen) ^ _by_follows(seen)


def first_noun(seen: Seen) -> Flags:
    """The noun is the first one."""
    return _same(_noun(seen), seen.are(NOUNS).argmax(1))


def last_noun(seen: Seen) -> Flags:
    """The noun is the last one."""
    return _same(
        _noun(seen), _before(seen.are(NOUNS), np.full(len(seen.codes), seen.codes.shape[1]))
    )


def heads_relative(seen: Seen) -> Flags:
    """The noun stands right before "that" or "who", but for a comma."""
    next_ = seen.at(_noun(seen) + 1)
    return np.isin(np.where(next_ == ",", seen.at(_noun(seen) + 2), next_), LINKS)


def after_not(seen: Seen) -> Flags:
    """The verb is the first one after some "not"."""
    return _of_negations(seen, NOT, _after)


def after_negation(seen: Seen) -> Flags:
    """The verb is the first one after some "not" or "no"."""
    return _of_negations(seen, NEGATIONS, _after)


def last_before_negation(seen: Seen) -> Flags:
    """The verb is the last one before some "not" or "no"."""
    return _of_negations(seen, NEGATIONS, _before)


def nearest_to_negation(seen: Seen) -> Flags:
    """No verb is nearer to a "not" or "no"."""
    return _of_negations(seen, NEGATIONS, _nearest)


def anywhere_after_negation(seen: Seen) -> Flags:
    """The verb stands somewhere after a "not" or "no"."""
    return np.asarray(
        (seen.are(NEGATIONS) & (_index(seen) < _verb(seen)[:, None])).any(1), np.bool_
    )


def first_verb(seen: Seen) -> Flags:
    """The verb is the first one."""
    return _same(_verb(seen), seen.are(VERBS).argmax(1))


def last_verb(seen: Seen) -> Flags:
    """The verb is the last one."""
    return _same(
        _verb(seen), _before(seen.are(VERBS), np.full(len(seen.codes), seen.codes.shape[1]))
    )


ROLE_RULES: Final[Mapping[str, Rule]] = {
    "before the verb": before_verb,
    "nearest noun": nearest,
    "nearest noun before, or first after by": nearest_or_by,
    "first after by": after_by,
    "nearest noun before the verb": nearest_left,
    "before the verb unless by follows": before_unless_by,
    "first noun": first_noun,
    "last noun": last_noun,
    "before that": heads_relative,
}
ORDER_RULES: Final[Mapping[str, Rule]] = {
    "nearest noun": nearest,
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
