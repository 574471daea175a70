"""What the verb group of a predicate says: voice, tense, and the construction that says it.

A verb group is the predicate's part of speech and features and those of its auxiliaries. Few
different ones occur, so each is judged once and remembered. Definitions are those of Universal
Dependencies (features VerbForm, Tense, Aspect, Mood; relations aux and aux:pass); what an auxiliary
means beside a form of the verb is in `constructions.tsv`. docs/design/constructions.md has more.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from lingprobe.tasks.ud.constructions import (
    LONE_VERB_RELATION,
    NO_LEMMA_ASKED,
    VERBAL_NOUN_RELATION,
    ConstructionMeaning,
    find_meaning,
    is_language_read,
    name_construction,
)
from lingprobe.tasks.ud.forms import GroupVerb, TenseForm, l_participle, make_verb

Auxiliaries = tuple[tuple[str, str, str], ...]
"""(relation, lemma, features) of each, in order."""

_LITERAL = {"Pres": "pres", "Past": "past"}
TENSES_BY_FEATURE = {**_LITERAL, "Imp": "past", "Pqp": "past"}
"""UD: the imperfect is a special case of the past, and the pluperfect lies before it."""

NO_VERBAL_PREDICATE = "the main predicate is not a verb"
_NO_TENSE = "neither the main verb nor an auxiliary has a tense"
_STEM = "a main verb without verbal features beside an auxiliary"
_CLAUSAL = "a clause as the predicate of a copula, which has its own tense and voice"
_COPULA = "a participle with a copula: a passive, a perfect or a state"
_MOOD = "conditional or another mood"
_MODAL = "modal"
_INFINITIVE = "an infinitive beside an auxiliary: a modal, a future or do"
_TENSELESS_PARTICLE = "an auxiliary or a particle without tense"
FUTURE_TENSE = "future"
_PERFECTIVE = "a perfective present, which means the future"
UNCLEAR_FORM = "a form whose features are those of several tenses"
PASSIVE_OF_A_PERFECT = "an auxiliary of a perfect, which the treebank calls one of the passive"
_UNREAD = "unread"
"""The construction of an auxiliary that no row is about, in a language whose others are read."""
_NOT_FINITE = "no finite verb"
UNMARKED_COMMAND = "no subject: a statement, a command or an infinitive, which the form leaves open"
_TWO = "two finite verbs"
_LONE = "a participle without auxiliary"
DOUBTFUL_PARTICIPLE = "a perfect, a passive or a state, with a present auxiliary"
UNCLEAR_CONSTRUCTION = "an auxiliary and a form of the verb that make several constructions"
_UNLISTED = "an auxiliary that makes no known construction with this form of the verb"
_NO_LEMMA = "an auxiliary without a lemma, so that its construction is not known"
PARTICIPLE_STATE = "a participle with an auxiliary: a passive, a state or a perfect"

_PARTICLES = frozenset({"aux:q", "aux:clitic", "aux:aglt"})  # they carry no tense of their own
_PARTICLE = ConstructionMeaning("particle", True)
_SIMPLE = {
    "Pres": "simple",
    "Past": "simple",
    "Imp": "simple imperfect",
    "Pqp": "simple pluperfect",
}
"""Constructions of one finite verb, by its tense."""


class VerbGroup(NamedTuple):
    """What a verb group says.

    verb     whether the predicate is a VERB, verbal: or a passive participle (ADJ) with its
             auxiliary
    voice    'passive', 'morphological' (Voice=Pass without aux:pass) or 'active'; otherwise why
             neither is sure
    literal  the predicate's own Tense as 'pres' or 'past', '' for none; literal_voice: voice as the
             paper's rule has it
    tense    the tense of the clause, '' for none; `how` it is expressed (the construction), or why
             it has none
    cell     the auxiliary that carries the tense and the form beside it, as *have + past
             participle*, '' without
    number   of the finite verb as 'Sing' or 'Plur', '' for none
    command  whether the predicate or an auxiliary has Mood=Imp; third: of the third person, or with
             aux:imp
    finite   whether there is a finite verb; bare: an infinitive alone; asks: a question particle
    unmarked whether the verb stands alone in a form that is finite or not, as in Afrikaans;
             wishes: alone in the subjunctive of no past tense
    is_read  whether rows of the language itself cover all auxiliaries with the forms beside them
    moodless 'finite' or 'bare', the form of a verb alone that has neither Mood nor Person and is
             not past, so that it may be a command; else ''
    annotated  the Tense of the finite verb as 'pres' or 'past', whatever the construction
    exclaims  whether it begins a fixed expression that is an interjection (ExtPos=INTJ), as
              Ukrainian *будь ласка* (please)
    """

    verb: bool
    verbal: bool
    voice: str
    literal: str
    literal_voice: str
    tense: str
    how: str
    cell: str
    number: str
    command: bool
    third: bool
    finite: bool
    bare: bool
    asks: bool
    unmarked: bool
    wishes: bool
    is_read: bool
    moodless: str
    annotated: str
    exclaims: bool


@lru_cache(maxsize=1 << 16)
def verb_group(upos: str, raw: str, auxiliaries: Auxiliaries, language: str = "") -> VerbGroup:
    """The verb group of a predicate with such a part of speech, features, and auxiliaries in
    order; language: its code, '' where it is not known.
    """
    own = make_verb("", "", raw)
    every = [make_verb(relation, lemma.lower(), feats) for relation, lemma, feats in auxiliaries]
    helpers = [h for h in every if h.relation != VERBAL_NOUN_RELATION]
    passive = any(h.relation == "aux:pass" for h in helpers)
    imperative = [v.feats for v in (own, *helpers) if v.feats.get("Mood") == "Imp"]
    third = any(f.get("Person") == "3" for f in imperative) or any(
        h.relation == "aux:imp" for h in helpers
    )
    verbs = [
        h for h in helpers
        if h.relation not in _PARTICLES and _means(h, own, language) != _PARTICLE
    ]  # fmt: skip
    inner = [h for h in every if h.relation == VERBAL_NOUN_RELATION]
    tense, how = _tense_of(own, verbs, inner, language)
    chain = _chain_of(own, verbs, language)
    return VerbGroup(
        upos == "VERB", upos == "VERB" or (upos == "ADJ" and passive),
        _voice(upos, own, helpers, verbs, language),
        _LITERAL.get(own.feats.get("Tense", ""), ""), _literal_voice(upos, own, passive), tense,
        how, _name_auxiliary_form(own, chain, inner) if tense or how == _UNLISTED else "",
        _find_verb_number(upos, own, helpers), bool(imperative) or third, third,
        upos in ("VERB", "AUX") or bool(helpers),
        upos == "VERB" and own.feats.get("VerbForm") == "Inf" and not helpers,
        any(h.relation == "aux:q" for h in helpers)
        or any("Int" in v.feats.get("Mood", "").split(",") for v in (own, *helpers)),
        not helpers and "," in own.feats.get("VerbForm", ""),
        _wishes(own, helpers),
        _is_read(own, verbs, inner, language),
        _moodless(upos, own, helpers),
        TENSES_BY_FEATURE.get((chain[0] if chain else own).feats.get("Tense", ""), ""),
        own.feats.get("ExtPos") == "INTJ",
    )  # fmt: skip


def _wishes(own: GroupVerb, helpers: Sequence[GroupVerb]) -> bool:
    """Whether a verb stands alone in the subjunctive of no past tense, as where one wishes or
    commands: Italian *faccia*, Welsh *gweler*, Latin *ne timeas*.
    """
    return not helpers and own.feats.get("Mood") == "Sub" and own.feats.get("Tense") != "Past"


_MAY_COMMAND = frozenset({TenseForm.FINITE, TenseForm.BARE})


def _moodless(upos: str, own: GroupVerb, helpers: Sequence[GroupVerb]) -> str:
    """The form of a verb that stands alone and may be a command for all that features say."""
    if upos != "VERB" or helpers or not {"Mood", "Person", "Aspect"}.isdisjoint(own.feats):
        return ""
    is_past = own.feats.get("Tense", "Pres") != "Pres"
    return own.form.value if own.form in _MAY_COMMAND and not is_past else ""


def _chain_of(own: GroupVerb, verbs: Sequence[GroupVerb], language: str) -> list[GroupVerb]:
    """The auxiliary that carries the tense, and what it governs, one governing the next; [] of a
    verb alone.
    """
    negative = any(_means(v, own, language).name == "negative" for v in verbs)
    carrying = _finite(verbs, negative)
    return [carrying[0], *_chain(verbs, carrying[0], own)] if carrying else []


def _name_auxiliary_form(
    own: GroupVerb, chain: Sequence[GroupVerb], inner: Sequence[GroupVerb]
) -> str:
    """The auxiliary that carries the tense with the form next to it; '' of a verb alone."""
    if chain:
        return name_construction(*chain[:2])
    return f"{inner[0].lemma} + {VERBAL_NOUN_RELATION}" if inner else ""


def _is_read(
    own: GroupVerb, verbs: Sequence[GroupVerb], inner: Sequence[GroupVerb], language: str
) -> bool:
    """Whether rows of the language itself cover a verb group."""
    if inner:
        return any(
            find_meaning(v.lemma, VERBAL_NOUN_RELATION, own, language).is_read for v in inner
        )
    means = [_means(v, own, language) for v in verbs]
    rest = [v for v, m in zip(verbs, means, strict=True) if m.name != "negative"]
    if not all(m.is_read for m in means if m.name == "negative"):
        return False
    if rest := [v for v in rest if v.relation != "cop"]:
        chain = _chain_of(own, rest, language) or [rest[0], own]
        return all(link.meaning.is_read for link in _links(chain, language))
    return find_meaning(NO_LEMMA_ASKED, LONE_VERB_RELATION, own, language).is_read


def _voice(
    upos: str, own: GroupVerb, helpers: list[GroupVerb], verbs: Sequence[GroupVerb], language: str
) -> str:
    """Passive is what governs an aux:pass, which is what UD made that relation for; but that of a
    perfect is none.
    """
    called = [h for h in helpers if h.relation == "aux:pass"]
    if not (upos == "VERB" or (upos == "ADJ" and (called or "Pass" in own.feats.get("Voice", "")))):
        return NO_VERBAL_PREDICATE
    if upos == "VERB" and (reason := _copular(own, helpers)):
        return reason
    if called:
        perfect = all(_means(h, own, language).name == "perfect" for h in called)
        return PASSIVE_OF_A_PERFECT if perfect else "passive"
    if any("Pass" in v.feats.get("Voice", "") for v in (own, *helpers) if v.relation != "cop"):
        return "morphological"
    return _LONE if own.feats.get("VerbForm") == "Gdv" else _unmarked_voice(own, verbs, language)


def _unmarked_voice(own: GroupVerb, verbs: Sequence[GroupVerb], language: str) -> str:
    """The voice of a verb that nothing marks as passive."""
    if own.form == TenseForm.PERFECT:
        return _participial(own, verbs, language)
    modal = any(_means(h, own, language).name == "modal passive" for h in verbs)
    return PARTICIPLE_STATE if modal else "active"


def _participial(own: GroupVerb, verbs: Sequence[GroupVerb], language: str) -> str:
    """The voice of a past participle that nothing marks as passive: active in a perfect."""
    if not verbs:
        lone = "VerbForm" in own.feats and "Voice" not in own.feats and not l_participle(own.feats)
        return _LONE if lone else "active"
    meanings = {_means(h, own, language).name for h in verbs if h.feats.get("Mood", "Ind") == "Ind"}
    if not meanings.isdisjoint(_NOT_ACTIVE) or (
        meanings and meanings <= {"modal passive", "future passive"}
    ):
        return PARTICIPLE_STATE
    unknown = "" in meanings and "perfect" not in meanings
    return _UNLISTED if unknown and not is_language_read(language) else "active"


_NOT_ACTIVE = frozenset({"passive", "perfect passive", "state", "unclear", "doubtful"})


def _copular(own: GroupVerb, helpers: list[GroupVerb]) -> str:
    """Why a verb with a copula has neither tense nor voice of its own, '' where it has.

    Nothing else is finite where a copula is the auxiliary of a passive (Norwegian *er blitt
    bygget*).
    """
    passive = any(h.relation == "aux:pass" for h in helpers)
    if all(h.relation != "cop" for h in helpers) or (
        passive and all(h.form == TenseForm.PERFECT for h in helpers if h.relation != "cop")
    ):
        return ""
    return _COPULA if own.form == TenseForm.PERFECT and not passive else _CLAUSAL


def _literal_voice(upos: str, own: GroupVerb, passive: bool) -> str:
    """Voice as section 3.2 says: passive is a VERB or ADJ with Voice=Pass and VerbForm=Part that
    governs an aux:pass.
    """
    participle = (
        passive and "Pass" in own.feats.get("Voice", "") and own.feats.get("VerbForm") == "Part"
    )
    if upos == "VERB" or (upos == "ADJ" and participle):
        return "passive" if participle else "active"
    return NO_VERBAL_PREDICATE


def _tense_of(
    own: GroupVerb, verbs: list[GroupVerb], inner: list[GroupVerb], language: str
) -> tuple[str, str]:
    """The tense of a clause and its construction, or '' and why it has none."""
    if reason := _no_tense_reason(own, verbs, language):
        return "", reason
    negative = [v for v in verbs if _means(v, own, language).name == "negative"]
    verbs = [v for v in verbs if v not in negative]  # the verb has the tense
    if not verbs:
        return _with_inner(_alone(own, bool(negative), language), own, inner, language)
    finite = _finite(verbs, bool(negative))
    if len(finite) != 1:
        return "", _TWO if finite else _NO_TENSE
    (first,) = finite
    if (
        first.feats.get("Tense") == "Fut"
        or own.form == TenseForm.PROSPECTIVE
        or own.feats.get("Tense") == "Fut"
    ):
        return "", FUTURE_TENSE
    tense = TENSES_BY_FEATURE.get(
        first.feats.get("Tense", ""), "past" if first.form == TenseForm.PERFECT else ""
    )
    return _compound(own, tense, [first, *_chain(verbs, first, own)], language)


def _means(auxiliary: GroupVerb, governed: GroupVerb, language: str) -> ConstructionMeaning:
    """What an auxiliary means beside what it governs; '' where no construction is known.

    Beside another auxiliary it is none of a passive, and makes no state.
    """
    if not governed.relation:  # the predicate
        return find_meaning(auxiliary.lemma, auxiliary.relation, governed, language)
    found = find_meaning(auxiliary.lemma, "aux", governed, language)
    if found.name == "unclear" and governed.form == TenseForm.IMPERFECT:
        return found._replace(name="progressive")  # Hindi *kar rahā hai*
    return found._replace(name="perfect") if found.name == "doubtful" else found


class _Link(NamedTuple):
    """An auxiliary, what it governs, and what they mean; a row about two auxiliaries makes them
    one.
    """

    meaning: ConstructionMeaning
    auxiliary: GroupVerb
    governed: GroupVerb


def _links(chain: Sequence[GroupVerb], language: str) -> list[_Link]:
    """The auxiliaries of a chain, each with what it governs: the longest chains that rows have."""
    links: list[_Link] = []
    rest = list(chain)
    while len(rest) > 1:
        first, second, *beyond = rest
        if beyond:
            both = find_meaning(f"{first.lemma}>{second.lemma}", "aux", beyond[0], language)
            if both.name:
                links.append(_Link(both, first, beyond[0]))
                rest = beyond
                continue
        links.append(_Link(_means(first, second, language), first, second))
        rest = rest[1:]
    return links


def _no_tense_reason(own: GroupVerb, verbs: list[GroupVerb], language: str) -> str:
    """Why a verb group is excluded, as neither present nor past: modals, conditionals, futures; ''
    where it may be one.
    """
    if any(
        v.feats.get("Mood", "Ind") != "Ind" or v.relation in ("aux:cnd", "aux:imp")
        for v in (own, *verbs)
    ):
        return _MOOD
    if reason := _copular(own, verbs):
        return reason
    meanings = [_means(v, own, language).name for v in verbs]
    if reason := next((_OTHERWISE[m] for m in meanings if m in _OTHERWISE), ""):
        return reason
    if any(v.form == TenseForm.INFINITIVE for v in verbs):
        return _INFINITIVE
    return (
        _TENSELESS_PARTICLE
        if any(
            v.form == TenseForm.BARE
            and m not in _OF_STEMS
            and not {"Person", "Polarity"} & v.feats.keys()
            for v, m in zip(verbs, meanings, strict=True)
        )
        else ""
    )


_OF_STEMS = frozenset({"negative", "passive", "aspectual auxiliary"})
"""Meanings of auxiliaries that may be a stem, which other auxiliaries govern: Hindi *kiyā jā rahā
hai*.
"""
_OTHERWISE = {
    "modal": _MODAL,
    "modal passive": _MODAL,
    "future": FUTURE_TENSE,
    "future passive": FUTURE_TENSE,
    "other mood": _MOOD,
    "infinitive": _INFINITIVE,
}
"""Meanings that are neither present nor past, and the reason that is given."""


def _finite(verbs: Sequence[GroupVerb], negative: bool) -> list[GroupVerb]:
    """The auxiliaries that carry the tense: those with one, else l-participles, else what has a
    person (Romanian *a făcut*), else a finite one.

    Beside a negative auxiliary it is a participle (Finnish *ei ollut tehnyt*).
    """
    return (
        [v for v in verbs if v.form == TenseForm.FINITE and "Tense" in v.feats]
        or [v for v in verbs if l_participle(v.feats) or (negative and v.form == TenseForm.PERFECT)]
        or [
            v
            for v in verbs
            if "VerbForm" not in v.feats and ("Tense" in v.feats or "Person" in v.feats)
        ]
        or [v for v in verbs if v.form == TenseForm.FINITE]
    )


def _chain(verbs: Sequence[GroupVerb], first: GroupVerb, own: GroupVerb) -> list[GroupVerb]:
    """What the finite auxiliary governs, one governing the next: other auxiliaries, the predicate.

    Where it stands last, each stands behind what it governs (Hindi *kiyā gayā hai*).
    """
    rest = [v for v in verbs if v is not first]
    return [*(reversed(rest) if verbs and verbs[-1] is first else rest), own]


def _alone(own: GroupVerb, negative: bool, language: str) -> tuple[str, str]:
    """The tense of a verb without auxiliaries, or with one that only negates."""
    tense, said = (
        own.feats.get("Tense", ""),
        own.form == TenseForm.FINITE or "VerbForm" not in own.feats,
    )
    if own.form == TenseForm.PERFECT and (negative or l_participle(own.feats)):
        return "past", "negative" if negative else "simple"
    if tense == "Fut":
        return "", FUTURE_TENSE
    if not said:
        return "", _NOT_FINITE
    if tense not in TENSES_BY_FEATURE:
        return "", _NO_TENSE
    meaning = find_meaning(NO_LEMMA_ASKED, LONE_VERB_RELATION, own, language)
    if meaning.is_read and meaning.name in _ALONE:
        return "", _ALONE[meaning.name]
    return TENSES_BY_FEATURE[tense], "negative" if negative else _SIMPLE[tense]


_ALONE = {"future": _PERFECTIVE, "unclear": UNCLEAR_FORM}
"""Meanings of verbs without auxiliaries that are not what their Tense says, and the reasons."""


def _with_inner(
    alone: tuple[str, str], own: GroupVerb, inner: list[GroupVerb], language: str
) -> tuple[str, str]:
    """The tense of a finite verb whose verbal noun has auxiliaries or particles (Welsh *mae wedi
    mynd*, Irish *tá sé tar éis imeacht*).
    """
    meanings = {find_meaning(v.lemma, VERBAL_NOUN_RELATION, own, language).name for v in inner}
    if not alone[0] or not inner:
        return alone
    if reason := next((_OTHERWISE[m] for m in meanings if m in _OTHERWISE), ""):
        return "", reason
    if "perfect" in meanings:
        return "past", "perfect"
    if "progressive" in meanings:
        return alone[0], "progressive"
    particles = all(">" in v.lemma for v in inner)
    return (alone[0], _UNREAD) if particles or is_language_read(language) else ("", _UNLISTED)


def _compound(own: GroupVerb, tense: str, chain: list[GroupVerb], language: str) -> tuple[str, str]:
    """The tense of a verb with auxiliaries, in the order of `_chain`; `tense` is the first one's.

    A perfect is past whatever else there is; otherwise a construction has the auxiliary's tense.
    """
    links = _links(chain, language)
    meanings = [link.meaning.name for link in links]
    if reason := next((_OTHERWISE[m] for m in meanings if m in _OTHERWISE), ""):
        return "", reason
    if unknown := next((link for link in links if not link.meaning.name), None):
        reason = _unknown(unknown.auxiliary, unknown.governed)
        is_kept = reason == _UNLISTED and tense and unknown.governed.form != TenseForm.BARE
        is_kept = is_kept and is_language_read(language)
        return (tense, _UNREAD) if is_kept else ("", reason)
    kind = next((m for m in reversed(meanings) if m not in _PASSIVES | _PERFECTS), "")
    passive, marked = not _PASSIVES.isdisjoint(meanings), "Pass" in own.feats.get("Voice", "")
    if not _PERFECTS.isdisjoint(meanings):
        return "past", _perfect(kind, passive or marked)
    if kind in _DOUBTS:
        voice = "passive" if marked or chain[-2].relation == "aux:pass" else _PERFECT_OR_STATE
        told = kind == "doubtful" and tense == "past"  # whichever it is
        return ("past", voice) if told else ("", _DOUBTS[kind])
    return (tense, "passive" if passive else kind) if tense else ("", _NO_TENSE)


def _perfect(kind: str, passive: bool) -> str:
    """The name of a perfect, with what else the construction is."""
    if passive:
        return "perfect passive"
    return f"perfect {kind}" if kind in ("progressive", "imperfective") else "perfect"


_PERFECT_OR_STATE = "perfect or state"
_PERFECTS = frozenset({"perfect", "perfect passive"})
_PASSIVES = frozenset({"passive", "perfect passive"})
_DOUBTS = {"unclear": UNCLEAR_CONSTRUCTION, "doubtful": DOUBTFUL_PARTICIPLE}
"""Meanings that are several constructions, and the reason that is given."""


def _unknown(auxiliary: GroupVerb, governed: GroupVerb) -> str:
    """Why there is no tense where no construction is known."""
    reason = _UNLISTED if governed.relation else _UNKNOWN.get(governed.form, _UNLISTED)
    return _NO_LEMMA if reason == _UNLISTED and auxiliary.lemma == "_" else reason


_UNKNOWN = {TenseForm.INFINITIVE: _INFINITIVE, TenseForm.BARE: _STEM, TenseForm.FINITE: _TWO}
"""Reasons by the form of the predicate, but for participles."""


def _find_verb_number(upos: str, own: GroupVerb, helpers: list[GroupVerb]) -> str:
    """The number of the finite verb."""
    numbers = [h.feats.get("Number", "") for h in helpers if h.form == TenseForm.FINITE]
    return numbers[0] if numbers else own.feats.get("Number", "") if upos in ("VERB", "AUX") else ""
