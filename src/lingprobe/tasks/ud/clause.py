"""The main clause of each sentence: all that the rules ask about, found for many sentences at
once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from lingprobe.corpora.batches import CodedStrings, TreebankBatch
from lingprobe.corpora.languages import name_language_of_script
from lingprobe.corpora.marks import (
    QUESTION_OPENING_MARKS,
    classify_final_mark,
    fold_marks,
    is_sentence_end,
)
from lingprobe.corpora.trees import parse_features
from lingprobe.data.core import Sentence
from lingprobe.data.vectors import Ints
from lingprobe.tasks.ud.constructions import (
    FIRST_WORD_RELATION,
    INNER_WORD_RELATION,
    LAST_WORD_RELATION,
    VERBAL_NOUN_RELATION,
    find_type,
    heads_of_verbal_nouns,
    list_chains,
)
from lingprobe.tasks.ud.forms import read_as
from lingprobe.tasks.ud.lists import word_list
from lingprobe.tasks.ud.verbs import TENSES_BY_FEATURE, VerbGroup, verb_group

Value = TypeVar("Value")
_NUMBERS = {"Sing": "sing", "Plur": "plur"}
_CLAUSAL = frozenset({"csubj", "csubj:pass", "csubj:outer", "csubj:cop"})
_KINDS = {
    "punct": 1,
    "aux": 2,
    "cop": 2,
    "nsubj": 3,
    "obj": 4,
    "conj": 5,
    "parataxis": 5,
    "obl": 6,
    "iobj": 6,
}
_PUNCT, _AUX, _SUBJECT, _OBJECT, _JOINED, _OBLIQUE = range(1, 7)


class ClauseArgument(NamedTuple):
    """A subject or an object.

    form, upos, relation  of its head word; number: 'sing', 'plur' or ''
    lemma, case           of its head word; case: the feature, '' for none
    coordinated           whether it is the first of several
    adposition            the lemma of one that it has, or its form where it has none; '' without
    is_accusative         whether that is case:acc, which marks objects
    measure               whether it measures the noun behind it, as *a lot of people*
    counted               whether it has a numeral or a plural determiner (Indonesian *para
                          siswa*: students); one: whether it has the numeral *one*
    """

    form: str
    upos: str
    number: str
    relation: str
    lemma: str = ""
    case: str = ""
    coordinated: bool = False
    adposition: str = ""
    is_accusative: bool = False
    measure: bool = False
    counted: bool = False
    one: bool = False


class MainClause(NamedTuple):
    """The main clause of a sentence. Its predicate is the root; of coordinated predicates UD makes
    the first the root.

    form        the predicate, in lower case; lemma: its lemma; group: what its verb group says
    relations   of its dependents, punctuation excluded, sorted
    subjects    dependents that are nsubj or a subtype of it, in order; objects likewise
    tense       the tense that most VERBs of the whole sentence have, number: the number that most
                NOUNs have; or 'tie'
    asks        whether the sentence begins as a question does
    being       of a participle with être or essere alone: 'reflexive' where it has a reflexive
                pronoun, else 'plain'; '' of all others
    helpers     the lemmas of its auxiliaries
    joined      whether a clause beside the main one is a command
    mark        whether the clause itself has a question mark, wherever that stands
    particle    'question' or 'command' where its first or last word or a particle says so,
                'unread' where one of these may, of which no row says it; else ''
    language    its code, '' where it is not known
    opens       whether the predicate opens the sentence
    asks_below  whether a clause that is said has a question mark, and the main one none
    obliques    the adposition and the case of each noun that is obl or iobj, as `build_marking`
                has them
    """

    sentence: Sentence
    form: str
    lemma: str
    group: VerbGroup
    relations: list[str]
    subjects: list[ClauseArgument]
    objects: list[ClauseArgument]
    tense: str
    number: str
    asks: bool
    joined: bool
    being: str
    helpers: frozenset[str]
    mark: bool = False
    particle: str = ""
    language: str = ""
    opens: bool = False
    asks_below: bool = False
    obliques: str = ""

    @property
    def has_subject(self) -> bool:
        """Whether the predicate has a nominal or clausal subject."""
        return bool(self.subjects) or not _CLAUSAL.isdisjoint(self.relations)

    @property
    def copular(self) -> bool:
        """Whether the predicate has a copula."""
        return any(name.partition(":")[0] == "cop" for name in self.relations)


def extract_main_clauses(
    batch: TreebankBatch, sentences: Sequence[Sentence], language: str = ""
) -> Iterator[MainClause]:
    """The main clauses of the sentences of a batch, in order.

    language  its code, or that of the treebank; '' where the file does not say it
    """
    language = language or _language_of_script(batch)
    of = np.repeat(np.arange(len(batch)), np.diff(batch.starts))
    kind = np.array(
        [_KINDS.get(name.partition(":")[0], 0) for name in batch.deprels.names], np.int64
    )[batch.deprels.codes]
    below = batch.parents == batch.roots[of]
    below[batch.roots] = False
    kids = np.flatnonzero(below & (kind != _PUNCT))
    kinds = kind[kids]
    dependents = {k: kids[kinds == k] for k in range(_AUX, _OBLIQUE + 1)}
    heads = (batch.words, batch.lemmas, batch.upos, batch.feats)
    roots = [_decode_strings(column, batch.roots) for column in heads]
    auxiliaries = _auxiliaries(batch, np.union1d(dependents[_AUX], _particles(batch, kids, of)), of)
    for sentence, inner in _of_verbal_nouns(batch, of):
        auxiliaries[sentence].append(inner)
    nouns, types = _find_nouns(batch), _types_of_words(batch, of, language)
    asks, asks_below = _clauses_that_ask(batch, of)
    return (
        MainClause(
            sentence,
            form.lower(),
            lemma.lower(),
            verb_group(upos, read_as(form, lemma, raw), tuple(aux), language),
            *rest,
        )
        for sentence, form, lemma, upos, raw, aux, *rest in zip(
            sentences,
            *roots,
            auxiliaries,
            _relations(batch.deprels, kids, of, len(batch)),
            _arguments(batch, dependents[_SUBJECT], of, nouns),
            _arguments(batch, dependents[_OBJECT], of, nouns),
            _majority(batch, "VERB", _labels("Tense", TENSES_BY_FEATURE), ("pres", "past")),
            _majority(batch, "NOUN", _labels("Number", _NUMBERS), ("sing", "plur")),
            _asks(batch, of, dependents[_SUBJECT], types).tolist(),
            _commands(batch, of, dependents[_JOINED]).tolist(),
            _being(batch, kids, auxiliaries, of),
            [frozenset(lemma for _, lemma, _ in aux) for aux in auxiliaries],
            asks.tolist(),
            [name if name in _PARTICLES else "" for name in types],
            [language] * len(batch),
            (_find_first_words(batch, of) == batch.roots).tolist(),
            (asks_below & ~asks).tolist(),
            _markings(batch, dependents[_OBLIQUE], of, nouns),
            strict=True,
        )
    )


def _language_of_script(batch: TreebankBatch) -> str:
    """The language that alone is written in the script of the first letter; '' where several
    are.
    """
    letters = (letter for word in batch.words.names for letter in word if letter.isalpha())
    return name_language_of_script(next(letters, ""))


def _clauses_that_ask(
    batch: TreebankBatch, of: Ints
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which main clauses have a question mark of their own, at their beginning, inside or before
    other marks; and which have one in a clause that they say.
    """
    marks = batch.words.where(
        lambda word: (
            word in QUESTION_OPENING_MARKS
            or (classify_final_mark(word) == "?" and is_sentence_end(word))
        )
    )
    heads, roots = batch.parents, batch.roots[of]
    below = batch.deprels.where("ccomp".__eq__) & (heads == roots)
    own, others = np.zeros(len(batch), bool), np.zeros(len(batch), bool)
    own[of[marks & (heads == roots)]] = True
    others[of[marks & below[heads]]] = True
    return own, others


def _by_sentence(values: list[Value], of: Ints, sentences: int) -> list[list[Value]]:
    """Values that belong to the sentences `of`, in order, as one list a sentence."""
    bounds = np.searchsorted(of, np.arange(sentences + 1)).tolist()
    return [values[a:b] for a, b in pairwise(bounds)]


def _relations(deprels: CodedStrings, kids: Ints, of: Ints, sentences: int) -> list[list[str]]:
    ordered = sorted(deprels.names)
    place = {name: i for i, name in enumerate(ordered)}
    rank = np.array([place[name] for name in deprels.names], np.int64)[deprels.codes[kids]]
    keys = np.sort(of[kids] * len(ordered) + rank)
    return _by_sentence(
        [ordered[k] for k in (keys % len(ordered)).tolist()], keys // len(ordered), sentences
    )


def _auxiliaries(batch: TreebankBatch, rows: Ints, of: Ints) -> list[list[tuple[str, str, str]]]:
    columns = (batch.words, batch.lemmas, batch.feats)
    found = zip(*(_decode_strings(column, rows) for column in columns), strict=True)
    relations = _decode_strings(batch.deprels, rows)
    read = [
        (relation, lemma, read_as(form, lemma, raw))
        for relation, (form, lemma, raw) in zip(relations, found, strict=True)
    ]
    return _by_sentence(read, of[rows], len(batch))


def _particles(batch: TreebankBatch, kids: Ints, of: Ints) -> Ints:
    """Words that say what an auxiliary would, although they are none: Basque *ezin*, *egiten*."""
    habits = batch.lemmas.where("egin".__eq__) & batch.feats.where(lambda raw: "Aspect=Imp" in raw)
    some = batch.lemmas.where(word_list("particles").__contains__) | (
        habits & _has_relation(batch, "compound")
    )
    basque = batch.feats.where(lambda raw: "Number[abs]=" in raw)
    agreeing = np.logical_or.reduceat(basque, batch.starts[:-1])[of[kids]]
    return kids[some[kids] & agreeing]


def _of_verbal_nouns(batch: TreebankBatch, of: Ints) -> Iterator[tuple[int, tuple[str, str, str]]]:
    """The auxiliaries of the verbal noun that is a finite root's xcomp, or of its copula, with
    their sentences: Welsh *mae wedi mynd*, *mae wedi bod yn dda*. So too of a clause below
    Bulgarian *njama*.
    """
    verbal = _verbal(batch, batch.feats.where(lambda raw: "VerbForm=Vnoun" in raw))
    verbal |= batch.words.where(lambda form: form.lower() == "няма")[batch.parents]
    verbal &= batch.parents == batch.roots[of]
    rows = np.flatnonzero(_has_relation(batch, "aux") & verbal[batch.parents])
    for sentence, lemma, raw in zip(
        of[rows].tolist(),
        _decode_strings(batch.lemmas, rows),
        _decode_strings(batch.feats, rows),
        strict=True,
    ):
        yield sentence, (VERBAL_NOUN_RELATION, lemma, raw)
    yield from _particles_of_verbal_nouns(batch, of)


def _verbal(batch: TreebankBatch, nouns: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which words are an xcomp that is one of some verbal nouns, or has one as its copula."""
    return _has_relation(batch, "xcomp") & (
        nouns | _above(batch, nouns & _has_relation(batch, "cop"))
    )


def _particles_of_verbal_nouns(
    batch: TreebankBatch, of: Ints
) -> Iterator[tuple[int, tuple[str, str, str]]]:
    """The particles of the verbal noun below a finite verb that rows name, with their sentences,
    as *bí>tar_éis* of Irish *tá sé tar éis imeacht*. Manx does not annotate verbal nouns as such.
    """
    heads = batch.lemmas.where(lambda lemma: lemma.lower() in heads_of_verbal_nouns())
    if not heads[batch.roots].any():
        return
    named = batch.feats.where(lambda raw: "VerbForm=Vnoun" in raw or "VerbForm=Inf" in raw)
    plain = batch.deprels.where("xcomp".__eq__) & batch.upos.where("NOUN".__eq__)
    below = heads[batch.parents] & (batch.parents == batch.roots[of])
    spoken = batch.feats.where(lambda raw: "PartType=Vb" in raw) & _has_relation(batch, "case")
    verbal = below & (
        _verbal(batch, named) | plain | (_has_relation(batch, "xcomp") & _above(batch, spoken))
    )
    marks = _has_relation(batch, "case") | _has_relation(batch, "mark")
    rows = np.flatnonzero(verbal[batch.parents] & (marks | batch.upos.where("PART".__eq__)))
    fixed = np.flatnonzero(_has_relation(batch, "fixed"))
    lemmas = dict(zip(rows.tolist(), _decode_strings(batch.lemmas, rows), strict=True))
    for above, lemma in zip(
        batch.parents[fixed].tolist(), _decode_strings(batch.lemmas, fixed), strict=True
    ):
        if above in lemmas:
            lemmas[above] += f"_{lemma}"
    roots = _decode_strings(batch.lemmas, batch.roots)
    for sentence, lemma in zip(of[rows].tolist(), lemmas.values(), strict=True):
        yield sentence, (VERBAL_NOUN_RELATION, f"{roots[sentence]}>{lemma}".replace(" ", "_"), "_")


def _being(
    batch: TreebankBatch, kids: Ints, auxiliaries: list[list[tuple[str, str, str]]], of: Ints
) -> list[str]:
    """Of each sentence `MainClause.being`."""
    pronouns = kids[(batch.upos.where("PRON".__eq__) & _clitic(batch))[kids]]
    persons = _by_sentence(
        [
            ""
            if lemma in ("soi", "se", "si") or "Reflex=Yes" in raw
            else parse_features(raw).get("Person", "?")
            for lemma, raw in zip(
                _decode_strings(batch.lemmas, pronouns),
                _decode_strings(batch.feats, pronouns),
                strict=True,
            )
        ],
        of[pronouns],
        len(batch),
    )
    participles = batch.feats.where(lambda raw: "VerbForm=Part" in raw)[batch.roots].tolist()
    be = word_list("be")
    return [
        "" if not (participle and len(aux) == 1 and aux[0][1] in be and aux[0][0] != "cop")
        else "reflexive" if {"", _person(aux[0][2])} & set(some)
        else "plain"
        for participle, aux, some in zip(participles, auxiliaries, persons, strict=True)
    ]  # fmt: skip


def _person(raw: str) -> str:
    """The first or second person of an auxiliary, which a reflexive pronoun shares."""
    person = parse_features(raw).get("Person", "")
    return "" if person == "3" else person


def _clitic(batch: TreebankBatch) -> NDArray[np.bool_]:
    return batch.deprels.where(
        lambda name: (
            name.partition(":")[0] in ("obj", "iobj", "expl", "dep")
            and name not in ("expl:subj", "expl:impers")
        )
    )


class _Nouns(NamedTuple):
    """What words are as arguments, [words]; the number and the case of each distinct value of
    FEATS; where the first adposition of each word is, -1 for none.
    """

    coordinated: NDArray[np.bool_]
    measure: NDArray[np.bool_]
    counted: NDArray[np.bool_]
    one: NDArray[np.bool_]
    number: list[str]
    case: list[str]
    accusative: NDArray[np.bool_]
    adposition: Ints


def _find_nouns(batch: TreebankBatch) -> _Nouns:
    cases, nmod = _has_relation(batch, "case"), _has_relation(batch, "nmod")
    case = _above(batch, cases)
    numeral = _has_relation(batch, "nummod") | (nmod & batch.upos.where("NUM".__eq__) & ~case)
    several = _has_relation(batch, "det") & batch.feats.where(_is_plural_determiner)
    of = _above(batch, cases & batch.lemmas.where(word_list("of").__contains__))
    measures = CodedStrings(batch.lemmas.codes, list(map(str.lower, batch.lemmas.names)))
    adposition = np.full(len(batch.parents), -1)
    rows = np.flatnonzero(cases)[::-1]  # of several the first one stays
    adposition[batch.parents[rows]] = rows
    return _Nouns(
        _above(batch, _has_relation(batch, "conj")),
        _above(batch, nmod & (~case | of)) & measures.where(word_list("measures").__contains__),
        _above(batch, numeral | several),
        _above(batch, numeral & measures.where(word_list("one").__contains__)),
        list(map(_labels("Number", _NUMBERS), batch.feats.names)),
        [parse_features(raw).get("Case", "") for raw in batch.feats.names],
        _above(batch, batch.deprels.where("case:acc".__eq__)),
        adposition,
    )


def _is_plural_determiner(raw: str) -> bool:
    """Whether features are those of a determiner of several things; the number of a possessive may
    be its owner's.
    """
    feats = parse_features(raw)
    return feats.get("Number") == "Plur" and "Poss" not in feats


def _arguments(
    batch: TreebankBatch, rows: Ints, of: Ints, nouns: _Nouns
) -> list[list[ClauseArgument]]:
    """The arguments in some rows."""
    codes = batch.feats.codes[rows].tolist()
    columns = (
        map(str.lower, _decode_strings(batch.words, rows)),
        _decode_strings(batch.upos, rows),
        [nouns.number[k] for k in codes],
        _decode_strings(batch.deprels, rows),
        map(fold_marks, _decode_strings(batch.lemmas, rows)),
        [nouns.case[k] for k in codes],
        nouns.coordinated[rows].tolist(),
        [_name_adposition(batch, row) for row in nouns.adposition[rows].tolist()],
        nouns.accusative[rows].tolist(),
        nouns.measure[rows].tolist(),
        nouns.counted[rows].tolist(),
        nouns.one[rows].tolist(),
    )
    return _by_sentence(list(map(ClauseArgument, *columns)), of[rows], len(batch))


def _name_adposition(batch: TreebankBatch, row: int) -> str:
    """The lemma of the adposition in a row, or its form where it has none; '' for row -1."""
    if row < 0:
        return ""
    at = np.array([row])
    (lemma,), (form,) = _decode_strings(batch.lemmas, at), _decode_strings(batch.words, at)
    return lemma if lemma != "_" else form.lower()


def build_marking(adposition: str, case: str) -> str:
    """What stands for an adposition with a case of its noun, as 'a|' or 'को|Acc'."""
    return f"{adposition}|{case}".replace(" ", "_")


def _markings(batch: TreebankBatch, rows: Ints, of: Ints, nouns: _Nouns) -> list[str]:
    """The markings of the nouns in some rows that have an adposition, sorted, as one text a
    sentence.
    """
    named = nouns.adposition >= 0
    rows = rows[named[rows] & batch.upos.where("NOUN".__eq__)[rows]]
    texts = [
        build_marking(_name_adposition(batch, row), nouns.case[case])
        for row, case in zip(
            nouns.adposition[rows].tolist(), batch.feats.codes[rows].tolist(), strict=True
        )
    ]
    return [" ".join(sorted(each)) for each in _by_sentence(texts, of[rows], len(batch))]


def _has_relation(batch: TreebankBatch, relation: str) -> NDArray[np.bool_]:
    """Which words have a relation or a subtype of it; a possessor (nmod:poss) is no complement."""
    return batch.deprels.where(
        lambda name: name.partition(":")[0] == relation and name != "nmod:poss"
    )


def _above(batch: TreebankBatch, words: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which words govern some of these."""
    governing = np.zeros(len(batch.parents), bool)
    governing[batch.parents[words & (batch.parents != np.arange(len(words)))]] = True
    return governing


def _decode_strings(column: CodedStrings, rows: Ints) -> list[str]:
    return [column.names[k] for k in column.codes[rows].tolist()]


def _labels(name: str, labels: dict[str, str]) -> Callable[[str], str]:
    """FEATS values -> the label of one feature, '' for none."""
    return lambda raw: labels.get(parse_features(raw).get(name, ""), "")


def _majority(
    batch: TreebankBatch, upos: str, label: Callable[[str], str], labels: tuple[str, str]
) -> list[str]:
    """The label of the majority of words: what most words of a part of speech have in the whole
    sentence, the target's included; 'tie' where none has.

    Conneau et al. 2018, section 5: this feature is the target's in 95.2 (Tense), 75.9 (SubjNum),
    78.7 % (ObjNum).
    """
    words = batch.upos.where(upos.__eq__)
    codes = np.array([("", *labels).index(label(raw)) for raw in batch.feats.names], np.int64)[
        batch.feats.codes
    ]
    one, other = (
        np.add.reduceat(words & (codes == k), batch.starts[:-1], dtype=np.int64) for k in (1, 2)
    )
    return [
        ("tie", *labels)[k] for k in np.where(one == other, 0, np.where(one > other, 1, 2)).tolist()
    ]


def _types_of_words(batch: TreebankBatch, of: Ints, language: str) -> list[str]:
    """Whether a question or command is marked by a particle: what the first or the last word of
    each sentence makes of it, as rows say, where it depends on the main predicate.
    """
    types = [""] * len(batch)
    small = batch.upos.where(_SMALL.__contains__)
    below = batch.parents == batch.roots[of]
    below[batch.roots] = False
    inside = np.flatnonzero(below & _may_ask(batch))
    last, first = _last(batch), _find_first_words(batch, of)
    for relation, words in (
        (INNER_WORD_RELATION, inside),
        (LAST_WORD_RELATION, last),
        (FIRST_WORD_RELATION, first),
    ):
        for row in words[(small & below)[words]].tolist():
            found = _type_of_word(batch, row, relation, language)
            types[of[row]] = types[of[row]] or found if found in ("", "unread") else found
    return types


def _may_ask(batch: TreebankBatch) -> NDArray[np.bool_]:
    """Which words ask wherever they stand, as their annotation or a row says."""
    return (
        batch.feats.where(_asking_word) & batch.upos.where("PART".__eq__)
        | batch.deprels.where(_ASKING.__contains__)
        | batch.lemmas.where(lambda lemma: fold_marks(lemma) in list_chains(INNER_WORD_RELATION))
    )


def _type_of_word(batch: TreebankBatch, row: int, relation: str, language: str) -> str:
    """What a word that depends on the main predicate makes of its sentence; 'unread' of a particle
    that opens or ends it and that no row is about.
    """
    lemma = fold_marks(batch.lemmas.names[batch.lemmas.codes[row]])
    raw = batch.feats.names[batch.feats.codes[row]]
    found = find_type(lemma, relation, raw, language)
    if found or relation != INNER_WORD_RELATION:
        is_particle = batch.upos.names[batch.upos.codes[row]] == "PART" and "Polarity" not in raw
        return found or ("unread" if is_particle else "")
    is_named = lemma in list_chains(INNER_WORD_RELATION)  # by a row of another language
    return "question" if _asking_word(raw) or not is_named else ""


_SMALL = frozenset({"PART", "AUX", "ADV", "SCONJ", "PRON"})
"""Parts of speech of particles, and of auxiliaries."""
_ASKING = frozenset({"aux:q", "mark:q"})
_PARTICLES = frozenset({"question", "command", "unread"})


def _find_first_words(batch: TreebankBatch, of: Ints) -> Ints:
    """The first word of each sentence that is no mark; of marks alone, the first."""
    marks = batch.upos.where("PUNCT".__eq__)
    start = np.where(marks, len(of), np.arange(len(of)))
    found = np.minimum.reduceat(start, batch.starts[:-1])
    return np.where(found == len(of), batch.starts[:-1], found)


def _last(batch: TreebankBatch) -> Ints:
    """The last word of each sentence that is no mark; of marks alone, the first."""
    marks = batch.upos.where("PUNCT".__eq__)
    end = np.where(marks, -1, np.arange(len(marks)))
    found = np.maximum.reduceat(end, batch.starts[:-1])
    return np.where(found == -1, batch.starts[:-1], found)


def _asks(batch: TreebankBatch, of: Ints, subjects: Ints, types: list[str]) -> NDArray[np.bool_]:
    """Whether sentences begin with a question word of the main clause, or with its auxiliary before
    its subject, where a row says that this one asks there; one that no row is about is unread.
    """
    start = _find_first_words(batch, of)
    above = batch.parents[start]
    last = np.full(len(batch), -1)
    last[of[subjects]] = subjects
    phrase = batch.deprels.where(
        lambda name: name.partition(":")[0] in ("obj", "nsubj", "obl", "advmod")
    )
    near = (above == batch.roots) | ((batch.parents[above] == batch.roots) & phrase[above])
    asking = batch.feats.where(_asking_word)[start] & ~batch.deprels.where("mark".__eq__)[start]
    auxiliary = batch.upos.where("AUX".__eq__)[start]
    opens = np.array([name == "inverted question" for name in types], bool) & (last > start)
    asking &= np.array([name != "no question" for name in types], bool)
    asks: NDArray[np.bool_] = (auxiliary & opens) | (~auxiliary & asking & near)
    for k in np.flatnonzero(auxiliary & (above == batch.roots) & (last > start)).tolist():
        types[k] = types[k] or "unread"
    return asks


def _asking_word(raw: str) -> bool:
    feats = parse_features(raw)
    return "Int" in feats.get("PronType", "") or feats.get("PartType") == "Int"


def _commands(batch: TreebankBatch, of: Ints, joined: Ints) -> NDArray[np.bool_]:
    commands = np.zeros(len(batch), bool)
    commands[of[joined[batch.feats.where(_commands_by_mood)[joined]]]] = True
    return commands


def _commands_by_mood(raw: str) -> bool:
    return "Mood=Imp" in raw and "ExtPos=INTJ" not in raw
