"""What the constituency tree of a sentence answers: one small rule a question, each a pure function
of the tree.

Definitions are those of Conneau et al. 2018, section 2, and of SentEval's page about its probing
data (README); docs/design/tree-tasks.md says where they leave something open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from lingprobe.corpora.brackets import BracketTree
from lingprobe.tasks.answers import Answer, Finding, make_answer
from lingprobe.tasks.tree.clause import (
    NO_FINITE_VERB,
    NO_PENN_CLAUSE,
    NOUN_NUMBER_TAGS,
    TIME_NOUNS,
    VERB_TENSE_TAGS,
    find_finite_verbs,
    find_head_noun,
    find_main_clauses,
    find_objects,
    find_predicates,
    find_subject,
    is_nonfinite_clause,
    is_passive_participle,
    normalise_word,
)

Rule = Callable[[BracketTree], Finding]
_MARKS = frozenset(
    {"-LRB-", "-RRB-", "-LSB-", "-RSB-", "-LCB-", "-RCB-", "HYPH", "NFP", "PUNCT", "SYM"}
)
_QUOTES = frozenset({"``", "''", '"'})
_NO_SUBJECT, _NO_OBJECT = "no nominal subject", "no nominal object"


def measure_tree_depth(tree: BracketTree) -> int:
    """How many nodes lie on the longest path from ROOT to a preterminal, both counted; words are
    not.
    """
    depths = [1] * len(tree.parents)
    for node in range(1, len(depths)):
        depths[node] = depths[tree.parents[node]] + 1
    return max(depths) + 1


def top_const(tree: BracketTree, literal: bool = False) -> Finding:
    """The constituents below the sentence's node, joined by _; punctuation or quotes inside, and no
    final mark, are excluded (README).

    literal  a quote that begins the sentence is not inside it, and is passed over, as in the
             published file
    """
    above = tree.children(0)
    if len(above) != 1 or above[0].node < 0:
        return "several constituents below ROOT" if len(above) > 1 else "a single word"
    labels = [child.label for child in tree.children(above[0].node)]
    while literal and len(labels) > 1 and labels[0] in _QUOTES:
        labels = labels[1:]
    if labels[-1] != ".":
        return "no final mark"
    if any(label in _MARKS or not any(map(str.isalpha, label)) for label in labels[:-1]):
        return "marks or quotes inside"
    return make_answer("_".join(labels))


def classify_phrase_tense(tree: BracketTree) -> Finding:
    """The tag of the finite verb, which may be an auxiliary, as tense: VBP and VBZ are PRES, VBD
    PAST; modals and fragments are excluded.
    """
    findings: list[Finding] = []
    majority = _majority(VERB_TENSE_TAGS.get(tag) for tag in tree.tags)
    for clause in find_main_clauses(tree):
        for verb in find_finite_verbs(tree, clause):
            if verb.at < 0:
                return verb.why
            findings.append(
                make_answer(
                    VERB_TENSE_TAGS[tree.tags[verb.at]],
                    normalise_word(tree.words[verb.at]),
                    majority,
                    _form(tree, clause),
                )
            )
    return (
        _common_finding(findings, "coordinated verbs of both tenses")
        if findings
        else NO_PENN_CLAUSE
    )


def _form(tree: BracketTree, clause: int) -> str:
    """Whether the finite verb is the main verb or an auxiliary."""
    return (
        "simple"
        if all(_own(tree, phrase) for phrase in find_predicates(tree, clause))
        else "auxiliary"
    )


def _own(tree: BracketTree, phrase: int) -> bool:
    return any(child.label in VERB_TENSE_TAGS for child in tree.children(phrase) if child.node < 0)


def find_subject_phrase_number(tree: BracketTree, literal: bool = False) -> Finding:
    """The number of the subject, of the common noun that heads it in the main clause;
    coordinations, measures and a verb of another number are excluded.

    literal  also where subject and verb disagree, and of coordinations and nouns of measure, of
             which the paper says nothing
    """
    findings: list[Finding] = []
    majority = _majority(NOUN_NUMBER_TAGS.get(tag) for tag in tree.tags)
    for clause in find_main_clauses(tree):
        phrase = find_subject(tree, clause)
        verb = find_finite_verbs(tree, clause)[0]
        if verb.why == NO_FINITE_VERB or phrase < 0:
            continue  # a command, or a clause whose subject is no noun phrase
        noun = _noun(tree, phrase, majority, "subject", literal)
        if (
            not literal
            and type(noun) is Answer
            and verb.at >= 0
            and _disagree(str(noun.label), tree.tags[verb.at], normalise_word(tree.words[verb.at]))
        ):
            return "subject and verb differ in number"
        findings.append(noun)
    return (
        _common_finding(findings, "coordinated clauses with subjects of both numbers")
        if findings
        else _NO_SUBJECT
        if find_main_clauses(tree)
        else NO_PENN_CLAUSE
    )


def _disagree(number: str, tag: str, verb: str) -> bool:
    """Whether the verb contradicts the number of the subject's head: a collective, or an error of
    annotation.
    """
    singular = tag == "VBZ" or verb == "was"
    plural = tag == "VBP" or verb == "were"
    return (number == "NNS" and singular) or (number == "NN" and plural)


def find_object_phrase_number(tree: BracketTree, literal: bool = False) -> Finding:
    """The number of the object; passives, copulas and adverbials are excluded, and counted: of the
    common noun that heads a noun phrase right in the verb phrase of the main clause, the second of
    two.

    literal  also of coordinations and nouns of measure
    """
    findings: list[Finding] = []
    majority = _majority(NOUN_NUMBER_TAGS.get(tag) for tag in tree.tags)
    main = find_main_clauses(tree)
    for clause in main:
        if is_nonfinite_clause(tree, clause):
            return NO_FINITE_VERB
        for phrase in find_predicates(tree, clause):
            candidates = find_objects(tree, phrase)
            # an inverted clause without a verb phrase: its first noun phrase is the subject
            if clause == phrase:
                candidates = [node for node in candidates if node != find_subject(tree, clause)]
            if not any(tree.functions):
                candidates = _without_times(tree, candidates)
            if candidates and is_passive_participle(tree, phrase):
                return "a passive"
            if len(candidates) > 2:
                return "three noun phrases beside the verb"
            if candidates:
                findings.append(_noun(tree, candidates[-1], majority, "object", literal))
    return (
        _common_finding(findings, "coordinated verbs with objects of both numbers")
        if findings
        else _NO_OBJECT
        if main
        else NO_PENN_CLAUSE
    )


def _without_times(tree: BracketTree, candidates: list[int]) -> list[int]:
    """Noun phrases but for adverbials of time and measure behind another; without function tags
    only the noun tells them.
    """
    return [
        node
        for i, node in enumerate(candidates)
        if i == 0 or normalise_word(tree.words[find_head_noun(tree, node).at]) not in TIME_NOUNS
    ]


def _noun(tree: BracketTree, phrase: int, majority: str, role: str, literal: bool) -> Finding:
    """The number of a head noun as an answer, or why it has none: no common noun, coordinations,
    measures.
    """
    noun = find_head_noun(tree, phrase, literal)
    if noun.at < 0:
        return f"the {role} is {noun.why}" if noun.why != "no noun" else f"the {role} has no noun"
    word = tree.words[noun.at]
    if tree.tags[noun.at] not in NOUN_NUMBER_TAGS or not any(map(str.isalpha, word)):
        return f"the {role} is not a common noun"
    if role == "object" and not any(tree.functions) and normalise_word(word) in TIME_NOUNS:
        return "a noun of time, an object or an adverbial"
    return make_answer(NOUN_NUMBER_TAGS[tree.tags[noun.at]], normalise_word(word), majority)


def _common_finding(findings: list[Finding], otherwise: str) -> Finding:
    """The first finding, where all coordinated clauses give the same answer."""
    reasons = [finding for finding in findings if type(finding) is not Answer]
    if reasons:
        return reasons[0]
    labels = {finding.label for finding in findings if type(finding) is Answer}
    return findings[0] if len(labels) == 1 else otherwise


def _majority(labels: Iterable[str | None]) -> str:
    """The most frequent label, 'tie' where two are as frequent, '' where there is none."""
    counts = Counter(label for label in labels if label).most_common(2)
    if len(counts) == 2 and counts[0][1] == counts[1][1]:
        return "tie"
    return counts[0][0] if counts else ""
