"""Rules that see the order of words and no structure: what a set about meaning must not give away.

A rule looks at where the asked words stand among nouns, verbs and a few small words, and says yes or no.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

Tags = tuple[str, ...]
Rule = Callable[[Tags, tuple[int, ...]], bool]
"""What the words are, and the places of the asked ones -> yes or no."""

NEGATIONS = ("not", "no")


def _nouns(tags: Tags) -> list[int]:
    return [i for i, tag in enumerate(tags) if tag == "noun"]


def _verbs(tags: Tags) -> list[int]:
    return [i for i, tag in enumerate(tags) if tag == "verb"]


def _after(places: Sequence[int], start: int) -> int:
    """The first of some places after another; -1 where there is none."""
    return next((i for i in places if i > start), -1)


def _before(places: Sequence[int], stop: int) -> int:
    return max((i for i in places if i < stop), default=-1)


def _by_follows(tags: Tags, verb: int) -> bool:
    return tags[verb + 1 : verb + 2] == ("by",)


def before_verb(tags: Tags, asked: tuple[int, ...]) -> bool:
    """The noun stands before the verb."""
    return asked[0] < asked[1]


def nearest_left(tags: Tags, asked: tuple[int, ...]) -> bool:
    """The noun is the nearest one before the verb."""
    return asked[0] == _before(_nouns(tags), asked[1])


def nearest(tags: Tags, asked: tuple[int, ...]) -> bool:
    """The noun is the nearest one, on either side; of two that are, the one before."""
    return asked[0] == min(_nouns(tags), key=lambda i: (abs(i - asked[1]), i))


def nearest_or_by(tags: Tags, asked: tuple[int, ...]) -> bool:
    """The noun is the nearest one before the verb, or after "by" where that follows the verb."""
    verb = asked[1]
    return asked[0] == (_after(_nouns(tags), verb) if _by_follows(tags, verb) else _before(_nouns(tags), verb))


def after_by(tags: Tags, asked: tuple[int, ...]) -> bool:
    """The noun is the first one after the first "by"."""
    return "by" in tags and asked[0] == _after(_nouns(tags), list(tags).index("by"))


def before_unless_by(tags: Tags, asked: tuple[int, ...]) -> bool:
    """The noun stands before the verb, or after it where "by" follows the verb."""
    return (asked[0] < asked[1]) != _by_follows(tags, asked[1])


def first_noun(tags: Tags, asked: tuple[int, ...]) -> bool:
    """The noun is the first one."""
    return asked[0] == _nouns(tags)[0]


def last_noun(tags: Tags, asked: tuple[int, ...]) -> bool:
    """The noun is the last one."""
    return asked[0] == _nouns(tags)[-1]


def heads_relative(tags: Tags, asked: tuple[int, ...]) -> bool:
    """The noun stands right before "that" or "who"."""
    return tags[asked[0] + 1 : asked[0] + 2] in (("that",), ("who",))


def after_not(tags: Tags, asked: tuple[int, ...]) -> bool:
    """The verb is the first one after some "not"."""
    return any(_after(_verbs(tags), i) == asked[-1] for i, tag in enumerate(tags) if tag == "not")


def after_negation(tags: Tags, asked: tuple[int, ...]) -> bool:
    """The verb is the first one after some "not" or "no"."""
    return any(_after(_verbs(tags), i) == asked[-1] for i, tag in enumerate(tags) if tag in NEGATIONS)


def last_before_negation(tags: Tags, asked: tuple[int, ...]) -> bool:
    """The verb is the last one before some "not" or "no"."""
    return any(_before(_verbs(tags), i) == asked[-1] for i, tag in enumerate(tags) if tag in NEGATIONS)


def nearest_to_negation(tags: Tags, asked: tuple[int, ...]) -> bool:
    """No verb is nearer to a "not" or "no"."""
    places = [i for i, tag in enumerate(tags) if tag in NEGATIONS]
    return any(asked[-1] == min(_verbs(tags), key=lambda v: (abs(v - i), v)) for i in places)


def anywhere_after_negation(tags: Tags, asked: tuple[int, ...]) -> bool:
    """The verb stands somewhere after a "not" or "no"."""
    return any(i < asked[-1] for i, tag in enumerate(tags) if tag in NEGATIONS)


def first_verb(tags: Tags, asked: tuple[int, ...]) -> bool:
    """The verb is the first one."""
    return asked[-1] == _verbs(tags)[0]


def last_verb(tags: Tags, asked: tuple[int, ...]) -> bool:
    """The verb is the last one."""
    return asked[-1] == _verbs(tags)[-1]


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
ORDER_RULES: Final[Mapping[str, Rule]] = {"nearest noun": nearest, "first after by": after_by, "before that": heads_relative}
NEGATION_RULES: Final[Mapping[str, Rule]] = {
    "verb after not": after_not,
    "verb after not or no": after_negation,
    "last verb before not or no": last_before_negation,
    "verb nearest to not or no": nearest_to_negation,
    "after not or no": anywhere_after_negation,
    "first verb": first_verb,
    "last verb": last_verb,
}


def split(rules: Mapping[str, Rule], n: int) -> tuple[Mapping[str, Rule], Mapping[str, Rule]]:
    """The first rules and the others."""
    listed = list(rules.items())
    return dict(listed[:n]), dict(listed[n:])
