"""The event of a generated sentence, as `sonde generate` writes it in JSON, as a reading to compare
others with.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sonde.generation.readings.reading import Fact, Reading

Json = Mapping[str, Any]
Nouns = tuple[str, ...]
FEATURES = ("tense", "modal", "aspect", "polarity", "voice")
ROLES = ("agent", "patient", "recipient")


def gold(event: Json) -> Reading:
    """An event's facts."""
    return Reading(frozenset(_event(event, "main", ())))


def _event(event: Json, clause: str, taken: Nouns) -> Iterator[Fact]:
    """Facts of a clause and all in it; `taken` are the nouns that its gap, or the subject that it
    shares, stands for.
    """
    verb = event["predicate"]
    yield Fact(verb, "clause", clause)
    yield from (Fact(verb, key, event[key]) for key in FEATURES if event.get(key) is not None)
    yield from (Fact(verb, "adverb", adverb) for adverb in event.get("adverbs", ()))
    for role in ROLES:
        if (argument := event.get(role)) is not None:
            if "reflexive" in argument:
                yield Fact(verb, "reflexive", role)
                argument = event["agent"]
            yield from (Fact(verb, role, noun) for noun in _nouns(argument, taken))
            yield from _argument(argument)
    if (content := event.get("content")) is not None:
        yield from (Fact(verb, "content", inner) for inner in _verbs(content))
        yield from _event(content, "content", ())
    if (second := event.get("also")) is not None:
        yield Fact(verb, "and", second["predicate"])
        yield from _event(second, clause, _nouns(event[_subject(event)], taken))


def _verbs(event: Json) -> Iterator[str]:
    yield event["predicate"]
    if "also" in event:
        yield from _verbs(event["also"])


def _subject(event: Json) -> str:
    """The role of the subject."""
    if event.get("voice") != "passive":
        return "agent"
    return "recipient" if event.get("dative") == "object" else "patient"


def _nouns(argument: Json, taken: Nouns) -> Nouns:
    if "gap" in argument or "shared" in argument:
        return taken
    return tuple(one["noun"] for one in argument.get("both", (argument,)))


def _argument(argument: Json) -> Iterator[Fact]:
    if "both" in argument:
        first, second = argument["both"]
        yield Fact(first["noun"], "and", second["noun"])
        yield from _argument(first)
        yield from _argument(second)
    elif "noun" in argument:
        noun = argument["noun"]
        yield Fact(noun, "number", argument["number"])
        yield Fact(noun, "determiner", argument["determiner"])
        yield from (
            Fact(noun, "adjective", adjective) for adjective in argument.get("adjectives", ())
        )
        if (modifier := argument.get("modifier")) is not None:
            yield Fact(noun, modifier["preposition"], modifier["participant"]["noun"])
            yield from _argument(modifier["participant"])
        if (relative := argument.get("relative")) is not None:
            yield from (Fact(noun, "relative", verb) for verb in _verbs(relative))
            yield from _event(relative, "relative", (noun,))
