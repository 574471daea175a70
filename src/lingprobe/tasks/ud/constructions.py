"""Which construction an auxiliary makes with a form of the verb: *have* and a past participle are
a perfect, Slovenian *biti* and an l-participle as well, Icelandic *geta* and a supine are a modal.
Particles of a verbal noun, subjects by what marks them and auxiliaries that open a question are
constructions, too.

`constructions.tsv` has a row for each, with the Glottocodes of the languages and families that it
holds for, a golden clause with its label, and who says so. Rows of a file's own language or family
come first: what one of them covers was read. Rows of other languages count where none of these
does, since lemmas rarely mean two things; what only they cover, or nothing, is unread. Where a file
does not say which its language is, all rows count alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

from lingprobe.corpora.languages import get_lineage
from lingprobe.corpora.trees import parse_features
from lingprobe.tasks.ud.forms import GroupVerb, TenseForm

_TABLE = Path(__file__).with_name("constructions.tsv")
_ANY = "any"
VERBAL_NOUN_RELATION = "verbal noun"
"""The relation of an auxiliary or a particle of the verbal noun below a finite verb: Welsh *mae
wedi mynd*.
"""
SUBJECT_RELATION, ADPOSITION_RELATION, OBJECT_RELATION = "subject", "adposition", "object"
FIRST_WORD_RELATION, LAST_WORD_RELATION, INNER_WORD_RELATION, LONE_VERB_RELATION = (
    "first",
    "last",
    "inside",
    "alone",
)
"""Relations of rows about other words than auxiliaries: a subject by its lemma beside the finite
verb, the adposition of a subject and of an object, a dependent of the main predicate that opens or
ends a sentence, marks aside, or stands anywhere, and a verb without auxiliaries.
"""
_RELATIONS = {
    "pass": "aux:pass",
    "cop": "cop",
    **{
        name: name
        for name in (
            VERBAL_NOUN_RELATION,
            SUBJECT_RELATION,
            ADPOSITION_RELATION,
            OBJECT_RELATION,
            FIRST_WORD_RELATION,
            LAST_WORD_RELATION,
            INNER_WORD_RELATION,
            LONE_VERB_RELATION,
        )
    },
}
"""Relations that rows name; `aux` is every other one, `any` is that of any auxiliary."""
_OF_AUXILIARIES = ("aux:pass", "cop")
_OF_VERBS = frozenset({"aux", "any", "pass", "cop", VERBAL_NOUN_RELATION})
SENTENCE_TYPE_TOPIC = "type"
_ABOUT = {
    "": _OF_VERBS,
    SUBJECT_RELATION: {*_OF_VERBS, SUBJECT_RELATION, ADPOSITION_RELATION},
    OBJECT_RELATION: {*_OF_VERBS, OBJECT_RELATION},
    SENTENCE_TYPE_TOPIC: {FIRST_WORD_RELATION, LAST_WORD_RELATION, INNER_WORD_RELATION},
}
"""What rows are asked about -> their relations."""
NO_LEMMA_ASKED = "-"
"""What a row has for the lemma of a verb without auxiliaries."""
_FORMS = {
    "finite": TenseForm.FINITE,
    "infinitive": TenseForm.INFINITIVE,
    "past": TenseForm.PERFECT,
    "present": TenseForm.IMPERFECT,
    "future": TenseForm.PROSPECTIVE,
    "stem": TenseForm.BARE,
}
"""Forms of the verb: finite, infinitive, past participle or supine, present participle or gerund,
participle of the future, and a word whose features say nothing.
"""
_NAMES = {form: name for name, form in _FORMS.items()}


class VerbConstruction(NamedTuple):
    """A row: a chain of auxiliaries and a form of the verb, and what they mean together.

    glottocodes  of the languages and families that it holds for
    chain        lemmas, each governing the next, `>` between them; relation: of the last one to the
                 verb, a key of `_RELATIONS`, `aux` or `any`
    form         a key of `_FORMS` or `any`; features: that the verb has as well
    meaning      as docs/design/constructions.md lists them
    example      with a gloss
    clause       the same as a treebank has it, words apart by `;`, each as form, part of speech,
                 features, head, relation and lemma; label: what a task makes of it, as `tense past`
    source       the grammar, or the reader
    """

    glottocodes: tuple[str, ...]
    chain: str
    relation: str
    form: str
    features: Mapping[str, str]
    meaning: str
    example: str
    clause: str
    label: str
    source: str

    def matches(self, relation: str, verb: GroupVerb) -> bool:
        """Whether the row is about an auxiliary with this relation beside this verb."""
        return (
            self._relates(relation)
            and self.form in (_ANY, _NAMES[verb.form])
            and self.features.items() <= verb.feats.items()
        )

    def _relates(self, relation: str) -> bool:
        if self.relation in (_ANY, "aux"):
            other = relation in _RELATIONS.values()
            return not other or (self.relation == _ANY and relation in _OF_AUXILIARIES)
        return relation == _RELATIONS[self.relation]

    def holds_for(self, lineage: tuple[str, ...]) -> bool:
        """Whether it was written for a language with this lineage, or for a family above it."""
        return not lineage or not set(lineage).isdisjoint(self.glottocodes)

    @property
    def narrowness(self) -> int:
        """How much a row asks for; the narrowest that matches counts."""
        return len(self.features) * 4 + (self.relation != _ANY) * 2 + (self.form != _ANY)


class ConstructionMeaning(NamedTuple):
    """What a construction is, '' where no row says it; and whether a row of the language itself
    covers it.
    """

    name: str = ""
    is_read: bool = False


@cache
def list_constructions() -> tuple[VerbConstruction, ...]:
    """All rows; one that names several chains or forms counts for each."""
    lines = _TABLE.read_text("utf-8").splitlines()[1:]
    return tuple(row for line in lines for row in _read_construction(*line.split("\t")))


def _read_construction(
    glottocodes: str, chains: str, relation: str, verb: str, *rest: str
) -> list[VerbConstruction]:
    forms, _, asked = verb.partition(" ")
    return [
        VerbConstruction(
            tuple(glottocodes.split()), chain, relation, form, parse_features(asked or "_"), *rest
        )
        for several in chains.split()
        for chain in map(">".join, product(*(of.split("/") for of in several.split(">"))))
        for form in forms.split("/")
    ]


@cache
def _by_chain() -> Mapping[str, tuple[VerbConstruction, ...]]:
    """The rows of each chain, the narrowest first."""
    by_chain: dict[str, list[VerbConstruction]] = {}
    for row in sorted(list_constructions(), key=lambda row: -row.narrowness):
        by_chain.setdefault(row.chain, []).append(row)
    return {chain: tuple(rows) for chain, rows in by_chain.items()}


@cache
def heads_of_verbal_nouns() -> frozenset[str]:
    """Finite verbs whose verbal noun has particles that are no auxiliaries: Irish *bí*."""
    return frozenset(
        row.chain.partition(">")[0]
        for row in list_constructions()
        if row.relation == VERBAL_NOUN_RELATION and ">" in row.chain
    )


@cache
def is_language_read(language: str, about: str = "") -> bool:
    """Whether there are rows about verbs of a language or of a family above it, by its code.

    about  what else rows may be about: a subject, an object, or what asks or commands
    """
    lineage = get_lineage(language)
    relations = _ABOUT[about]
    rows = (row for row in list_constructions() if row.relation in relations)
    return bool(lineage) and any(row.holds_for(lineage) for row in rows)


def find_meaning(
    chain: str, relation: str, verb: GroupVerb, language: str = ""
) -> ConstructionMeaning:
    """What a chain of auxiliaries and particles with this relation means beside a verb form, looked
    up in the table of constructions.

    language  the code of the language or treebank; '' where it is not known
    """
    rows = _by_chain().get(chain)
    return _find(rows, relation, verb, get_lineage(language)) if rows else ConstructionMeaning()


def _find(
    rows: tuple[VerbConstruction, ...], relation: str, verb: GroupVerb, lineage: tuple[str, ...]
) -> ConstructionMeaning:
    other = ""
    for row in rows:
        if row.matches(relation, verb):
            if row.holds_for(lineage):
                return ConstructionMeaning(row.meaning, True)
            other = other or row.meaning
    return ConstructionMeaning(other)


@cache
def list_chains(relation: str) -> frozenset[str]:
    """The chains that rows with a relation are about."""
    return frozenset(row.chain for row in list_constructions() if row.relation == relation)


@lru_cache(maxsize=1 << 12)
def find_type(lemma: str, relation: str, raw: str, language: str) -> str:
    """What a word with some features that opens or ends a sentence makes of it: 'question',
    'command', 'inverted question' for an auxiliary before its subject, 'statement' for one that
    does not ask; '' where no row says it. Rows of other languages say nothing, as particles are
    short words.
    """
    verb = GroupVerb("", "", parse_features(raw), TenseForm.FINITE)
    found = find_meaning(lemma, relation, verb, language)
    return found.name if found.is_read else ""


def name_construction(auxiliary: GroupVerb, verb: GroupVerb) -> str:
    """What notes call an auxiliary beside a form: *have + past participle*."""
    return f"{auxiliary.lemma} + {FORM_DESCRIPTIONS[verb.form]}"


FORM_DESCRIPTIONS = {
    TenseForm.FINITE: "finite verb",
    TenseForm.INFINITIVE: "infinitive",
    TenseForm.PERFECT: "past participle",
    TenseForm.IMPERFECT: "present participle",
    TenseForm.PROSPECTIVE: "future participle",
    TenseForm.BARE: "bare verb",
}
"""How notes spell a form."""
