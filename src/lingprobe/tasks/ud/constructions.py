"""Which construction an auxiliary makes with a form of the verb: *have* and a past participle are
a perfect, Slovenian *biti* and an l-participle as well, Icelandic *geta* and a supine are a modal.

`constructions.tsv` has a row for each, with an example and the grammar that says so. A row counts
wherever its lemma occurs, since a file does not say which its language is; `languages` says which
the row was written for. What no row is about is not guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from lingprobe.corpora.trees import features
from lingprobe.tasks.ud.forms import Form, Verb

TABLE = Path(__file__).with_name("constructions.tsv")
ANY = "any"
INNER = "verbal noun"
"""The relation of an auxiliary of the verbal noun below a finite verb: Welsh *mae wedi mynd*."""
RELATIONS = {"pass": "aux:pass", "cop": "cop", INNER: INNER}
"""Relations that rows name; `aux` is every other one, `any` is all but a verbal noun's."""
FORMS = {
    "finite": Form.FINITE,
    "infinitive": Form.INFINITIVE,
    "past": Form.PERFECT,
    "present": Form.IMPERFECT,
    "future": Form.PROSPECTIVE,
    "stem": Form.BARE,
}
"""Forms of the verb: finite, infinitive, past participle or supine, present participle or gerund,
participle of the future, and a word whose features say nothing.
"""
NAMES = {form: name for name, form in FORMS.items()}


class Construction(NamedTuple):
    """A row: an auxiliary and a form of the verb, and what they mean together.

    languages  codes of those that it was written for
    auxiliary  a lemma; relation: a key of RELATIONS, `aux` or `any`
    form       a key of FORMS or `any`; features: that the verb has as well
    meaning    as docs/design/constructions.md lists them
    example, source
    """

    languages: tuple[str, ...]
    auxiliary: str
    relation: str
    form: str
    features: Mapping[str, str]
    meaning: str
    example: str
    source: str

    def matches(self, relation: str, verb: Verb) -> bool:
        """Whether the row is about an auxiliary with this relation beside this verb."""
        return (
            self._relates(relation)
            and self.form in (ANY, NAMES[verb.form])
            and self.features.items() <= verb.feats.items()
        )

    def _relates(self, relation: str) -> bool:
        if self.relation == ANY:
            return relation != INNER
        return relation == RELATIONS.get(self.relation, relation) and (
            self.relation != "aux" or relation not in RELATIONS.values()
        )

    @property
    def narrowness(self) -> int:
        """How much a row asks for; the narrowest that matches counts."""
        return len(self.features) * 4 + (self.relation != ANY) * 2 + (self.form != ANY)


@cache
def constructions() -> tuple[Construction, ...]:
    """All rows; one that names several lemmas or forms counts for each."""
    lines = TABLE.read_text("utf-8").splitlines()[1:]
    return tuple(row for line in lines for row in _rows(*line.split("\t")))


def _rows(
    languages: str, auxiliaries: str, relation: str, verb: str, *rest: str
) -> list[Construction]:
    forms, _, asked = verb.partition(" ")
    return [
        Construction(tuple(languages.split()), lemma, relation, form, features(asked or "_"), *rest)
        for lemma in auxiliaries.split()
        for form in forms.split("/")
    ]


@cache
def _by_lemma() -> Mapping[str, tuple[Construction, ...]]:
    """The rows of each auxiliary, the narrowest first."""
    by_lemma: dict[str, list[Construction]] = {}
    for row in sorted(constructions(), key=lambda row: -row.narrowness):
        by_lemma.setdefault(row.auxiliary, []).append(row)
    return {lemma: tuple(rows) for lemma, rows in by_lemma.items()}


def meaning(lemma: str, relation: str, verb: Verb) -> str:
    """What an auxiliary with this relation means beside a verb, '' where no row says it."""
    rows = _by_lemma().get(lemma, ())
    return next((row.meaning for row in rows if row.matches(relation, verb)), "")


def cell(auxiliary: Verb, verb: Verb) -> str:
    """What notes call an auxiliary beside a form: *have + past participle*."""
    return f"{auxiliary.lemma} + {SPELT[verb.form]}"


SPELT = {
    Form.FINITE: "finite verb",
    Form.INFINITIVE: "infinitive",
    Form.PERFECT: "past participle",
    Form.IMPERFECT: "present participle",
    Form.PROSPECTIVE: "future participle",
    Form.BARE: "bare verb",
}
"""How notes spell a form."""
