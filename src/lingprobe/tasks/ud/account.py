"""What of a treebank was read: how many clauses of each class rows of its own language cover, and
how many of them rows leave out in doubt.

A rule that is right in one language is wrong in another in some construction, which is more often
in one class than in the other. So both shares are counted by class.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from lingprobe.corpora.marks import classify_final_mark, find_question_mark, is_sentence_end
from lingprobe.data.notes import EMPTY_RECORD, NotePart
from lingprobe.tasks.answers import (
    READ_BY_ROWS,
    READING_STRATUM,
    UNREAD_BY_ROWS,
    Answer,
    Finding,
    RuleFindings,
    make_answer,
)
from lingprobe.tasks.languages import treebank_code
from lingprobe.tasks.ud.clause import MainClause
from lingprobe.tasks.ud.constructions import (
    OBJECT_RELATION,
    SENTENCE_TYPE_TOPIC,
    SUBJECT_RELATION,
    is_language_read,
)
from lingprobe.tasks.ud.rules import (
    HAVE_GOT_DOUBT,
    NO_OBJECT_ADPOSITION,
    NO_SUBJECT_ADPOSITION,
    NOT_PASSIVE_DOUBT,
    OTHER_AUXILIARY_DOUBT,
    PLURAL_OF_MAJESTY,
    is_marked,
)
from lingprobe.tasks.ud.types import QUESTION_WITHOUT_MARK
from lingprobe.tasks.ud.verbs import (
    DOUBTFUL_PARTICIPLE,
    PARTICIPLE_STATE,
    PASSIVE_OF_A_PERFECT,
    UNCLEAR_CONSTRUCTION,
    UNCLEAR_FORM,
)

_MAX_DIFFERENCE = 0.05
"""Between classes, in the share that is unread or left out; above it is a warning."""
_LEFT_OUT = "left out"
_NO_DOUBT = "not left out in doubt"
_NO_CONTRADICTION = "no contradiction"
_CONTRADICTION = "contradiction"
"""The stratum that says what contradicts a label."""
NUMBER_UNLIKE_VERB = "a plural subject with a singular verb"
_NOT_READ = "not read"
_NUMBERS, _OBJECTS = (
    frozenset({PLURAL_OF_MAJESTY, NO_SUBJECT_ADPOSITION}),
    frozenset({NO_OBJECT_ADPOSITION}),
)
_VOICES = frozenset(
    {PARTICIPLE_STATE, PASSIVE_OF_A_PERFECT, NOT_PASSIVE_DOUBT, OTHER_AUXILIARY_DOUBT}
)
_TENSES = frozenset(
    {
        DOUBTFUL_PARTICIPLE,
        UNCLEAR_CONSTRUCTION,
        UNCLEAR_FORM,
        HAVE_GOT_DOUBT,
        NOT_PASSIVE_DOUBT,
        OTHER_AUXILIARY_DOUBT,
    }
)


def _annotated_tense(clause: MainClause) -> str:
    return clause.group.annotated


def _annotated_voice(clause: MainClause) -> str:
    """The voice that annotation says: passive with aux:pass."""
    return "passive" if "aux:pass" in clause.relations else "active"


def _annotated_number(clause: MainClause) -> str:
    return clause.subjects[0].number if clause.subjects else ""


def _annotated_number_of_object(clause: MainClause) -> str:
    return clause.objects[0].number if clause.objects else ""


_DOUBTS: Mapping[str, tuple[frozenset[str], Callable[[MainClause], str]]] = {
    "tense": (_TENSES, _annotated_tense),
    "passive": (_VOICES, _annotated_voice),
    "subj-num": (_NUMBERS, _annotated_number),
    "obj-num": (_OBJECTS, _annotated_number_of_object),
    "sent-type": (frozenset({QUESTION_WITHOUT_MARK}), lambda _: "other"),
}
"""Rule -> the reasons for which a row leaves a clause out in doubt, and the class that the
annotation alone would give it.
"""
DOUBT_TASKS = tuple(_DOUBTS)


def find_doubt(rule: str, clause: MainClause, finding: Finding) -> Finding:
    """The class that the annotation gives a clause that a row leaves out in doubt; else a reason
    why this is none.
    """
    reasons, annotated = _DOUBTS[rule]
    if type(finding) is Answer or finding not in reasons:
        return _NO_DOUBT
    label = annotated(clause)
    return make_answer(label) if label else _NO_DOUBT


_OF_PASSIVES = frozenset({"passive", "perfect passive", "state", "perfect or state", "negative"})


def _passive_of_tense(clause: MainClause, label: str) -> str:
    """Constructions that the rule of tense finds in what the rule of passives calls one."""
    how = clause.group.how
    if label != "passive" or not clause.group.tense or how in _OF_PASSIVES:
        return ""
    return f"a passive by its relation that is {how} by its auxiliary"


def _voice_of_tense(clause: MainClause, label: str) -> str:
    """The same from the other side: what the rule of voice finds in what has a tense."""
    differs = "aux:pass" in clause.relations and clause.group.voice != "passive"
    how = clause.group.how
    return f"a {how} by its auxiliary that is a passive by its relation" if differs else ""


def _number_of_verb(clause: MainClause, label: str) -> str:
    differs = label == "plur" and clause.group.number == "Sing" and not clause.copular
    differs = differs and not is_marked(clause.subjects[0])  # need not agree
    return NUMBER_UNLIKE_VERB if differs else ""


def _mark_of_type(clause: MainClause, label: str) -> str:
    words = clause.sentence.words
    asks = (
        any(classify_final_mark(word) == "?" and is_sentence_end(word) for word in words)
        or find_question_mark(words)[0]
    )
    if label == "other" and asks:
        return "a statement with a question mark inside"
    return "a question without a question mark" if label == "inter" and not asks else ""


_CONTRADICTIONS: Mapping[str, Callable[[MainClause, str], str]] = {
    "passive": _passive_of_tense,
    "tense": _voice_of_tense,
    "subj-num": _number_of_verb,
    "sent-type": _mark_of_type,
}
"""Rule -> what contradicts a label that it gives, '' for nothing."""
CONTRADICTION_TASKS = tuple(_CONTRADICTIONS)


def find_contradiction(rule: str, clause: MainClause, finding: Finding) -> Finding:
    """What of a clause contradicts the label that a rule gives it, as an answer; else a reason why
    this is none.
    """
    if type(finding) is not Answer:
        return _NO_CONTRADICTION
    kind = _CONTRADICTIONS[rule](clause, str(finding.label))
    return make_answer(kind) if kind else _NO_CONTRADICTION


@dataclass(frozen=True, slots=True)
class RowsRead(NotePart):
    """What rows of constructions cover: whether there are rows for the language of the files, and
    class -> 'read', 'unread' and 'excluded' -> clauses.
    """

    key: ClassVar[str] = "rows of constructions"
    status: str = ""
    classes: Mapping[str, Mapping[str, int]] = EMPTY_RECORD

    def remarks(self) -> list[str]:
        """Warnings, each in one sentence."""
        if self.status.startswith(_NOT_READ):
            return [f"constructions: {self.status}"]
        return [
            f"constructions: {name} by class: {listing}"
            for kind, name in (
                (UNREAD_BY_ROWS, "share unread"),
                (_LEFT_OUT, "share that rows leave out"),
            )
            if (listing := self._listing(kind))
        ]

    def _listing(self, kind: str) -> str:
        """The shares of each class, where they differ enough."""
        shares = {
            label: counts.get(kind, 0) / total
            for label, counts in self.classes.items()
            if (total := sum(counts.values()))
        }
        if not shares or max(shares.values()) - min(shares.values()) < _MAX_DIFFERENCE:
            return ""
        return ", ".join(f"{label} {100 * share:.0f} %" for label, share in shares.items())


def account_for_rows(
    rule: str, files: Iterable[str], findings: RuleFindings, doubts: RuleFindings
) -> RowsRead:
    """What rows cover of what a rule says of some files; doubts: what `find_doubt` says."""
    classes: dict[str, Counter[str]] = {}
    for finding, n in findings.recurring():
        if type(finding) is Answer:
            tag = finding.strata.get(READING_STRATUM, READ_BY_ROWS)
            classes.setdefault(str(finding.label), Counter())[tag] += n
    for finding, n in doubts.recurring():
        if type(finding) is Answer:
            classes.setdefault(str(finding.label), Counter())[_LEFT_OUT] += n
    status = describe_status(files, _ABOUT.get(rule, ""))
    if status.startswith(_NOT_READ):
        return RowsRead(status)
    return RowsRead(status, {label: dict(counts) for label, counts in sorted(classes.items())})


_ABOUT = {
    "subj-num": SUBJECT_RELATION,
    "obj-num": OBJECT_RELATION,
    "sent-type": SENTENCE_TYPE_TOPIC,
}
"""Rule -> what rows are about that it asks, beside verbs."""


def describe_status(files: Iterable[str], about: str = "") -> str:
    """Whether there are rows about verbs, or what else is named, for the languages of some
    files.
    """
    codes = dict.fromkeys(treebank_code(Path(file)) for file in files)
    unread = [code for code in codes if code and not is_language_read(code, about)]
    if unread:
        return f"{_NOT_READ} in the language of {', '.join(unread)}"
    return "read" if all(codes) else "the files do not say their language, so rows of all count"


def mark_contradictions(findings: RuleFindings, checks: RuleFindings) -> RuleFindings:
    """The same with what contradicts a label as the subgroup `contradiction`; checks: what
    `find_contradiction` says of the same sentences.
    """
    wide = len(checks.values)
    pairs, first, codes = np.unique(
        findings.codes * wide + checks.codes, return_index=True, return_inverse=True
    )
    order = np.argsort(first)  # as they appear
    values = [
        _mark_contradiction(findings.values[pair // wide], checks.values[pair % wide])
        for pair in pairs[order].tolist()
    ]
    return RuleFindings.of(np.argsort(order)[codes], values)


def _mark_contradiction(finding: Finding, check: Finding) -> Finding:
    if type(finding) is not Answer or type(check) is not Answer:
        return finding
    return finding._replace(strata={**finding.strata, _CONTRADICTION: str(check.label)})


def tag_readings(findings: RuleFindings) -> RuleFindings:
    """The same with what the table has marked as well (`--by reading`), where it lacks
    something.
    """
    if not any(
        type(value) is Answer and READING_STRATUM in value.strata for value in findings.values
    ):
        return findings
    return findings.map_values(_tag_reading)


def _tag_reading(finding: Finding) -> Finding:
    if type(finding) is not Answer or READING_STRATUM in finding.strata:
        return finding
    return finding._replace(strata={**finding.strata, READING_STRATUM: READ_BY_ROWS})
