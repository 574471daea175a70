"""Any feature of any UD treebank as a task: which value has the main predicate, its subject, its
object, or another word?

The word is found from its place in the main clause, or by its class; docs/tasks-ud.md has the
definitions. Files are read once a task, and features are read of the words that are asked about and
of those of their class, for the floor.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from sonde.core import DataProblem, Dataset, Sampling, Sentence
from sonde.corpora.batches import Batch, batches
from sonde.corpora.files import uncompressed
from sonde.corpora.style import Style
from sonde.corpora.tally import Tally
from sonde.corpora.trees import features
from sonde.datasets import Candidate, sample
from sonde.oracles import Facts
from sonde.tasks.questions import (
    Asked,
    among,
    factory,
    fingerprint,
    source_notes,
    stratum,
    uncollected,
)
from sonde.tasks.ud.facts import CLAUSE, FEATURES, facts
from sonde.tasks.ud.harvest import parts, refuse_first_release, sources
from sonde.vectors import Ints

PLACES = {
    "root": "the main predicate",
    "subj": "the subject of the main clause",
    "obj": "the direct object of the main clause",
}
RELATIONS = {"subj": "nsubj"}
LEAST = 50  # examples of a value
MOST = 20  # values: beyond that it is no feature but an inventory


@dataclass(frozen=True, slots=True)
class Options(Asked):
    """What ud/feat takes beside the rest.

    path     a treebank: a CoNLL-U file or a folder of them, plain, .gz or .xz
    feature  the feature's name, as Case or Number[psor]
    of       whose: root, subj, obj, another relation to the main predicate (obl, obl:agent), or a
             word class (VERB) that the sentence has one word of
    upos     word classes that the word may have; any without
    least    values with fewer examples are left out; without, those beside which little would be
             left of the others
    rare     drop: values with too few examples are left out and counted; refuse: they are an error
    """

    feature: str = field(kw_only=True)
    of: str = field(default="root", kw_only=True)
    upos: tuple[str, ...] = field(default=(), kw_only=True)
    least: int | None = field(default=None, kw_only=True)
    rare: Literal["drop", "refuse"] = field(default="drop", kw_only=True)

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
            else PLACES.get(self.of, f"the {self.of} of the main predicate")
        )


@dataclass
class Counts:
    """What was counted on the way: values, why sentences are left out, and which features the words
    asked about have.
    """

    values: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    features: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class FeatureTask:
    """A feature of a word, asked of some treebanks."""

    name: str
    options: Options
    metric: str = "accuracy"
    probe: str = "mlp"
    view: str = "mean"

    sampling = Sampling(fold=True, size=True, on_error=True)

    @property
    def question(self) -> str:
        """What is asked of a sentence."""
        return f"Which {self.options.feature} has {self.options.whose}?"

    @property
    def fingerprint(self) -> str:
        """The files' contents, the splits that their names say, and the code that reads, judges and
        samples them.
        """
        return fingerprint(parts(self.options.path, self.options.with_))

    @property
    def oracles(self) -> Mapping[str, str]:
        """What the feature of a word is one of many of."""
        return FEATURES if self.options.by_class else CLAUSE

    def facts(self, oracle: str, sentences: Collection[Sentence]) -> Mapping[Sentence, Facts]:
        """What the annotation of these sentences says."""
        return facts(
            oracle, parts(self.options.path, self.options.with_), self.options.on_error, sentences
        )

    def candidates(self) -> tuple[list[Candidate], dict[str, Any]]:
        """All sentences that answer the question, before sampling, and what was counted on the
        way.
        """
        options, tally, counts = self.options, Tally(), Counts()
        named = sources(options.path, options.with_)
        files = [source.part for source in named]
        if texts := [str(part.path) for part in files if uncompressed(part.path).suffix == ".txt"]:
            raise DataProblem(
                f"{texts[0]} is running text, which has no features: give a treebank in CoNLL-U"
            )
        found: list[Candidate] = []
        styles: dict[str, Style] = {}
        with uncollected():
            for name, part in named:
                for batch in batches(part.path, options.on_error, tally):
                    styles.setdefault(str(part.path), Style()).add(batch.deprels.names)
                    answered = _answered(batch, part.split, options, counts)
                    found.extend(
                        one._replace(strata={**one.strata, **stratum(name)}) if name else one
                        for one in answered
                    )
        if not options.by_class and options.of != "root":
            refuse_first_release(styles)
        self._check(counts)
        values = dict(counts.values.most_common())
        every = options.classes or options.rare == "refuse" or options.least is not None
        kept = set(values) if every else telling(counts.values)
        rare = {
            f"{options.feature}={value} is too rare beside the others": n
            for value, n in values.items()
            if value not in kept
        }
        notes = {
            **source_notes((str(part.path) for part in files), tally),
            "left out": {**dict(counts.reasons.most_common()), **rare},
            "values": values,
        }
        return [candidate for candidate in found if candidate.label in kept], notes

    def load(self) -> Dataset:
        """The sampled data set; what was read and left out, and why, is in its notes."""
        options = self.options
        found, notes = self.candidates()
        least = LEAST if options.least is None else options.least
        rare = "refuse" if options.classes else options.rare
        return sample(
            among(found, options.classes, notes), options.settings(least=least, rare=rare), notes
        )

    def _check(self, counts: Counts) -> None:
        """Refuse a feature that the treebank does not have there, and say what it has."""
        if len(counts.values) > 1:
            return
        options = self.options
        for value, n in counts.values.items():
            why = (
                f"{options.feature} has one value there, {value} ({n} times), and one class is no"
                " question"
            )
            break
        else:
            has = ", ".join(name for name, _ in counts.features.most_common(12))
            why = f"{options.whose} never has {options.feature}; " + (
                f"it has {has}" if has else "it has no features at all"
            )
        out = (
            ", ".join(f"{reason}: {n}" for reason, n in counts.reasons.most_common(4)) or "nothing"
        )
        raise DataProblem(f"{self.name} cannot be asked of {options.path}: {why} (left out: {out})")


def telling(counts: Counter[str]) -> set[str]:
    """The commonest values that ask most when all have as many examples as the rarest of them:
    examples times log2 of values.
    """
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST]
    bits = [k * n * math.log2(k) for k, (_, n) in enumerate(ranked, 1)]
    return {value for value, _ in ranked[: bits.index(max(bits)) + 1]}


def _answered(batch: Batch, split: str, options: Options, counts: Counts) -> Iterator[Candidate]:
    """The sentences that answer the question; what the others lack is counted."""
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
    values = [features(raw).get(options.feature, "") for raw in batch.feats.names]
    majority = _majority(batch, of, node, values)
    upos, feats, forms = batch.upos, batch.feats, batch.words
    for k, sentence in enumerate(batch.sentences()):
        i = int(node[k])
        if i < 0:
            counts.reasons[
                f"several words are {options.whose}" if many[k] else f"no word is {options.whose}"
            ] += 1
        elif options.upos and upos.names[upos.codes[i]] not in options.upos:
            counts.reasons[f"the word is no {' or '.join(options.upos)}"] += 1
        elif first[i]:
            counts.reasons["the word is coordinated"] += 1
        else:
            value = values[feats.codes[i]]
            counts.features.update(features(feats.names[feats.codes[i]]).keys())
            if not value or "," in value:
                counts.reasons[
                    f"the word has {'several values of' if value else 'no'} {options.feature}"
                ] += 1
                continue
            counts.values[value] += 1
            # the only word of its class is its majority
            strata = {} if options.by_class else {"majority-feature": majority[k]}
            yield Candidate(sentence, value, forms.names[forms.codes[i]].lower(), split, strata)


def _nodes(batch: Batch, of: Ints, options: Options) -> Ints:
    """The words that are asked about, in order; more than one a sentence where it is in doubt."""
    if options.of == "root":
        return batch.roots
    if options.by_class:
        return np.flatnonzero(batch.upos.where(options.of.__eq__))
    wanted = RELATIONS.get(options.of, options.of)
    exact = ":" in wanted
    below = batch.parents == batch.roots[of]
    below[batch.roots] = False
    rows = np.flatnonzero(
        below
        & batch.deprels.where(lambda name: (name if exact else name.partition(":")[0]) == wanted)
    )
    if wanted != "nsubj":
        return rows
    # of a copula and a clause the outer subject is the matrix one
    outer = batch.deprels.where("nsubj:outer".__eq__)[rows]
    doubtful = np.bincount(of[rows], minlength=len(batch)) > 1
    resolved = np.bincount(of[rows[outer]], minlength=len(batch)) > 0
    return rows[outer | ~(doubtful & resolved)[of[rows]]]


def _majority(batch: Batch, of: Ints, node: Ints, values: list[str]) -> list[str]:
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


feat = factory(
    "ud/feat",
    "Which value of a feature has a word of the sentence, such as Case of the object?",
    Options,
    FeatureTask,
    CLAUSE | FEATURES,
)
