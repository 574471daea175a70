"""Minimal pairs by structure: what changes places between two sentences, what is asked of both, and
what the answers are.

A contrast is about no words yet. Its two sentences have the same words; a question about it has
opposite answers in them. Each task has a function that gives the contrasts of one structure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from lingprobe_extensions.compose.events.batch import ShapeBatch
from lingprobe_extensions.compose.events.cells import Values
from lingprobe_extensions.compose.events.language import ClauseForm, Language, Numbers
from lingprobe_extensions.compose.events.shapes import Box, ClauseAt, LinearisedShape, PhraseShape

# of other words only some are in a structure
_LETTERS = {"noun": "N", "predicate": "V", "preposition": "P", "adjectives": "A"}
_LINKING = ("gap", "marker", "complementiser", "conjunction")
SPARE_WORD_PATH = "spare"  # the path of a word that is in one sentence of a pair only


@dataclass(frozen=True, slots=True)
class VariableSwap:
    """Two variables whose values change places; of forms only a field of the value, as 'polarity',
    where one is named.

    more  further variables that change places along with them, as a noun's form with the noun
    """

    a: str
    b: str
    field: str = ""
    more: tuple[tuple[str, str], ...] = ()

    def counterpart(self, path: str) -> str:
        """Where the word at a path of the first sentence stands in the second."""
        if self.field:
            return path
        return next(
            (
                one if path == other else other
                for one, other in ((self.a, self.b), *self.more)
                if path in (one, other)
            ),
            path,
        )


class ContrastQuestion(NamedTuple):
    """The variables whose words are asked about, by their paths in the first sentence, and what is
    told of the answer.

    first     whether the answer is yes in the first sentence; in the second it is the opposite
    negative  what kind of no it is
    clause    what the paths of the asked verb's clause begin with
    positive  what kind of yes it is, where yes and no have the same kinds and are to have the same
              shares of them
    """

    asked: tuple[str, ...]
    first: bool
    negative: str
    clause: str
    positive: str = ""


@dataclass(frozen=True)
class StructureContrast:
    """A structure of a language, a swap and questions.

    limits   values that variables may have, on top of what the task allows everywhere
    spare    the kind of a further word that one of the sentences has: 'noun' or 'verb', '' for
             pairs of the same words
    tied     forms that are made alike but for a field: the second becomes like the first
    strata   what else both sentences are called, to report by and to have a least share
    """

    placed: LinearisedShape
    language: Language
    swap: VariableSwap
    questions: tuple[ContrastQuestion, ...]
    limits: Mapping[str, int]
    spare: str = ""
    tied: VariableSwap | None = None
    strata: Mapping[str, str] = field(default_factory=dict)

    def mirror_box(self, box: Box) -> Box:
        """A box of the second sentences, as one of the first."""
        return {self.swap.counterpart(path): mask for path, mask in box.items()}

    def with_ties(self, values: Values) -> Values:
        """Values with the tied forms made alike."""
        if self.tied is None:
            return values
        a, b = values[self.tied.a], values[self.tied.b]
        return {**values, self.tied.b: self._table(self.tied)[a, b]}

    def second(self, values: Values) -> Values:
        """The values of the second sentences."""
        if not self.swap.field:
            return {path: values[self.swap.counterpart(path)] for path in values}
        a, b = values[self.swap.a], values[self.swap.b]
        table = self._table(self.swap)
        return {**values, self.swap.a: table[a, b], self.swap.b: table[b, a]}

    def minimal(self, first: str, second: str) -> bool:
        """Whether two sentences have the same words, as they must where none is spare: where two
        words that change places have other forms there, as by case, a bag tells which is where.
        """
        return bool(self.spare) or sorted(split_sentence(first)) == sorted(split_sentence(second))

    def kind(self, path: str) -> str:
        """What kind of variable is at a path."""
        return (
            self.spare
            if path == SPARE_WORD_PATH
            else next(v.kind for v in self.placed.variables if v.path == path)
        )

    def lemma(self, path: str, number: int) -> str:
        """The word that a value stands for."""
        return str(self.language.values(self.kind(path))[number].lemma)

    def _table(self, swap: VariableSwap) -> Numbers:
        return exchange_table(self.language, self.kind(swap.a), swap.field)


def split_sentence(text: str) -> list[str]:
    """The words of a sentence as it is written; a comma is one."""
    return text.replace(",", " ,").split(" ")


def describe_structure(text: str, roles: str) -> str:
    """The structure of a sentence in words, as "N that V N was V by N"; determiners, auxiliaries,
    adverbs and negations are excluded.
    """
    named = zip(
        split_sentence(text),
        (path.rstrip(".0123456789").rpartition(".")[2] for path in roles.split(" ")),
        strict=True,
    )
    return " ".join(
        _LETTERS.get(last, word) for word, last in named if last in _LETTERS or last in _LINKING
    )


@lru_cache(maxsize=32)
def exchange_table(language: Language, kind: str, field: str) -> Numbers:
    """[values, values]: the first with the field of the second, -1 where the language has no such
    value.
    """
    known = language.values(kind)
    number = {value: i for i, value in enumerate(known)}
    return np.array(
        [
            [number.get(one._replace(**{field: other._asdict()[field]}), -1) for other in known]
            for one in known
        ],
        np.int64,
    )


Asks = Callable[[LinearisedShape, Language], Iterator[StructureContrast]]


@lru_cache(maxsize=1024)
def order(placed: LinearisedShape, language: Language) -> Mapping[str, int]:
    """Where each path is said in a structure: nouns and verbs from left to right."""
    zeros = {v.path: np.zeros(1, np.int64) for v in placed.variables}
    roles = ShapeBatch(placed, zeros, np.zeros(1, np.int64), language).roles()[0].split()
    return {path: i for i, path in enumerate(roles)}


def nouns(placed: LinearisedShape) -> tuple[str, ...]:
    """The paths of all nouns of a structure."""
    return tuple(f"{at.path}.noun" for at in placed.phrases)


def get_noun_role(at: ClauseAt, noun: str, placed: LinearisedShape) -> str:
    """What a noun is in a clause: a role, or 'unrelated'."""
    return next(
        (role for role in at.clause.order if f"{placed.filler(at, role)}.noun" == noun), "unrelated"
    )


def _both(
    at: ClauseAt, one: str, other: str, negative: str, positive: str = ""
) -> tuple[ContrastQuestion, ContrastQuestion]:
    """The question about each of two nouns that change places and one verb; the first one's answer
    is yes.
    """
    verb = f"{at.prefix}predicate"
    return ContrastQuestion((one, verb), True, negative, at.prefix, positive), ContrastQuestion(
        (other, verb), False, negative, at.prefix, positive
    )


def exchange_roles(placed: LinearisedShape, language: Language) -> Iterator[StructureContrast]:
    """Agent and another noun change places; further questions are about other verbs of which one of
    the two is agent.
    """
    for at in placed.clauses:
        agent = next((n for n in nouns(placed) if get_noun_role(at, n, placed) == "agent"), None)
        for other in nouns(placed) if agent else ():
            if agent and other != agent:
                questions = [*_both(at, agent, other, get_noun_role(at, other, placed))]
                for more in (c for c in placed.clauses if c != at):
                    for one, second in ((agent, other), (other, agent)):
                        if get_noun_role(more, one, placed) == "agent":
                            questions += _both(
                                more, one, second, get_noun_role(more, second, placed)
                            )
                yield StructureContrast(
                    placed, language, VariableSwap(agent, other), tuple(questions), {}
                )


def exchange_word_order(placed: LinearisedShape, language: Language) -> Iterator[StructureContrast]:
    """A noun before a verb and one after it change places; the kinds are the nouns' roles."""
    places = order(placed, language)
    for at in placed.clauses:
        verb = places[f"{at.prefix}predicate"]
        for one in (n for n in nouns(placed) if places[n] < verb):
            for other in (n for n in nouns(placed) if places[n] > verb):
                kinds = (get_noun_role(at, other, placed), get_noun_role(at, one, placed))
                yield StructureContrast(
                    placed, language, VariableSwap(one, other), _both(at, one, other, *kinds), {}
                )


def contents1(placed: LinearisedShape, language: Language) -> Iterator[StructureContrast]:
    """A verb is replaced by one that is not in the sentence."""
    for at in placed.clauses:
        verb, negative = f"{at.prefix}predicate", "relative" if at.prefix else "main"
        questions = (
            ContrastQuestion((verb,), True, negative, at.prefix),
            ContrastQuestion((SPARE_WORD_PATH,), False, negative, at.prefix),
        )
        yield StructureContrast(
            placed,
            language,
            VariableSwap(verb, SPARE_WORD_PATH),
            questions,
            {SPARE_WORD_PATH: language.lexicon.mask("verb", frame=at.clause.frame)},
            "verb",
        )


def contents2(placed: LinearisedShape, language: Language) -> Iterator[StructureContrast]:
    """Of a noun and a verb one is replaced."""
    for at in placed.clauses:
        verb = f"{at.prefix}predicate"
        frames = {SPARE_WORD_PATH: language.lexicon.mask("verb", frame=at.clause.frame)}
        for noun in nouns(placed):
            absent = (
                ContrastQuestion((noun, verb), True, "noun absent", at.prefix),
                ContrastQuestion((SPARE_WORD_PATH, verb), False, "noun absent", at.prefix),
            )
            yield StructureContrast(
                placed, language, VariableSwap(noun, SPARE_WORD_PATH), absent, {}, "noun"
            )
            absent = (
                ContrastQuestion((noun, verb), True, "verb absent", at.prefix),
                ContrastQuestion((noun, SPARE_WORD_PATH), False, "verb absent", at.prefix),
            )
            yield StructureContrast(
                placed, language, VariableSwap(verb, SPARE_WORD_PATH), absent, frames, "verb"
            )


Two = tuple[ClauseAt, ClauseAt]


def are_built_alike(clauses: Two) -> bool:
    """Whether two clauses are built alike, so that their verbs can change places."""
    return (
        clauses[0].clause.frame == clauses[1].clause.frame
        and clauses[0].clause.voice == clauses[1].clause.voice
    )


def exchange_verbs(clauses: Two) -> VariableSwap:
    """The verbs of two clauses change places."""
    return VariableSwap(f"{clauses[0].prefix}predicate", f"{clauses[1].prefix}predicate")


def describe_clause(placed: LinearisedShape, prefix: str) -> str:
    """What kind of clause one is: 'plain' where the sentence has nothing else, else 'main',
    'subject relative', 'object relative' (by what the head is in it), 'second verb' or 'content';
    and its voice, or what frame keeps it from having two.
    """
    at = next(at for at in placed.clauses if at.prefix == prefix)
    relative = "subject relative" if at.gap == at.clause.order[0] else "object relative"
    kinds = {"relative": relative, "also": "second verb", "content": "content"}
    kind = kinds[prefix.split(".")[-2]] if prefix else "main"
    if len(placed.clauses) == 1 and len(placed.phrases) == len(at.clause.order):
        kind = "plain"
    frame = at.clause.voice if at.clause.frame == "transitive" else at.clause.frame
    return f"{frame} {kind}"


def list_argument_forms(at: ClauseAt, placed: LinearisedShape) -> list[str]:
    """The forms of the phrases that stand in a clause itself."""
    slots = ((role, at.clause.slot(role)) for role in at.clause.order)
    return [f"{at.prefix}{role}.form" for role, slot in slots if isinstance(slot, PhraseShape)]


@lru_cache(maxsize=64)
def determiner_forms(language: Language, determiner: str) -> int:
    """Forms of phrases with a determiner."""
    return language.having("phrase", "determiner", (determiner,))


def polarity_forms(language: Language, polarity: str, at: ClauseAt | None = None) -> int:
    """Forms of a polarity; for a clause only those with an auxiliary, which "not" can leave or join
    without "do".
    """

    def fits(form: ClauseForm) -> bool:
        helped = at is None or form.aspect != "simple" or at.clause.voice == "passive"
        return form.tense is not None and form.polarity == polarity and helped

    return language.mask("form", fits)
