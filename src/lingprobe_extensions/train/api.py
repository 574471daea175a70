"""Training encoders, parsers, taggers and word vectors; what a parser's errors cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from lingprobe import Reference, sentences
from lingprobe.extend import PlaceOption, allow_code, as_list, takes_options
from lingprobe_extensions.train import encoder, static
from lingprobe_extensions.train.exports import ExportedEncoder, export_encoder
from lingprobe_extensions.train.folder import EncoderTraining
from lingprobe_extensions.train.options import (
    ExportOptions,
    TagOptions,
    TrainingSettings,
    TrainOptions,
    VectorOptions,
    VectorSettings,
)
from lingprobe_extensions.train.parsers.tagger import TaggedText, tag_text
from lingprobe_extensions.train.parsers.treebank import find_train_dev_files
from lingprobe_extensions.train.sentences import train_sentence_encoder
from lingprobe_extensions.train.settings import PARSER_ARCHITECTURE, TrainingRequest, objective_of
from lingprobe_extensions.train.static import TrainedVectors


@takes_options(TrainOptions, TrainingSettings)
def train(
    architecture: str,
    objective: str,
    data: str | Path | Iterable[str | Path],
    output: str | Path,
    *,
    dev: str | Path | Iterable[str | Path] = (),
    where: Mapping[str, str] | None = None,
    exclude: Iterable[str | Path] = (),
    tasks: Any = (),
    evaluate: str | Path | Iterable[str | Path] = (),
    recipe: str = "",
    settings: TrainingSettings | None = None,
    told: Callable[[int, int, int, float], None] | None = None,
    **options: Any,
) -> EncoderTraining:
    """Train a sentence encoder or a parser, as `lingprobe train` does, and save it in a folder; its
    reference is then `trained:FOLDER`.

    told            called with the epoch, its words so far, all its words, and the loss
    settings        all settings at once, in place of their keywords
    Needs tokenizers and sacrebleu (the extra `train`). DataProblem for data that
    cannot be used, UsageProblem if the folder has another training.

        lingprobe.train("bilstm-max", "translate", ["train.en", "train.de"], "models/en-de",
        epochs=5) lingprobe.train("parser", "annotate", "UD_English-EWT", "models/ewt")
    """
    objective = objective or objective_of(architecture)
    allow_code(objective)
    probed = sentences(exclude, tasks) if as_list(exclude) or as_list(tasks) else []
    paths, judged, also = (
        [Path(p).expanduser() for p in as_list(x)] for x in (data, dev, evaluate)
    )
    if architecture == PARSER_ARCHITECTURE:
        paths, its_dev = map(list, find_train_dev_files(paths))
        judged = judged or its_dev
    left_out = [
        *_option("--exclude", map(str, as_list(exclude))),
        *_option("-t", map(_describe_task, as_list(tasks))),
    ]
    request = TrainingRequest(architecture, objective, paths, judged, where, probed, also, left_out)  # type: ignore[arg-type]
    chosen = settings or TrainingSettings.of(options, recipe or _usual(architecture))
    return train_sentence_encoder(request, Path(output).expanduser(), chosen, told)


def _describe_task(task: Any) -> str:
    """A task as it is typed, or the kind of one that is not."""
    return str(task) if isinstance(task, str | Reference) else type(task).__qualname__


def _option(name: str, values: Iterable[str]) -> list[str]:
    """An option as the command line has it; nothing without values."""
    return [name, *given] if (given := list(values)) else []


def _usual(architecture: str) -> str:
    """The recipe where none is named."""
    return PARSER_ARCHITECTURE if architecture == PARSER_ARCHITECTURE else ""


@takes_options(ExportOptions)
def export(
    folder: str | Path,
    output: str | Path,
    *,
    epoch: str | int = "best",
    words: Iterable[str | Path] = (),
    vectors: str | Path | None = None,
) -> ExportedEncoder:
    """Write a trained encoder as a folder that sentence-transformers opens.

    The exported model splits texts at spaces; sentences of words in its vocabulary get the same
    vectors as from `trained:FOLDER`. Needs sentence-transformers (the extra `st`).
    DataProblem for an architecture that its modules cannot express, UsageProblem if the output
    exists.

        lingprobe.export("models/en-de", "models/en-de-st")
    """
    more = [word for s in (sentences(words) if as_list(words) else ()) for word in s.words]
    place = None if vectors is None else Path(vectors).expanduser()
    chosen = encoder.TrainedEncoder(PlaceOption(str(folder)), epoch=str(epoch), vectors=place)
    return export_encoder(chosen, Path(output).expanduser(), more)


@takes_options(TagOptions)
def tag(
    texts: str | Path | Iterable[str | Path],
    source: str | Path,
    output: str | Path,
    *,
    seed: int = 0,
    on_error: Literal["raise", "skip"] = "raise",
    progress: bool = False,
) -> TaggedText:
    """Tag running text with a tagger trained on tagged text, and measure its accuracy on held-out
    text.

    DataProblem for text that cannot be read, or too little training data.

        print(lingprobe.tag("novels.txt.xz", "brown.zip", "novels.tagged.xz").accuracy)
    """
    return tag_text(as_list(texts), source, output, seed, on_error, progress)


@takes_options(VectorOptions, VectorSettings)
def train_vectors(
    texts: str | Path | Iterable[str | Path],
    output: str | Path,
    *,
    exclude: Iterable[str | Path] = (),
    tasks: Any = (),
    settings: VectorSettings | None = None,
    **options: Any,
) -> TrainedVectors:
    """Train word vectors on running text, without the sentences that will be probed.

    Needs gensim (the extra `static`). DataProblem if no sentences are left.

        lingprobe.train_vectors("novels.txt", "novels.vec", exclude=["UD_English-EWT"])
    """
    probed = sentences(exclude, tasks) if exclude or tasks else []
    chosen = settings or VectorSettings(**options)
    return static.train_word_vectors(as_list(texts), output, probed, chosen)
