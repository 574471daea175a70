"""What a reading of a sentence answers, found from its words alone by
lingprobe_extensions.compose.readings, which shares nothing with what made them.

An item whose readings do not all give its label is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lingprobe import DataProblem
from lingprobe_extensions.compose.comp.contrasts import split_sentence
from lingprobe_extensions.compose.events.language import Language
from lingprobe_extensions.compose.events.lexicon import WORD_KINDS, EventLexicon, LexicalEntry
from lingprobe_extensions.compose.readings.find import (
    ReadingGrammar,
    find_agreed_answer,
    get_grammar,
)
from lingprobe_extensions.compose.readings.reading import LemmaFact, SentenceReading
from lingprobe_extensions.compose.readings.words import Extra, UserLexeme

Answer = Callable[[SentenceReading, tuple[str, ...]], bool | None]
"""A reading and the asked words -> whether the answer is yes; None where it is open."""

QUESTION_ROLES = ("agent", "patient", "recipient")


def is_verb_present(reading: SentenceReading, asked: tuple[str, ...]) -> bool:
    """The verb is there."""
    return LemmaFact(asked[0], "predicate", "") in reading.words


def both_present(reading: SentenceReading, asked: tuple[str, ...]) -> bool:
    """The noun is there, and so is the verb."""
    return LemmaFact(asked[0], "noun", "") in reading.words and is_verb_present(reading, asked[1:])


def is_noun_before_verb(reading: SentenceReading, asked: tuple[str, ...]) -> bool:
    """The noun comes before the verb."""
    both = LemmaFact(asked[0], "noun", ""), LemmaFact(asked[1], "predicate", "")
    places = [reading.words.index(one) for one in both if one in reading.words]
    return len(places) == len(both) and places[0] < places[1]


def is_agent(reading: SentenceReading, asked: tuple[str, ...]) -> bool:
    """The noun is the agent of the verb."""
    return asked[0] in reading.values(asked[1], "agent")


def happens(reading: SentenceReading, asked: tuple[str, ...]) -> bool | None:
    """Neither the verb nor an argument that stands in its own clause is negated; open in the
    restriction of "no", at any depth.
    """
    (verb,) = asked
    if _restricts_none(reading, verb):
        return None
    return "negative" not in reading.values(verb, "polarity") and not any(
        has_no(reading, noun) for noun in _arguments(reading, verb)
    )


def has_no(reading: SentenceReading, noun: str) -> bool:
    """Whether a noun has "no" before it."""
    return bool(reading.denying.intersection(reading.values(noun, "determiner")))


def _restricts_none(reading: SentenceReading, verb: str) -> bool:
    """Whether the clause of a verb says, itself or within another, which ones a "no" is about."""
    above = [
        f for f in reading.facts if f.value == verb and f.says in ("relative", "content", "and")
    ]
    return any(
        (f.says == "relative" and has_no(reading, f.of))
        or any(_restricts_none(reading, outer) for outer in _verbs_above(reading, f, verb))
        for f in above
    )


def _verbs_above(reading: SentenceReading, fact: LemmaFact, verb: str) -> Iterator[str]:
    """The verbs of the clauses right above a verb's: what a relative clause's noun is an argument
    of, or what a clause is said or joined by.
    """
    if fact.says != "relative":
        yield fact.of
        return
    inside = reading.values(fact.of, "relative")
    yield from (
        f.of
        for f in reading.facts
        if f.value == fact.of and f.says in QUESTION_ROLES and f.of not in inside
    )


def is_subject_plural(reading: SentenceReading, asked: tuple[str, ...]) -> bool:
    """The subject of the verb is plural."""
    return any(
        "plural" in reading.values(noun, "number")
        for noun in find_agreeing_nouns(reading, asked[0])
    )


def past(reading: SentenceReading, asked: tuple[str, ...]) -> bool:
    """The noun is the subject of a verb in the past."""
    return any(
        asked[0] in find_agreeing_nouns(reading, verb) and "past" in reading.values(verb, "tense")
        for verb in list_verbs(reading)
    )


def has_adjective(reading: SentenceReading, asked: tuple[str, ...]) -> bool:
    """The adjective is one of the noun."""
    return asked[0] in reading.values(asked[1], "adjective")


def of_none(reading: SentenceReading, asked: tuple[str, ...]) -> bool:
    """The noun has "no", and stands in the verb's own clause."""
    noun, verb = asked
    return noun in _arguments(reading, verb) and has_no(reading, noun)


def list_verbs(reading: SentenceReading) -> tuple[str, ...]:
    """The verbs, in the order of the words."""
    return tuple(word.of for word in reading.words if word.says == "predicate")


def find_agreeing_nouns(reading: SentenceReading, verb: str) -> tuple[str, ...]:
    """The nouns that a verb agrees with."""
    return reading.values(
        verb, "patient" if "passive" in reading.values(verb, "voice") else "agent"
    )


def _arguments(reading: SentenceReading, verb: str) -> Iterator[str]:
    """The nouns of a clause; a head of a relative clause belongs to the clause above."""
    for name in QUESTION_ROLES:
        yield from (
            noun
            for noun in reading.values(verb, name)
            if verb not in reading.values(noun, "relative")
        )


@dataclass(frozen=True)
class LabelChecker:
    """Checks labels by a reader that shares no code with the generator: the answer to a question,
    what reads the sentences, and words that the reader's own table lacks.
    """

    answer: Answer
    grammar: ReadingGrammar
    more: Extra

    @classmethod
    def of(cls, answer: Answer, language: Language) -> LabelChecker:
        """For sentences of a language, whose lexicon may have further words if its reader takes
        any.
        """
        if not language.reader:
            raise DataProblem(
                f"{language.name} has no reader that could confirm labels: write readings=none"
            )
        reads = get_grammar(language.reader)
        more = tuple(_list_new_words(language.lexicon, language.known or language.lexicon))
        if more and reads.further is None:
            raise DataProblem(
                f"words of your own are not read in {language.name}: write readings=none"
            )
        return cls(answer, reads, reads.further(more) if reads.further is not None else ())

    def confirm_label(self, text: str, asked: tuple[str, ...], label: bool) -> bool:
        """Whether all readings of a sentence say what its label says; that all say the opposite is
        an error, here or in a table of words.
        """
        answer = find_agreed_answer(
            split_sentence(text),
            lambda reading: self.answer(reading, asked),
            self.grammar,
            extra_words=self.more,
        )
        if answer is (not label):
            raise DataProblem(
                f"of {text!r}, asked about {' and '.join(asked)}, every reading answers"
                f" {'no' if label else 'yes'}, and its label is the opposite: this is a fault of"
                " lingprobe, or of a table of words; please report it"
            )
        return answer is label


def _list_new_words(lexicon: EventLexicon, usual: EventLexicon) -> Iterator[UserLexeme]:
    """The words of a lexicon that the usual one lacks."""

    def entry_key(entry: LexicalEntry) -> tuple[object, ...]:
        return entry.lemma, entry.forms, entry.classes

    for kind in WORD_KINDS:
        known = {entry_key(entry) for entry in usual.entries[kind]}
        yield from (
            UserLexeme(kind, e.lemma, e.forms, e.classes, e.flags)
            for e in lexicon.entries[kind]
            if entry_key(e) not in known
        )
