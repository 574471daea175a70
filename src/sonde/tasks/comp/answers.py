"""What a reading of a sentence answers, found from its words alone by sonde.sources.readings, which shares nothing with what made them.

An item whose readings do not all give its label is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sonde.sources.readings.find import agreeing
from sonde.sources.readings.reading import Reading

Answer = Callable[[Reading, tuple[str, ...]], bool]
"""A reading and the asked words -> whether the answer is yes."""

ROLES = ("agent", "patient", "recipient")
NONE = frozenset({"no", "not one"})


def role(reading: Reading, asked: tuple[str, ...]) -> bool:
    """The noun is the agent of the verb."""
    return asked[0] in reading.values(asked[1], "agent")


def positive(reading: Reading, asked: tuple[str, ...]) -> bool:
    """Neither the verb nor an argument that stands in its own clause is negated."""
    (verb,) = asked
    return "negative" not in reading.values(verb, "polarity") and not any(
        NONE.intersection(reading.values(noun, "determiner")) for noun in _arguments(reading, verb)
    )


def plural(reading: Reading, asked: tuple[str, ...]) -> bool:
    """The subject of the verb is plural."""
    (verb,) = asked
    subject = "patient" if "passive" in reading.values(verb, "voice") else "agent"
    return any("plural" in reading.values(noun, "number") for noun in reading.values(verb, subject))


def past(reading: Reading, asked: tuple[str, ...]) -> bool:
    """The verb is in the past."""
    return "past" in reading.values(asked[0], "tense")


def described(reading: Reading, asked: tuple[str, ...]) -> bool:
    """The adjective is one of the noun."""
    return asked[0] in reading.values(asked[1], "adjective")


def of_none(reading: Reading, asked: tuple[str, ...]) -> bool:
    """The noun has "no", and stands in the verb's own clause."""
    noun, verb = asked
    return noun in _arguments(reading, verb) and bool(NONE.intersection(reading.values(noun, "determiner")))


def _arguments(reading: Reading, verb: str) -> Iterator[str]:
    """The nouns of a clause; a head of a relative clause belongs to the clause above."""
    for name in ROLES:
        yield from (noun for noun in reading.values(verb, name) if verb not in reading.values(noun, "relative"))


def confirmed(answer: Answer, text: str, asked: tuple[str, ...], label: bool) -> bool:
    """Whether all readings of a sentence say what its label says."""
    return agreeing(text.split(" "), lambda reading: answer(reading, asked)) is label
