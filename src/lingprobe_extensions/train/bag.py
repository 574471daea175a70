"""Sentence vectors that are means of vectors of words and bigrams, trained by predicting each word
from the rest of its sentence (CBOW over sentences, or Sent2Vec; Pagliardini et al. 2018).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from lingprobe import DataProblem, UsageProblem
from lingprobe.extend import Ints, describe_install, digest_files, write_text
from lingprobe_extensions.train import guesses
from lingprobe_extensions.train.corpus import TrainingCorpus, WordVocabulary
from lingprobe_extensions.train.data import FileReading
from lingprobe_extensions.train.draws import NegativeSampler, predicted_shares, without_some
from lingprobe_extensions.train.encoder import VOCABULARY_FILE
from lingprobe_extensions.train.loop import (
    PROGRESS_INTERVAL_SECONDS,
    TRAINING_STATE_FILE,
    EpochResult,
    TrainingStart,
    load_training_state,
)
from lingprobe_extensions.train.ngrams import bigram_rows, drawn_vectors
from lingprobe_extensions.train.options import TrainingSettings
from lingprobe_extensions.train.ranks import ProcessRank, count_processes
from lingprobe_extensions.train.settings import TrainingRequest
from lingprobe_extensions.train.splits import choose_rows, draw_dev_rows
from lingprobe_extensions.train.texts import NumberedTexts
from lingprobe_extensions.train.weights import save_tensors

if TYPE_CHECKING:
    from lingprobe_extensions.train.steps import TrainingPart, VectorTables

_PIECE = 1 << 15  # words whose draws are in memory at once
_JUDGED = 5000  # words of dev that are predicted, up to the end of a sentence
_RATE = 0.2  # Pagliardini et al. 2018

Told = Callable[[int, int, float], None]


def start_word_vectors(
    request: TrainingRequest, reading: FileReading, settings: TrainingSettings, out: Path
) -> TrainingStart:
    """Read the files into a corpus, and divide it."""
    _import_steps()  # which says that numba is missing before much is read
    _check_settings(settings)
    corpus, train, dev = _split_train_dev(request, reading, settings, out)
    vocabulary = WordVocabulary.of(corpus, train, settings.least)
    learner = WordVectorTraining(corpus, vocabulary, settings)
    judged = learner.dev_sample(dev)
    if not len(judged.ids):
        raise DataProblem(
            f"{len(train):,} sentences are left to train on, with {len(vocabulary.words):,} words"
            f" that occur {settings.least} times, and {len(dev):,} to judge by, of which none has"
            " two of these words; give more text, or a lower least="
        )
    write_text(out / VOCABULARY_FILE, "\n".join(vocabulary.words))
    said = learner.facts | {"words": digest_files([out / VOCABULARY_FILE])}
    said["trivial"] = dict(guesses.guess_by_frequency(vocabulary.counts, judged))
    said["counts"] |= {"train": len(train), "dev": len(dev)}
    return TrainingStart(learner, said, train, dev)


def _check_settings(settings: TrainingSettings) -> None:
    """Refuse what would be passed over in silence."""
    if count_processes() > 1:
        raise UsageProblem("cbow learns in one process; start it without torchrun")
    passed_over = {
        "device": settings.device not in ("auto", "cpu"),
        "precision": settings.precision != "fp32",
        "vectors": settings.vectors is not None,
    }
    for name in (name for name, said in passed_over.items() if said):
        raise UsageProblem(
            f"{name}={asdict(settings)[name]}: cbow learns vectors of its own in fp32 on the"
            f" processor; leave {name} out"
        )


def _split_train_dev(
    request: TrainingRequest, how: FileReading, settings: TrainingSettings, out: Path
) -> tuple[TrainingCorpus, Ints, Ints]:
    """The sentences of all files, and which are train and dev, none of whose is in train."""
    ends: list[int] = []
    corpus = TrainingCorpus.of(_sentences(request, how, ends), out)
    rows = choose_rows(ends[0], settings.most, settings.seed)
    dev = np.arange(ends[0], len(corpus))
    how.seen.keep(np.concatenate([rows, dev]))
    if not request.dev:
        dev = rows[draw_dev_rows(len(rows), settings.seed)]
    rest = np.setdiff1d(rows, dev)
    train = corpus.unlike(rest, dev)
    how.counts["also in dev"] = len(rest) - len(train)
    return corpus, train, dev


def _sentences(
    request: TrainingRequest, how: FileReading, ends: list[int]
) -> Iterator[Sequence[str]]:
    """The words of the sentences of all files, those of dev last; `ends` gets how many there are
    before these.
    """
    reads, before = request.check().reads, how.counts["read"]
    yield from (example.first for example in reads(request.files, how))
    ends.append(how.counts["read"] - before)
    yield from (example.first for example in reads(request.dev, how))


def _import_steps() -> Any:
    """The module of steps; DataProblem without numba."""
    try:
        from lingprobe_extensions.train import steps
    except ImportError:
        raise DataProblem(f"cbow needs numba: {describe_install('train')}") from None
    return steps


@dataclass
class WordVectorTraining:
    """Vectors of words and bigrams while they learn."""

    corpus: TrainingCorpus
    vocabulary: WordVocabulary
    settings: TrainingSettings
    epochs: list[EpochResult] = field(default_factory=list)
    ranks: ProcessRank = field(default_factory=ProcessRank)

    def __post_init__(self) -> None:
        how, words = self.settings, len(self.vocabulary.words)
        self.steps = _import_steps()
        self.buckets = how.buckets if how.ngrams > 1 else 0
        source = drawn_vectors(words + self.buckets, how.dim, how.seed)
        self.tables: VectorTables = self.steps.VectorTables(
            source, np.zeros((words, how.dim), np.float32)
        )
        self.negatives = NegativeSampler.of(self.vocabulary.counts)
        self.shares = predicted_shares(self.vocabulary.counts, how.subsample)

    @property
    def facts(self) -> dict[str, Any]:
        """What is said of the encoder."""
        rare = int((self.vocabulary.numbers < 0).sum())
        return {
            "shape": {"dim": self.settings.dim, "buckets": self.buckets},
            "parameters": self.tables.source.size,
            "parameters of the head": self.tables.target.size,
            "counts": {"words": len(self.vocabulary.words), "words that are too rare": rare},
        }

    def epoch(
        self, train: Ints, dev: Ints, report: Told, pause: Callable[[], None] | None = None
    ) -> EpochResult:
        """Learn from every sentence of train once, and judge on dev; `report` gets the words done,
        of how many, and the loss. It is not paused: an epoch is begun anew after a stop.
        """
        number, began = len(self.epochs) + 1, time.perf_counter()
        draws = np.random.default_rng((self.settings.seed, number))
        every = int(self.vocabulary.counts.sum())
        loss, count, done, last = 0.0, 0, 0, began
        for piece in self._pieces(train, draws):
            rates = self._rates(number, done, len(piece.ids))
            total, over = self.steps.take_steps(self.tables, piece, rates)
            loss, count, done = loss + total, count + over, done + len(piece.ids)
            if not np.isfinite(loss):
                raise DataProblem(
                    f"epoch {number}: the loss is no number any more; take a lower rate than"
                    f" {self.settings.rate or _RATE:g}"
                )
            if time.perf_counter() - last > PROGRESS_INTERVAL_SECONDS:
                last = time.perf_counter()
                report(done, every, loss / max(count, 1))
        shares = guesses.WordShares(self.negatives.shares, self.shares)
        figures = guesses.measure_guesses(self.tables, self.dev_sample(dev), shares)
        mean, seconds = loss / max(count, 1), time.perf_counter() - began
        report(every, every, mean)
        self.epochs.append(EpochResult(number, mean, figures, done, seconds))
        return self.epochs[-1]

    def _rates(self, number: int, done: int, more: int) -> Any:
        """The rates of some words: in a straight line to 0 behind the last epoch."""
        how, words = self.settings, int(self.vocabulary.counts.sum())
        begin = (number - 1) * words + done
        first, last = (
            (how.rate or _RATE) * (1 - at / (how.epochs * words)) for at in (begin, begin + more)
        )
        return self.steps.LearningRates(first, last, how.divided)

    def _pieces(self, train: Ints, draws: np.random.Generator) -> Iterator[TrainingPart]:
        """All sentences with what is drawn for them, some at a time."""
        mixed = self.settings.shuffled
        for every in (
            self.corpus.shuffled_texts(train, draws) if mixed else self.corpus.iterate_blocks(train)
        ):
            texts = self.vocabulary.drop_rare_words(every)
            rows = np.flatnonzero(texts.lengths)
            ends = np.cumsum(texts.lengths_of(rows))
            cuts = np.searchsorted(ends, np.arange(_PIECE, len(texts.ids), _PIECE))
            for first, last in pairwise(np.unique([0, *cuts, len(rows)]).tolist()):
                yield self._part(texts.take(rows[first:last]), draws)

    def _part(self, texts: NumberedTexts, draws: np.random.Generator) -> TrainingPart:
        """Sentences with what is drawn for them."""
        how, words = self.settings, len(self.vocabulary.words)
        bigrams = bigram_rows(texts.ids, texts.starts, words, self.buckets)
        part: TrainingPart = self.steps.TrainingPart(
            texts.ids,
            texts.starts,
            without_some(bigrams, texts.starts, how.lost, draws),
            draws.random(len(texts.ids), np.float32) < self.shares[texts.ids],
            self.negatives.draw((len(texts.ids), how.negatives), draws),
        )
        return part

    def dev_sample(self, dev: Ints) -> TrainingPart:
        """Sentences of dev that have a context, drawn from all over it, with all their bigrams and
        one negative for each word, the same ones after each epoch.
        """
        every = (
            text.row(i).tolist()
            for text in self.corpus.iterate_blocks(dev)
            for i in range(len(text))
        )
        texts = self.vocabulary.drop_rare_words(NumberedTexts.of(every))
        draws = np.random.default_rng((self.settings.seed, 0, 1))
        rows = draws.permutation(np.flatnonzero(texts.lengths > 1))
        lengths = texts.lengths_of(rows)
        texts = texts.take(rows[np.cumsum(lengths) - lengths < _JUDGED])
        words = len(self.vocabulary.words)
        part: TrainingPart = self.steps.TrainingPart(
            texts.ids,
            texts.starts,
            bigram_rows(texts.ids, texts.starts, words, self.buckets),
            np.ones(len(texts.ids), bool),
            self.negatives.draw((len(texts.ids), 1), draws) if words else texts.ids[:, None],
        )
        return part

    def slower(self) -> None:
        """The rate falls by itself."""

    def weights(self) -> dict[str, Tensor]:
        """What the encoder is made of."""
        return {"source": torch.from_numpy(self.tables.source)}

    def keep(self, folder: Path) -> None:
        """Write all that going on needs, in one file that is there whole or not at all."""
        facts = {"epochs": json.dumps([vars(epoch) for epoch in self.epochs])}
        save_tensors(self.tables._asdict(), folder / TRAINING_STATE_FILE, facts)

    def resume(self, folder: Path) -> bool:
        """Go on where a run was stopped; whether there was one."""
        kept = load_training_state(folder, "np")
        if kept is None:
            return False
        facts, tables = kept
        self.epochs = [EpochResult(**each) for each in json.loads(facts["epochs"])]
        for name, table in self.tables._asdict().items():
            table[:] = tables[name]
        return True
