"""What sentence encoders are trained for, and how well they do it (Conneau et al. 2018, section
3.2; Hill et al. 2016 for `denoise`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from sonde.core import DataProblem
from sonde.nets.trainable import PAD, Classifier, Decoder, Shape, draw_head
from sonde.training import data
from sonde.training.data import Example, Reader
from sonde.training.texts import Pieces, Texts, numbered, perplexities
from sonde.vectors import Ints

Figures = Mapping[str, float]


@dataclass(frozen=True)
class Objective:
    """What is learnt.

    lesson    makes examples into numbers, with their head
    reads     the files
    figure    by which the best epoch on dev is told
    whole     whether pieces are words as they stand
    noise     whether the encoder's words are dropped and swapped
    """

    name: str
    lesson: Callable[[Objective, Sequence[Example], dict[str, int], Kit], Lesson]
    reads: Reader
    figure: Literal["bleu", "perplexity", "accuracy"]
    whole: bool = False
    noise: bool = False

    @property
    def higher(self) -> bool:
        """Whether more of the figure is better."""
        return self.figure != "perplexity"


@dataclass(frozen=True)
class Kit:
    """What a lesson is made with: the encoder's shape, how many pieces there are at most, the
    decoder's units, the seed; how often `denoise` leaves a word out, and swaps two.
    """

    shape: Shape
    pieces: int
    decoder: int
    seed: int
    drop: float = 0.0
    swap: float = 0.0


class Encode(Protocol):
    """What encodes rows of words: [rows, width]."""

    def __call__(self, words: Texts, rows: Ints) -> Tensor: ...


class Loss(NamedTuple):
    """A loss to learn from, summed, and over how many things it is (pieces, or pairs)."""

    total: Tensor
    over: int


class Lesson(Protocol):
    """Examples of one objective as numbers, and the head that reads sentence vectors."""

    @property
    def head(self) -> nn.Module: ...
    @property
    def lengths(self) -> Ints: ...
    def loss(self, rows: Ints, encode: Encode, draws: np.random.Generator | None = None) -> Loss:
        """Of some examples; noise is drawn for the objective that has it."""
        ...

    def figures(self, rows: Ints, encode: Encode) -> Figures:
        """How well some examples are done."""
        ...

    def trivial(self, train: Ints, dev: Ints) -> Figures:
        """What needs no encoder does as well, by name."""
        ...


MOST = 700.0  # of which a perplexity is still a number
BATCH = 64  # sentences that are judged at once
WRITTEN = 1000  # sentences of dev that are written for a BLEU


@dataclass
class Writing:
    """Sentences, and texts that a decoder is to write of them."""

    objective: Objective
    words: Texts
    texts: Sequence[str]
    pieces: Pieces
    wanted: Texts
    head: Decoder
    noise: tuple[float, float] = (0.0, 0.0)

    @classmethod
    def of(
        cls, objective: Objective, examples: Sequence[Example], words: dict[str, int], how: Kit
    ) -> Writing:
        """Examples as numbers, and a decoder of `how.shape`'s vectors."""
        texts = [example.text for example in examples]
        pieces = Pieces.of(texts, how.pieces, objective.whole)
        head = Decoder(how.shape.width, len(pieces), how.decoder)
        draw_head(head, how.seed + 2)
        encoded = numbered((example.first for example in examples), words)
        noise = (how.drop, how.swap) if objective.noise else (0.0, 0.0)
        return cls(objective, encoded, texts, pieces, pieces.encode(texts), head, noise)

    @property
    def lengths(self) -> Ints:
        """Words and pieces of each example, by which batches are made."""
        return self.words.lengths + self.wanted.lengths

    def loss(self, rows: Ints, encode: Encode, draws: np.random.Generator | None = None) -> Loss:
        """Minus the logarithm of the pieces' probabilities."""
        pieces = self.wanted.padded(rows, PAD)
        read = self.words, rows
        if draws is not None and any(self.noise):
            read = noised(self.words, rows, *self.noise, draws), np.arange(len(rows))
        total = self.head(encode(*read), torch.from_numpy(pieces))
        return Loss(total, int((pieces[:, 1:] != PAD).sum()))

    def figures(self, rows: Ints, encode: Encode) -> Figures:
        """Perplexity of a piece, share of pieces guessed right, and BLEU where it is asked for."""
        total, right, count = 0.0, 0, 0
        for part in _parts(rows):
            pieces = torch.from_numpy(self.wanted.padded(part, PAD))
            scores, wanted = self.head.scores(encode(self.words, part), pieces)
            total += float(functional.cross_entropy(scores, wanted, reduction="sum"))
            right, count = right + int((scores.argmax(1) == wanted).sum()), count + len(wanted)
        found = {"perplexity": math.exp(min(total / count, MOST)), "accuracy": 100 * right / count}
        if self.objective.figure == "bleu":
            found["bleu"] = self._bleu(rows[:WRITTEN], encode)
        return found

    def _bleu(self, rows: Ints, encode: Encode) -> float:
        longest = int(self.wanted.lengths[rows].max()) + 10
        written = [
            text
            for part in _parts(rows)
            for text in self.pieces.decode(self.head.write(encode(self.words, part), longest))
        ]
        return bleu(written, [self.texts[i] for i in rows.tolist()])

    def trivial(self, train: Ints, dev: Ints) -> Figures:
        """Perplexity of counted pieces; BLEU of copying the source and of the commonest text."""
        mine, theirs = self.wanted.take(train), self.wanted.take(dev)
        counted = perplexities(mine, theirs, len(self.pieces))
        found = {f"perplexity of {name}s": value for name, value in counted.items()}
        if self.objective.figure == "accuracy":
            commonest = np.bincount(mine.ids[mine.ids > 2]).argmax()
            inner = theirs.ids[np.isin(theirs.ids, [0], invert=True)]
            found["accuracy of the commonest piece"] = float(100 * (inner == commonest).mean())
        return found


def copied(sources: Sequence[str], texts: Sequence[str], train: Sequence[str]) -> Figures:
    """BLEU of copying the source, and of writing the commonest text of train."""
    [(commonest, _)] = Counter(train).most_common(1)
    return {
        "bleu of copying": bleu(sources, texts),
        "bleu of the commonest text": bleu([commonest] * len(texts), texts),
    }


def bleu(written: Sequence[str], wanted: Sequence[str]) -> float:
    """BLEU of a corpus as sacrebleu counts it (Post 2018)."""
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ImportError:
        raise DataProblem("BLEU needs sacrebleu: pip install 'sonde[train]'") from None
    return float(BLEU(force=True).corpus_score(list(written), [list(wanted)]).score)


@dataclass
class Inferring:
    """Pairs of sentences and the labels of their relation."""

    first: Texts
    second: Texts
    labels: Ints
    names: tuple[str, ...]
    head: Classifier

    @classmethod
    def of(
        cls, objective: Objective, examples: Sequence[Example], words: dict[str, int], how: Kit
    ) -> Inferring:
        """Examples as numbers, and a classifier of pairs."""
        names = tuple(sorted({example.label for example in examples}))
        if len(names) < 2:
            raise DataProblem("all pairs have one label: there is nothing to learn")
        head = Classifier(how.shape.width, len(names))
        draw_head(head, how.seed + 2)
        labels = np.array([names.index(example.label) for example in examples], np.int64)
        first = numbered((example.first for example in examples), words)
        return cls(first, numbered((e.second for e in examples), words), labels, names, head)

    @property
    def lengths(self) -> Ints:
        """Words of each pair."""
        return self.first.lengths + self.second.lengths

    def loss(self, rows: Ints, encode: Encode, draws: np.random.Generator | None = None) -> Loss:
        """Minus the logarithm of the labels' probabilities."""
        scores = self._scores(rows, encode)
        wanted = torch.from_numpy(self.labels[rows])
        return Loss(functional.cross_entropy(scores, wanted, reduction="sum"), len(rows))

    def _scores(self, rows: Ints, encode: Encode) -> Tensor:
        scores: Tensor = self.head(encode(self.first, rows), encode(self.second, rows))
        return scores

    def figures(self, rows: Ints, encode: Encode) -> Figures:
        """The share of pairs whose label is right."""
        right = sum(
            int((self._scores(part, encode).argmax(1).numpy() == self.labels[part]).sum())
            for part in _parts(rows)
        )
        return {"accuracy": 100 * right / len(rows)}

    def trivial(self, train: Ints, dev: Ints) -> Figures:
        """The commonest label, and naive Bayes over the words of the second sentence alone."""
        counts = np.bincount(self.labels[train], minlength=len(self.names))
        many = int(self.second.ids.max()) + 1
        table = np.ones((len(self.names), many))
        for i in train.tolist():
            np.add.at(table[self.labels[i]], self.second.row(i), 1)
        weights = np.log(table / table.sum(1, keepdims=True))
        prior = np.log(np.maximum(counts, 1) / counts.sum())
        said = [int((weights[:, self.second.row(i)].sum(1) + prior).argmax()) for i in dev.tolist()]
        gold = self.labels[dev]
        return {
            "accuracy of the commonest label": float(100 * (gold == counts.argmax()).mean()),
            "accuracy of the second sentence alone": float(100 * (gold == said).mean()),
        }


OBJECTIVES: Mapping[str, Objective] = {
    each.name: each
    for each in (
        Objective("translate", Writing.of, data.translations, "bleu"),
        Objective("autoencode", Writing.of, data.themselves, "bleu"),
        Objective("denoise", Writing.of, data.themselves, "bleu", noise=True),
        Objective("next", Writing.of, data.following, "perplexity"),
        Objective("parse", Writing.of, data.trees, "accuracy", whole=True),
        Objective("infer", Inferring.of, data.inferences, "accuracy"),
    )
}


def _parts(rows: Ints) -> list[Ints]:
    return np.array_split(rows, range(BATCH, len(rows), BATCH)) if len(rows) else []


def noised(words: Texts, rows: Ints, drop: float, swap: float, draws: np.random.Generator) -> Texts:
    """The words of some rows, each dropped with probability `drop` and then neighbours swapped with
    `swap`, in pairs that do not overlap (Hill et al. 2016, 2.2); a row is never empty.
    """
    made = []
    for i in rows.tolist():
        row = words.row(i)
        kept = row[draws.random(len(row)) >= drop]
        kept = kept if len(kept) else row[:1]
        order = np.arange(len(kept))
        firsts = np.arange(int(draws.integers(2)), len(kept) - 1, 2)
        firsts = firsts[draws.random(len(firsts)) < swap]
        order[firsts], order[firsts + 1] = firsts + 1, firsts
        made.append(kept[order].tolist())
    return Texts.of(made)
