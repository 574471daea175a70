"""Training a sentence encoder from files, an epoch after the other, in a folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from lingprobe import DataProblem, UsageProblem
from lingprobe.extend import (
    Ints,
    NetworkShape,
    digest_files,
    open_word_table,
    read_training_facts,
    strip_to_letters,
    write_text,
)
from lingprobe_extensions.train import bag, parsing
from lingprobe_extensions.train.data import FileReading
from lingprobe_extensions.train.encoder import UNKNOWN_WORD, VOCABULARY_FILE, epoch_file
from lingprobe_extensions.train.examples import TrainingExamples
from lingprobe_extensions.train.folder import (
    ENCODER_FORMAT_VERSION,
    TRAINED_FACTS_FILE,
    EncoderTraining,
    format_train_command,
    read_training,
    write_facts,
)
from lingprobe_extensions.train.loop import (
    FIGURE_FILE_SEPARATOR,
    EncoderLearner,
    EpochLearner,
    EpochResult,
    OptimizerSettings,
    TrainingStart,
)
from lingprobe_extensions.train.nets.heads import WordEmbedding
from lingprobe_extensions.train.objectives import LessonKit, TrainingLesson
from lingprobe_extensions.train.options import TrainingSettings
from lingprobe_extensions.train.ranks import ProcessRank
from lingprobe_extensions.train.seen import write_seen
from lingprobe_extensions.train.selection import SelectionCriterion
from lingprobe_extensions.train.settings import (
    BAG_ARCHITECTURE,
    PARSER_ARCHITECTURE,
    TrainingRequest,
)
from lingprobe_extensions.train.splits import choose_rows, draw_dev_rows, too_little
from lingprobe_extensions.train.weights import save_tensors

_STARTS = {BAG_ARCHITECTURE: bag.start_word_vectors, PARSER_ARCHITECTURE: parsing.start_parser}
_COUNTED = 200_000  # examples at most, on which is counted what needs no encoder

Told = Callable[[int, int, int, float], None]
"""Gets the number of the epoch, the words done in it, of how many, and the loss."""


def train_sentence_encoder(
    request: TrainingRequest, out: Path, settings: TrainingSettings, report: Told | None = None
) -> EncoderTraining:
    """Train an encoder and keep it in a folder, an epoch after the other; one that was stopped goes
    on.
    """
    objective = request.check()
    left_out = {
        strip_to_letters(form) for s in request.exclude for form in (s.text, " ".join(s.words))
    }
    where = dict(request.where or {})
    how = FileReading(
        english=settings.english,
        longest=settings.longest,
        left_out=frozenset(left_out - {""}),
        on_error="skip" if settings.on_error == "skip" else "raise",
        where=where,
    )
    asked = _request_facts(request, settings, how)
    _check_folder(out, asked)
    begin = _STARTS.get(request.architecture, _start)
    learner, facts, rows, judged = begin(request, how, settings, out)
    counts = how.counts + Counter(facts.pop("counts"))
    if vocabulary := facts.pop("vocabulary", None):
        write_text(out / VOCABULARY_FILE, "\n".join(vocabulary))
    hashes = how.seen.distinct()
    write_seen(out, hashes)
    selection = SelectionCriterion(objective.figure, facts["trivial"])
    said = {**asked, **facts, "counts": dict(counts)}
    said |= {"seen": len(hashes), "command": format_train_command(request, settings)}
    learner.resume(out)
    # before the first epoch, too: the folder is this training's
    _say(out, learner, selection, said)
    while not _over(learner.epochs, selection, settings):
        number = len(learner.epochs) + 1
        heard = partial(report or _nothing, number)
        learner.epoch(rows, judged, heard, partial(_keep, out, learner))
        if selection.has_stalled(learner.epochs):
            learner.slower()
        _write(out, learner)
        _say(out, learner, selection, said)
    return read_training(out)


def _nothing(*_: Any) -> None:
    """Nobody listens."""


class TrainDevSplit(NamedTuple):
    """Examples, and which of them are train and dev."""

    examples: TrainingExamples
    train: Ints
    dev: Ints


def _start(
    request: TrainingRequest, how: FileReading, settings: TrainingSettings, _: Path
) -> TrainingStart:
    """Read the files, and divide what they have."""
    parts = _split_train_dev(request, how, settings)
    return TrainingStart(*_learner(request, parts, settings), parts.train, parts.dev)


def _learner(
    request: TrainingRequest, parts: TrainDevSplit, settings: TrainingSettings
) -> tuple[EncoderLearner, dict[str, Any]]:
    """An encoder with its lesson, and what is said of them."""
    objective, examples = request.check(), parts.examples
    assert objective.lesson is not None
    assert request.architecture not in (BAG_ARCHITECTURE, PARSER_ARCHITECTURE)
    sizes = settings.hidden, settings.layers, settings.embedding
    table = open_word_table(settings.vectors, settings.dim, settings.seed)
    shape = NetworkShape(request.architecture, table.look_up(["the"])[0].shape[1], *sizes)
    noise = settings.drop, settings.swap
    decoder = settings.pieces, settings.decoder, settings.seed, settings.attention
    with examples.texts:
        lesson = objective.lesson(objective, examples, LessonKit(shape, *decoder, *noise))
    wider, also, every = _also(request, settings, lesson, examples)
    rows, forms = _vocabulary(parts, settings, len(every)) if settings.learned else (None, every)
    vectors, known = table.look_up(list(forms))
    if rows is None:
        forms, known = examples.forms, known[: len(examples.forms)]
    schedule = _schedule(request, settings)
    network = shape.network(settings.seed)
    ranks = ProcessRank.from_environment(schedule.place)
    numbers = None if rows is None else torch.from_numpy(rows)
    words = WordEmbedding(torch.from_numpy(vectors), settings.learned, numbers)
    learner = EncoderLearner(network, wider, words, schedule, ranks, also=also)
    with torch.inference_mode():
        some = parts.train[:: -(-len(parts.train) // _COUNTED)]
        trivial = dict(lesson.trivial(some, parts.dev))
        elsewhere = {
            f"{figure}{FIGURE_FILE_SEPARATOR}{name}": value
            for name, mine in also.items()
            for figure, value in wider.trivial(some, mine).items()
        }
    counts = {"train": len(parts.train), "dev": len(parts.dev), "words": len(examples.forms)}
    return learner, {
        "shape": shape.plain(),
        "trivial": trivial,
        **({"elsewhere": elsewhere} if elsewhere else {}),
        "parameters": sum(p.numel() for p in learner.weights().values()),
        "parameters of the head": sum(p.numel() for p in lesson.head.parameters()),
        "counts": {**counts, "words without a vector": int((~known).sum())},
        "vocabulary": list(forms),
    }


def _also(
    request: TrainingRequest,
    settings: TrainingSettings,
    lesson: TrainingLesson,
    examples: TrainingExamples,
) -> tuple[TrainingLesson, dict[str, Ints], Sequence[str]]:
    """The lesson with the examples of files that are judged, too, behind its own; their rows by the
    file's name, and the words of all.
    """
    rows: dict[str, Ints] = {}
    forms, at = examples.forms, len(examples)
    for path in request.also:
        how = FileReading(english=settings.english, longest=settings.longest, dev=True)
        more, (many,) = TrainingExamples.of(request.check().reads([path], how), first_words=forms)
        with more.texts:
            if not many or path.name in rows:
                what = "no example to judge by" if not many else "a name that another file has, too"
                raise DataProblem(f"{path}: {what}")
            lesson, forms = lesson.with_examples(more), more.forms
        rows[path.name], at = np.arange(at, at + many), at + many
    return lesson, rows, forms


def _vocabulary(
    parts: TrainDevSplit, settings: TrainingSettings, many: int
) -> tuple[Ints, list[str]]:
    """The row of each of `many` words, and the words that have one: the commonest of train; the
    first row is for all others.
    """
    forms, texts = parts.examples.forms, (parts.examples.first, parts.examples.second)
    ids = np.concatenate([each.take(parts.train).ids for each in texts])
    counts = np.bincount(ids, minlength=len(forms))
    order = np.argsort(-counts, kind="stable")[: settings.vocabulary]
    kept = order[counts[order] >= settings.least]
    rows = np.zeros(many, np.int64)
    rows[kept] = np.arange(1, len(kept) + 1)
    return rows, [UNKNOWN_WORD, *(forms[i] for i in kept.tolist())]


def _request_facts(
    request: TrainingRequest, settings: TrainingSettings, how: FileReading
) -> dict[str, Any]:
    """What a training is that the same command continues: what decides the weights, as the folder
    keeps it: all but the device, and but the epochs, where the rate does not fall to the last of
    them.
    """
    plain = {**asdict(settings), "vectors": settings.vectors and str(settings.vectors)}
    free = ("patience", "device")
    # the rate of those falls to the last epoch
    falls = request.architecture == BAG_ARCHITECTURE or (
        request.architecture == PARSER_ARCHITECTURE and settings.falls
    )
    for name in free if falls else ("epochs", *free):
        del plain[name]
    return {
        "format": ENCODER_FORMAT_VERSION,
        "architecture": request.architecture,
        "objective": request.objective,
        "files": {str(path): digest_files([path]) for path in (*request.files, *request.dev)},
        "vectors": digest_files([settings.vectors]) if settings.vectors else "random",
        "where": dict(how.where),
        "excluded": len(how.left_out),
        "settings": plain,
    }


def _check_folder(out: Path, asked: Mapping[str, Any]) -> None:
    """Refuse a folder that holds another training."""
    known = read_training_facts(out) if (out / TRAINED_FACTS_FILE).is_file() else None
    if known is None:
        return
    differ = [key for key, value in asked.items() if known.get(key) != value]
    if differ:
        raise UsageProblem(
            f"{out} holds another training (its {differ[0]} differ); name another folder with -o,"
            " or remove this one"
        )


def _split_train_dev(
    request: TrainingRequest, how: FileReading, settings: TrainingSettings
) -> TrainDevSplit:
    """The examples, and which of them are train and dev; without files of dev a part is drawn, and
    none of its sentences is in train.
    """
    reads = request.check().reads
    parts = [reads(request.files, how)]
    if request.dev:
        parts.append(reads(request.dev, replace(how, dev=True)))
    examples, (many, *_) = TrainingExamples.of(*parts)
    kept = choose_rows(many, settings.most, settings.seed)
    if len(kept) < many:
        rows = np.concatenate([kept, np.arange(many, len(examples))])
        examples, many = examples.take(rows), len(kept)
        how.seen.keep(rows)
    dev = np.arange(many, len(examples)) if request.dev else draw_dev_rows(many, settings.seed)
    rest = np.setdiff1d(np.arange(many), dev)
    train = rest[~np.isin(examples.same[rest], examples.same[dev])]
    how.counts["also in dev"] = len(rest) - len(train)
    if not (len(train) and len(dev)):
        examples.texts.close()
        raise too_little(request.files, len(train), len(dev), how.counts)
    return TrainDevSplit(examples, train, dev)


def _schedule(request: TrainingRequest, settings: TrainingSettings) -> OptimizerSettings:
    kind = settings.optimizer
    if kind == "auto":
        kind = "sgd" if request.architecture == "gated-convnet" else "adam"
    rate = settings.rate or (0.1 if kind == "sgd" else 0.001)
    how = settings.seed, settings.device, settings.precision
    return OptimizerSettings(kind, rate, settings.clip, settings.batch, *how)


def _over(
    epochs: Sequence[EpochResult], selection: SelectionCriterion, settings: TrainingSettings
) -> bool:
    if len(epochs) >= settings.epochs:
        return True
    return bool(epochs and settings.patience) and selection.since(epochs) >= settings.patience


def _write(out: Path, learner: EpochLearner) -> None:
    """Write the encoder of the last epoch, then what going on needs."""
    if not learner.ranks.rank:
        save_tensors(learner.weights(), epoch_file(out, len(learner.epochs)))
    _keep(out, learner)


def _keep(out: Path, learner: EpochLearner) -> None:
    if not learner.ranks.rank:
        learner.keep(out)


def _say(
    out: Path, learner: EpochLearner, selection: SelectionCriterion, facts: Mapping[str, Any]
) -> None:
    if learner.ranks.rank:
        return
    epochs = learner.epochs
    told = {
        "figure": selection.by(epochs) if epochs else selection.figure,
        "best": selection.best(epochs) if epochs else None,
        "unbeaten": selection.unbeaten(epochs) if epochs else [],
    }
    write_facts(out, {**facts, **told}, epochs)
