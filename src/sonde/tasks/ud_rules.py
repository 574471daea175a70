"""What the tree of a sentence answers: one small rule a question, each a pure function of the main clause.

A rule gives an `Answer`, or says in a few words why the sentence is left out; those words are counted in the notes.
Definitions are those of Krasnowska-Kieraś & Wróblewska 2019, section 3; docs/tasks-ud.md says where and why we differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import compress
from typing import NamedTuple

from sonde.core import Sentence
from sonde.sources.trees import Tree, features
from sonde.tasks.ud_clause import NO_TENSE, NO_VERB, TENSES, Clause


class Answer(NamedTuple):
    """A label, the word form that it is about ('' for none), and the label that most words of the sentence speak for.

    mark is another tag to report by: how the sentence ends, or how a tense is expressed.
    """

    label: str
    target: str = ""
    majority: str = ""
    mark: str = ""


Finding = Answer | str
"""An answer, or why there is none."""
Rule = Callable[[Clause], Finding]
Literal = Callable[[Clause, Finding], Finding]
"""The papers' rule taken literally, given what ours finds, which it is in most sentences."""

answer = lru_cache(maxsize=1 << 17)(Answer)
"""Answers recur: the same one is made once."""

INTERVALS = ((3, 5), (6, 8), (9, 11), (12, 14), (15, 17), (18, 20), (21, 23))  # section 3.1
LENGTHS = {n: f"{low}-{high}" for low, high in INTERVALS for n in range(low, high + 1)}
NUMBERS = {"Sing": "sing", "Plur": "plur"}


def top_deps(clause: Clause) -> Finding:
    """The multiset of relations between the root and its dependents, barring punctuation, where the root heads a clause."""
    if not (clause.group.finite or clause.has_subject):
        return "no clause: the root has neither verb nor subject"
    return top_deps_literal(clause, "")


def top_deps_literal(clause: Clause, ours: Finding) -> Finding:
    """The same of every root (section 3.2)."""
    return answer(" ".join(sorted(clause.relations))) if clause.relations else "the root has no dependents but punctuation"


def passive(clause: Clause) -> Finding:
    """Whether the predicate is a passive participle that governs an aux:pass (section 3.2); `morphological` without aux:pass."""
    voice = clause.group.voice
    if voice not in _VOICES:
        return voice
    if voice == "active" and not _PASSIVE.isdisjoint(clause.relations):
        return "a passive subject or an agent, but no aux:pass"
    return answer(voice, clause.form)


_VOICES = frozenset({"passive", "morphological", "active"})
_PASSIVE = frozenset({"nsubj:pass", "csubj:pass", "expl:pass", "obl:agent", "aux:pass"})


def tense(clause: Clause) -> Finding:
    """The tense of the main clause: that of its finite verb, but past in perfects; other moods and modals are left out."""
    group = clause.group
    if group.verb and group.tense:
        return answer(group.tense, clause.form, _majority(clause.tree, "VERB", _TENSE), group.how)
    return group.how if group.verb else NO_VERB


def tense_literal(clause: Clause, ours: Finding) -> Finding:
    """The Tense feature of a predicate that is a VERB, as section 3.2 says."""
    group = clause.group
    if not (group.verb and group.literal):
        return NO_TENSE if group.verb else NO_VERB
    if type(ours) is Answer:
        return ours if ours.label == group.literal else ours._replace(label=group.literal)
    return answer(group.literal, clause.form, _majority(clause.tree, "VERB", _TENSE), group.how)


def subj_num(clause: Clause) -> Finding:
    """The number of the noun that is the main predicate's subject, passive or not.

    A coordinated subject, plural whatever its first noun, is left out.
    """
    found = clause.subjects
    if len(found) > 1:  # of a copula and a clause the outer subject is the matrix one
        found = tuple(k for k in found if clause.tree.deprels[k] == "nsubj:outer") or found
    return _single(clause, found, _SUBJECT)


def subj_num_literal(clause: Clause, ours: Finding) -> Finding:
    """The number of a noun that is nsubj of the main predicate, as section 3.2 says."""
    return _exactly("nsubj", clause, clause.subjects, _SUBJECT, ours)


def obj_num(clause: Clause) -> Finding:
    """The number of the noun that is the main predicate's direct object; a coordinated object is left out."""
    return _single(clause, clause.objects, _OBJECT)


def obj_num_literal(clause: Clause, ours: Finding) -> Finding:
    """The number of a noun that is obj of the main predicate, as section 3.2 says."""
    return _exactly("obj", clause, clause.objects, _OBJECT, ours)


class _Why(NamedTuple):
    none: str
    several: str
    no_noun: str
    no_number: str
    coordinated: str


_SUBJECT, _OBJECT = (
    _Why(f"no {w}", f"several {w}s", f"the {w} is no noun", f"the {w} has neither Number=Sing nor Number=Plur", f"the {w} is coordinated")
    for w in ("subject", "object")
)


def _single(clause: Clause, found: tuple[int, ...], why: _Why) -> Finding:
    if not found:
        return why.none
    finding = _number(clause, found, why)
    if type(finding) is Answer and found[0] in clause.tree.heads:
        deprels, noun = clause.tree.deprels, found[0]
        if any(head == noun and deprels[k].startswith("conj") for k, head in enumerate(clause.tree.heads)):
            return why.coordinated
    return finding


def _exactly(relation: str, clause: Clause, found: tuple[int, ...], why: _Why, ours: Finding) -> Finding:
    exact = tuple(k for k in found if clause.tree.deprels[k] == relation) if found else found
    return ours if exact == found and ours != why.coordinated else _number(clause, exact, why)


def _number(clause: Clause, found: tuple[int, ...], why: _Why) -> Finding:
    if len(found) != 1:
        return why.several if found else why.none
    tree, noun = clause.tree, found[0]
    if tree.upos[noun] != "NOUN":
        return why.no_noun
    label = _NUMBER[tree.feats[noun]]
    return answer(label, tree.words[noun].lower(), _majority(tree, "NOUN", _NUMBER)) if label else why.no_number


class _Labels(dict[str, str]):
    """FEATS values -> the label of one feature, '' for none."""

    def __init__(self, name: str, labels: Mapping[str, str]) -> None:
        super().__init__()
        self.name, self.labels = name, labels

    def __missing__(self, raw: str) -> str:
        return self.setdefault(raw, self.labels.get(features(raw).get(self.name, ""), ""))


_TENSE = _Labels("Tense", TENSES)
_NUMBER = _Labels("Number", NUMBERS)


def _majority(tree: Tree, upos: str, labels: _Labels) -> str:
    """The label that most words of a part of speech have in the whole sentence, the target's included; 'tie' where none has.

    Conneau et al. 2018, section 5: this feature is the target's in 95.2 (Tense), 75.9 (SubjNum), 78.7 % (ObjNum).
    """
    values = [labels[f] for f in compress(tree.feats, map(upos.__eq__, tree.upos))]
    one, other = labels.labels.values()
    ones, others = values.count(one), values.count(other)
    return "tie" if ones == others else one if ones > others else other


def misread(sentences: Sequence[Sentence], ours: Sequence[Finding], literal: Sequence[Finding]) -> dict[str, int]:
    """Where the literal rule for Tense labels otherwise than ours, or what ours leaves out, in distinct sentences."""
    counts: dict[str, int] = {}
    seen = set()
    for sentence, one, other in zip(sentences, ours, literal, strict=True):
        if type(other) is Answer and sentence.words not in seen:
            seen.add(sentence.words)
            if type(one) is str or one[0] != other.label:
                reason = one if type(one) is str else f"{one[0]} {other.mark} called {other.label}"
                counts[reason] = counts.get(reason, 0) + 1
    return {"distinct sentences": len(seen), **dict(sorted(counts.items(), key=lambda item: -item[1]))}


def counted(findings: Iterable[Finding]) -> dict[str, int]:
    """How many sentences are left out, by reason, the most frequent first."""
    reasons: dict[str, int] = {}
    for finding in findings:
        if type(finding) is str:
            reasons[finding] = reasons.get(finding, 0) + 1
    return dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))
