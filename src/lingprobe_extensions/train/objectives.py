"""What sentence encoders are trained for, and how well they do it (Conneau et al. 2018, section
3.2; Hill et al. 2016 for `denoise`, Kiros et al. 2015 for `skip`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal, NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from lingprobe import DataProblem
from lingprobe.extend import Ints, NetworkShape, SentencesRead, describe_install
from lingprobe_extensions.train import data
from lingprobe_extensions.train.data import Reader
from lingprobe_extensions.train.examples import TrainingExamples
from lingprobe_extensions.train.inferences import inferences
from lingprobe_extensions.train.linear_trees import (
    count_tree_words,
    find_commonest_trees,
    labelled_f1,
)
from lingprobe_extensions.train.nets.heads import (
    PAD_TOKEN_ID,
    START_TOKEN_ID,
    PairClassifier,
    TextDecoder,
    TextDecoders,
    draw_head,
)
from lingprobe_extensions.train.texts import (
    DecoderVocabulary,
    NumberedTexts,
    compute_perplexities,
    join_texts,
)

Figures = Mapping[str, float]


@dataclass(frozen=True)
class TrainingObjective:
    """What is learnt.

    lesson    makes examples into numbers, with their head; None where a room of its own does
              (`lingprobe_extensions.train.bag`, `lingprobe_extensions.train.parsing`)
    reads     the files, where they are no treebanks
    figure    by which the best epoch on dev is told
    judged    what is said of texts that are written of dev, too
    whole     whether pieces are words as they stand
    noise     whether the encoder's words are dropped and swapped
    columns   whether files have columns with names, by which rows can be chosen
    alone     the architecture that alone learns it and learns nothing else; '' for the networks
    """

    lesson: Callable[[TrainingObjective, TrainingExamples, LessonKit], TrainingLesson] | None
    reads: Reader
    figure: Literal["bleu", "perplexity", "accuracy", "score"]
    judged: Literal["", "bleu", "f1"] = ""
    whole: bool = False
    noise: bool = False
    columns: bool = False
    alone: Literal["", "bow", "parser"] = ""


@dataclass(frozen=True)
class LessonKit:
    """What a lesson is made with: the encoder's shape, how many pieces there are at most, the
    decoder's units, whether it attends to words, the seed; how often `denoise` leaves a word out,
    and swaps two.
    """

    shape: NetworkShape
    pieces: int
    decoder: int
    seed: int
    attention: bool = False
    drop: float = 0.0
    swap: float = 0.0


class EncodeFunction(Protocol):
    """What encodes rows of words."""

    def __call__(self, words: NumberedTexts, rows: Ints) -> SentencesRead: ...


class SummedLoss(NamedTuple):
    """A loss to learn from, summed, and over how many things it is (pieces, or pairs)."""

    total: Tensor
    over: int


class TrainingLesson(Protocol):
    """Examples of one objective as numbers, and the head that reads sentence vectors."""

    @property
    def head(self) -> nn.Module: ...
    @property
    def lengths(self) -> Ints: ...
    def loss(
        self, rows: Ints, encode: EncodeFunction, draws: np.random.Generator | None = None
    ) -> SummedLoss:
        """Of some examples; noise is drawn for the objective that has it."""
        ...

    def figures(self, rows: Ints, encode: EncodeFunction) -> Figures:
        """How well some examples are done."""
        ...

    def trivial(self, train: Ints, dev: Ints) -> Figures:
        """What needs no encoder does as well, by name."""
        ...

    def with_examples(self, examples: TrainingExamples) -> TrainingLesson:
        """With other examples behind its own, which are done as its own are; their words begin with
        its own in the same order.
        """
        ...


MAX_PERPLEXITY_LOSS = 700.0  # of which a perplexity is still a number
_BATCH = 64  # sentences that are judged at once
_WRITTEN = 1000  # sentences of dev that are written for BLEU and for F1


@dataclass
class WritingLesson:
    """Sentences, and the texts that decoders are to write of each.

    wanted  the pieces of each example's first text, of its second, …
    """

    objective: TrainingObjective
    words: NumberedTexts
    forms: Sequence[str]
    pieces: DecoderVocabulary
    wanted: Sequence[NumberedTexts]
    head: TextDecoders
    noise: tuple[float, float] = (0.0, 0.0)

    @classmethod
    def of(
        cls, objective: TrainingObjective, examples: TrainingExamples, kit: LessonKit
    ) -> WritingLesson:
        """Examples as numbers, and decoders of `kit.shape`'s vectors."""
        each = range(examples.each)
        texts = chain.from_iterable(map(examples.target_texts, each))
        pieces = DecoderVocabulary.of(texts, kit.pieces, objective.whole)
        attended = kit.shape.pooled_dim if kit.attention else 0
        size = kit.shape.width, len(pieces), kit.decoder
        head = TextDecoders([TextDecoder(*size, attended=attended) for _ in each])
        draw_head(head, kit.seed + 2)
        wanted = [pieces.encode(examples.target_texts(number)) for number in each]
        noise = (kit.drop, kit.swap) if objective.noise else (0.0, 0.0)
        return cls(objective, examples.first, examples.forms, pieces, wanted, head, noise)

    def with_examples(self, examples: TrainingExamples) -> WritingLesson:
        """With other examples behind its own, in the same pieces."""
        if examples.each != len(self.wanted):
            raise DataProblem("the files to judge by have other texts than those to learn from")
        wanted = [
            join_texts([texts, self.pieces.encode(examples.target_texts(number))])
            for number, texts in enumerate(self.wanted)
        ]
        words = join_texts([self.words, examples.first])
        return replace(self, words=words, forms=examples.forms, wanted=wanted)

    @property
    def lengths(self) -> Ints:
        """Words and pieces of each example, by which batches are made."""
        return sum((texts.lengths for texts in self.wanted), self.words.lengths)

    def loss(
        self, rows: Ints, encode: EncodeFunction, draws: np.random.Generator | None = None
    ) -> SummedLoss:
        """Minus the logarithm of the pieces' probabilities."""
        source = self.words, rows
        if draws is not None and any(self.noise):
            source = add_noise(self.words, rows, *self.noise, draws), np.arange(len(rows))
        read, losses, over = encode(*source), [], 0
        for decoder, texts in zip(self.head, self.wanted, strict=True):
            pieces = torch.from_numpy(texts.pad_rows(rows, PAD_TOKEN_ID))
            over += int((pieces[:, 1:] != PAD_TOKEN_ID).sum())
            losses.append(decoder(read, pieces.to(read.sentences.device)))
        return SummedLoss(torch.stack(losses).sum(), over)

    def figures(self, rows: Ints, encode: EncodeFunction) -> Figures:
        """Perplexity of a piece, share of pieces guessed right, and BLEU or labelled F1 of what is
        written where it is asked for.
        """
        total, right, count = 0.0, 0, 0
        for part in _batch_rows(rows):
            read = encode(self.words, part)
            for decoder, texts in zip(self.head, self.wanted, strict=True):
                pieces = torch.from_numpy(texts.pad_rows(part, PAD_TOKEN_ID)).to(
                    read.sentences.device
                )
                scores, wanted = decoder.scores(read, pieces)
                total += float(functional.cross_entropy(scores, wanted, reduction="sum"))
                right, count = right + int((scores.argmax(1) == wanted).sum()), count + len(wanted)
        found = {
            "perplexity": math.exp(min(total / count, MAX_PERPLEXITY_LOSS)),
            "accuracy": 100 * right / count,
        }
        if self.objective.judged:
            found[self.objective.judged] = self._score_writing(rows[:_WRITTEN], encode)
        return found

    def _score_writing(self, rows: Ints, encode: EncodeFunction) -> float:
        """BLEU or F1 of what is written of some sentences."""
        longest = int(self.wanted[0].lengths[rows].max()) + 10
        written = [
            row
            for part in _batch_rows(rows)
            for row in self.head[0].write(encode(self.words, part), longest)
        ]
        wanted = [self.wanted[0].row(i).tolist() for i in rows.tolist()]
        if self.objective.judged == "f1":
            return labelled_f1(map(self.pieces.names, written), map(self.pieces.names, wanted))
        return compute_bleu(self.pieces.decode(written), self.pieces.decode(wanted))

    def trivial(self, train: Ints, dev: Ints) -> Figures:
        """Perplexity of counted pieces; BLEU of copying the source and of the commonest text; F1 of
        the commonest tree of as many words.
        """
        mine, theirs = self.wanted[0].take(train), self.wanted[0].take(dev)
        counted = compute_perplexities(mine, theirs, len(self.pieces))
        found = {f"perplexity of {name}s": value for name, value in counted.items()}
        if self.objective.judged == "bleu":
            found |= self._trivial_figures(mine, dev)
        if self.objective.judged == "f1":
            common = np.bincount(mine.ids[mine.ids > PAD_TOKEN_ID]).argmax()
            inner = theirs.ids[theirs.ids != START_TOKEN_ID]
            found["accuracy of the commonest piece"] = float(100 * (inner == common).mean())
            found["f1 of the commonest tree of the length"] = self._commonest(mine, theirs)
        return found

    def _trivial_figures(self, mine: NumberedTexts, dev: Ints) -> Figures:
        rows = dev[:_WRITTEN]
        texts = self.pieces.decode(self.wanted[0].row(i).tolist() for i in rows.tolist())
        sources = [" ".join(self.forms[k] for k in self.words.row(i)) for i in rows.tolist()]
        [(often, _)] = Counter(mine.row(i).tobytes() for i in range(len(mine))).most_common(1)
        common = self.pieces.decode([np.frombuffer(often, mine.ids.dtype).tolist()])
        found = {"bleu of the commonest text": compute_bleu(common * len(texts), texts)}
        # a sentence that is to be written as it is would be right by copying
        if self.objective.reads is data.themselves:
            return found
        return {"bleu of copying": compute_bleu(sources, texts), **found}

    def _commonest(self, mine: NumberedTexts, theirs: NumberedTexts) -> float:
        wanted = [self.pieces.names(theirs.row(i)) for i in range(len(theirs))]
        trees = (self.pieces.names(mine.row(i)) for i in range(len(mine)))
        return labelled_f1(find_commonest_trees(trees, map(count_tree_words, wanted)), wanted)


def compute_bleu(written: Sequence[str], references: Sequence[str]) -> float:
    """BLEU of a corpus as sacrebleu counts it (Post 2018)."""
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ImportError:
        raise DataProblem(f"BLEU needs sacrebleu: {describe_install('train')}") from None
    return float(BLEU(force=True).corpus_score(list(written), [list(references)]).score)


@dataclass
class InferenceLesson:
    """Pairs of sentences and the labels of their relation."""

    first: NumberedTexts
    second: NumberedTexts
    labels: Ints
    names: tuple[str, ...]
    head: PairClassifier

    @classmethod
    def of(
        cls, objective: TrainingObjective, examples: TrainingExamples, kit: LessonKit
    ) -> InferenceLesson:
        """Examples as numbers, and a classifier of pairs."""
        names = examples.names
        if len(names) < 2:
            raise DataProblem("all pairs have one label: there is nothing to learn")
        head = PairClassifier(kit.shape.width, len(names))
        draw_head(head, kit.seed + 2)
        return cls(examples.first, examples.second, examples.labels, names, head)

    def with_examples(self, examples: TrainingExamples) -> InferenceLesson:
        """With other pairs behind its own; DataProblem for a label that it does not know."""
        if unknown := set(examples.names) - set(self.names):
            raise DataProblem(
                f"no pair to learn from has the label {min(unknown)!r}, as pairs to judge by have:"
                f" write {', '.join(self.names)}"
            )
        number = np.array([self.names.index(name) for name in examples.names])
        return replace(
            self,
            first=join_texts([self.first, examples.first]),
            second=join_texts([self.second, examples.second]),
            labels=np.concatenate([self.labels, number[examples.labels]]),
        )

    @property
    def lengths(self) -> Ints:
        """Words of each pair."""
        return self.first.lengths + self.second.lengths

    def loss(
        self, rows: Ints, encode: EncodeFunction, draws: np.random.Generator | None = None
    ) -> SummedLoss:
        """Minus the logarithm of the labels' probabilities."""
        scores = self._scores(rows, encode)
        wanted = torch.from_numpy(self.labels[rows]).to(scores.device)
        return SummedLoss(functional.cross_entropy(scores, wanted, reduction="sum"), len(rows))

    def _scores(self, rows: Ints, encode: EncodeFunction) -> Tensor:
        first, second = encode(self.first, rows), encode(self.second, rows)
        scores: Tensor = self.head(first.sentences, second.sentences)
        return scores

    def figures(self, rows: Ints, encode: EncodeFunction) -> Figures:
        """The share of pairs whose label is right."""
        right = sum(
            int((self._scores(part, encode).argmax(1).cpu().numpy() == self.labels[part]).sum())
            for part in _batch_rows(rows)
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
        prior = np.log(np.maximum(counts, 1))
        said = [int((weights[:, self.second.row(i)].sum(1) + prior).argmax()) for i in dev.tolist()]
        gold = self.labels[dev]
        return {
            "accuracy of the commonest label": float(100 * (gold == counts.argmax()).mean()),
            "accuracy of the second sentence alone": float(100 * (gold == said).mean()),
        }


def translate() -> TrainingObjective:
    """Write the translation of a sentence, from two aligned files or a table."""
    return TrainingObjective(WritingLesson.of, data.read_translations, "bleu", "bleu")


def autoencode() -> TrainingObjective:
    """Write the sentence itself, from running text."""
    return TrainingObjective(WritingLesson.of, data.themselves, "bleu", "bleu")


def denoise() -> TrainingObjective:
    """Write the sentence, of which words are dropped and swapped (Hill et al. 2016)."""
    return TrainingObjective(WritingLesson.of, data.themselves, "bleu", "bleu", noise=True)


def following() -> TrainingObjective:
    """Write the next sentence, from running text."""
    return TrainingObjective(WritingLesson.of, data.read_following_sentences, "perplexity")


def skip() -> TrainingObjective:
    """Write the sentences before and after, from running text (Kiros et al. 2015)."""
    return TrainingObjective(WritingLesson.of, data.neighbours, "perplexity")


def parse() -> TrainingObjective:
    """Write the tree of a sentence, from bracketed trees (Vinyals et al. 2015)."""
    return TrainingObjective(
        WritingLesson.of, data.read_bracketed_examples, "accuracy", "f1", whole=True
    )


def infer() -> TrainingObjective:
    """Predict how two sentences are related, from tables or JSON lines of pairs with labels."""
    return TrainingObjective(InferenceLesson.of, inferences, "accuracy", columns=True)


def cbow() -> TrainingObjective:
    """Tell each word by the words around it, from running text; of `bow` alone."""
    return TrainingObjective(None, data.themselves, "perplexity", alone="bow")


def annotate() -> TrainingObjective:
    """Tell tags, features, heads and relations of words, from treebanks; of `parser` alone."""
    return TrainingObjective(None, data.read_bracketed_examples, "score", alone="parser")


def _batch_rows(rows: Ints) -> list[Ints]:
    return np.array_split(rows, range(_BATCH, len(rows), _BATCH)) if len(rows) else []


def add_noise(
    words: NumberedTexts, rows: Ints, drop: float, swap: float, draws: np.random.Generator
) -> NumberedTexts:
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
    return NumberedTexts.of(made)
