"""Any feature of any UD treebank as a task: which value has the main predicate, its subject, its
object, or another word?

The word is found from its place in the main clause, or by its class; docs/tasks-ud.md has the
definitions. Files are read once a task, and features are read of the words that are asked about and
of those of their class, for the baseline.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np

from lingprobe.corpora.batches import TreebankBatch
from lingprobe.corpora.trees import parse_features
from lingprobe.corpora.views import Block, check_dependencies
from lingprobe.data._closure import root_of
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.options import Help
from lingprobe.data.oracles import Facts
from lingprobe.data.vectors import Ints
from lingprobe.tasks.answers import Finding, count_findings, make_answer
from lingprobe.tasks.features import MIN_VALUE_EXAMPLES, Inventory, count_features, varied_features
from lingprobe.tasks.findings import FoundCandidates
from lingprobe.tasks.parsed_corpora import ParsedCorpus, SentenceRules, parsed_corpus
from lingprobe.tasks.questions import CorpusOptions, CorpusQuestion, Notes
from lingprobe.tasks.ud.facts import CLAUSE_FACTS, FEATURE_FACTS, compute_treebank_facts
from lingprobe.tasks.ud.family import list_corpus_parts, list_source_files

_PLACES = {
    "root": "the main predicate",
    "subj": "the subject of the main clause",
    "obj": "the direct object of the main clause",
}
_RELATIONS = {"subj": "nsubj"}
_MOST = 20  # values: beyond that it is no feature but an inventory


@dataclass(frozen=True, slots=True)
class FeatureTaskOptions(CorpusOptions):
    """What ud/feat takes beside the rest."""

    feature: Annotated[
        str,
        Help(
            "the feature's name, as Case or Number[psor]; with a `*`, each feature of that pattern"
            " of which two values have enough examples is a task"
        ),
    ] = field(kw_only=True)
    of: Annotated[
        str,
        Help(
            "whose: root, subj, obj, another relation to the main predicate (obl, obl:agent), or a"
            " word class (VERB) that the sentence has one word of"
        ),
    ] = field(default="root", kw_only=True)
    upos: Annotated[
        tuple[str, ...],
        Help("word classes that the word may have; any without"),
    ] = field(default=(), kw_only=True)
    least: Annotated[
        int | None,
        Help(
            "values with fewer examples are excluded; by default, the values are kept that give"
            " the most information in a balanced sample"
        ),
    ] = field(default=None, kw_only=True)
    rare: Annotated[
        Literal["drop", "refuse"],
        Help(
            "drop: values with too few examples are excluded and counted; refuse: they are an error"
        ),
    ] = field(default="drop", kw_only=True)

    @property
    def by_class(self) -> bool:
        """Whether the word is found by its class, anywhere in the sentence."""
        return self.of.isupper()

    @property
    def whose(self) -> str:
        """The word that is asked about, in words."""
        return (
            f"the only {self.of} of the sentence"
            if self.by_class
            else _PLACES.get(self.of, f"the {self.of} of the main predicate")
        )


def _corpus(options: FeatureTaskOptions) -> ParsedCorpus:
    """The treebanks, with the value that each sentence has, or why it has none."""
    asked = f"{options.feature} {options.of} {options.upos}"
    rules = SentenceRules(partial(_judge, options), (root_of(_judge),), asked)
    corpus = parsed_corpus(list_source_files(options), options.on_error, rules)
    if not options.by_class and options.of != "root":
        corpus.refuse_first_release()
    return corpus


def _judge(
    options: FeatureTaskOptions, block: Block, sentences: list[Sentence]
) -> dict[str, list[Finding]]:
    words = list(_find_answers(check_dependencies(block, "ud/feat"), options))
    return {"feat": [said for said, _ in words], _HAS: [has for _, has in words]}


_HAS = "features of the word"


def _candidates(corpus: ParsedCorpus, options: FeatureTaskOptions, notes: Notes) -> FoundCandidates:
    """The values of ud/feat: those that give the most information in a balanced sample, or with
    `least=` and `rare=refuse` all; values that are too rare are excluded and counted.
    """
    findings = corpus.findings("feat")
    values, reasons = count_findings(findings)
    _check_feature(corpus, options, values, reasons)
    every = options.classes or options.rare == "refuse" or options.least is not None
    telling_values = set(values) if every else choose_telling_values(Counter(values))
    rare = {
        f"{options.feature}={value} is too rare beside the others": n
        for value, n in values.items()
        if value not in telling_values
    }
    notes["left out"], notes["values"] = {**reasons, **rare}, values
    return FoundCandidates.of(corpus, findings).with_labels(telling_values)


def _check_feature(
    corpus: ParsedCorpus,
    options: FeatureTaskOptions,
    values: Mapping[str, int],
    reasons: Mapping[str, int],
) -> None:
    """Refuse a feature that the treebank does not have there, and say what it has."""
    if len(values) > 1:
        return
    for value, n in values.items():
        why = (
            f"{options.feature} has one value there, {value} ({n} times), and only one class is"
            " left"
        )
        break
    else:
        every = _inventory(corpus)
        has = ", ".join(sorted(every, key=lambda name: -every[name].total())[:12])
        why = f"{options.whose} never has {options.feature}; " + (
            f"it has {has}" if has else "it has no features at all"
        )
    out = ", ".join(f"{reason}: {n}" for reason, n in list(reasons.items())[:4]) or "nothing"
    raise DataProblem(f"ud/feat cannot be built from {options.path}: {why} (excluded: {out})")


def _inventory(corpus: ParsedCorpus) -> Inventory:
    """How often the word that is asked about has each value of each of its features."""
    return count_features((str(raw), n) for raw, n in corpus.findings(_HAS).recurring())


def _every_feature(options: FeatureTaskOptions) -> list[str]:
    """`feature=*`: each feature of which two values or more have enough examples."""
    least = MIN_VALUE_EXAMPLES if options.least is None else options.least
    return varied_features(_inventory(_corpus(options)), least)


def choose_telling_values(counts: Counter[str]) -> set[str]:
    """The set of values that gives the most information in a balanced sample: the commonest, by
    examples times log2 of values, all with as many examples as the rarest.
    """
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_MOST]
    bits = [k * n * math.log2(k) for k, (_, n) in enumerate(ranked, 1)]
    return {value for value, _ in ranked[: bits.index(max(bits)) + 1]}


def _find_answers(
    batch: TreebankBatch, options: FeatureTaskOptions
) -> Iterator[tuple[Finding, str]]:
    """The value of the asked word's feature, and all its features; coordinated words, and those of
    another class than `upos=`, are excluded.
    """
    of = np.repeat(np.arange(len(batch)), np.diff(batch.starts))
    nodes = _nodes(batch, of, options)
    many = np.bincount(of[nodes], minlength=len(batch))
    node = np.full(len(batch), -1)
    node[of[nodes]] = nodes
    node[many != 1] = -1
    first = np.zeros(len(of), bool)
    # of coordinated words; UD makes the first predicate the root
    if not (options.by_class or options.of == "root"):
        first[batch.parents[batch.deprels.where(lambda name: name.startswith("conj"))]] = True
    values = [parse_features(raw).get(options.feature, "") for raw in batch.feats.names]
    majority = _majority(batch, of, node, values)
    upos, feats, forms, lemmas = batch.upos, batch.feats, batch.words, batch.lemmas
    for k, i in enumerate(node.tolist()):
        if i < 0:
            yield f"{'several words are' if many[k] else 'no word is'} {options.whose}", "_"
        elif options.upos and upos.names[upos.codes[i]] not in options.upos:
            yield f"the word is no {' or '.join(options.upos)}", "_"
        elif first[i]:
            yield "the word is coordinated", "_"
        else:
            code = feats.codes[i]
            # the only word of its class is its majority
            others = "" if options.by_class else majority[k]
            form = forms.names[forms.codes[i]].lower()
            lemma = lemmas.names[lemmas.codes[i]]
            reason = _refuse_value(values[code], options.feature)
            yield reason or make_answer(values[code], form, others, lemma=lemma), feats.names[code]


def _refuse_value(value: str, feature: str) -> str:
    """Why a word is excluded: no value of the feature, or two; '' where it has one."""
    if not value or "," in value:
        return f"the word has {'several values of' if value else 'no'} {feature}"
    return ""


def _nodes(batch: TreebankBatch, of: Ints, options: FeatureTaskOptions) -> Ints:
    """The word with the role that `of=` names: root, subject, object, the one dependent with a
    relation, or of a class; more than one a sentence where it is in doubt.
    """
    if options.of == "root":
        return batch.roots
    if options.by_class:
        return np.flatnonzero(batch.upos.where(options.of.__eq__))
    relation = _RELATIONS.get(options.of, options.of)
    exact = ":" in relation
    below = batch.parents == batch.roots[of]
    below[batch.roots] = False
    rows = np.flatnonzero(
        below
        & batch.deprels.where(lambda name: (name if exact else name.partition(":")[0]) == relation)
    )
    if relation != "nsubj":
        return rows
    # of a copula and a clause the outer subject is the matrix one
    outer = batch.deprels.where("nsubj:outer".__eq__)[rows]
    doubtful = np.bincount(of[rows], minlength=len(batch)) > 1
    resolved = np.bincount(of[rows[outer]], minlength=len(batch)) > 0
    return rows[outer | ~(doubtful & resolved)[of[rows]]]


def _majority(batch: TreebankBatch, of: Ints, node: Ints, values: list[str]) -> list[str]:
    """The value that most words of the asked word's class have in the whole sentence, its own
    included; 'tie' where none has.
    """
    known = sorted({value for value in values if value})
    place = {value: i for i, value in enumerate(known)}
    coded = np.array([place.get(value, -1) for value in values], np.int64)[batch.feats.codes]
    asked = np.where(node < 0, -1, batch.upos.codes[node])
    rows = np.flatnonzero((coded >= 0) & (batch.upos.codes == asked[of]))
    counts = np.bincount(
        of[rows] * max(len(known), 1) + coded[rows], minlength=len(batch) * max(len(known), 1)
    )
    counts = counts.reshape(len(batch), -1)
    tie = (counts == counts.max(1)[:, None]).sum(1) > 1
    names = [*known, "tie"]
    return [names[k] for k in np.where(tie, len(known), counts.argmax(1)).tolist()]


def _offered_oracles(options: FeatureTaskOptions) -> Mapping[str, str]:
    """What the feature of a word is one of many of."""
    return FEATURE_FACTS if options.by_class else CLAUSE_FACTS


def _find_feature_facts(
    oracle: str, options: FeatureTaskOptions, sentences: Collection[Sentence]
) -> Mapping[Sentence, Facts]:
    return compute_treebank_facts(oracle, list_corpus_parts(options), options.on_error, sentences)


def _settings(options: FeatureTaskOptions) -> dict[str, Any]:
    least = MIN_VALUE_EXAMPLES if options.least is None else options.least
    return {"least": least, "rare": options.rare}


def _asks(options: FeatureTaskOptions) -> dict[str, str]:
    return {"question": f"Which {options.feature} has {options.whose}?"}


feat = CorpusQuestion(
    "ud/feat",
    "Which value of a feature has a word of the sentence, such as Case of the object?",
    _corpus,
    list_corpus_parts,
    _candidates,
    varied=_settings,
    oracles=CLAUSE_FACTS | FEATURE_FACTS,
    offered=_offered_oracles,
    facts=_find_feature_facts,
).define(FeatureTaskOptions, varied=_asks, every={"feature": _every_feature})
