"""What oracles hold: the meaning of a sentence, as facts, for an encoder that turns facts into
vectors.

Most questions are about two things that belong together: agent and verb, verb and polarity,
adjective and noun. Oracles hold all such pairs of a sentence, in one of two ways. Bound: a fact a
pair. Then a probe of one layer that is told the asked words has to look one fact up, and knows
nothing of a pair that it was never asked about. By place: a fact for either of the two, marked with
the place of the clause in the sentence. Then the probe has to put them together, and need not have
seen them together before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from lingprobe_extensions.compose.comp.answers import (
    QUESTION_ROLES,
    find_agreeing_nouns,
    happens,
    has_no,
    list_verbs,
)
from lingprobe_extensions.compose.readings.reading import SentenceReading

FactsOf = Callable[[SentenceReading], Iterator[str]]
"""The meaning of a sentence -> its facts."""
Belonging = Callable[[SentenceReading], Iterator[tuple[str, str, str]]]
"""The meaning of a sentence -> two things that belong together, and the place of the clause or
phrase in which they do.
"""


class SentenceOracle(NamedTuple):
    """What an oracle tells of a sentence, and a sentence about that."""

    facts: FactsOf
    about: str


def locate_clause(reading: SentenceReading, verb: str, below: frozenset[str] = frozenset()) -> str:
    """Where the clause of a verb is: 'main', 'main agent relative' for the relative clause of its
    agent, 'main content'.

    `below` are verbs whose clauses are in this one; where words are said twice, so that a clause
    seems to be in itself, it is 'elsewhere'.
    """
    if verb in below:
        return "elsewhere"
    above, below = (
        {
            f.says: f.of
            for f in reading.facts
            if f.value == verb and f.says in ("and", "content", "relative")
        },
        below | {verb},
    )
    for says in ("and", "content"):
        if says in above:
            return f"{locate_clause(reading, above[says], below)} {says}"
    return (
        f"{_locate_noun(reading, above['relative'], below)} relative"
        if "relative" in above
        else "main"
    )


def _locate_noun(reading: SentenceReading, noun: str, below: frozenset[str] = frozenset()) -> str:
    """The place of a noun: the clause that it is an argument of from above, and as what."""
    inside = reading.values(noun, "relative")
    outer = (
        f
        for f in sorted(reading.facts)
        if f.value == noun and f.says in QUESTION_ROLES and f.of not in inside
    )
    fact = next(outer, None)
    return "elsewhere" if fact is None else f"{locate_clause(reading, fact.of, below)} {fact.says}"


def agents(reading: SentenceReading) -> Iterator[tuple[str, str, str]]:
    """Verbs and their agents."""
    yield from (
        (verb, noun, locate_clause(reading, verb))
        for verb in list_verbs(reading)
        for noun in reading.values(verb, "agent")
    )


def polarities(reading: SentenceReading) -> Iterator[tuple[str, str, str]]:
    """Verbs, and whether they happen, are negated, or neither is said."""
    said = {True: "happens", False: "negated", None: "open"}
    yield from (
        (verb, said[happens(reading, (verb,))], locate_clause(reading, verb))
        for verb in list_verbs(reading)
    )


def list_verb_numbers(reading: SentenceReading) -> Iterator[tuple[str, str, str]]:
    """Verbs and the number of their subject."""
    for verb in list_verbs(reading):
        yield from (
            (verb, n, locate_clause(reading, verb))
            for noun in find_agreeing_nouns(reading, verb)
            for n in reading.values(noun, "number")
        )


def list_subject_tenses(reading: SentenceReading) -> Iterator[tuple[str, str, str]]:
    """Subjects and the tense of their verb."""
    for verb in list_verbs(reading):
        yield from (
            (noun, tense, locate_clause(reading, verb))
            for noun in find_agreeing_nouns(reading, verb)
            for tense in reading.values(verb, "tense")
        )


def adjective_pairs(reading: SentenceReading) -> Iterator[tuple[str, str, str]]:
    """Adjectives and their nouns."""
    yield from (
        (fact.value, fact.of, _locate_noun(reading, fact.of))
        for fact in sorted(reading.facts)
        if fact.says == "adjective"
    )


def negated_pairs(reading: SentenceReading) -> Iterator[tuple[str, str, str]]:
    """Verbs and the nouns with "no" that they are said of."""
    for verb in list_verbs(reading):
        nouns = [
            noun
            for role in QUESTION_ROLES
            for noun in reading.values(verb, role)
            if verb not in reading.values(noun, "relative")
        ]
        yield from (
            (verb, noun, locate_clause(reading, verb)) for noun in nouns if has_no(reading, noun)
        )


def list_words(reading: SentenceReading) -> Iterator[str]:
    """Which nouns and verbs there are."""
    yield from (word.of for word in reading.words if word.says in ("noun", "predicate"))


def list_word_positions(reading: SentenceReading) -> Iterator[str]:
    """At which place each noun and verb stands."""
    yield from (
        f"{word.of} at {at}"
        for at, word in enumerate(reading.words)
        if word.says in ("noun", "predicate")
    )


def pair_nouns_with_later_verbs(reading: SentenceReading) -> Iterator[tuple[str, str, str]]:
    """Nouns and the verbs that come after them."""
    for at, word in enumerate(reading.words):
        if word.says == "noun":
            yield from (
                (later.of, word.of, "")
                for later in reading.words[at + 1 :]
                if later.says == "predicate"
            )


def pair_facts(belonging: Belonging, reading: SentenceReading) -> Iterator[str]:
    """One fact for each two."""
    yield from dict.fromkeys(f"{one} {other}" for one, other, _ in belonging(reading))


def by_place(belonging: Belonging, reading: SentenceReading) -> Iterator[str]:
    """One fact for each thing and place."""
    belongings = list(belonging(reading))
    yield from dict.fromkeys(
        f"{at}: {k} {thing}" for *two, at in belongings for k, thing in enumerate(two)
    )


_SEEN = "for questions about pairs of words that train asks about, and no others"
_EVERY = "for every part of test"
_APART = "each by the place of its clause, for probes that can put the two together"


def _make_pair_oracles(belonging: Belonging, of: str) -> Mapping[str, SentenceOracle]:
    """The two oracles of a question about two words."""
    return {
        "relations": SentenceOracle(
            partial(pair_facts, belonging), f"{of}, one fact for two words; {_SEEN}"
        ),
        "slots": SentenceOracle(partial(by_place, belonging), f"{of}, {_APART}"),
    }


def _make_word_oracles(name: str, belonging: Belonging, of: str) -> Mapping[str, SentenceOracle]:
    """The two oracles of a question about one word."""
    return {
        name: SentenceOracle(
            partial(pair_facts, belonging), f"{of}, one fact for the two; {_EVERY}"
        ),
        "slots": SentenceOracle(partial(by_place, belonging), f"{of}, {_APART}"),
    }


SENTENCE_ORACLES: Mapping[str, Mapping[str, SentenceOracle]] = {
    "content1": {"words": SentenceOracle(list_words, f"which words there are, {_EVERY}")},
    "content2": {"words": SentenceOracle(list_words, f"which words there are, {_EVERY}")},
    "order": {
        "relations": SentenceOracle(
            partial(pair_facts, pair_nouns_with_later_verbs),
            f"which noun comes before which verb, one fact for two words; {_SEEN}",
        ),
        "positions": SentenceOracle(
            list_word_positions,
            "at which place each noun and verb stands, for probes that can compare the two",
        ),
    },
    "sem-role": _make_pair_oracles(agents, "verbs and their agents"),
    "negation": _make_word_oracles("polarity", polarities, "verbs, and whether they are negated"),
    "agreement": _make_word_oracles(
        "numbers", list_verb_numbers, "verbs and the number of their subject"
    ),
    "embedded-tense": _make_word_oracles(
        "tenses", list_subject_tenses, "subjects and the tense of their verb"
    ),
    "adjective": _make_pair_oracles(adjective_pairs, "adjectives and their nouns"),
    "quantifier-scope": _make_pair_oracles(negated_pairs, 'verbs and their nouns with "no"'),
}
