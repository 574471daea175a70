"""What the verb group of a predicate says: voice, tense, and the construction that says it.

A verb group is the predicate's part of speech and features and those of its auxiliaries. Few
different ones occur, so each is judged once and remembered. Definitions are those of Universal
Dependencies (features VerbForm, Tense, Aspect, Mood; relations aux and aux:pass); `lemmas` has the
few words that annotation cannot tell apart. docs/tasks-ud.md has a table of constructions.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from lingprobe.tasks.ud.forms import (
    AMBIGUOUS,
    FUTURES,
    MODALS,
    PERFECT_INFINITIVES,
    STATES,
    STATIVE,
    Form,
    Verb,
    l_participle,
    verb,
)

Auxiliaries = tuple[tuple[str, str, str], ...]
"""(relation, lemma, features) of each, in order."""

LITERAL = {"Pres": "pres", "Past": "past"}
TENSES = {**LITERAL, "Imp": "past", "Pqp": "past"}
"""UD: the imperfect is a special case of the past, and the pluperfect lies before it."""

NO_VERB = "the main predicate is no verb"
NO_TENSE = "neither the main verb nor an auxiliary tells a tense"
STEM = "a main verb without verbal features beside an auxiliary"
CLAUSAL = "a clause as the predicate of a copula, which has its own tense and voice"
COPULA = "a participle with a copula: a passive, a perfect or a state"
MOOD = "conditional or another mood"
MODAL = "modal"
INFINITIVE = "an infinitive beside an auxiliary: a modal, a future or do"
PARTICLE = "an auxiliary or a particle without tense"
FUTURE = "future"
PROMISED = "an auxiliary of the future, or of a passive that no aux:pass tells"
PERFECTIVE = "a perfective present, which means the future"
NOT_FINITE = "no finite verb"
TWO = "two finite verbs"
LONE = "a participle without auxiliary"
DOUBTFUL = "a perfect passive or a state, with a present auxiliary"
STATE = "a participle beside be or estar: a passive, a state or a perfect"

_PARTICLES = frozenset({"aux:q", "aux:clitic", "aux:aglt"})  # they carry no tense of their own
SIMPLE = {"Pres": "simple", "Past": "simple", "Imp": "simple imperfect", "Pqp": "simple pluperfect"}
"""Constructions of one finite verb, by its tense."""


class Group(NamedTuple):
    """What a verb group says.

    verb     whether the predicate is a VERB, verbal: or a passive participle (ADJ) with its
             auxiliary
    voice    'passive', 'morphological' (Voice=Pass without aux:pass) or 'active'; otherwise why
             neither is sure
    literal  the predicate's own Tense as 'pres' or 'past', '' for none; literal_voice: voice as the
             paper's rule has it
    tense    the tense of the clause, '' for none; `how` it is expressed (the construction), or why
             it has none
    lemma    of the auxiliary that carries the tense, '' without
    number   of the finite verb as 'Sing' or 'Plur', '' for none
    command  whether the predicate or an auxiliary has Mood=Imp; third: of the third person, or with
             aux:imp
    finite   whether there is a finite verb; bare: an infinitive alone; asks: a question particle
    """

    verb: bool
    verbal: bool
    voice: str
    literal: str
    literal_voice: str
    tense: str
    how: str
    lemma: str
    number: str
    command: bool
    third: bool
    finite: bool
    bare: bool
    asks: bool


@lru_cache(maxsize=1 << 16)
def verb_group(upos: str, raw: str, auxiliaries: Auxiliaries) -> Group:
    """The verb group of a predicate with such a part of speech, features, and auxiliaries in
    order.
    """
    own = verb("", "", raw)
    helpers = [verb(relation, lemma.lower(), feats) for relation, lemma, feats in auxiliaries]
    passive = any(h.relation == "aux:pass" for h in helpers)
    imperative = [v.feats for v in (own, *helpers) if v.feats.get("Mood") == "Imp"]
    third = any(f.get("Person") == "3" for f in imperative) or any(
        h.relation == "aux:imp" for h in helpers
    )
    verbs = [h for h in helpers if h.relation not in _PARTICLES]
    tense, how = _tense_of(own, verbs, passive)
    lemma = next((v.lemma for v in _finite(verbs, True)), "") if tense else ""
    return Group(
        upos == "VERB", upos == "VERB" or (upos == "ADJ" and passive), _voice(upos, own, helpers),
        LITERAL.get(own.feats.get("Tense", ""), ""), _literal_voice(upos, own, passive), tense,
        how, lemma,
        _number(upos, own, helpers), bool(imperative) or third, third,
        upos in ("VERB", "AUX") or bool(helpers),
        upos == "VERB" and own.feats.get("VerbForm") == "Inf" and not helpers,
        any(h.relation == "aux:q" for h in helpers),
    )  # fmt: skip


def _voice(upos: str, own: Verb, helpers: list[Verb]) -> str:
    """Passive is what governs an aux:pass, which is what UD made that relation for."""
    marked = any("Pass" in v.feats.get("Voice", "") for v in (own, *helpers) if v.relation != "cop")
    passive = any(h.relation == "aux:pass" for h in helpers)
    if not (
        upos == "VERB" or (upos == "ADJ" and (passive or "Pass" in own.feats.get("Voice", "")))
    ):
        return NO_VERB
    if upos == "VERB" and (reason := _copular(own, helpers)):
        return reason
    if passive or marked:
        return "passive" if passive else "morphological"
    if (
        own.form == Form.PERFECT
        and not helpers
        and "VerbForm" in own.feats
        and "Voice" not in own.feats
        and not l_participle(own.feats)
    ):
        return LONE
    if own.form == Form.PERFECT and helpers and helpers[-1].lemma in STATES | AMBIGUOUS:
        return STATE
    return "active"


def _copular(own: Verb, helpers: list[Verb]) -> str:
    """Why a verb with a copula has neither tense nor voice of its own, '' where it has.

    Nothing else is finite where a copula is the auxiliary of a passive (Norwegian *er blitt
    bygget*).
    """
    passive = any(h.relation == "aux:pass" for h in helpers)
    if all(h.relation != "cop" for h in helpers) or (
        passive and all(h.form == Form.PERFECT for h in helpers if h.relation != "cop")
    ):
        return ""
    return COPULA if own.form == Form.PERFECT and not passive else CLAUSAL


def _literal_voice(upos: str, own: Verb, passive: bool) -> str:
    """Voice as section 3.2 says: passive is a VERB or ADJ with Voice=Pass and VerbForm=Part that
    governs an aux:pass.
    """
    participle = (
        passive and "Pass" in own.feats.get("Voice", "") and own.feats.get("VerbForm") == "Part"
    )
    if upos == "VERB" or (upos == "ADJ" and participle):
        return "passive" if participle else "active"
    return NO_VERB


def _tense_of(own: Verb, verbs: list[Verb], passive: bool) -> tuple[str, str]:
    """The tense of a clause and its construction, or '' and why it has none."""
    if reason := _barred(own, verbs):
        return "", reason
    # its verb has the tense
    negative = [v for v in verbs if v.feats.get("Polarity") == "Neg" and "Tense" not in v.feats]
    verbs = [v for v in verbs if v not in negative]
    if not verbs:
        return _alone(own, bool(negative))
    finite = _finite(verbs, bool(negative))
    if len(finite) != 1:
        return "", TWO if finite else NO_TENSE
    (first,) = finite
    rest = [v for v in verbs if v is not first]
    if (
        first.feats.get("Tense") == "Fut"
        or own.form == Form.PROSPECTIVE
        or own.feats.get("Tense") == "Fut"
    ):
        return "", FUTURE
    tense = TENSES.get(first.feats.get("Tense", ""), "past" if first.form == Form.PERFECT else "")
    if own.form == Form.FINITE and not passive:
        return _two(own, first, tense)
    perfect = any(v.form == Form.PERFECT for v in rest)
    return _compound(own, first, tense, (passive, perfect))


def _barred(own: Verb, verbs: list[Verb]) -> str:
    """Why a verb group is neither present nor past, '' where it may be."""
    if any(
        v.feats.get("Mood", "Ind") != "Ind" or v.relation in ("aux:cnd", "aux:imp")
        for v in (own, *verbs)
    ):
        return MOOD
    if reason := _copular(own, verbs):
        return reason
    untensed = (
        v
        for v in verbs
        if v.form == Form.FINITE and "Tense" not in v.feats and v.feats.get("Polarity") != "Neg"
    )
    if any(v.lemma in MODALS for v in verbs) or any(untensed):
        return MODAL
    if any(v.lemma in FUTURES and v.relation == "aux" for v in verbs):
        return PROMISED
    if any(v.form == Form.INFINITIVE for v in verbs):
        return INFINITIVE
    return (
        PARTICLE
        if any(v.form == Form.BARE and not {"Person", "Polarity"} & v.feats.keys() for v in verbs)
        else ""
    )


def _finite(verbs: list[Verb], negative: bool) -> list[Verb]:
    """The auxiliaries that carry the tense: those with one, else l-participles, else what has a
    person (Romanian *a făcut*).

    Beside a negative auxiliary it is a participle (Finnish *ei ollut tehnyt*).
    """
    return (
        [v for v in verbs if v.form == Form.FINITE and "Tense" in v.feats]
        or [v for v in verbs if l_participle(v.feats) or (negative and v.form == Form.PERFECT)]
        or [
            v
            for v in verbs
            if "VerbForm" not in v.feats and ("Tense" in v.feats or "Person" in v.feats)
        ]
    )


def _alone(own: Verb, negative: bool) -> tuple[str, str]:
    """The tense of a verb without auxiliaries, or with one that only negates."""
    tense, said = own.feats.get("Tense", ""), own.form == Form.FINITE or "VerbForm" not in own.feats
    if own.form == Form.PERFECT and (negative or l_participle(own.feats)):
        return "past", "negative" if negative else "simple"
    if tense == "Fut":
        return "", FUTURE
    if not said:
        return "", NOT_FINITE
    if tense not in TENSES:
        return "", NO_TENSE
    if tense == "Pres" and own.feats.get("Aspect") == "Perf" and own.feats.get("VerbForm") == "Fin":
        return "", PERFECTIVE
    return TENSES[tense], "negative" if negative else SIMPLE[tense]


def _two(own: Verb, first: Verb, tense: str) -> tuple[str, str]:
    """Beside a finite auxiliary the verb is finite, too: a participle with the features of a past
    tense, or Polish *widać było*.
    """
    if first.lemma == "do":
        return tense, "do-support"
    if own.feats.get("Tense") in TENSES and TENSES[own.feats["Tense"]] == "past":
        return ("past", "perfect") if first.lemma not in STATES | AMBIGUOUS else ("", STATE)
    if own.feats.get("Tense") == "Pres" and (tense == "past" or "Person" not in own.feats):
        return tense, "finite auxiliary"
    return "", TWO


def _compound(own: Verb, first: Verb, tense: str, kinds: tuple[bool, bool]) -> tuple[str, str]:
    """The tense of a participle, gerund or stem with a finite auxiliary."""
    passive, perfect = kinds
    if own.form == Form.INFINITIVE:
        return (
            ("past", "perfect")
            if first.lemma in PERFECT_INFINITIVES and not passive
            else ("", INFINITIVE)
        )
    if passive:
        return _passive(own, first, tense, perfect)
    if own.form == Form.PERFECT:
        if first.lemma in STATES | AMBIGUOUS and not perfect:
            return (tense, "state") if first.lemma in STATES else ("", STATE)
        return "past", "perfect passive" if "Pass" in own.feats.get("Voice", "") else "perfect"
    if own.form == Form.IMPERFECT and tense:
        by_aspect = own.feats.get("Aspect", "Prog") != "Prog" and not own.feats.keys() & {
            "Tense",
            "PartForm",
        }
        kind = "imperfective" if by_aspect else "progressive"
        return ("past", f"perfect {kind}") if perfect else (tense, kind)
    return "", STEM if own.form == Form.BARE else NO_TENSE


def _passive(own: Verb, first: Verb, tense: str, perfect: bool) -> tuple[str, str]:
    """The tense of a passive participle with its auxiliaries."""
    # Finnish and its kin, which have PartForm, have a passive of one word, so that this is its
    # perfect
    if perfect or own.feats.get("PartForm") == "Past":
        return "past", "perfect passive"
    if first.lemma in STATIVE and tense == "pres":
        return "", DOUBTFUL
    return tense, "passive" if tense else NO_TENSE


def _number(upos: str, own: Verb, helpers: list[Verb]) -> str:
    """The number of the finite verb."""
    numbers = [h.feats.get("Number", "") for h in helpers if h.form == Form.FINITE]
    return numbers[0] if numbers else own.feats.get("Number", "") if upos in ("VERB", "AUX") else ""
