"""How a shape is said in Polish: its columns from left to right, each a table of words that its
variables look up; with inflection in tables, cases, genders and what agrees with what.

Subject, verb, objects; adverbs of stance before the verb group, others before its last word. An
object stands in the accusative, in the genitive if its verb is negated; relative and embedded
clauses stand between commas.

Genders are those of the National Corpus of Polish: m1 personal, m2 animate, m3 other masculine, f,
n. In the plural only m1, which is called virile, differs from the others; its accusative is the
genitive, that of the others the nominative.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise, product
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

_NOMINATIVE, _GENITIVE, _ACCUSATIVE, _INSTRUMENTAL = range(4)
GENDERS_IN_ORDER = ("m1", "m2", "m3", "f", "n")
_M1, _M2, _M3, _F, _N = range(5)

# what verbs and participles agree with: he, she, it, they with a man among them, they
_HE, _SHE, _IT, _VIRILE, _OTHERS = range(5)
# [numbers, genders]
_CONCORD = np.array([[_HE, _HE, _HE, _SHE, _IT], [_VIRILE, _OTHERS, _OTHERS, _OTHERS, _OTHERS]])
# of two joined by "i": [first is m1, second is m1]
_TOGETHER = np.array([[_OTHERS, _VIRILE], [_VIRILE, _VIRILE]])

# places in the lexicon: of verbs after the lemma 3 sg, 3 pl, five of the past and four participles
_PAST, _PARTICIPLE = 3, 8
_PARTICIPLES = (_PARTICIPLE, _PARTICIPLE + 1, _PARTICIPLE + 2, _PARTICIPLE + 3, _PARTICIPLE + 2)
_BE = {
    "past": ("był", "była", "było", "byli", "były"),
    "present": ("jest", "jest", "jest", "są", "są"),
    "future": ("będzie", "będzie", "będzie", "będą", "będą"),
}
_BECOME = {
    "past": ("został", "została", "zostało", "zostali", "zostały"),
    "future": (*["zostanie"] * 3, *["zostaną"] * 2),
}


class PronounForms(NamedTuple):
    """The forms of a word that is declined like an adjective: nominatives, then by their endings;
    `she` is the feminine accusative.
    """

    he: str
    she_is: str
    it: str
    virile: str
    ego: str
    ym: str
    ej: str
    she: str
    ych: str
    ymi: str

    def form(self, case: int, plural: int, gender: int) -> str:
        """The form that agrees with a noun."""
        if plural:
            others = self.it if self.it != "to" else "te"
            nominative = self.virile if gender == _M1 else others
            accusative = self.ych if gender == _M1 else others
            return (nominative, self.ych, accusative, self.ymi)[case]
        if gender == _F:
            return (self.she_is, self.ej, self.she, self.instrumental)[case]
        nominative = self.it if gender == _N else self.he
        return (nominative, self.ego, self.ego if gender in (_M1, _M2) else nominative, self.ym)[
            case
        ]

    @property
    def instrumental(self) -> str:
        """The feminine instrumental: the accusative, but of "ten" (tę, tą)."""
        return self.she.removesuffix("ę") + "ą" if self.she.endswith("ę") else self.she


_TEN = PronounForms("ten", "ta", "to", "ci", "tego", "tym", "tej", "tę", "tych", "tymi")
KTORY_FORMS = PronounForms(
    "który",
    "która",
    "które",
    "którzy",
    "którego",
    "którym",
    "której",
    "którą",
    "których",
    "którymi",
)
# has no plural
_KAZDY = PronounForms("każdy", "każda", "każde", "", "każdego", "każdym", "każdej", "każdą", "", "")
_DETERMINERS = {"ten": _TEN, "każdy": _KAZDY}


def decline_adjective(entry: LexicalEntry) -> PronounForms:
    """An adjective of the lexicon."""
    return PronounForms(*entry.forms)


def list_agreeing_forms(pronoun: PronounForms) -> list[list[list[str]]]:
    """All forms: [cases, numbers, genders], each with a space after it."""
    return [
        [[f"{pronoun.form(case, n, g)} " for g in range(5)] for n in range(2)] for case in range(4)
    ]


@lru_cache(maxsize=8)
def list_genders(language: Language) -> Numbers:
    """The gender of each noun."""
    return np.array(
        [
            next(i for i, gender in enumerate(GENDERS_IN_ORDER) if gender in e.flags)
            for e in language.values("noun")
        ],
        np.int64,
    )


class PolishVerbGroup(NamedTuple):
    """A verb group: what stands before its adverbs with what that realises, and which form of the
    verb ends it.
    """

    before: tuple[tuple[str, str], ...]
    verb: int


def build_polish_group(form: ClauseForm, voice: str, concord: int) -> PolishVerbGroup:
    """The group of a form and voice that agrees: "nie będzie | spał", "nie została |
    zaproszona".
    """
    negation = (("nie", "negation"),) if form.polarity == "negative" else ()
    tense = str(form.tense)
    if voice == "passive":
        auxiliary = (_BE if form.aspect == "imperfective" else _BECOME)[tense][concord]
        return PolishVerbGroup((*negation, (auxiliary, "auxiliary")), _PARTICIPLES[concord])
    if tense == "future" and form.aspect == "imperfective":
        return PolishVerbGroup((*negation, (_BE[tense][concord], "auxiliary")), _PAST + concord)
    return PolishVerbGroup(
        negation, _PAST + concord if tense == "past" else 1 + (concord >= _VIRILE)
    )


@lru_cache(maxsize=8)
def list_polish_verb_groups(language: Language, voice: str) -> tuple[Texts, Texts, Texts]:
    """What stands before the adverbs, words and roles [forms, 5], and the verb [forms, 5,
    verbs].
    """
    shape = (len(language.forms), 5)
    words, roles = np.empty(shape, object), np.empty(shape, object)
    verbs = np.empty((*shape, language.count("verb")), object)
    for (i, form), concord in product(enumerate(language.forms), range(5)):
        verb_group = build_polish_group(form, voice, concord)
        for k, table in enumerate((words, roles)):
            table[i, concord] = "".join(f"{word[k]} " for word in verb_group.before)
        # verbs without participles have no passive, so nothing is lost
        verbs[i, concord] = [
            f"{e.forms[verb_group.verb]} " if verb_group.verb < len(e.forms) else ""
            for e in language.values("verb")
        ]
    return words, roles, verbs


CASE_COLUMNS = {"genitive": _GENITIVE, "instrumental": _INSTRUMENTAL}
_STANCE = "stance"  # adverbs that stand before a negation


class CaseChoice(NamedTuple):
    """A case, or several of which a variable picks one."""

    cases: tuple[int, ...]
    keys: tuple[VariableKey, ...] = ()

    def of(self, tables: Texts) -> Texts:
        """The part of tables [cases, ...] that may be looked up: the case itself, or those that the
        key picks from.
        """
        part: Texts = tables[list(self.cases)] if self.keys else tables[self.cases[0]]
        return part


def build_polish_columns(placed: LinearisedShape, language: Language) -> list[WordColumn]:
    """The columns of a shape, without commas that stand at the end or before another."""
    pieces = list(_clause(placed.clauses[0], placed, language))
    return [
        one
        for one, after in pairwise([*pieces, None])
        if one is not None and not (_comma(one) and (after is None or _comma(after)))
    ]


def _comma(column: WordColumn) -> bool:
    return column.words.ndim == 0 and column.words.item() == ", "


def _clause(at: ClauseAt, placed: LinearisedShape, language: Language) -> Iterator[WordColumn]:
    gap, (subject, *others) = at.gap, at.clause.order
    if gap is not None:
        yield make_constant_word(",", f"{at.prefix}comma")
        yield _relativiser(at, gap, placed, language)
    if not isinstance(at.clause.slot(subject), ArgumentHole):
        yield from _argument(at, subject, placed, language)
    yield from _verb_group(at, placed, language)
    for role in others:
        if role != gap:
            yield from _argument(at, role, placed, language)
    if at.clause.content is not None:
        yield make_constant_word(",", f"{at.prefix}content.comma")
        yield make_constant_word("że", f"{at.prefix}content.complementiser")
        yield from _clause(placed.clause(f"{at.prefix}content."), placed, language)
    if at.clause.also is not None:
        yield make_constant_word("i", f"{at.prefix}also.conjunction")
        yield from _clause(placed.clause(f"{at.prefix}also."), placed, language)
    if gap is not None:
        yield make_constant_word(",", f"{at.prefix}comma")


def _case(at: ClauseAt, role: str, language: Language) -> CaseChoice:
    """The case of a role: that of the object depends on the polarity of its clause."""
    if role == at.clause.order[0]:
        return CaseChoice((_NOMINATIVE,))
    if at.clause.voice == "passive":
        return CaseChoice((_ACCUSATIVE,))  # after "przez"
    negative = np.array([form.polarity == "negative" for form in language.forms], np.int64)
    return CaseChoice((_ACCUSATIVE, _GENITIVE), (VariableKey(f"{at.prefix}form", negative),))


def _relativiser(at: ClauseAt, gap: str, placed: LinearisedShape, language: Language) -> WordColumn:
    case = _case(at, gap, language)
    keys = (*case.keys, _get_concord_number(at.head, language), _gender(at.head, language))
    return build_word_column(
        case.of(_inflection_tables(language)[0]), f"{at.prefix}{gap}.gap", *keys
    )


def _argument(
    at: ClauseAt, role: str, placed: LinearisedShape, language: Language
) -> Iterator[WordColumn]:
    slot, path, case = at.clause.slot(role), f"{at.prefix}{role}", _case(at, role, language)
    if role == "agent" and at.clause.voice == "passive":
        yield make_constant_word("przez", f"{path}.marker")
    if slot is ArgumentHole.REFLEXIVE:
        yield make_constant_word("siebie", f"{path}.reflexive")
    elif isinstance(slot, CoordinatedPhrases):
        yield from _phrase(f"{path}.both.0", slot.both[0], case, placed, language)
        yield make_constant_word("i", f"{path}.conjunction")
        yield from _phrase(f"{path}.both.1", slot.both[1], case, placed, language)
    elif isinstance(slot, PhraseShape):
        yield from _phrase(path, slot, case, placed, language)


def _phrase(
    path: str, phrase: PhraseShape, case: CaseChoice, placed: LinearisedShape, language: Language
) -> Iterator[WordColumn]:
    _, _, adjectives, nouns = _inflection_tables(language)
    number, gender = _get_concord_number(path, language), _gender(path, language)
    yield _determiner(path, case, language)
    for i in range(phrase.adjectives):
        where = f"{path}.adjectives.{i}"
        yield build_word_column(
            case.of(adjectives), where, *case.keys, number, gender, VariableKey(where)
        )
    where = f"{path}.noun"
    yield build_word_column(case.of(nouns), where, *case.keys, number, VariableKey(where))
    if phrase.modifier is not None:
        where = f"{path}.modifier.preposition"
        yield list_prepositions(where, language)
        yield from _phrase(
            f"{path}.modifier.participant",
            phrase.modifier,
            _governed_case(where, language),
            placed,
            language,
        )
    if phrase.relative is not None:
        yield from _clause(placed.clause(f"{path}.relative."), placed, language)


def _determiner(path: str, case: CaseChoice, language: Language) -> WordColumn:
    realised = np.array(
        [f"{path}.determiner " if p.determiner in _DETERMINERS else "" for p in language.phrases],
        object,
    )
    words = case.of(_inflection_tables(language)[1])
    roles = np.broadcast_to(realised[:, None], words.shape)
    return WordColumn(
        words, roles, (*case.keys, VariableKey(f"{path}.form"), _gender(path, language))
    )


def _governed_case(path: str, language: Language) -> CaseChoice:
    """The case that a preposition takes."""
    taken = [
        next(i for i, name in enumerate(CASE_COLUMNS) if name in e.flags)
        for e in language.values("preposition")
    ]
    return CaseChoice(tuple(CASE_COLUMNS.values()), (VariableKey(path, np.array(taken, np.int64)),))


def _verb_group(at: ClauseAt, placed: LinearisedShape, language: Language) -> Iterator[WordColumn]:
    adverbs = VariableKey(f"{at.prefix}adverbs")
    if at.clause.adverbs:
        words, roles = _adverbs(language, stance=True)
        yield WordColumn(words, prefix_roles(roles, at.prefix), (adverbs,))
    concord, subject = _concord(placed.filler(at, at.clause.order[0]), placed, language)
    form = VariableKey(f"{at.prefix}form")
    words, roles, verbs = list_polish_verb_groups(language, at.clause.voice)
    yield WordColumn(
        words[:, concord], prefix_roles(roles[:, concord], at.prefix), (form, *subject)
    )
    if at.clause.adverbs:
        words, roles = _adverbs(language, stance=False)
        yield WordColumn(words, prefix_roles(roles, at.prefix), (adverbs,))
    verb = f"{at.prefix}predicate"
    yield build_word_column(verbs[:, concord], verb, form, *subject, VariableKey(verb))


def _concord(
    path: str, placed: LinearisedShape, language: Language
) -> tuple[Numbers, tuple[VariableKey, VariableKey]]:
    """What verbs agree with: a table of two values of the subject, and those."""
    if not placed.has_pair(path):
        return _CONCORD, (_get_concord_number(path, language), _gender(path, language))
    virile = (list_genders(language) == _M1).astype(np.int64)
    first, second = (VariableKey(f"{noun}.noun", virile) for noun in placed.nouns(path))
    return _TOGETHER, (first, second)


def _get_concord_number(path: str, language: Language) -> VariableKey:
    return VariableKey(f"{path}.form", mark_plurals(language))


def _gender(path: str, language: Language) -> VariableKey:
    return VariableKey(f"{path}.noun", list_genders(language))


@lru_cache(maxsize=8)
def _inflection_tables(language: Language) -> tuple[Texts, Texts, Texts, Texts]:
    """By case first: "który" [number, gender], determiners [phrase, gender], adjectives [number,
    gender, word], nouns [number, word].
    """
    determiners = {
        name: np.array(list_agreeing_forms(pronoun), object)
        for name, pronoun in _DETERMINERS.items()
    }
    bare = np.full((4, 2, 5), "", object)
    chosen = [
        determiners.get(p.determiner, bare)[:, int(p.number == "plural")] for p in language.phrases
    ]
    adjectives = np.array(
        [list_agreeing_forms(decline_adjective(e)) for e in language.values("adjective")], object
    ).reshape(-1, 4, 2, 5)
    nouns = np.array(
        [[f"{form} " for form in e.forms] for e in language.values("noun")], object
    ).reshape(-1, 2, 4)
    return (
        np.array(list_agreeing_forms(KTORY_FORMS), object),
        np.stack(chosen, axis=1),
        np.moveaxis(adjectives, 0, -1),
        nouns.transpose(2, 1, 0),
    )


@lru_cache(maxsize=8)
def _adverbs(language: Language, *, stance: bool) -> tuple[Texts, Texts]:
    """Of rows of adverbs those of stance, or the others, and what they realise."""
    entries = language.values("adverb")
    rows = [
        [(k, i) for k, i in enumerate(row) if (_STANCE in entries[i].classes) == stance]
        for row in language.values("adverbs")
    ]
    words = space_words(" ".join(entries[i].lemma for _, i in row) for row in rows)
    return words, np.array(["".join(f"adverbs.{k} " for k, _ in row) for row in rows], object)
