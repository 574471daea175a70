"""How a shape is said in Polish: its columns from left to right, each a table of words that its
variables look up.

Subject, verb, objects; adverbs of stance before the verb group, others before its last word. An
object stands in the accusative, in the genitive if its verb is negated; relative and embedded
clauses stand between commas.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from sonde.generation.events.columns import same, texts, under, word
from sonde.generation.events.language import Column, Key, Language, Numbers, Texts
from sonde.generation.events.polish_forms import (
    ACCUSATIVE,
    CONCORD,
    DETERMINERS,
    GENITIVE,
    INSTRUMENTAL,
    KTORY,
    M1,
    NOMINATIVE,
    TOGETHER,
    agreeing,
    declined,
    genders,
    groups,
)
from sonde.generation.events.shapes import ClauseAt, Hole, Phrase, Placed, Twins

CASES = {"genitive": GENITIVE, "instrumental": INSTRUMENTAL}
STANCE = "stance"  # adverbs that stand before a negation


class Case(NamedTuple):
    """A case, or several of which a variable picks one."""

    cases: tuple[int, ...]
    keys: tuple[Key, ...] = ()

    def of(self, tables: Texts) -> Texts:
        """The part of tables [cases, ...] that may be looked up: the case itself, or those that the
        key picks from.
        """
        part: Texts = tables[list(self.cases)] if self.keys else tables[self.cases[0]]
        return part


def columns(placed: Placed, language: Language) -> list[Column]:
    """The columns of a shape, without commas that stand at the end or before another."""
    pieces = list(_clause(placed.clauses[0], placed, language))
    return [
        one
        for one, after in pairwise([*pieces, None])
        if one is not None and not (_comma(one) and (after is None or _comma(after)))
    ]


def _comma(column: Column) -> bool:
    return column.words.ndim == 0 and column.words.item() == ", "


def _clause(at: ClauseAt, placed: Placed, language: Language) -> Iterator[Column]:
    subject, *others = at.clause.order
    gap = next((role for role in at.clause.order if at.clause.slot(role) is Hole.GAP), None)
    if gap is not None:
        yield word(",", f"{at.prefix}comma")
        yield _relativiser(at, gap, placed, language)
    if not isinstance(at.clause.slot(subject), Hole):
        yield from _argument(at, subject, placed, language)
    yield from _verb_group(at, placed, language)
    for role in others:
        if role != gap:
            yield from _argument(at, role, placed, language)
    if at.clause.content is not None:
        yield word(",", f"{at.prefix}content.comma")
        yield word("że", f"{at.prefix}content.complementiser")
        yield from _clause(placed.clause(f"{at.prefix}content."), placed, language)
    if at.clause.also is not None:
        yield word("i", f"{at.prefix}also.conjunction")
        yield from _clause(placed.clause(f"{at.prefix}also."), placed, language)
    if gap is not None:
        yield word(",", f"{at.prefix}comma")


def _case(at: ClauseAt, role: str, language: Language) -> Case:
    """The case of a role: that of the object depends on the polarity of its clause."""
    if role == at.clause.order[0]:
        return Case((NOMINATIVE,))
    if at.clause.voice == "passive":
        return Case((ACCUSATIVE,))  # after "przez"
    negative = np.array([form.polarity == "negative" for form in language.forms], np.int64)
    return Case((ACCUSATIVE, GENITIVE), (Key(f"{at.prefix}form", negative),))


def _relativiser(at: ClauseAt, gap: str, placed: Placed, language: Language) -> Column:
    case = _case(at, gap, language)
    words = case.of(_inflected(language)[0])
    link = f"{at.prefix}{gap}.gap"
    keys = (*case.keys, _number(at.head, language), _gender(at.head, language))
    return Column(words, same(link, words.shape), keys)


def _argument(at: ClauseAt, role: str, placed: Placed, language: Language) -> Iterator[Column]:
    slot, path, case = at.clause.slot(role), f"{at.prefix}{role}", _case(at, role, language)
    if role == "agent" and at.clause.voice == "passive":
        yield word("przez", f"{path}.marker")
    if slot is Hole.REFLEXIVE:
        yield word("siebie", f"{path}.reflexive")
    elif isinstance(slot, Twins):
        yield from _phrase(f"{path}.both.0", slot.both[0], case, placed, language)
        yield word("i", f"{path}.conjunction")
        yield from _phrase(f"{path}.both.1", slot.both[1], case, placed, language)
    elif isinstance(slot, Phrase):
        yield from _phrase(path, slot, case, placed, language)


def _phrase(
    path: str, phrase: Phrase, case: Case, placed: Placed, language: Language
) -> Iterator[Column]:
    _, determiners, adjectives, nouns = _inflected(language)
    form, gender = Key(f"{path}.form"), _gender(path, language)
    determiner_roles = np.array(
        [f"{path}.determiner " if p.determiner in DETERMINERS else "" for p in language.phrases],
        object,
    )
    words = case.of(determiners)
    roles = np.broadcast_to(determiner_roles[:, None], words.shape)
    yield Column(words, roles, (*case.keys, form, gender))
    for i in range(phrase.adjectives):
        where = f"{path}.adjectives.{i}"
        words = case.of(adjectives)
        yield Column(
            words,
            same(where, words.shape),
            (*case.keys, _number(path, language), gender, Key(where)),
        )
    words = case.of(nouns)
    yield Column(
        words,
        same(f"{path}.noun", words.shape),
        (*case.keys, _number(path, language), Key(f"{path}.noun")),
    )
    if phrase.modifier is not None:
        where = f"{path}.modifier.preposition"
        prepositions = texts(e.lemma for e in language.values("preposition"))
        yield Column(prepositions, same(where, prepositions.shape), (Key(where),))
        yield from _phrase(
            f"{path}.modifier.participant",
            phrase.modifier,
            _governed(where, language),
            placed,
            language,
        )
    if phrase.relative is not None:
        yield from _clause(placed.clause(f"{path}.relative."), placed, language)


def _governed(path: str, language: Language) -> Case:
    """The case that a preposition takes."""
    taken = [
        next(i for i, name in enumerate(CASES) if name in e.flags)
        for e in language.values("preposition")
    ]
    return Case(tuple(CASES.values()), (Key(path, np.array(taken, np.int64)),))


def _verb_group(at: ClauseAt, placed: Placed, language: Language) -> Iterator[Column]:
    adverbs = Key(f"{at.prefix}adverbs")
    if at.clause.adverbs:
        words, roles = _adverbs(language, stance=True)
        yield Column(words, under(roles, at.prefix), (adverbs,))
    concord, subject = _concord(placed.filler(at, at.clause.order[0]), placed, language)
    form = Key(f"{at.prefix}form")
    words, roles, verbs = _groups(language, at.clause.voice)
    yield Column(words[:, concord], under(roles[:, concord], at.prefix), (form, *subject))
    if at.clause.adverbs:
        words, roles = _adverbs(language, stance=False)
        yield Column(words, under(roles, at.prefix), (adverbs,))
    verb = verbs[:, concord]
    yield Column(
        verb,
        same(f"{at.prefix}predicate", verb.shape),
        (form, *subject, Key(f"{at.prefix}predicate")),
    )


def _concord(path: str, placed: Placed, language: Language) -> tuple[Numbers, tuple[Key, Key]]:
    """What verbs agree with: a table of two values of the subject, and those."""
    if not placed.paired(path):
        return CONCORD, (_number(path, language), _gender(path, language))
    virile = (genders(language) == M1).astype(np.int64)
    first, second = (Key(f"{noun}.noun", virile) for noun in placed.nouns(path))
    return TOGETHER, (first, second)


def _number(path: str, language: Language) -> Key:
    return Key(
        f"{path}.form", np.array([form.number == "plural" for form in language.phrases], np.int64)
    )


def _gender(path: str, language: Language) -> Key:
    return Key(f"{path}.noun", _genders(language))


@lru_cache(maxsize=8)
def _genders(language: Language) -> Numbers:
    return genders(language)


@lru_cache(maxsize=8)
def _groups(language: Language, voice: str) -> tuple[Texts, Texts, Texts]:
    return groups(language, voice)


@lru_cache(maxsize=8)
def _inflected(language: Language) -> tuple[Texts, Texts, Texts, Texts]:
    """By case first: "który" [number, gender], determiners [phrase, gender], adjectives [number,
    gender, word], nouns [number, word].
    """
    determiners = {
        name: np.array(agreeing(pronoun), object) for name, pronoun in DETERMINERS.items()
    }
    bare = np.full((4, 2, 5), "", object)
    chosen = [
        determiners.get(p.determiner, bare)[:, int(p.number == "plural")] for p in language.phrases
    ]
    adjectives = np.array(
        [agreeing(declined(e)) for e in language.values("adjective")], object
    ).reshape(-1, 4, 2, 5)
    nouns = np.array(
        [[f"{form} " for form in e.forms] for e in language.values("noun")], object
    ).reshape(-1, 2, 4)
    return (
        np.array(agreeing(KTORY), object),
        np.stack(chosen, axis=1),
        np.moveaxis(adjectives, 0, -1),
        nouns.transpose(2, 1, 0),
    )


@lru_cache(maxsize=8)
def _adverbs(language: Language, *, stance: bool) -> tuple[Texts, Texts]:
    """Of rows of adverbs those of stance, or the others, and what they realise."""
    entries = language.values("adverb")
    rows = [
        [(k, i) for k, i in enumerate(row) if (STANCE in entries[i].classes) == stance]
        for row in language.values("adverbs")
    ]
    words = texts(" ".join(entries[i].lemma for _, i in row) for row in rows)
    return words, np.array(["".join(f"adverbs.{k} " for k, _ in row) for row in rows], object)
