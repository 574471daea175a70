"""How a shape is said in English: its columns from left to right, each a table of words that its
variables look up; and the verb groups, for every tense, modal, aspect, polarity and voice.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np

from lingprobe_extensions.compose.events.language import (
    ClauseForm,
    Language,
    Numbers,
    Texts,
    VariableKey,
    WordColumn,
    build_word_column,
    list_prepositions,
    make_constant_word,
    mark_plurals,
    prefix_roles,
    repeat_role,
    space_words,
)
from lingprobe_extensions.compose.events.lexicon import LexicalEntry
from lingprobe_extensions.compose.events.shapes import (
    ArgumentHole,
    ClauseAt,
    CoordinatedPhrases,
    LinearisedShape,
    PhraseShape,
)

# the forms of a verb in the order of the lexicon; `_BARE` is the lemma
_BARE, _THIRD, PAST_FORM, _PARTICIPLE, _GERUND = range(5)
_AUXILIARIES = {
    "have": ("have", "has", "had", "had", "having"),
    "do": ("do", "does", "did", "done", "doing"),
}
_BE = {"past": ("was", "were"), "present": ("is", "are")}
_BE_FORMS = {_BARE: "be", _PARTICIPLE: "been", _GERUND: "being"}


class EnglishVerbGroup(NamedTuple):
    """A verb group around the place of its adverbs: words with what they realise, and the form of
    the verb itself.
    """

    before: tuple[tuple[str, str], ...]
    after: tuple[tuple[str, str], ...]
    verb: int


def build_english_group(form: ClauseForm, voice: str, plural: bool) -> EnglishVerbGroup:
    """The group for a form, a voice and the number of the subject: "was not | being helped"."""
    chain = [("modal", _BARE)] if form.modal else []
    chain += [("have", _PARTICIPLE)] if form.aspect.startswith("perfect") else []
    chain += [("be", _GERUND)] if form.aspect.endswith("progressive") else []
    chain += [("be", _PARTICIPLE)] if voice == "passive" else []
    if not chain and form.polarity == "negative":
        chain = [("do", _BARE)]
    finite = _finite_form(form, plural)
    words, inflection = [], finite
    for i, (auxiliary, next_form) in enumerate(chain):
        if auxiliary == "modal":
            words.append((str(form.modal), "modal"))
        elif auxiliary == "be":
            words.append(
                (_BE[str(form.tense)][plural] if i == 0 else _BE_FORMS[inflection], "auxiliary")
            )
        else:
            words.append((_AUXILIARIES[auxiliary][inflection], "auxiliary"))
        inflection = next_form
    negation = (("not", "negation"),) if form.polarity == "negative" else ()
    return EnglishVerbGroup((*words[:1], *negation), tuple(words[1:]), inflection)


def _finite_form(form: ClauseForm, plural: bool) -> int:
    if form.tense == "past":
        return PAST_FORM
    return _BARE if plural else _THIRD


_PLURAL = ("singular", "plural")
_REFLEXIVES = {"masculine": "himself", "feminine": "herself"}


def build_english_columns(placed: LinearisedShape, language: Language) -> list[WordColumn]:
    """The columns of a shape."""
    return list(_clause(placed.clauses[0], placed, language))


def _clause(at: ClauseAt, placed: LinearisedShape, language: Language) -> Iterator[WordColumn]:
    gap, (subject, *others) = at.gap, at.clause.order
    if gap is not None:
        path = f"{at.prefix}{gap}.gap"
        yield build_word_column(space_words(language.relativisers), path, VariableKey(path))
    if not isinstance(at.clause.slot(subject), ArgumentHole):
        yield from _argument(at, subject, placed, language)
    yield from _verb_group(at, placed, language)
    for role in others:
        if role != gap:
            yield from _argument(at, role, placed, language)
    if at.clause.content is not None:
        yield make_constant_word("that", f"{at.prefix}content.complementiser")
        yield from _clause(placed.clause(f"{at.prefix}content."), placed, language)
    if at.clause.also is not None:
        yield make_constant_word("and", f"{at.prefix}also.conjunction")
        yield from _clause(placed.clause(f"{at.prefix}also."), placed, language)


def _argument(
    at: ClauseAt, role: str, placed: LinearisedShape, language: Language
) -> Iterator[WordColumn]:
    slot, path = at.clause.slot(role), f"{at.prefix}{role}"
    if role == "agent" and at.clause.voice == "passive":
        yield make_constant_word("by", f"{path}.marker")
    if role == "recipient" and at.clause.dative == "to":
        yield make_constant_word("to", f"{path}.marker")
    if slot is ArgumentHole.REFLEXIVE:
        yield _reflexive(path, placed.filler(at, "agent"), placed, language)
    elif isinstance(slot, CoordinatedPhrases):
        yield from _phrase(f"{path}.both.0", slot.both[0], placed, language)
        yield make_constant_word("and", f"{path}.conjunction")
        yield from _phrase(f"{path}.both.1", slot.both[1], placed, language)
    elif isinstance(slot, PhraseShape):
        yield from _phrase(path, slot, placed, language)


def _phrase(
    path: str, phrase: PhraseShape, placed: LinearisedShape, language: Language
) -> Iterator[WordColumn]:
    yield _determiner(path, phrase, language)
    for i in range(phrase.adjectives):
        where = f"{path}.adjectives.{i}"
        yield build_word_column(
            space_words(e.lemma for e in language.values("adjective")), where, VariableKey(where)
        )
    where = f"{path}.noun"
    yield build_word_column(
        _nouns(language), where, VariableKey(f"{path}.form"), VariableKey(where)
    )
    if phrase.modifier is not None:
        yield list_prepositions(f"{path}.modifier.preposition", language)
        yield from _phrase(f"{path}.modifier.participant", phrase.modifier, placed, language)
    if phrase.relative is not None:
        yield from _clause(placed.clause(f"{path}.relative."), placed, language)


def _determiner(path: str, phrase: PhraseShape, language: Language) -> WordColumn:
    """The determiner, "a" or "an" by the word that follows."""
    where, kind = ("adjectives.0", "adjective") if phrase.adjectives else ("noun", "noun")
    articles = np.array(
        [[_article(f.determiner, vowel) for vowel in (False, True)] for f in language.phrases],
        object,
    )
    keys = VariableKey(f"{path}.form"), VariableKey(f"{path}.{where}", _vowels(language, kind))
    return WordColumn(articles, _roles(articles, f"{path}.determiner"), keys)


def _verb_group(at: ClauseAt, placed: LinearisedShape, language: Language) -> Iterator[WordColumn]:
    subject = placed.filler(at, at.clause.order[0])
    keys = (VariableKey(f"{at.prefix}form"), _get_subject_number(subject, placed, language))
    verb = VariableKey(f"{at.prefix}predicate")
    before, after, verbs = _groups(language, at.clause.voice)
    yield WordColumn(before[0], prefix_roles(before[1], at.prefix), keys)
    if at.clause.adverbs:
        words, roles = _adverbs(language)
        yield WordColumn(
            words, prefix_roles(roles, at.prefix), (VariableKey(f"{at.prefix}adverbs"),)
        )
    yield WordColumn(after[0], prefix_roles(after[1], at.prefix), keys)
    yield build_word_column(verbs, f"{at.prefix}predicate", *keys, verb)


Pieces = tuple[Texts, Texts]


@lru_cache(maxsize=8)
def _adverbs(language: Language) -> Pieces:
    """Rows of adverbs, and what they realise."""
    rows = language.values("adverbs")
    words = space_words(" ".join(language.values("adverb")[i].lemma for i in row) for row in rows)
    return words, np.array(
        ["".join(f"adverbs.{i} " for i in range(len(row))) for row in rows], object
    )


@lru_cache(maxsize=8)
def _groups(language: Language, voice: str) -> tuple[Pieces, Pieces, Texts]:
    """What stands before and after the adverbs, words and roles [forms, numbers], and the verb
    [forms, numbers, verbs].
    """
    shape = (len(language.forms), len(_PLURAL))
    before, after = (
        [np.empty(shape, object) for _ in range(2)],
        [np.empty(shape, object) for _ in range(2)],
    )
    verbs = np.empty((*shape, language.count("verb")), object)
    inflected = [space_words(e.forms[k] for e in language.values("verb")) for k in range(5)]
    for (i, form), plural in product(enumerate(language.forms), range(2)):
        verb_group = build_english_group(form, voice, bool(plural))
        for tables, words in ((before, verb_group.before), (after, verb_group.after)):
            for k, table in enumerate(tables):
                table[i, plural] = "".join(f"{word[k]} " for word in words)
        verbs[i, plural] = inflected[verb_group.verb]
    return (before[0], before[1]), (after[0], after[1]), verbs


def _reflexive(
    path: str, antecedent: str, placed: LinearisedShape, language: Language
) -> WordColumn:
    first = placed.nouns(antecedent)[0]
    several = placed.has_pair(antecedent)
    table = [
        [_himself(noun, several or form.number == "plural") for noun in language.values("noun")]
        for form in language.phrases
    ]
    keys = VariableKey(f"{first}.form"), VariableKey(f"{first}.noun")
    return build_word_column(np.array(table, object), f"{path}.reflexive", *keys)


def _himself(noun: LexicalEntry, plural: bool) -> str:
    if plural:
        return "themselves "
    gender = next(iter(noun.flags & set(_REFLEXIVES)), None)
    return f"{_REFLEXIVES[gender] if gender else 'itself'} "


def _get_subject_number(path: str, placed: LinearisedShape, language: Language) -> VariableKey:
    """The number of a subject, as 0 or 1."""
    numbers = mark_plurals(language)
    return (
        VariableKey(f"{path}.both.0.form", np.ones_like(numbers))
        if placed.has_pair(path)
        else VariableKey(f"{path}.form", numbers)
    )


@lru_cache(maxsize=8)
def _nouns(language: Language) -> Texts:
    forms = [space_words(e.forms[k] for e in language.values("noun")) for k in range(2)]
    return np.stack([forms[plural] for plural in mark_plurals(language)])


@lru_cache(maxsize=16)
def _vowels(language: Language, kind: str) -> Numbers:
    """Which words take "an"; a flag says so where the spelling does not."""
    return np.array(
        [
            (e.lemma[0] in "aeiou" and "a" not in e.flags) or "an" in e.flags
            for e in language.values(kind)
        ],
        np.int64,
    )


def _article(determiner: str, vowel: bool) -> str:
    return "an " if determiner == "a" and vowel else f"{determiner} "


def _roles(words: Texts, role: str) -> Texts:
    """The same role for each word, however many there are."""
    if all(len(str(text).split()) == 1 for text in words.flat):
        return repeat_role(role, words.shape)
    return np.frompyfunc(lambda text: f"{role} " * len(text.split()), 1, 1)(words)  # type: ignore[no-any-return]
