"""What the tree of a sentence answers: one small rule a question, each a pure function of the main
clause.

A rule gives an `Answer`, or says in a few words why the sentence is excluded; those words are
counted in the notes. Definitions are those of Krasnowska-Kieraś & Wróblewska 2019, section 3;
docs/design/constructions.md says where and why we differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lingprobe.corpora.languages import get_language_code
from lingprobe.corpora.marks import fold_marks
from lingprobe.data.vectors import Ints
from lingprobe.tasks.answers import (
    READING_STRATUM,
    UNREAD_BY_ROWS,
    Answer,
    Finding,
    RuleFindings,
    make_answer,
)
from lingprobe.tasks.ud.clause import ClauseArgument, MainClause, build_marking
from lingprobe.tasks.ud.constructions import (
    ADPOSITION_RELATION,
    OBJECT_RELATION,
    SUBJECT_RELATION,
    find_meaning,
    is_language_read,
)
from lingprobe.tasks.ud.forms import GroupVerb, TenseForm
from lingprobe.tasks.ud.lists import word_list
from lingprobe.tasks.ud.verbs import (
    FUTURE_TENSE,
    NO_VERBAL_PREDICATE,
    PARTICIPLE_STATE,
    PASSIVE_OF_A_PERFECT,
    UNMARKED_COMMAND,
)

Rule = Callable[[MainClause], Finding]
Literal = Callable[[MainClause, Finding], Finding]
"""The papers' rule taken literally, given what ours finds, which it is in most sentences."""

LENGTH_INTERVALS = ((3, 5), (6, 8), (9, 11), (12, 14), (15, 17), (18, 20), (21, 23))  # section 3.1
LENGTH_INTERVAL_NAMES = {
    n: f"{low}-{high}" for low, high in LENGTH_INTERVALS for n in range(low, high + 1)
}


def top_deps(clause: MainClause) -> Finding:
    """The multiset of relations between the root and its dependents, barring punctuation, where the
    root heads a clause.
    """
    if not (clause.group.finite or clause.has_subject):
        return "no clause: the root has neither verb nor subject"
    return top_deps_literal(clause, "")


def top_deps_literal(clause: MainClause, ours: Finding) -> Finding:
    """The same of every root (section 3.2)."""
    if type(ours) is Answer:
        return ours
    return (
        make_answer(" ".join(clause.relations))
        if clause.relations
        else "the root has no dependents but punctuation"
    )


def classify_voice(clause: MainClause) -> Finding:
    """Whether the predicate governs an aux:pass; `morphological` where it is Voice=Pass without
    one.
    """
    voice = clause.group.voice
    if voice not in _VOICES:
        return voice
    if reason := _impossible(clause) or _lacks_voice(clause):
        return reason
    if voice == "active" and not _PASSIVE.isdisjoint(clause.relations):
        return "a passive subject or an agent, but no aux:pass"
    if voice == "active" and (reason := _unmarked_passive(clause)):
        return reason
    how = _VOICES[voice] or _active(clause)
    return make_answer(
        voice, clause.form, "", how, lemma=clause.lemma, **tag_unread(_is_unread(clause))
    )


def tag_unread(is_unread: bool) -> dict[str, str]:
    """Marks an answer whose verb group, or adposition, the table of constructions lacks (`--by
    reading`).
    """
    return {READING_STRATUM: UNREAD_BY_ROWS} if is_unread else {}


def _is_unread(clause: MainClause) -> bool:
    """Whether no row of a language that has some covers the verb group."""
    return not clause.group.is_read and is_language_read(clause.language)


def _unmarked_passive(clause: MainClause) -> str:
    """Why an active may be a passive that the treebank does not mark: a Nynorsk form in -ast, a
    Hindi participle with *jānā*.
    """
    if clause.form == f"{clause.lemma.removesuffix('e')}ast" or (
        clause.form.endswith("ast") and not clause.helpers.isdisjoint(word_list("modals"))
    ):
        return "a form in -ast: in Nynorsk a passive, which the treebank does not mark"
    participle = clause.lemma.endswith("ना") and not _is_hindi_stem(clause)
    return PARTICIPLE_STATE if participle and "जाना" in clause.helpers else ""


def _is_hindi_stem(clause: MainClause) -> bool:
    """Whether a Hindi verb is its stem, which *jānā* makes no passive of."""
    return clause.lemma == f"{clause.form}ना"


NOT_PASSIVE_DOUBT = "an auxiliary of the passive beside a verb that has none, or is reflexive"


_MIDDLE = "a deponent, or a verb whose middle has the form of a passive"
_DUTY = "an infinitive with Urdu چاہئے (one must), which the treebank calls passive"
_NECESSARY = "a Finnish participle of what must be done (on pidettävä), mostly with its agent"
_NECESSITY_ENDINGS = ("tava", "tävä")
_DEPONENT = ("μαι", "ται")  # of Greek lemmas: έρχομαι, πρόκειται


def _lacks_voice(clause: MainClause) -> str:
    """Why a verb is neither active nor passive: it has no voice, or the form of a passive, which
    is or may be a middle.
    """
    if clause.lemma in word_list("presentatives"):
        return "a word that shows something, which has no voice"
    spoken = get_language_code(clause.language)
    is_marked = clause.group.voice in ("morphological", "passive")
    if spoken == "fi" and is_marked and clause.form.endswith(_NECESSITY_ENDINGS):
        return _NECESSARY
    if clause.group.voice != "morphological":
        return ""
    if "چاہئے" in clause.helpers and "جانا" not in clause.helpers:
        return _DUTY
    if spoken == "la" and clause.lemma.endswith("or"):
        return _MIDDLE
    named = not word_list("middles").isdisjoint((clause.lemma, clause.form))
    return _MIDDLE if named or clause.lemma.endswith(_DEPONENT) else ""


OTHER_AUXILIARY_DOUBT = "être or essere with a verb whose perfect has another auxiliary"


def _impossible(clause: MainClause) -> str:
    """Why the auxiliary is not what the treebank calls it, '' where it may be."""
    passive = clause.group.voice == "passive"
    if passive and (
        clause.lemma in word_list("no-passive")
        or clause.being == "reflexive"
        or ("जाना" in clause.helpers and _is_hindi_stem(clause))
        or ("sum" in clause.helpers and clause.lemma.endswith("or"))  # a deponent
        or ("werden" in clause.helpers and _is_future_infinitive(clause))
    ):
        return NOT_PASSIVE_DOUBT
    plain = clause.being == "plain" and "aux:pass" not in clause.relations
    known = clause.lemma not in ("", "_")  # parsers that are trained here tell no lemmas of verbs
    return (
        OTHER_AUXILIARY_DOUBT
        if plain and known and clause.lemma not in word_list("with-be")
        else ""
    )


def _is_future_infinitive(clause: MainClause) -> bool:
    """Whether a verb without features is the infinitive of a future: German *wird finden*."""
    return clause.group.how == FUTURE_TENSE and clause.form == clause.lemma


def passive_literal(clause: MainClause, ours: Finding) -> Finding:
    """Whether a VERB or ADJ with Voice=Pass and VerbForm=Part governs an aux:pass (section 3.2)."""
    voice = clause.group.literal_voice
    return (
        make_answer(voice, clause.form, "", _VOICES[voice] or _active(clause), lemma=clause.lemma)
        if voice in _VOICES
        else voice
    )


def _active(clause: MainClause) -> str:
    several = any(name.partition(":")[0] == "aux" for name in clause.relations)
    return "with an auxiliary" if several else "one verb"


_VOICES = {"passive": "aux:pass", "morphological": "Voice=Pass alone", "active": ""}
_PASSIVE = frozenset({"nsubj:pass", "csubj:pass", "expl:pass", "obl:agent", "aux:pass"})


def classify_clause_tense(clause: MainClause) -> Finding:
    """The tense of the main clause: that of its finite verb, but past in perfects; other moods and
    modals are excluded.
    """
    group = clause.group
    if group.unmarked and not clause.has_subject:
        return UNMARKED_COMMAND
    if reason := _impossible(clause):
        return reason
    if group.how == "perfect" and clause.form.lower() == "got" and group.cell == _HAVE_GOT:
        return HAVE_GOT_DOUBT
    if group.verbal and group.tense:
        return _answer_tense(clause, group.tense, **tag_unread(_is_unread(clause)))
    return group.how if group.verbal else NO_VERBAL_PREDICATE


_HAVE_GOT = "have + past participle"
HAVE_GOT_DOUBT = "have got: a perfect by its form, mostly a present by its meaning"
"""Treebanks annotate *she's got a dog* as they do *she's got worse*."""

_UNMARKED = "the main verb has neither Tense=Pres nor Tense=Past"


def tense_literal(clause: MainClause, ours: Finding) -> Finding:
    """The Tense feature of a predicate that is a VERB, as section 3.2 says."""
    group = clause.group
    if not (group.verb and group.literal):
        return _UNMARKED if group.verb else NO_VERBAL_PREDICATE
    if type(ours) is Answer:
        return ours if ours.label == group.literal else ours._replace(label=group.literal)
    return _answer_tense(clause, group.literal)


def _answer_tense(clause: MainClause, label: str, **others: str) -> Answer:
    form, how, auxiliary = clause.form, clause.group.how, clause.group.cell
    return make_answer(
        label, form, clause.tense, how, lemma=clause.lemma, auxiliary=auxiliary, **others
    )


def find_subject_number(clause: MainClause) -> Finding:
    """The number of the noun that is the subject of the main predicate, passive or not;
    coordinations are excluded.

    A coordinated subject, plural whatever its first noun, is excluded; so is a noun that measures
    another.
    """
    subjects = clause.subjects
    if len(subjects) > 1:  # of a copula and a clause the outer subject is the matrix one
        subjects = [noun for noun in subjects if noun.relation == "nsubj:outer"] or subjects
    return _single(subjects, clause, _SUBJECT)


def subj_num_literal(clause: MainClause, ours: Finding) -> Finding:
    """The number of a noun that is nsubj of the main predicate, as section 3.2 says."""
    return _exactly("nsubj", clause.subjects, clause, _SUBJECT) if clause.subjects else ours


def find_object_number(clause: MainClause) -> Finding:
    """The number of the noun that is the main predicate's direct object; coordinated, measuring and
    prepositional ones are excluded.
    """
    return _single(clause.objects, clause, _OBJECT)


def obj_num_literal(clause: MainClause, ours: Finding) -> Finding:
    """The number of a noun that is obj of the main predicate, as section 3.2 says."""
    return _exactly("obj", clause.objects, clause, _OBJECT) if clause.objects else ours


NO_OBJECT_ADPOSITION = "an adposition that marks no object there, as a row says"
NO_SUBJECT_ADPOSITION = "an adposition that marks no subject there, as a row says"
PLURAL_OF_MAJESTY = "a plural of majesty with a singular verb"


class _Why(NamedTuple):
    none: str
    several: str
    no_noun: str
    no_number: str
    coordinated: str
    measure: str
    counted: str
    one: str


_SUBJECT, _OBJECT = (
    _Why(
        f"no {w}", f"several {w}s", f"the {w} is not a noun",
        f"the {w} has neither Number=Sing nor Number=Plur",
        f"the {w} is coordinated", f"the {w} measures another noun",
        f"the {w} is singular, with a numeral or a plural determiner",
        f"the {w} is plural and has the numeral one",
    )
    for w in ("subject", "object")
)  # fmt: skip


def _single(nouns: list[ClauseArgument], clause: MainClause, why: _Why) -> Finding:
    finding = _find_agreed_number(nouns, clause, why)
    return (_doubt(nouns[0], clause, why) or finding) if type(finding) is Answer else finding


def _doubt(noun: ClauseArgument, clause: MainClause, why: _Why) -> str:
    """Why a noun is excluded whose Number may not tell of how many it speaks: coordinations, nouns
    that quantify others, singular nouns with a numeral, singular subjects of plural verbs; '' for
    none.
    """
    singular = noun.number == "sing"
    doubts = (
        (noun.coordinated, why.coordinated),
        (noun.measure, why.measure),
        (singular and noun.counted, why.counted),
        (not singular and noun.one, why.one),
        (
            why is _OBJECT and (clause.lemma in word_list("being") or clause.copular),
            "an object of a verb of being or becoming",
        ),
        (
            why is _OBJECT and _passive_participle(clause),
            "an object of a passive, which may be its subject",
        ),
        (
            why is _SUBJECT and singular and not is_marked(noun) and clause.group.number == "Plur",
            "a singular subject with a plural verb",
        ),
    )
    read = _read_doubt if why is _SUBJECT else _read_doubt_of_object
    return next((reason for holds, reason in doubts if holds), "") or read(noun, clause)


_MARKED_CASES = frozenset({"Erg", "Dat", "Obl"})


def is_marked(noun: ClauseArgument) -> bool:
    """Whether a subject is marked as one that a verb need not agree with, by an adposition or by
    its case: ergative, dative, oblique. One that only looks like a nominative may be a mistake.
    """
    return bool(noun.adposition) or not _MARKED_CASES.isdisjoint(noun.case.split(","))


def _read_doubt(noun: ClauseArgument, clause: MainClause) -> str:
    """Why a row says that a subject is none, or not as many as its form says; '' where none
    does.
    """
    beside = _find_verb_beside_subject(clause)
    if noun.number == "plur":
        found = find_meaning(noun.lemma, SUBJECT_RELATION, beside, clause.language)
        if found.name == "majesty":
            return PLURAL_OF_MAJESTY
    if not noun.adposition:
        return ""
    found = find_meaning(noun.adposition, ADPOSITION_RELATION, beside, clause.language)
    return NO_SUBJECT_ADPOSITION if found.name == "no subject" else ""


def _read_doubt_of_object(noun: ClauseArgument, clause: MainClause) -> str:
    """Why a row says that an object is none; '' where none does."""
    if not noun.adposition or noun.is_accusative:
        return ""
    found = find_meaning(
        noun.adposition, OBJECT_RELATION, _find_verb_beside_subject(clause), clause.language
    )
    return NO_OBJECT_ADPOSITION if found.name == "no object" else ""


def _passive_participle(clause: MainClause) -> bool:
    """Whether the predicate is a passive of several words, or may be; a passive of one word may
    have an object, as in Finnish.
    """
    return clause.group.voice in ("passive", PARTICIPLE_STATE) or (
        clause.group.voice == "morphological" and not clause.group.verb
    )


def _exactly(relation: str, nouns: list[ClauseArgument], clause: MainClause, why: _Why) -> Finding:
    return _find_agreed_number([noun for noun in nouns if noun.relation == relation], clause, why)


def _find_agreed_number(nouns: list[ClauseArgument], clause: MainClause, why: _Why) -> Finding:
    """The number of the only subject or object; names and pronouns, which are no common noun, are
    excluded.
    """
    if len(nouns) != 1:
        return why.several if nouns else why.none
    (noun,) = nouns
    if noun.upos != "NOUN":
        return why.no_noun
    if not noun.number:
        return why.no_number
    strata = tag_unread(
        _is_unread_argument(noun, clause, SUBJECT_RELATION if why is _SUBJECT else OBJECT_RELATION)
    )
    if why is _OBJECT and noun.adposition and not noun.is_accusative:
        strata[ADPOSITION_STRATUM] = build_marking(noun.adposition, noun.case)
    role = _role(noun, clause, why)
    form = fold_marks(noun.form)
    return make_answer(noun.number, form, clause.number, role, lemma=noun.lemma, **strata)


ADPOSITION_STRATUM = "adposition"
"""The stratum of what marks an object, with the case of the noun."""


def _is_unread_argument(noun: ClauseArgument, clause: MainClause, about: str) -> bool:
    """Whether an argument has an adposition that no row of a language is about which has some."""
    if not noun.adposition or not is_language_read(clause.language, about):
        return False
    if about == OBJECT_RELATION and noun.is_accusative:
        return False
    relation = ADPOSITION_RELATION if about == SUBJECT_RELATION else OBJECT_RELATION
    return not find_meaning(
        noun.adposition, relation, _find_verb_beside_subject(clause), clause.language
    ).is_read


def _find_verb_beside_subject(clause: MainClause) -> GroupVerb:
    """The finite verb beside a subject, as rows ask for it."""
    return GroupVerb("", "", {"Number": clause.group.number}, TenseForm.FINITE)


def _role(noun: ClauseArgument, clause: MainClause, why: _Why) -> str:
    """What the noun is subject of, '' of an object; the copula may be excluded, as in Russian."""
    if why is _OBJECT:
        return ""
    if clause.group.voice == "passive" or (
        noun.relation == "nsubj:pass" and clause.group.voice != PASSIVE_OF_A_PERFECT
    ):
        return "subject of a passive"
    return (
        "subject of a verb" if clause.group.verb and not clause.copular else "subject of a copula"
    )


def find_misread_tenses(words: Ints, ours: RuleFindings, literal: RuleFindings) -> dict[str, int]:
    """Where the literal rule for Tense labels otherwise than ours, or what ours leaves out, in
    distinct sentences; `words` has numbers that stand for them.
    """
    labelled = np.array([type(value) is Answer for value in literal.values], bool)
    rows = np.flatnonzero(labelled[literal.codes])
    first = rows[np.sort(np.unique(words[rows], return_index=True)[1])]
    cells = ours.codes[first].astype(np.int64) * len(literal.values) + literal.codes[first]
    pairs, at, many = np.unique(cells, return_index=True, return_counts=True)
    counts: Counter[str] = Counter()
    for k in np.argsort(at).tolist():  # in order of appearance
        one, other = (
            ours.values[pairs[k] // len(literal.values)],
            literal.values[pairs[k] % len(literal.values)],
        )
        assert type(other) is Answer
        if type(one) is not Answer:
            counts[str(one)] += int(many[k])
        elif one.label != other.label:
            construction = other.strata.get("construction", "")
            counts[f"{one.label} {construction} called {other.label}"] += int(many[k])
    return {"distinct sentences": len(first), **dict(counts.most_common())}
