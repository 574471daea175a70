"""A check of generated sentences: a parser that knows nothing of the generator must find the event
of each among its readings.

usage: python benchmarks/readings.py [--n 120000] [--seed 1] [--misses FILE]

Sentences are drawn from wide requests with all constructions, every structure as often as any
other. Printed are the shares of sentences whose event is found and whose words realise and begin
where their lines say, that have other readings too, and what these differ in, with the first
sentence of each kind; a sentence may differ in several things. Sentences of which something is not
so go to FILE, with what it is, and the exit code is then 1.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lingprobe_extensions.compose.events.batch import ShapeBatch, map_in_order
from lingprobe_extensions.compose.events.draw import draw_from_space
from lingprobe_extensions.compose.events.request import parse_generation_request
from lingprobe_extensions.compose.events.space import make_space
from lingprobe_extensions.compose.readings.find import find_readings
from lingprobe_extensions.compose.readings.gold import find_disagreements, list_event_facts
from lingprobe_extensions.compose.readings.reading import LemmaFact, SentenceReading

ALL = {
    "frames": ["intransitive", "transitive", "ditransitive", "clausal"],
    "voices": ["active", "passive", "passive without agent"],
    "classes": ["person", "animal", "thing", "food", "text"],
    "modal": ["will", "would", "could", "may", "might", "must", "should"],
    "aspect": ["simple", "progressive", "perfect", "perfect progressive"],
    "determiner": ["the", "a", "some", "every", "no", "not one", "this", "these"],
    "relativiser": ["that", "who"],
    "even_structures": True,
}
POLISH = {
    "frames": ["intransitive", "transitive", "clausal"],
    "voices": ALL["voices"],
    "classes": ["person", "animal", "thing"],
    "tense": ["past", "present", "future"],
    "determiner": ["bare", "ten", "każdy"],
    "even_structures": True,
}
PARTS = ("adjectives", "modifiers", "complements", "pairs", "conjuncts", "reflexives")
EACH = dict.fromkeys(PARTS, 1)
REQUESTS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "english": {
        "all frames and voices, in relative clauses too; one part more": {
            **ALL,
            "relatives": {
                "frames": ["intransitive", "transitive", "ditransitive"],
                "voices": ALL["voices"],
            },
            "at_most": {**EACH, "adverbs": 3, "together": 1},
        },
        "intransitive and transitive; two parts more, relative clauses in relative clauses": {
            **ALL,
            "frames": ["intransitive", "transitive"],
            "voices": ["active", "passive"],
            "relatives": {"depth": 2},
            "at_most": {**EACH, "relatives": 2, "adjectives": 2, "adverbs": 2, "together": 2},
        },
    },
    "polish": {
        "all frames and voices, in relative clauses too; one part more": {
            **POLISH,
            "relatives": {"voices": ALL["voices"]},
            "at_most": {**EACH, "adverbs": 3, "together": 1},
        },
        "intransitive and transitive; two parts more": {
            **POLISH,
            "frames": ["intransitive", "transitive"],
            "relatives": {"frames": ["intransitive"]},
            "at_most": {**EACH, "adverbs": 2, "together": 2},
        },
    },
}
WHOM = ("agent", "patient", "recipient")
PLACES = ("behind", "beside", "near", "obok", "koło", "za", "przed")
KINDS = {  # what readings differ in, and what else that entails
    "content": ('"that": whose clause is it', ("relative", "clause", *WHOM)),
    "and": ('"and": what is joined', WHOM),
    "emphatic": ('"himself": object or stress', ("reflexive", *WHOM)),
    "reflexive": ('"himself": who', WHOM),
    "relative": ("relative clause: of which noun", WHOM),
    "tense": (
        "verb: of which lemma, or with a shared auxiliary",
        ("modal", "polarity", "aspect", "voice", *WHOM),
    ),
    "voice": ("verb: of which lemma, or with a shared auxiliary", ("aspect", *WHOM)),
    "adverb": ("adverb: of which verb", ()),
    "place": ("preposition: of which noun or verb", ()),
    "of": ("genitive: object or owner", ("number", "determiner", *WHOM)),
    "number": ("noun: of which number", ()),
    "recipient": ('"to": of which verb or verbs', WHOM),
    "patient": ("object: of one verb or two", WHOM),
    "agent": ('"by", "przez": of which verb or verbs', WHOM),
}


class Tally(NamedTuple):
    """What has been counted of one request."""

    counts: Counter[str]
    misses: list[str]
    examples: Mapping[str, str]


def lines(asked: Mapping[str, Any], n: int, seed: int) -> Iterator[Mapping[str, Any]]:
    """Generated sentences with their events, as they would be written."""
    for size, parts in draw_from_space(
        make_space(parse_generation_request(asked)), n, seed, even=True
    ).chunks(8192):
        yield from map(json.loads, map_in_order(parts, size, ShapeBatch.lines))


def differences(found: Sequence[SentenceReading], event: SentenceReading) -> set[str]:
    """What other readings have otherwise than the event."""
    plain = {frozenset(ungraded(reading)) for reading in found}
    kinds = {"adverb: of a verb or an adverb"} if len(plain) < len(found) else set()
    for facts in plain:
        says = {"place" if fact.says in PLACES else fact.says for fact in facts ^ event.facts}
        for name, (kind, entailed) in KINDS.items():
            if name in says:
                kinds.add(kind)
                says -= {name, *entailed}
        kinds |= says
    return kinds


def ungraded(reading: SentenceReading) -> Iterator[LemmaFact]:
    """The facts, with adverbs that grade others taken as adverbs of the verb."""
    for fact in reading.facts:
        yield from (
            (fact._replace(value=word) for word in fact.value.split())
            if fact.says == "adverb"
            else (fact,)
        )


def swapped(line: Mapping[str, Any]) -> Iterator[list[str]]:
    """A sentence with two neighbours in each other's place, in all ways; adverbs stay where they
    are, for they have many places.
    """
    words, adverbs = line["words"], ["adverbs" in role for role in line["roles"]]
    for k in range(len(words) - 1):
        if not adverbs[k] and not adverbs[k + 1]:
            yield [*words[:k], words[k + 1], words[k], *words[k + 2 :]]


def tally(language: str, asked: Mapping[str, Any], n: int, seed: int) -> Tally:
    counts: Counter[str] = Counter()
    misses: list[str] = []
    examples: dict[str, str] = {}
    for line in lines(asked, n, seed):
        began = time.process_time()
        found = find_readings(line["words"], language)
        counts["ns"] += int(1e9 * (time.process_time() - began))
        if counts["sentences"] % 100 == 0:
            spoilt = list(swapped(line))
            counts["spoilt"] += len(spoilt)
            counts["refused"] += sum(not find_readings(words, language) for words in spoilt)
        event = list_event_facts(line["event"])
        counts["sentences"] += 1
        if told := find_disagreements(line, language):
            misses.append(f"{line['text']}: {told[0]}")
        elif len(found) > 1:
            counts["several"] += 1
            counts["whom"] += (
                len(
                    {
                        frozenset(fact for fact in reading.facts if fact.says in WHOM)
                        for reading in found
                    }
                )
                > 1
            )
            kinds = differences(found, event)
            counts.update(kinds)
            examples.update((kind, line["text"]) for kind in kinds if kind not in examples)
    return Tally(counts, misses, examples)


def show(name: str, counted: Tally) -> None:
    counts, misses, examples = counted
    n = counts["sentences"]
    print(f"\n{name}: {n:,} sentences, {n / counts['ns'] * 1e9:,.0f} a second")
    print(
        f"{100 * (n - len(misses)) / n:10.3f} %  event among the readings, and all words where they"
        " are said to be"
    )
    print(f"{100 * counts['several'] / n:10.3f} %  several readings")
    print(f"{100 * counts['whom'] / n:10.3f} %  several that differ in who did what to whom")
    refused, spoilt = counts["refused"], counts["spoilt"]
    print(
        f"{100 * refused / spoilt:10.3f} %  no reading with two neighbours (not adverbs) swapped,"
        f" of {spoilt:,}"
    )
    kinds = Counter({kind: counts[kind] for kind in examples})
    for kind, k in kinds.most_common():
        print(f"{100 * k / n:14.3f} %  {kind}")
        print(f"{'':18}{examples[kind]}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--language", choices=REQUESTS, action="append")
    parser.add_argument("--n", type=int, default=120_000, help="sentences of each language")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--misses", type=Path, help="where sentences go whose event is not found")
    chosen = parser.parse_args()
    misses: list[str] = []
    for language in chosen.language or REQUESTS:
        for name, asked in REQUESTS[language].items():
            counted = tally(
                language,
                {**asked, "language": language},
                chosen.n // len(REQUESTS[language]),
                chosen.seed,
            )
            show(f"{language}, {name}", counted)
            misses += counted.misses
    if chosen.misses:
        chosen.misses.write_text("".join(f"{text}\n" for text in misses), encoding="utf-8")
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
