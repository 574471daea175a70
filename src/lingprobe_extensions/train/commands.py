"""`lingprobe train encoder`, `parser` and `export`: from files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

import lingprobe
from lingprobe import Help, UsageProblem, command, flag
from lingprobe.extend import QuietOptions, show_progress
from lingprobe_extensions.train.options import (
    ExportOptions,
    TrainingData,
    TrainingSettings,
    TrainOptions,
    read_settings,
)

_SETTINGS = TrainingSettings.list_options()


@dataclass(frozen=True, kw_only=True)
class SettingOptions(QuietOptions):
    """Settings of a training; without a number, that of the recipe is taken."""

    files: Annotated[
        Sequence[Path],
        Help("training data, like --data"),
        flag(metavar="[FILE]...", positional=True),
    ] = ()
    vectors: Annotated[Path | None, _SETTINGS["vectors"].help, flag(metavar="FILE")] = None
    epochs: Annotated[int | None, _SETTINGS["epochs"].help] = None
    hidden: Annotated[int | None, _SETTINGS["hidden"].help] = None
    seed: Annotated[int | None, _SETTINGS["seed"].help] = None
    setting: Annotated[
        Sequence[str],
        Help("further settings, such as `clip=1`; see docs/training.md"),
        flag("--set", metavar="NAME=VALUE"),
    ] = ()


@dataclass(frozen=True, kw_only=True)
class EncoderCommand(SettingOptions, TrainOptions):
    """The options of `lingprobe train encoder`."""


@dataclass(frozen=True, kw_only=True)
class ParserCommand(SettingOptions, TrainingData):
    """The options of `lingprobe train parser`."""


@command(EncoderCommand, heading="Training")
def encoder(options: EncoderCommand) -> None:
    """Train a sentence encoder, and save it after every epoch.

    Use the folder as an encoder: `trained:FOLDER`, or `trained:FOLDER,epoch=2` after two epochs.
    The same command continues a training that was stopped. Needs the extra `train`.

    **Examples**

    - `lingprobe train encoder bilstm-max --objective translate --data train.en train.de -o
      models/en-de`
    - `lingprobe train encoder bilstm-last --objective next --data novels.txt.xz --vectors
      novels.vec --exclude UD_English-EWT -o models/next`
    - `lingprobe train encoder bilstm-max --objective infer --data nli.tsv --where 'source=lingnli*'
      --set batch=2048 -o models/nli`
    - `lingprobe train encoder mean --objective infer --data lingnli.tsv --evaluate snli-dev.tsv -o
      models/mean`
    - `lingprobe train encoder bow --objective cbow --data novels.txt.xz -o models/s2v`
    - `lingprobe run -t 'ud/*:UD_English-EWT' -e trained:models/en-de trained:models/en-de,epoch=1`
    """
    named = {**options.select(TrainOptions), "objective": options.objective}
    _train(options, {**named, "where": dict(_parse_pairs(options.where))})


@command(ParserCommand, heading="Training")
def parser(options: ParserCommand) -> None:
    """Train a parser on treebanks, and save it after every epoch.

    Use the folder as a parser: `lingprobe parse --with FOLDER`. The same command continues a
    training that was stopped. Needs the extra `train`.

    **Examples**

    - `lingprobe train parser UD_English-EWT -o models/ewt`
    """
    named = {"architecture": "parser", "objective": ""}
    _train(options, {**options.select(TrainingData), **named})


def _train(given: SettingOptions, asked: Mapping[str, Any]) -> None:
    """Train with the settings that are given, with a bar for each epoch."""
    chosen = {
        **asked,
        "data": [*given.files, *asked.get("data", ())],
        **{k: v for k, v in given.select(SettingOptions).items() if k in _SETTINGS},
        **read_settings(dict(_parse_pairs(given.setting))),
    }
    with _Bars(given.quiet) as bars:
        done = lingprobe.train(**chosen, told=bars.draw_progress)
    typer.echo(str(done))


@command(ExportOptions, heading="Training")
def export(options: ExportOptions) -> None:
    """Convert a trained encoder to a model of sentence-transformers.

    Its vocabulary is that of its training. Sentences of these words get the same vectors as from
    `trained:FOLDER`. Needs the extra `st`.

    **Examples**

    - `lingprobe train export models/en-de -o models/en-de-st`
    - `lingprobe train export models/en-de -o models/en-de-st --epoch 2 --words UD_English-EWT`
    """
    typer.echo(str(lingprobe.export(**options.select(ExportOptions))))


def _parse_pairs(pairs: Iterable[str] | None) -> list[tuple[str, Any]]:
    named = [pair.partition("=") for pair in list(pairs or ())]
    for text, sign, _ in named:
        if not sign:
            raise UsageProblem(f"{text!r}: write NAME=VALUE")
    return [(name, value) for name, _, value in named]


class _Bars:
    """A bar for each epoch."""

    def __init__(self, quiet: bool) -> None:
        self.quiet, self.epoch = quiet, 0
        self.bar: Any = None

    def __enter__(self) -> _Bars:
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.close()

    def draw_progress(self, epoch: int, done: int, of: int, loss: float) -> None:
        """Draw how far an epoch is."""
        if epoch != self.epoch:
            self.__exit__()
            self.bar = show_progress(
                not self.quiet, total=of, desc=f"epoch {epoch}", unit=" words", unit_scale=True
            )
            self.epoch = epoch
        self.bar.set_postfix(loss=f"{loss:.3f}", refresh=False)
        self.bar.update(done - self.bar.n)
