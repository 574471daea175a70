"""What an encoder without a language model is used for, under changes of its states: how alike two
sentences are (STS), and which sentence is the translation of another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lingprobe.api.embedding import named_sentences
from lingprobe.corpora.training_sentences import are_among, hash_sentences
from lingprobe.data.abilities import PatchableEncoder
from lingprobe.data.core import DataProblem, Dataset, Sentence
from lingprobe.data.labels import Column, build_column, column_from_codes
from lingprobe.data.reading import Readings
from lingprobe.data.vectors import Ints
from lingprobe.inside.erase.behaviour import MIN_JUDGED_PAIRS, PAIR_OUTCOMES
from lingprobe.inside.erase.effects import EffectMeasurement
from lingprobe.inside.erase.erasers import Doubles
from lingprobe.inside.erase.erasure import select_examples
from lingprobe.inside.erase.files import seen_in
from lingprobe.inside.erase.interventions import LABEL_FREE_CHANGES, ChangeName


@dataclass(frozen=True)
class PairCosines:
    """Cosines of the vectors of pairs of sentences, by an encoder of its last layer. They have no
    label of the task, so states that are moved or exchanged by theirs are not read.

    items  one: the rank correlation with how alike people find them; or two: how many sentences
           find their translation, there and back
    """

    encoder: PatchableEncoder
    items: Sequence[EffectMeasurement]
    examples: Ints

    @classmethod
    def of(cls, pairs: Dataset, names: Sequence[str], encoder: PatchableEncoder) -> PairCosines:
        """Of scored pairs, or, with two names, of translations."""
        nobody = np.full(len(pairs), -1)
        metric = "accuracy" if len(names) > 1 else "spearman"
        items = [EffectMeasurement(name, metric, pairs, nobody) for name in names]
        return cls(encoder, items, np.repeat(nobody, 2))

    def reads(self, key: ChangeName) -> bool:
        """Whether it is read under a change."""
        return key.what in LABEL_FREE_CHANGES

    def keep(self, key: ChangeName, one_by_one: bool) -> None:
        assert not one_by_one
        data = self.items[0].data
        now = Readings(data, self.encoder.encode(data.sentences), "mean")
        one, other = (_directions(each) for each in now.sites("top"))
        if len(self.items) == 1:
            said: list[Column] = [build_column((one * other).sum(1).tolist())]
        else:
            said = [_answers(one, other), _answers(other, one)]
        for item, each in zip(self.items, said, strict=True):
            item.said.setdefault(key, []).append(each)


def _directions(vectors: NDArray[Any]) -> Doubles:
    """Vectors [n, dim] of length 1; nothing for nothing."""
    x = np.asarray(vectors, np.float64)
    sizes = np.linalg.norm(x, axis=1, keepdims=True)
    return np.asarray(x / np.where(sizes > 0, sizes, 1))


def _answers(one: Doubles, other: Doubles) -> Column:
    """Whether the nearest of the others is the one with its number."""
    nearest = (one @ other.T).argmax(1)
    return column_from_codes((nearest != np.arange(len(one))).astype(np.int64), PAIR_OUTCOMES)


def similar_pairs(data: Dataset, eraser_sentences: Sequence[Sentence]) -> Dataset:
    """The scored pairs of test whose sentences no eraser saw; DataProblem where these are few, or
    have no scores.
    """
    has_words = bool((data.sites[:, :, 1] >= 0).any())
    if data.sites.shape[1] != 2 or data.labels.numbers is None or has_words:
        raise DataProblem(
            "pairs= takes minimal pairs for lm:MODEL; for hf:MODEL it takes pairs with scores, as"
            " pair/sts-b, or a text and its translation, as UD_English-PUD+UD_German-PUD"
        )
    return _unseen(data.take(data.rows("test")), eraser_sentences)


def pair_translations(
    texts: str, eraser_sentences: Sequence[Sentence]
) -> tuple[Dataset, list[str]]:
    """Sentences that find their translation: those that two texts, TEXT+TEXT, have by the same
    sent_id or else in the same line, and of which an eraser saw none; and what finding them there
    and back is called.
    """
    corpora = texts.split("+")
    if len(corpora) != 2:
        raise DataProblem(f"pairs={texts}: write two texts, as UD_English-PUD+UD_German-PUD")
    one, other = (list(named_sentences(corpus)) for corpus in corpora)
    ids = {name: sentence for name, sentence in other if name}
    both = [(sentence, ids[name]) for name, sentence in one if name in ids]
    if not both and len(one) == len(other):
        both = [(a, b) for (_, a), (_, b) in zip(one, other, strict=True)]
    both = _distinct(both)
    sentences = [sentence for pair in both for sentence in pair]
    sites = np.stack([np.arange(len(sentences)), *np.full((2, len(sentences)), -1)], 1)
    right = column_from_codes(np.zeros(len(both), np.int64), PAIR_OUTCOMES)
    data = Dataset.of_columns(sentences, sites.reshape(-1, 2, 3), right, np.zeros(len(both)))
    here, there = (PurePath(corpus).name for corpus in corpora)
    return _unseen(data, eraser_sentences), [f"{here} to {there}", f"{there} to {here}"]


def _distinct(pairs: Sequence[tuple[Sentence, Sentence]]) -> list[tuple[Sentence, Sentence]]:
    """Those of which neither sentence occurred before: one of two could not be found."""
    known: set[Sentence] = set()
    kept = []
    for pair in pairs:
        if not known.intersection(pair):
            kept.append(pair)
        known.update(pair)
    return kept


def _unseen(data: Dataset, seen: Sequence[Sentence]) -> Dataset:
    known = are_among(hash_sentences(data.sentences), seen_in(seen))
    kept = np.flatnonzero(~known[data.sites[:, :, 0]].any(1))
    if len(kept) < MIN_JUDGED_PAIRS:
        raise DataProblem(
            f"{len(kept)} of {len(data):,} pairs have sentences that the eraser did not see, and at"
            f" least {MIN_JUDGED_PAIRS} are needed"
        )
    return select_examples(data, kept)
