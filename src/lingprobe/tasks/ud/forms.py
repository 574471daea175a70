"""Verbs: which form their features describe (finite, infinitive, participle or gerund, after UD's
VerbForm and its neighbours), and the words that rules have to know by their lemmas, because
treebanks annotate them as they annotate others.

A list says nothing about a language that it has no word of: its sentences are judged by their
annotation alone. The lists are of all languages together, since a file does not say which its
language is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from lingprobe.corpora.trees import parse_features

Feats = Mapping[str, str]


class TenseForm(Enum):
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


class GroupVerb(NamedTuple):
    """One verb of a group: its relation, lemma and features, and which form it is."""

    relation: str
    lemma: str
    feats: Feats
    form: TenseForm


_NAMED = {
    "Fin": TenseForm.FINITE,
    "Inf": TenseForm.INFINITIVE,
    "Vnoun": TenseForm.INFINITIVE,
    "Gdv": TenseForm.INFINITIVE,
    "Sup": TenseForm.PERFECT,
    "Ger": TenseForm.IMPERFECT,
    "Conv": TenseForm.IMPERFECT,
}
_BY_TENSE = {
    "Past": TenseForm.PERFECT,
    "Pres": TenseForm.IMPERFECT,
    "Imp": TenseForm.IMPERFECT,
    "Fut": TenseForm.PROSPECTIVE,
}
_BY_ASPECT = {
    "Imp": TenseForm.IMPERFECT,
    "Prog": TenseForm.IMPERFECT,
    "Hab": TenseForm.IMPERFECT,
    "Prosp": TenseForm.PROSPECTIVE,
}


def make_verb(relation: str, lemma: str, raw: str) -> GroupVerb:
    """A verb from its columns."""
    feats = parse_features(raw)
    return GroupVerb(relation, lemma.lower(), feats, classify_form(feats))


def classify_form(feats: Feats) -> TenseForm:
    """The form that features describe; a treebank may write no VerbForm, as those of Hindi and
    German PUD.
    """
    named = feats.get("VerbForm", "")
    if named.startswith("Part"):
        return _participle(feats)
    if "Fin" in named.split(","):  # Afrikaans writes Fin,Inf of one form for both
        return TenseForm.FINITE
    if named:
        return _NAMED.get(named, TenseForm.BARE)
    if "Tense" in feats:  # UD: what has a mood is finite
        return TenseForm.FINITE if "Mood" in feats or "Person" in feats else _participle(feats)
    return _participle(feats) if "Aspect" in feats else TenseForm.BARE


def _participle(feats: Feats) -> TenseForm:
    # Finnish participles have PartForm for Tense
    tense = feats.get("Tense", feats.get("PartForm", ""))
    if tense:
        return _BY_TENSE.get(tense, TenseForm.INFINITIVE)
    return _BY_ASPECT.get(feats.get("Aspect", ""), TenseForm.PERFECT)


_NOMINAL = frozenset({"Case", "Number[psor]"})


def l_participle(feats: Feats) -> bool:
    """Whether a past participle is a finite past tense where it stands alone (Czech *napsal*):
    active, and without case or owner (Turkish *göründüğü*: what it looks like).

    Participles that say neither Voice=Act nor an aspect are those of languages whose perfects need
    an auxiliary.
    """
    if (
        not feats.get("VerbForm", "").startswith("Part")
        or not _NOMINAL.isdisjoint(feats)
        or feats.get("Tense", "Past") != "Past"
    ):
        return False
    if feats.get("Voice") == "Act":
        return "Tense" in feats or feats.get("Aspect") == "Perf"
    return "Tense" in feats and "Aspect" in feats and "Voice" not in feats


_TENSES_OF_FORMS = re.compile(
    r"(?:ba(?:it)?)?"
    r"(?:(?P<Past>[nhgz](?!a[iur])\w*n)|(?P<Pres>d\w+|[nhgz]\w*[^\Wn](?<!la)(?<!na)(?<!nak)))$",
    re.IGNORECASE,
)
"""Finite forms of Basque, whose treebank has no Tense: past ones end in *-n* and do not begin with
*d-* (*zen*, *zuen*, *nion*). Hualde & Ortiz de Urbina 2003.
"""

_OTHERWISE = {
    "था": ("", "Tense=Pres", "Tense=Past"),
    **dict.fromkeys(("bod", "gallu", "dylu"), ("Tense=Pqp", "Mood=Ind", "Mood=Cnd")),
}
"""Lemma -> a feature, and how another is to be read beside it: Hindi *the* is past (Kachru 2006), a
Welsh *basai* conditional (King 2016).
"""


def read_as(form: str, lemma: str, raw: str) -> str:
    """The features of a verb, where its form says what they do not."""
    if "Number[abs]=" in raw and "Mood=Ind" in raw and "Tense=" not in raw:
        found = _TENSES_OF_FORMS.match(form)
        return f"{raw}|Tense={found.lastgroup}" if found else raw
    beside, wrong, right = _OTHERWISE.get(lemma, ("", "", ""))
    return raw.replace(wrong, right) if wrong and beside in raw else raw
