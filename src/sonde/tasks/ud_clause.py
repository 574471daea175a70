"""The main clause of a tree, and what the verb group of its predicate says: voice, tense, mood.

A verb group is the predicate's part of speech and features and those of its auxiliaries. Few different ones occur, so each
is judged once and remembered; what is left to do for a sentence is one loop over the predicate's dependents.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from sonde.sources.trees import Tree, features

Auxiliaries = tuple[tuple[str, str], ...]
TENSES = {"Pres": "pres", "Past": "past"}
NO_VERB = "the main predicate is no verb"
NO_TENSE = "the main verb has neither Tense=Pres nor Tense=Past"
UNTENSED = frozenset({"modal", "conditional or another mood", "future", "no finite verb"})


class Clause(NamedTuple):
    """The main clause: its predicate (the root), the relations of its dependents, and those that rules ask about.

    relations   of the predicate's dependents, punctuation left out
    group       what its verb group says
    subjects    words that are nsubj or a subtype of it; objects, joined (conj, parataxis) likewise
    """

    tree: Tree
    root: int
    relations: list[str]
    group: Group
    subjects: list[int]
    objects: list[int]
    joined: list[int]

    @classmethod
    def of(cls, tree: Tree) -> Clause:
        """The main clause; of coordinated predicates it is that of the first, which UD makes the root."""
        heads, deprels, feats = tree.heads, tree.deprels, tree.feats
        root = heads.index(-1)
        relations, auxiliaries = [], []
        found: dict[str, list[int]] = {"nsubj": [], "obj": [], "conj": []}
        for k, head in enumerate(heads):
            if head == root:
                relation = deprels[k]
                kind = _KINDS[relation]
                if kind == "punct":
                    continue
                relations.append(relation)
                if kind == "aux":
                    auxiliaries.append((relation, feats[k]))
                elif kind:
                    found[kind].append(k)
        group = verb_group(tree.upos[root], feats[root], tuple(auxiliaries))
        return cls(tree, root, relations, group, found["nsubj"], found["obj"], found["conj"])

    @property
    def form(self) -> str:
        """The predicate's form in lower case."""
        return self.tree.words[self.root].lower()

    @property
    def has_subject(self) -> bool:
        """Whether the predicate has a nominal or clausal subject."""
        return bool(self.subjects) or any(r.startswith("csubj") for r in self.relations)


class _Kinds(dict[str, str]):
    def __missing__(self, relation: str) -> str:
        universal = relation.partition(":")[0]
        known = {"cop": "aux", "aux": "aux", "nsubj": "nsubj", "obj": "obj", "conj": "conj", "parataxis": "conj", "punct": "punct"}
        return self.setdefault(relation, known.get(universal, ""))


_KINDS = _Kinds()


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
    elif how == "perfect":
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
    voice = own.get("Voice", "")
    if upos not in ("VERB", "ADJ"):
        return NO_VERB
    if any(r == "aux:pass" for r, _ in helpers):
        if "Pass" in voice and own.get("VerbForm") == "Part":
            return "passive"
        if not voice and any(r == "aux:pass" and f.get("Voice") == "Pass" for r, f in helpers):
            return "passive"  # Chinese marks the auxiliary, not the verb
        return "aux:pass beside a predicate that is no passive participle"
    if "Pass" in voice:
        return "morphological"
    if upos != "VERB":
        return NO_VERB
    return "a participle without auxiliary" if _past_participle(own) and not helpers else "active"


def _expressed(own: Mapping[str, str], helpers: Helpers) -> str:
    """How a verb group expresses tense: simple, perfect, passive, progressive; or why it has none, one of UNTENSED."""
    verbs = [(r, f) for r, f in helpers if r not in _PARTICLES]
    if own.get("Mood", "Ind") != "Ind" or any(r in ("aux:cnd", "aux:imp") or f.get("Mood", "Ind") != "Ind" for r, f in verbs):
        return "conditional or another mood"
    finite = _finite(helpers)
    if any("Tense" not in f for f in finite):
        return "modal"
    if any(f["Tense"] not in TENSES for f in finite):
        return "future"
    passive = "Pass" in own.get("Voice", "") or any(r == "aux:pass" for r, _ in helpers)
    if any(_past_participle(f) for _, f in verbs) or (_past_participle(own) and verbs and not passive):
        return "perfect"
    if finite:
        return "passive" if passive else "progressive"
    return "simple" if own.get("VerbForm", "Fin") == "Fin" else "no finite verb"


_PARTICLES = {"aux:q", "aux:clitic"}  # they carry no tense of their own


def _finite(helpers: Helpers) -> list[Mapping[str, str]]:
    """The finite auxiliaries; a negative auxiliary has no tense, the verb beside it has."""
    return [
        f for r, f in helpers if r not in _PARTICLES and f.get("VerbForm", "Fin") == "Fin" and ("Tense" in f or f.get("Polarity") != "Neg")
    ]


def _past_participle(feats: Mapping[str, str]) -> bool:
    return feats.get("VerbForm") == "Part" and "Past" in (feats.get("Tense"), feats.get("PartForm"))
