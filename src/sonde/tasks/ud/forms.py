"""Which form of a verb features describe: finite, infinitive, participle or gerund, after UD's
VerbForm and its neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from sonde.corpora.trees import features

Feats = Mapping[str, str]


class Form(Enum):
    """Forms of verbs, as far as tense and voice depend on them.

    PERFECT are past participles and supines, IMPERFECT present participles and gerunds; of BARE
    words features say nothing.
    """

    FINITE = "finite"
    INFINITIVE = "infinitive"
    PERFECT = "perfect"
    IMPERFECT = "imperfect"
    PROSPECTIVE = "prospective"
    BARE = "bare"


class Verb(NamedTuple):
    """One verb of a group: its relation, lemma and features, and which form it is."""

    relation: str
    lemma: str
    feats: Feats
    form: Form


_NAMED = {
    "Fin": Form.FINITE,
    "Inf": Form.INFINITIVE,
    "Vnoun": Form.INFINITIVE,
    "Gdv": Form.INFINITIVE,
    "Sup": Form.PERFECT,
    "Ger": Form.IMPERFECT,
    "Conv": Form.IMPERFECT,
}
_BY_TENSE = {
    "Past": Form.PERFECT,
    "Pres": Form.IMPERFECT,
    "Imp": Form.IMPERFECT,
    "Fut": Form.PROSPECTIVE,
}
_BY_ASPECT = {
    "Imp": Form.IMPERFECT,
    "Prog": Form.IMPERFECT,
    "Hab": Form.IMPERFECT,
    "Prosp": Form.PROSPECTIVE,
}


def verb(relation: str, lemma: str, raw: str) -> Verb:
    """A verb from its columns."""
    feats = features(raw)
    return Verb(relation, lemma.lower(), feats, form(feats))


def form(feats: Feats) -> Form:
    """The form that features describe; a treebank may write no VerbForm, as those of Hindi and
    German PUD.
    """
    named = feats.get("VerbForm", "")
    if named.startswith("Part"):
        return _participle(feats)
    if named:
        return _NAMED.get(named, Form.BARE)
    if "Tense" in feats:  # UD: what has a mood is finite
        return Form.FINITE if "Mood" in feats or "Person" in feats else _participle(feats)
    return _participle(feats) if "Aspect" in feats else Form.BARE


def _participle(feats: Feats) -> Form:
    # Finnish participles have PartForm for Tense
    tense = feats.get("Tense", feats.get("PartForm", ""))
    if tense:
        return _BY_TENSE.get(tense, Form.INFINITIVE)
    return _BY_ASPECT.get(feats.get("Aspect", ""), Form.PERFECT)


def l_participle(feats: Feats) -> bool:
    """Whether a past participle is a finite past tense where it stands alone (Czech *napsal*):
    active, and without case.

    Participles that say neither Voice=Act nor an aspect are those of languages whose perfects need
    an auxiliary.
    """
    if (
        not feats.get("VerbForm", "").startswith("Part")
        or "Case" in feats
        or feats.get("Tense", "Past") != "Past"
    ):
        return False
    if feats.get("Voice") == "Act":
        return "Tense" in feats or feats.get("Aspect") == "Perf"
    return "Tense" in feats and "Aspect" in feats and "Voice" not in feats
