"""What a language model does under changes of its states: which sentence of a pair it prefers, how
well it predicts words, and its loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.corpora.training_sentences import hash_sentences
from lingprobe.data.abilities import PredictiveEncoder, TokenPredictions
from lingprobe.data.core import Cell, DataProblem, Dataset, Predictor, Probe, Sentence
from lingprobe.data.labels import Column, build_column, column_from_codes
from lingprobe.data.reading import EncoderWithView, Readings
from lingprobe.data.vectors import Ints
from lingprobe.inside.erase.division import codes_of
from lingprobe.inside.erase.effects import EffectMeasurement, Flags, by_class, copy_sentences
from lingprobe.inside.erase.erasure import select_examples
from lingprobe.inside.erase.interventions import LABEL_FREE_CHANGES, ChangeName, Way
from lingprobe.metrics.metric import Metric, compute_ratio, sum_blocks

Doubles = NDArray[np.float64]
MIN_JUDGED_PAIRS = 20  # pairs, of fewer nothing is said
PAIR_OUTCOMES = ("right", "wrong")
PAIR_MARGIN_MEASURE = "margin"  # of the log-probabilities of a pair


def make_nats_metric() -> Metric:
    """The mean of predicted numbers, whatever is right."""

    def sums(gold: Column, predicted: Column, blocks: Ints, many: int) -> Doubles:
        assert predicted.numbers is not None
        both = np.stack([predicted.numbers, np.ones(len(predicted))], 1)
        return sum_blocks(both, blocks, many)

    return Metric(
        "nats", sums, lambda sums: compute_ratio(sums[..., 0], sums[..., 1]), least=-np.inf
    )


class PairExamples(NamedTuple):
    """Minimal pairs that can be told of.

    examples  the task's example of each one's better sentence, and its class in `codes`; -1 where
              the task says nothing of the pairs' sentences
    known     how many were excluded as a word in which they differ, or the sentence, was among
              those that the eraser saw
    """

    data: Dataset
    examples: Ints
    codes: Ints
    known: int


@dataclass(frozen=True)
class SentencePreferences:
    """Which sentence of each pair the model prefers, and by how much (`margin`, in nats)."""

    encoder: PredictiveEncoder
    examples: Ints
    items: Sequence[EffectMeasurement]
    chosen: Predictor
    view: str

    @classmethod
    def of(
        cls, pairs: PairExamples, encoder: PredictiveEncoder, probe: Probe, named: tuple[str, str]
    ) -> SentencePreferences:
        """Of pairs; what they are called, and their metric."""
        (name, metric), data = named, pairs.data
        view = encoder.own_view if isinstance(encoder, EncoderWithView) else "mean"
        assert isinstance(view, str)
        nobody = data.take(np.arange(0))  # nothing is learnt
        none = Readings(nobody, encoder.encode(data.sentences), view)
        (chosen,) = probe.fit(none, none, cells=(Cell("-", 0),))
        items = [
            EffectMeasurement(name, metric, data, pairs.codes),
            EffectMeasurement(PAIR_MARGIN_MEASURE, make_nats_metric(), data, pairs.codes),
        ]
        return cls(encoder, np.repeat(pairs.examples, 2), items, chosen, view)

    def reads(self, key: ChangeName) -> bool:
        """All of them; of pairs without a label those that need none."""
        return key.what in LABEL_FREE_CHANGES or bool((self.examples >= 0).all())

    def keep(self, key: ChangeName, one_by_one: bool) -> None:
        choice, margin = self.items
        data = copy_sentences(choice.data) if one_by_one else choice.data
        now = Readings(data, self.encoder.encode(data.sentences), self.view)
        said = self.chosen.predict(now)
        choice.said.setdefault(key, []).append(said.decoded)
        first = np.asarray(said.scores[:, 0] - said.scores[:, 1], np.float64)
        better = build_column(np.where(data.labels.matrix() == 0, first, -first).tolist())
        margin.said.setdefault(key, []).append(better)


@dataclass
class WordPredictions:
    """Words that a language model predicts of sentences, and its loss.

    codes   of each sentence its class in the task [sentences]
    losses  under each change and draw the loss of each sentence in nats [sentences]
    tokens  how many of each are predicted [sentences]
    """

    encoder: PredictiveEncoder
    sentences: Sequence[Sentence]
    examples: Ints
    codes: Ints
    tokens: Ints
    words: Ints
    items: Sequence[EffectMeasurement]
    losses: dict[ChangeName, list[Doubles]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, data: Dataset, rows: Ints, encoder: PredictiveEncoder, name: str
    ) -> WordPredictions:
        """Of the sentences of some of a task's examples that have one label."""
        codes = codes_of(data.labels)
        if codes is None:
            codes = np.full(len(data), -1)
        first: dict[int, int] = {}
        mixed = set()
        for row in rows.tolist():
            sentence = int(data.sites[row, 0, 0])
            if codes[first.setdefault(sentence, row)] != codes[row]:
                mixed.add(sentence)
        kept = [sentence for sentence in first if sentence not in mixed]
        sentences = tuple(data.sentences[k] for k in kept)
        examples = np.array([first[k] for k in kept], np.int64)
        now = encoder.predictions(sentences)
        words = _list_predicted_words(now)
        items = []
        if len(words):
            right = column_from_codes(np.zeros(len(words), np.int64), PAIR_OUTCOMES)
            sites = np.concatenate([words, words[:, 1:] + 1], 1)[:, None]
            some = Dataset.of_columns(sentences, sites, right, np.zeros(len(words)))
            items = [EffectMeasurement(name, "accuracy", some, codes[examples][words[:, 0]])]
        tokens = np.bincount(now.sentence, minlength=len(kept)).astype(np.int64)
        return cls(encoder, sentences, examples, codes[examples], tokens, words, items)

    def reads(self, key: ChangeName) -> bool:
        """All of them."""
        return True

    def keep(self, key: ChangeName, one_by_one: bool) -> None:
        now = self.encoder.predictions(self.sentences)
        loss = -np.bincount(now.sentence, now.said, len(self.sentences)).astype(np.float64)
        self.losses.setdefault(key, []).append(loss)
        for item in self.items:
            wrong = ~_right(now, self.words)
            said = column_from_codes(wrong.astype(np.int64), PAIR_OUTCOMES)
            item.said.setdefault(key, []).append(said)

    def loss(self, change: str, floor: str = "", way: Way = "") -> float:
        """The loss in nats a token under a change, or a baseline of it, of each sentence one way;
        NaN where it was not measured.
        """

        def either(one: Doubles, other: Doubles, chosen: Flags) -> Doubles:
            return np.where(chosen, one, other)

        try:
            found = by_class(self.losses, ChangeName(change, way, floor), self.codes, either)
        except KeyError:
            return float("nan")
        return float(np.mean(found, 0).sum() / self.tokens.sum())


def _list_predicted_words(now: TokenPredictions) -> Ints:
    """The words of which something is predicted: sentence and word, [words, 2]."""
    both = np.stack([now.sentence, now.word], 1)
    return np.asarray(np.unique(both[now.word >= 0], axis=0))


def _right(now: TokenPredictions, words: Ints) -> NDArray[np.bool_]:
    """Of which words each token is the likeliest in its place, [words]."""
    wide = int(words[:, 1].max()) + 1
    keys = words[:, 0] * wide + words[:, 1]
    mine = now.word >= 0
    tokens = now.sentence[mine] * wide + now.word[mine]
    missed = np.unique(tokens[~now.is_likeliest[mine]])
    return ~np.isin(keys, missed)


def pairs_for(pairs: Dataset, task: Dataset, eraser_sentences: Sequence[Sentence]) -> PairExamples:
    """Minimal pairs whose words the eraser never saw, and whose better sentence has a label in the
    task; where the task has none of their sentences, all pairs in such words. DataProblem where
    these are few.
    """
    if pairs.sites.shape[1] != 2 or pairs.labels.classes is None:
        raise DataProblem("pairs= needs a task of minimal pairs, as minimal/agreement:TREEBANK")
    rows = np.arange(len(pairs))
    better = pairs.sites[rows, pairs.labels.classes, 0]
    keys = hash_sentences(pairs.sentences)[:, 0]
    known = np.isin(keys[better], hash_sentences(task.sentences)[:, 0])
    example_of = _examples_by_text(task)
    examples = np.array([example_of.get(int(keys[s]), -1) for s in better.tolist()], np.int64)
    words = {word.lower() for sentence in eraser_sentences for word in sentence.words}
    texts = set(hash_sentences(eraser_sentences)[:, 0].tolist())
    apart = [
        _differing(*(pairs.sentences[s] for s in both)) for both in pairs.sites[:, :, 0].tolist()
    ]
    new = np.array([not each & words for each in apart], bool)
    new &= ~np.isin(keys[better], list(texts))
    can = examples >= 0 if known.any() else np.ones(len(pairs), bool)
    kept = np.flatnonzero(can & new)
    if len(kept) < MIN_JUDGED_PAIRS:
        raise DataProblem(
            f"{len(kept)} of {len(pairs):,} pairs have a label of the task and words that the"
            f" eraser never saw, and at least {MIN_JUDGED_PAIRS} are needed: take pairs of the"
            " treebank that the task is of"
            if known.any()
            else f"{len(kept)} of {len(pairs):,} pairs have words that the eraser never saw, and at"
            f" least {MIN_JUDGED_PAIRS} are needed: take more pairs, or a smaller task"
        )
    codes, some = codes_of(task.labels), examples[kept]
    if codes is None or not known.any():
        return PairExamples(
            select_examples(pairs, kept), some, np.full(len(kept), -1), int((~new).sum())
        )
    return PairExamples(select_examples(pairs, kept), some, codes[some], int((can & ~new).sum()))


def _differing(one: Sentence, other: Sentence) -> set[str]:
    """The words that one of two sentences has, and the other has not."""
    return {w.lower() for w in one.words} ^ {w.lower() for w in other.words}


def _examples_by_text(task: Dataset) -> dict[int, int]:
    """The first example about each sentence that has but one label, by a hash of its text."""
    codes = codes_of(task.labels)
    if codes is None:
        return {}
    keys, known = hash_sentences(task.sentences)[:, 0], dict[int, int]()
    for row, sentence in enumerate(task.sites[:, 0, 0].tolist()):
        before = known.setdefault(int(keys[sentence]), row)
        if before >= 0 and codes[before] != codes[row]:
            known[int(keys[sentence])] = -1
    return known
