"""Readings: what a string of words says, as a set of facts about its lemmas.

No generated sentence has a noun, verb or adjective twice, so a lemma is name enough for what it
stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

Answer = TypeVar("Answer", bound=Hashable)


class LemmaFact(NamedTuple):
    """One thing that is said of a lemma, or what a word is: the auxiliary, negation or predicate of
    a verb, a noun or its determiner.

    of a verb    tense, modal, aspect, polarity, voice; adverb (a row where one of them grades the
                 other: "really often"); clause (main, relative, content); agent, patient, recipient
                 (of two joined nouns one fact each); reflexive (the role that "himself" takes);
                 content (the verb of the clause that is said or thought); and (a verb that shares
                 its subject)
    of a noun    number, determiner, adjective, relative (the verb of its clause), and (the noun
                 joined to it), emphatic ("the man himself")
    of either    a preposition, whose value is the noun that follows it: ("man", "near", "woman")
    """

    of: str
    says: str
    value: str


@dataclass(frozen=True, slots=True)
class SentenceReading:
    """All facts of one reading; `words` says what each word is, and is no part of what a sentence
    says; `denying` are the determiners of its language of which nothing is left, as "no".
    """

    facts: frozenset[LemmaFact]
    words: tuple[LemmaFact, ...] = field(default=(), compare=False)
    denying: frozenset[str] = field(default=frozenset(), compare=False)

    def values(self, of: str, says: str) -> tuple[str, ...]:
        """What is said of a lemma in one respect, in alphabetical order: nothing, one value, or
        several.
        """
        return tuple(
            sorted(fact.value for fact in self.facts if fact.of == of and fact.says == says)
        )


def common_answer(
    readings: Iterable[SentenceReading], answer: Callable[[SentenceReading], Answer | None]
) -> Answer | None:
    """What all readings answer; None where they differ, where one has no answer, or where there is
    no reading.
    """
    answers = {answer(reading) for reading in readings}
    return answers.pop() if len(answers) == 1 else None
