"""The main clauses of a constituency tree: their verbs, their subjects and objects, and the heads
of noun phrases.

A sentence of coordinated clauses has several main clauses, which each rule then has to agree on.
Labels are those of the Penn Treebank; function tags are used where a tree has them and done without
where it has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lingprobe.corpora.brackets import BracketChild, BracketTree


def _word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_CLAUSES = frozenset({"S", "SINV", "SQ", "SBARQ"})
VERB_TENSE_TAGS = {"VBP": "PRES", "VBZ": "PRES", "VBD": "PAST"}
NOUN_NUMBER_TAGS = {"NN": "NN", "NNS": "NNS"}
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS", "NX", "NML", "NAC"})
VERB_TAGS = frozenset({"VB", "VBP", "VBZ", "VBD", "VBG", "VBN", "TO"})
_BE = _word_set("be am 'm m is 's s are 're re was were been being ai")
_COPULAS = _BE | _word_set(
    "become becomes became becoming remain remains remained remaining seem seems seemed"
)
NO_OBJECT_TAGS = _word_set("TMP ADV LOC DIR MNR PRD EXT VOC CLR BNF HLN TTL")
"""Function tags of noun phrases that are no direct object."""
TIME_NOUNS = _word_set(
    "second seconds minute minutes hour hours day days week weeks weekend weekends month months"
    " quarter year years decade decades time times moment while morning mornings afternoon evening"
    " evenings night nights noon midnight today yesterday tomorrow tonight monday tuesday wednesday"
    " thursday friday saturday sunday january february march april may june july august september"
    " october november tonite december spring summer autumn fall winter way mile miles percent %"
)
"""Nouns that head adverbial phrases of time or measure."""
_MEASURES = _word_set(
    "lot lots number numbers couple bunch majority minority variety handful range host dozen dozens"
    " rest half third quarter part percent % plenty series array amount bit pair group total kind"
    " kinds sort sorts type types"
)
"""Nouns that stand before *of* and leave the number to the noun behind it."""


def normalise_word(word: str) -> str:
    """A word in small letters, with a straight apostrophe."""
    return word.lower().replace("’", "'")


class WordOrReason(NamedTuple):
    """A word of the sentence, or why there is none (then at is -1)."""

    at: int
    why: str


NO_PENN_CLAUSE = "no clause of the Penn Treebank (S, SINV, SQ, SBARQ): a fragment, or other labels"
NO_FINITE_VERB = "no finite verb"
_MODAL = "a modal"


def find_main_clauses(tree: BracketTree) -> list[int]:
    """The main clause, S, SINV, SQ or SBARQ below ROOT, or several coordinated ones; none where the
    sentence is a fragment.
    """
    phrases = [child for child in tree.children(0) if child.node >= 0]
    return list(_clauses(tree, phrases[0])) if len(phrases) == 1 else []


def _clauses(tree: BracketTree, clause: BracketChild) -> Iterator[int]:
    if clause.label not in _CLAUSES:
        return
    below = tree.children(clause.node)
    if clause.label != "SBARQ" and any(
        child.label == "VP" or child.label in VERB_TENSE_TAGS or child.label == "MD"
        for child in below
    ):
        yield clause.node
        return
    for child in below:
        if child.node >= 0:
            yield from _clauses(tree, child)


def find_finite_verbs(tree: BracketTree, node: int) -> list[WordOrReason]:
    """The finite verbs of a clause or verb phrase, one for each that is coordinated; or why there
    is none.
    """
    verbs = []
    below = tree.children(node)
    for label, start, _, phrase in below:
        if phrase < 0 and (label in VERB_TAGS or label == "MD"):
            why = _MODAL if label == "MD" else "" if label in VERB_TENSE_TAGS else NO_FINITE_VERB
            verbs.append(WordOrReason(-1 if why else start, why))
    if not verbs:
        verbs = [
            verb
            for child in below
            if child.label == "VP" and child.node >= 0
            for verb in find_finite_verbs(tree, child.node)
        ]
    elif any(verb.at >= 0 for verb in verbs):
        # beside a finite verb: got broken
        verbs = [verb for verb in verbs if verb.why != NO_FINITE_VERB]
    return verbs or [WordOrReason(-1, NO_FINITE_VERB)]


def is_nonfinite_clause(tree: BracketTree, node: int) -> bool:
    """Whether a clause has no finite verb, nor is it a command: it begins with an infinitive with
    *to* or with a participle.
    """
    verbs = find_finite_verbs(tree, node)
    if any(verb.why != NO_FINITE_VERB for verb in verbs):
        return False
    while phrases := [
        child.node for child in tree.children(node) if child.label == "VP" and child.node >= 0
    ]:
        if any(child.label in VERB_TAGS for child in tree.children(node)):
            break
        node = phrases[0]
    return not any(child.label == "VB" for child in tree.children(node))


def find_predicates(tree: BracketTree, node: int) -> list[int]:
    """The innermost verb phrases of a clause, behind its auxiliaries; the clause itself where it
    has none.
    """
    below = [child.node for child in tree.children(node) if child.label == "VP"]
    return [inner for phrase in below for inner in find_predicates(tree, phrase)] or [node]


def find_subject(tree: BracketTree, clause: int) -> int:
    """The noun phrase that is a clause's subject, before the verb or, in inversion, after it; -1
    where there is none.
    """
    below = tree.children(clause)
    phrases = [child for child in below if child.label == "NP" and child.node >= 0]
    if tagged := [child.node for child in phrases if tree.has(child.node, "SBJ")]:
        return tagged[0]
    at = next(
        child.start
        for child in below
        if child.label == "VP" or child.label in VERB_TENSE_TAGS or child.label == "MD"
    )
    inverted = tree.labels[clause] in ("SQ", "SINV")
    before = [
        child.node for child in phrases if child.start < at and not _adverbial(tree, child.node)
    ]
    after = [child.node for child in phrases if child.start > at]
    if inverted and after:
        return after[0]
    if before and not inverted:
        return before[-1]
    asked = [
        c.node for c in tree.children(tree.parents[clause]) if c.label == "WHNP" and c.node >= 0
    ]
    own_verb = any(child.label == "VP" for child in below) and not any(
        child.label in VERB_TENSE_TAGS or child.label == "MD" for child in below
    )
    return asked[0] if asked and inverted and own_verb else -1


def find_objects(tree: BracketTree, phrase: int) -> list[int]:
    """The noun phrases right in a verb phrase that may be its objects; adverbials, and what stands
    beside copulas, are excluded.
    """
    below = tree.children(phrase)
    verbs = [child.start for child in below if child.label in VERB_TAGS]
    if not verbs or normalise_word(tree.words[verbs[-1]]) in _COPULAS:
        return []
    nodes = [
        child.node
        for child in below
        if child.label == "NP" and child.node >= 0 and child.start > verbs[0]
    ]
    return [node for node in nodes if not _adverbial(tree, node)]


def _adverbial(tree: BracketTree, node: int) -> bool:
    """Whether function tags say that a noun phrase is no argument."""
    return not NO_OBJECT_TAGS.isdisjoint(tree.functions[node].split("-"))


def is_passive_participle(tree: BracketTree, phrase: int) -> bool:
    """Whether a verb phrase is a participle behind a form of be or get."""
    below = tree.children(phrase)
    above = tree.parents[phrase]
    while (
        above >= 0
        and tree.labels[above] == "VP"
        and not any(c.label in VERB_TAGS for c in tree.children(above))
    ):
        above = tree.parents[above]  # coordinated participles
    if not any(child.label in ("VBN", "VBD") for child in below) or above < 0:
        return False
    helpers = [
        normalise_word(tree.words[c.start]) for c in tree.children(above) if c.label in VERB_TAGS
    ]
    return bool(helpers) and helpers[-1] in _BE | {"get", "gets", "got", "getting"}


def find_head_noun(tree: BracketTree, phrase: int, literal: bool = False) -> WordOrReason:
    """The noun that heads a noun phrase, or why none does; rules are those of Collins 1999,
    appendix A, for NP.

    The last noun right in the phrase; without one, the head of its first noun phrase (an apposition
    or a prepositional phrase comes after it). Coordination, nouns of measure before *of* and
    possessors without a noun have no head that could be asked about; `literal` has one for the
    first two, too.
    """
    below = tree.children(phrase)
    labels = [child.label for child in below]
    if not literal and (not {"CC", "CONJP"}.isdisjoint(labels) or labels.count("NP") > 2):
        return WordOrReason(-1, "a coordination")
    if labels[-1] == "POS":
        return WordOrReason(-1, "a possessor")
    for child in reversed(below):
        if child.label in _NOUNS:
            return (
                WordOrReason(child.start, "")
                if child.node < 0
                else find_head_noun(tree, child.node, literal)
            )
    inner = [child for child in below if child.label in ("NP", "WHNP") and child.node >= 0]
    if not inner:
        return WordOrReason(-1, "no noun")
    noun = find_head_noun(tree, inner[0].node, literal)
    if (
        not literal
        and noun.at >= 0
        and normalise_word(tree.words[noun.at]) in _MEASURES
        and _of(tree, below)
    ):
        return WordOrReason(-1, "a noun of measure before of")
    return noun


def _of(tree: BracketTree, below: tuple[BracketChild, ...]) -> bool:
    return any(child.label == "PP" and tree.words[child.start].lower() == "of" for child in below)
