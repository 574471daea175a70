"""What marks objects in a treebank, by its own relations and cases: an adposition that stands with
obliques nearly always marks none, and what the treebank calls an object is an oblique.

Spanish *a* marks objects as well as obliques, *con* does not; Urdu کو and Chinese 把 do. No list
says so: an adposition with a case counts as one of objects where a tenth of the nouns below main
predicates that have it are objects, and a tenth of those that have it with any case.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from lingprobe.corpora.languages import get_language_code
from lingprobe.data.vectors import Ints
from lingprobe.tasks.answers import Answer, Finding, RuleFindings
from lingprobe.tasks.languages import treebank_code
from lingprobe.tasks.parsed_corpora import ParsedCorpus
from lingprobe.tasks.ud.rules import ADPOSITION_STRATUM

_MARKS_OBLIQUES = "an object with an adposition that marks obliques in this treebank"
_LEAST_OBJECTS = 0.1
"""Of the nouns with an adposition and a case, from which on it marks objects."""


_Key = tuple[int, str]
"""The number of a language, and a marking."""


def refuse_obliques(
    corpus: ParsedCorpus, findings: RuleFindings, obliques: RuleFindings
) -> RuleFindings:
    """The findings without objects whose adposition marks obliques in the treebanks of the same
    language.
    """
    if not any(_marking_of(value) for value in findings.values):
        return findings
    languages, spoken = _number_languages(corpus)
    marks = _share_objects(findings, obliques, languages)
    pairs, first, codes = np.unique(
        findings.codes * len(spoken) + languages, return_index=True, return_inverse=True
    )
    order = np.argsort(first)  # as they appear
    values: list[Finding] = []
    for pair in pairs[order].tolist():
        code, of = divmod(pair, len(spoken))
        value = findings.values[code]
        is_object = marks.get((of, _marking_of(value)), 1.0) >= _LEAST_OBJECTS
        values.append(value if is_object else _MARKS_OBLIQUES)
    return RuleFindings.of(np.argsort(order)[codes], values)


def _marking_of(value: Finding) -> str:
    return value.strata.get(ADPOSITION_STRATUM, "") if type(value) is Answer else ""


def _number_languages(corpus: ParsedCorpus) -> tuple[Ints, list[str]]:
    """The number of the language of each sentence, and the languages, as files say them."""
    spoken = [get_language_code(treebank_code(Path(file))) for file in corpus.files]
    distinct = list(dict.fromkeys(spoken))
    numbers = np.array([distinct.index(code) for code in spoken], np.int64)
    return numbers[corpus.number_files(np.arange(len(corpus)))], distinct


def _share_objects(
    findings: RuleFindings, obliques: RuleFindings, languages: Ints
) -> dict[tuple[int, str], float]:
    """Language and marking -> the share of objects among the nouns that have it, or its adposition
    with any case if that is less.
    """
    objects: Counter[tuple[int, str]] = Counter()
    others: Counter[tuple[int, str]] = Counter()
    for of, value, n in _count_values(findings, languages):
        if marking := _marking_of(value):
            objects[of, marking] += n
    for of, value, n in _count_values(obliques, languages):
        for marking in str(value.label).split() if type(value) is Answer else ():
            others[of, marking] += n
    return {
        (of, marking): min(
            _compute_object_share(objects, others, of, marking),
            _compute_object_share(objects, others, of, f"{marking.rpartition('|')[0]}|"),
        )
        for of, marking in objects
    }


def _compute_object_share(
    objects: Counter[_Key], others: Counter[_Key], of: int, start: str
) -> float:
    """The share of objects among the nouns whose marking begins so."""
    many, rest = (
        sum(n for (spoken, marking), n in counts.items() if spoken == of and _is(marking, start))
        for counts in (objects, others)
    )
    return many / (many + rest)


def _is(marking: str, start: str) -> bool:
    """Whether a marking is one, or has an adposition, as what ends in a bar stands for."""
    return marking == start or (start.endswith("|") and marking.startswith(start))


def _count_values(found: RuleFindings, languages: Ints) -> Iterator[tuple[int, Finding, int]]:
    """Language, finding, and how often they occur together."""
    cells, many = np.unique(np.stack((languages, found.codes)), axis=1, return_counts=True)
    for (of, code), n in zip(cells.T.tolist(), many.tolist(), strict=True):
        yield of, found.values[code], n
