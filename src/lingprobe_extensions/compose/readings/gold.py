"""The event of a generated sentence, as `lingprobe data generate` writes it in JSON: as a reading
to compare others with, and compared with what can be read from its words alone.

A line's event must be among the readings; each word must realise what it is in the reading that is
the event; the words of a phrase or a clause must stand together, which tells two words that are
alike, as "by" and "by", apart; and each must begin where the line says it does. What does not agree
is told in sentences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lingprobe_extensions.compose.readings.find import ReadingGrammar, find_readings, get_grammar
from lingprobe_extensions.compose.readings.reading import LemmaFact, SentenceReading

Json = Mapping[str, Any]
Nouns = tuple[str, ...]
_FEATURES = ("tense", "modal", "aspect", "polarity", "voice")
_ROLES = ("agent", "patient", "recipient")


def list_event_facts(event: Json) -> SentenceReading:
    """An event's facts."""
    return SentenceReading(frozenset(_event(event, "main", ())))


def _event(event: Json, clause: str, taken: Nouns) -> Iterator[LemmaFact]:
    """Facts of a clause and all in it; `taken` are the nouns that its gap, or the subject that it
    shares, stands for.
    """
    verb = event["predicate"]
    yield LemmaFact(verb, "clause", clause)
    yield from (LemmaFact(verb, key, event[key]) for key in _FEATURES if event.get(key) is not None)
    yield from (LemmaFact(verb, "adverb", adverb) for adverb in event.get("adverbs", ()))
    for role in _ROLES:
        if (argument := event.get(role)) is not None:
            if "reflexive" in argument:
                yield LemmaFact(verb, "reflexive", role)
                argument = event["agent"]
            yield from (LemmaFact(verb, role, noun) for noun in _nouns(argument, taken))
            yield from _list_argument_facts(argument)
    if (content := event.get("content")) is not None:
        yield from (LemmaFact(verb, "content", inner) for inner in _verbs(content))
        yield from _event(content, "content", ())
    if (second := event.get("also")) is not None:
        yield LemmaFact(verb, "and", second["predicate"])
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


def _list_argument_facts(argument: Json) -> Iterator[LemmaFact]:
    if "both" in argument:
        first, second = argument["both"]
        yield LemmaFact(first["noun"], "and", second["noun"])
        yield from _list_argument_facts(first)
        yield from _list_argument_facts(second)
    elif "noun" in argument:
        noun = argument["noun"]
        yield LemmaFact(noun, "number", argument["number"])
        yield LemmaFact(noun, "determiner", argument["determiner"])
        yield from (
            LemmaFact(noun, "adjective", adjective) for adjective in argument.get("adjectives", ())
        )
        if (modifier := argument.get("modifier")) is not None:
            yield LemmaFact(noun, modifier["preposition"], modifier["participant"]["noun"])
            yield from _list_argument_facts(modifier["participant"])
        if (relative := argument.get("relative")) is not None:
            yield from (LemmaFact(noun, "relative", verb) for verb in _verbs(relative))
            yield from _event(relative, "relative", (noun,))


_OF_VERBS = ("modal", "auxiliary", "negation", "predicate")
_LOOSE = (
    "adverbs",
    "adjectives",
    "both",
)  # what is listed in an event, and need not stand together
_ONES = {"adverbs": "adverb", "adjectives": "adjective"}
_SMALL = {
    "complementiser": "link",
    "gap": "link",
    "conjunction": "conjunction",
    "reflexive": "reflexive",
    "comma": "comma",
}


def find_disagreements(line: Json, reader: str | ReadingGrammar = "english") -> list[str]:
    """What a line says of its sentence and its words do not; nothing where all is well."""
    return [*_starts(line), *_scattered_parts(line), *_read_gold_line(line, get_grammar(reader))]


def _read_gold_line(line: Json, reader: ReadingGrammar) -> Iterator[str]:
    event, words = list_event_facts(line["event"]), line["words"]
    same = next((reading for reading in find_readings(words, reader) if reading == event), None)
    if same is None:
        yield "the event is not among the readings"
        return
    for word, role, actual in zip(words, line["roles"], same.words, strict=True):
        try:
            expected = role_fact(line["event"], role, word, reader.markers)
        except LookupError:
            yield f"{word!r} is stated to be {role}, which the event lacks"
        else:
            if expected != actual:
                yield (
                    f"{word!r} is stated to be {role}, which is {_describe_fact(expected)}, and is"
                    f" read as {_describe_fact(actual)}"
                )


def _starts(line: Json) -> Iterator[str]:
    end = 0
    for word, start in zip(line["words"], line["starts"], strict=True):
        if line["text"][start : start + len(word)] != word or line["text"][end:start].strip():
            yield f"{word!r} is stated to begin at {start}"
        end = start + len(word)
    if end != len(line["text"]):
        yield f"the last word ends at {end} of {len(line['text'])}"


def _scattered_parts(line: Json) -> Iterator[str]:
    places: dict[str, list[int]] = {}
    for i, role in enumerate(line["roles"]):
        above = role.split(".")[:-1]
        for k in range(1, len(above) + 1):
            if above[k - 1] not in _LOOSE:
                places.setdefault(".".join(above[:k]), []).append(i)
    for part, indices in places.items():
        if len(indices) <= indices[-1] - indices[0]:
            yield f"the words of {part} do not stand together"


def role_fact(event: Json, role: str, word: str, markers: Mapping[str, str]) -> LemmaFact:
    """What a word is if it realises a path of an event; of small words it is told which word they
    are, and of `markers` whether they mark its role. LookupError for no such path.
    """
    path = role.split(".")
    number = int(path.pop()) if path[-1].isdecimal() else 0
    *above, last = path
    around = _at(event, above)
    if last in _OF_VERBS:
        return LemmaFact(around["predicate"], last, around[last] if last == "modal" else "")
    if last in _SMALL:
        return LemmaFact("", _SMALL[last], around["gap"] if last == "gap" else word)
    if last == "marker":
        return LemmaFact(
            "", last, word if above[-1] == markers.get(word) else f"of the {above[-1]}"
        )
    if last in _ONES:
        return LemmaFact(
            around["noun"] if last == "adjectives" else "", _ONES[last], around[last][number]
        )
    return LemmaFact(
        "" if last == "preposition" else around["noun"],
        last,
        "" if last == "noun" else around[last],
    )


def _at(event: Json, path: list[str]) -> Any:
    """What stands at a path; a part that there is none of, as the reflexive's, is nothing."""
    part: Any = event
    for key in path:
        part = part[int(key)] if key.isdecimal() else part.get(key, {})
    return part


def _describe_fact(fact: LemmaFact) -> str:
    return " ".join(
        filter(None, (fact.says, fact.of and f"of {fact.of!r}", fact.value and f"({fact.value})"))
    )
