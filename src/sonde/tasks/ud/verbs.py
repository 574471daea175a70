"""What the verb group of a predicate says: voice, tense, mood.

A verb group is the predicate's part of speech and features and those of its auxiliaries. Few different ones occur, so each
is judged once and remembered.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from sonde.sources.trees import features

Auxiliaries = tuple[tuple[str, str], ...]
TENSES = {"Pres": "pres", "Past": "past"}
NO_VERB = "the main predicate is no verb"
NO_TENSE = "the main verb has neither Tense=Pres nor Tense=Past"
CLAUSAL = "a clause as the predicate of a copula, which has its own tense and voice"
UNTENSED = frozenset({"modal", "conditional or another mood", "future", "no finite verb", CLAUSAL})


class Group(NamedTuple):
    """What a verb group says.

    verb     whether the predicate is a VERB
    voice    'passive', 'morphological' (Voice=Pass without aux:pass) or 'active'; otherwise why neither is sure
    literal  the predicate's own Tense as 'pres' or 'past', '' for none
    tense    the tense of the clause, '' for none; `how` it is expressed, or why it has none
    command  whether the predicate or an auxiliary has Mood=Imp; third: of the third person, or with aux:imp
    finite   whether there is a finite verb; bare: an infinitive alone; asks: a question particle
    """

    verb: bool
    voice: str
    literal: str
    tense: str
    how: str
    command: bool
    third: bool
    finite: bool
    bare: bool
    asks: bool


@lru_cache(maxsize=1 << 16)
def verb_group(upos: str, raw: str, auxiliaries: Auxiliaries) -> Group:
    """The verb group of a predicate with such a part of speech, features, and auxiliaries (relation, features) in order."""
    own = features(raw)
    helpers = [(r, features(f)) for r, f in auxiliaries]
    how = _expressed(own, helpers)
    literal = TENSES.get(own.get("Tense", ""), "")
    tense = literal or TENSES.get(own.get("PartForm", ""), "")  # Finnish participles have PartForm for Tense
    if not tense:
        how = NO_TENSE
    elif how in ("perfect", "perfect passive"):
        tense = "past"
    elif how in ("passive", "progressive"):
        tense = TENSES[_finite(helpers)[0]["Tense"]]
    elif how in UNTENSED:
        tense = ""
    imperative = [f for f in (own, *(f for _, f in helpers)) if f.get("Mood") == "Imp"]
    third = any(f.get("Person") == "3" for f in imperative) or any(r == "aux:imp" for r, _ in helpers)
    return Group(
        upos == "VERB", _voice(upos, own, helpers), literal, tense, how, bool(imperative) or third, third,
        upos in ("VERB", "AUX") or bool(helpers),
        upos == "VERB" and own.get("VerbForm") == "Inf" and not helpers,
        any(r == "aux:q" for r, _ in helpers),
    )  # fmt: skip


Helpers = list[tuple[str, Mapping[str, str]]]


def _voice(upos: str, own: Mapping[str, str], helpers: Helpers) -> str:
    """Passive as in section 3.2: a passive participle, VERB or ADJ, that governs an aux:pass."""
    marked = "Pass" in own.get("Voice", "")
    if not (upos == "VERB" or (upos == "ADJ" and marked)):
        return NO_VERB
    if upos == "VERB" and any(r == "cop" for r, _ in helpers):
        return CLAUSAL
    if auxiliaries := [f for r, f in helpers if r == "aux:pass"]:
        elsewhere = "Voice" not in own and any(f.get("Voice") == "Pass" for f in auxiliaries)  # Chinese marks the auxiliary
        passive = elsewhere or (marked and own.get("VerbForm") == "Part")
        return "passive" if passive else "aux:pass beside a predicate that is no passive participle"
    if _past_participle(own) and not helpers and not marked:
        return "a participle without auxiliary"
    return "morphological" if marked else "active"


def _expressed(own: Mapping[str, str], helpers: Helpers) -> str:
    """How a verb group expresses tense: simple, perfect, passive, perfect passive, progressive; or one of UNTENSED."""
    verbs = [(r, f) for r, f in helpers if r not in _PARTICLES]
    finite = _finite(helpers)
    if reason := _untensed(own, verbs, finite):
        return reason
    passive = "Pass" in own.get("Voice", "") or any(r == "aux:pass" for r, _ in helpers)
    if any(_past_participle(f) for _, f in verbs):
        return "perfect passive" if passive else "perfect"
    if _past_participle(own) and verbs and not passive:
        return "perfect"
    if finite:
        return "passive" if passive else "progressive"
    return "simple" if own.get("VerbForm", "Fin") == "Fin" else "no finite verb"


def _untensed(own: Mapping[str, str], verbs: Helpers, finite: list[Mapping[str, str]]) -> str:
    """Why a verb group is neither present nor past, '' where it may be."""
    if own.get("Mood", "Ind") != "Ind" or any(r in ("aux:cnd", "aux:imp") or f.get("Mood", "Ind") != "Ind" for r, f in verbs):
        return "conditional or another mood"
    if any(r == "cop" for r, _ in verbs):
        return CLAUSAL
    if any("Tense" not in f for f in finite):
        return "modal"
    return "future" if any(f["Tense"] not in TENSES for f in finite) else ""


_PARTICLES = {"aux:q", "aux:clitic"}  # they carry no tense of their own


def _finite(helpers: Helpers) -> list[Mapping[str, str]]:
    """The finite auxiliaries; a negative auxiliary has no tense, the verb beside it has."""
    return [
        f for r, f in helpers if r not in _PARTICLES and f.get("VerbForm", "Fin") == "Fin" and ("Tense" in f or f.get("Polarity") != "Neg")
    ]


def _past_participle(feats: Mapping[str, str]) -> bool:
    return feats.get("VerbForm") == "Part" and "Past" in (feats.get("Tense"), feats.get("PartForm"))
