"""Which treebanks answer which questions, and what is behind the labels: one line for each treebank
and task, with what has a warning.

A score cannot show a rule that is wrong in one language, since oracles hold the same features, and
rows read at random hardly do. Composition can: an auxiliary and a form that stand for two things,
auxiliaries that no rule knows, a class that is one word.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lingprobe.data.core import DataProblem, Dataset, Tags, Task
from lingprobe.data.notes import DatasetNotes, WordRule
from lingprobe.data.references import Reference
from lingprobe.datasets.fold_plan import name_folds
from lingprobe.experiment.data import load_examples
from lingprobe.inside.languages.matching import TARGET_FORM_STRATUM
from lingprobe.inside.languages.metadata import read_treebank_metadata
from lingprobe.tasks import TASKS
from lingprobe.tasks.answers import READ_BY_ROWS, UNREAD_BY_ROWS
from lingprobe.tasks.ud.account import NUMBER_UNLIKE_VERB, RowsRead

_SHARE = 0.1  # of what has an answer, from which on auxiliaries that no rule knows are worth a look
_ONE_FORM = 0.5  # of a class that has one word form as its target
_BY_ONE_WORD = 0.15  # by which the best rule of one word is above a constant answer
_ERRORS = 2  # standard errors of a constant answer's score, that it must be above as well
_CONTRADICTED = 0.02  # of the clauses with an answer
_EXAMPLE = 80  # characters of an example
_SOME = 3  # cells or values that a line names
_IN_COURSE = ("progressive", "imperfective")  # constructions of what is going on
_NO_RULE = "an auxiliary that makes no known construction"


@dataclass(frozen=True, slots=True)
class SurveyRow:
    """A task on a treebank.

    glottocode, family, branch, macroarea  of the language in Glottolog; iso: ISO 639-3; script: ISO
                                           15924; '' for what is not known
    latitude, longitude                  in degrees, NaN where not known
    genre       as the README of the treebank says; tokens: syntactic words, 0 where not counted
    link        the treebank's repository, '' where its name is none of Universal Dependencies
    why         why it is refused; '' where it is offered
    n, folds    examples in all, and the folds that test them; 0 where it is refused
    classes     how many there are, and the examples of the smallest
    word        the best rule of one word, what it scores on test, and a constant answer (percent)
    composed    what each class consists of by construction
    cells       sentences by construction, auxiliary and form, as the rules read them
    unknown     sentences excluded since no rule knows their auxiliary
    unread      percent of the clauses with an answer that no row of constructions of the language
                covers; NaN where there are no rows
    look        what has a warning; '' for nothing
    remarks     on the annotation as a whole
    """

    treebank: str
    language: str
    licence: str
    task: str
    why: str = ""
    n: int = 0
    folds: int = 0
    classes: int = 0
    smallest: int = 0
    word: str = ""
    word_score: float = math.nan
    constant: float = math.nan
    composed: str = ""
    cells: str = ""
    unknown: int = 0
    unread: float = math.nan
    look: str = ""
    remarks: str = ""
    glottocode: str = ""
    iso: str = ""
    family: str = ""
    branch: str = ""
    macroarea: str = ""
    script: str = ""
    genre: str = ""
    tokens: int = 0
    link: str = ""
    latitude: float = math.nan
    longitude: float = math.nan

    @property
    def is_offered(self) -> bool:
        """Whether the treebank answers the question."""
        return not self.why


def survey_rows(places: Sequence[str], tasks: Sequence[str]) -> Iterator[SurveyRow]:
    """A row for each treebank and task, treebank after treebank."""
    for place in places:
        for task in tasks:
            asked = Reference.parse(task)
            yield survey_row(place, task, TASKS.make(Reference(asked.name, place, asked.options)))


def survey_row(place: str, name: str, task: Task) -> SurveyRow:
    """The examples of a task on a treebank, or why it is refused, and warnings."""
    about = read_treebank_metadata(place)
    what = about.name, about.language, about.licence, name
    try:
        data = load_examples(task)
    except DataProblem as problem:
        return SurveyRow(*what, why=str(problem), **about.columns)
    counts = {k: n for k, n in data.labels.counts().items() if n}
    rule = data.notes.part(WordRule)
    tested = [n for n in data.labels.take(data.rows("test")).counts().values() if n]
    constant = 100 * max(tested) / sum(tested)
    cells = count_auxiliaries(data.notes)
    return SurveyRow(
        *what,
        n=len(data),
        folds=max(1, len(name_folds(data))),
        classes=len(counts),
        smallest=min(counts.values()),
        word=rule.rule if rule else "",
        word_score=100 * rule.test if rule else math.nan,
        constant=constant,
        composed=_composition(data),
        cells="; ".join(f"{how}: {_listing(of)}" for how, of in cells.items()),
        unknown=_unknown(cells),
        unread=_unread(data.notes),
        look="; ".join(list_warnings(data, cells)),
        remarks="; ".join(data.notes.remarks),
        **about.columns,
    )


def _unread(notes: DatasetNotes) -> float:
    """Percent of the clauses with an answer that no row of their language covers."""
    rows = notes.part(RowsRead)
    counts: Counter[str] = Counter()
    for label in rows.classes.values() if rows else ():
        counts.update(label)
    answered = counts[READ_BY_ROWS] + counts[UNREAD_BY_ROWS]
    return 100 * counts[UNREAD_BY_ROWS] / answered if answered else math.nan


def list_contradictions(notes: DatasetNotes) -> Iterator[str]:
    """What contradicts more than a few labels of a rule, each with the first example."""
    least = _CONTRADICTED * sum(notes.answers.values())
    for kind, found in dict(notes.get("contradictions") or {}).items():
        if found["clauses"] > least:
            yield f"{found['clauses']:,} times {kind}, as {str(found['example'])[:_EXAMPLE]!r}"
            if kind == NUMBER_UNLIKE_VERB and 2 * found["clauses"] > notes.answers.get("plur", 0):
                yield "most verbs do not agree with plural subjects, so that this says nothing"


def count_auxiliaries(notes: DatasetNotes) -> dict[str, Mapping[str, int]]:
    """Tense and construction -> auxiliary and form -> sentences."""
    return dict(notes.get("auxiliaries") or {})


def list_warnings(data: Dataset, cells: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """The warnings of a task on a treebank: auxiliaries read as two constructions, contradictions,
    one word that predicts the label.
    """
    yield from two_readings(cells)
    yield from two_tenses(cells)
    yield from list_contradictions(data.notes)
    unknown = _unknown(cells)
    if unknown > _SHARE * (unknown + sum(data.notes.answers.values())):
        which = Counter(select_auxiliary_counts(cells, is_known=False)).most_common(_SOME)
        yield f"no rule knows {', '.join(f'{cell} ({n:,})' for cell, n in which)}"
    yield from _one_form(data)
    yield from _one_lemma(data.notes)
    rule = data.notes.part(WordRule)
    if rule and is_told(rule.test, data.labels.take(data.rows("test")).counts().values()):
        yield f"one word predicts {100 * rule.test:.0f} %: {rule.rule}"


def is_told(share: float, tested: Collection[int]) -> bool:
    """Whether one word predicts the label: a rule that is right in a share of the test examples,
    given by class, is far above a constant answer, and further than chance takes it.
    """
    constant = max(tested) / sum(tested)
    error = math.sqrt(constant * (1 - constant) / sum(tested))
    return share - constant > max(_BY_ONE_WORD, _ERRORS * error)


def two_readings(cells: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """An auxiliary and a form that are read as two constructions: what they mean is one thing, or
    the label is decided by something else, as by aspect.
    """
    readings: dict[str, Counter[str]] = {}
    for how, of in cells.items():
        if _NO_RULE not in how:
            for cell, n in of.items():
                readings.setdefault(cell, Counter())[get_auxiliary(how)] += n
    for cell, mine in readings.items():
        if len(mine) > 1:
            yield f"{cell} is read as {_listing(mine)}"


def two_tenses(cells: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """An auxiliary with participles of which some are a perfect, and past, and others present: in
    Hindi that is so, in Slovenian it is aspect, and all are past.
    """
    tenses: dict[str, dict[str, Counter[str]]] = {}
    for how, of in cells.items():
        tense = how.partition(" ")[0]
        is_perfect = get_auxiliary(how) == "perfect"
        if _NO_RULE in how or not (
            is_perfect or (tense == "pres" and get_auxiliary(how) in _IN_COURSE)
        ):
            continue
        for cell, n in of.items():
            lemma, _, form = cell.partition(" + ")
            if form.endswith("participle"):
                tenses.setdefault(lemma, {}).setdefault(tense, Counter())[form] += n
    for lemma, forms in tenses.items():
        if len(forms) > 1:
            each = "; ".join(f"{tense} with {_listing(of)}" for tense, of in sorted(forms.items()))
            yield f"{lemma} is {each}: tense, or aspect?"


def get_auxiliary(construction: str) -> str:
    """The first word of a construction behind its tense: an auxiliary may have any tense, and the
    verb further auxiliaries (a perfect passive is a perfect).
    """
    return construction.partition(" ")[2].partition(" ")[0] or construction


def select_auxiliary_counts(
    cells: Mapping[str, Mapping[str, int]], is_known: bool
) -> dict[str, int]:
    """Sentences by auxiliary and form, of those that rules know or of the others."""
    found: Counter[str] = Counter()
    for how, of in cells.items():
        if (_NO_RULE not in how) == is_known:
            found.update(of)
    return dict(found)


def _unknown(cells: Mapping[str, Mapping[str, int]]) -> int:
    return sum(select_auxiliary_counts(cells, is_known=False).values())


def _one_form(data: Dataset) -> Iterator[str]:
    """Classes that are mostly one word."""
    for name, forms in _by_class(data, TARGET_FORM_STRATUM).items():
        ((form, n),) = forms.most_common(1)
        if len(forms) > 1 and n > _ONE_FORM * forms.total():
            yield f"{100 * n / forms.total():.0f} % of {name!r} are about {form!r}"


def _one_lemma(notes: DatasetNotes) -> Iterator[str]:
    """Classes that are mostly one lemma, as they cannot be had without it."""
    sampling = notes.get("sampling") or {}
    for one in sampling.get("mostly_one_lemma", ()):
        share = 100 * one["examples"] / one["total"]
        yield f"{share:.0f} % of {one['label']!r} have the lemma {one['lemma']!r}"


def _composition(data: Dataset) -> str:
    """What each class consists of, in percent."""
    return "; ".join(
        f"{name}: {_shares(of)}" for name, of in _by_class(data, "construction").items()
    )


def _by_class(data: Dataset, stratum: str) -> dict[str, Counter[str]]:
    """The values of a stratum in each class; none where the data set does not have it."""
    tags: Tags | None = data.strata.get(stratum)
    found: dict[str, Counter[str]] = {}
    if tags is not None:
        for label, code in zip(data.labels.class_names(), tags.codes.tolist(), strict=True):
            if code >= 0:
                found.setdefault(label, Counter())[tags.names[code]] += 1
    return dict(sorted(found.items()))


def _shares(counts: Counter[str]) -> str:
    parts = [f"{name} {100 * n / counts.total():.0f} %" for name, n in counts.most_common(_SOME)]
    return ", ".join(parts) + (" and others" if len(counts) > _SOME else "")


def _listing(counts: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {n:,}" for name, n in Counter(counts).most_common())
