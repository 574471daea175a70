"""Training sentence encoders."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from lingprobe.annotators.treebank import files
from lingprobe.api.arguments import listed, spoken
from lingprobe.api.embedding import sentences
from lingprobe.encoders.trained import Trained
from lingprobe.references import Place, allow
from lingprobe.training.exports import Exported
from lingprobe.training.exports import export as exported
from lingprobe.training.folder import Training
from lingprobe.training.sentences import train as trained
from lingprobe.training.settings import TREES, Request, Settings, objective_of


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
    settings: Settings | None = None,
    told: Callable[[int, int, int, float], None] | None = None,
    **options: Any,
) -> Training:
    """Train a sentence encoder or a parser, as `lingprobe train` does, and save it in a folder; its
    reference is then `trained:FOLDER`.

    architecture    'bilstm-max', 'bilstm-last', 'lstm-last', 'lstm-backward', 'bigru-max',
                    'bigru-last', 'gru-last', 'gru-backward', 'gated-convnet', or 'mean' of the word
                    vectors, where only embedding= and learned= are trained; 'bow' for cbow;
                    'parser' to annotate
    objective       a reference, such as 'translate' or 'mine.py@order' (`available("objectives")`
                    lists them); '' if the architecture has only one
    data            files: two aligned ones or a table to translate, running text, bracketed trees
                    to parse, tables or JSON lines of pairs to infer; to annotate, treebanks in
                    CoNLL-U and in brackets or folders of them, where test is never read
    output          a folder; a training that was stopped continues there
    dev             files of the dev set (default: a twentieth of the examples, or the treebank's
                    dev)
    where           which rows of tables are read, such as {'source': 'lingnli*'}
    exclude, tasks  corpora and tasks whose sentences are left out, as for `sentences`
    evaluate        files that are also evaluated after each epoch, unfiltered; they do not
                    influence the training. A finished training is evaluated after its last epoch
    recipe          'small' for two cores and minutes, 'paper' for the sizes of Conneau et al. 2018
    told            called with the epoch, its words so far, all its words, and the loss
    options         the fields of `lingprobe.training.settings.Settings`; or all of them as
                    `settings`
    Needs tokenizers and sacrebleu (the extra `train`). DataProblem for data that
    cannot be used, UsageProblem if the folder has another training.

        lingprobe.train("bilstm-max", "translate", ["train.en", "train.de"], "models/en-de",
        epochs=5) lingprobe.train("parser", "annotate", "UD_English-EWT", "models/ewt")
    """
    objective = objective or objective_of(architecture)
    allow(objective)
    probed = sentences(exclude, tasks) if listed(exclude) or listed(tasks) else []
    paths, judged, also = ([Path(p).expanduser() for p in listed(x)] for x in (data, dev, evaluate))
    if architecture == TREES:
        paths, its_dev = map(list, files(paths))
        judged = judged or its_dev
    left_out = [*_option("--exclude", map(str, listed(exclude))), *_option("-t", spoken(tasks))]
    request = Request(architecture, objective, paths, judged, where, probed, also, left_out)  # type: ignore[arg-type]
    chosen = settings or Settings.of(options, recipe or _usual(architecture))
    return trained(request, Path(output).expanduser(), chosen, told)


def _option(name: str, values: Iterable[str]) -> list[str]:
    """An option as the command line has it; nothing without values."""
    return [name, *given] if (given := list(values)) else []


def _usual(architecture: str) -> str:
    """The recipe where none is named."""
    return TREES if architecture == TREES else ""


def export(
    folder: str | Path,
    output: str | Path,
    *,
    epoch: str | int = "best",
    words: Iterable[str | Path] = (),
    vectors: str | Path | None = None,
) -> Exported:
    """Write a trained encoder as a folder that sentence-transformers opens.

    folder   written by `train`: 'bilstm-max', 'lstm-last' or 'mean', with or without embedding=
    output   a folder that does not exist yet
    epoch    the epoch to export: 'best' (on dev), or a number
    words    corpora whose words are added to the vocabulary of its training
    vectors  the file of word vectors that it was trained with, if it has moved
    The exported model splits texts at spaces; sentences of words in its vocabulary get the same
    vectors as from `trained:FOLDER`. Needs sentence-transformers (the extra `st`).
    DataProblem for an architecture that its modules cannot express, UsageProblem if the output
    exists.

        lingprobe.export("models/en-de", "models/en-de-st")
    """
    more = [word for s in (sentences(words) if listed(words) else ()) for word in s.words]
    place = None if vectors is None else Path(vectors).expanduser()
    encoder = Trained(Place(str(folder)), epoch=str(epoch), vectors=place)
    return exported(encoder, Path(output).expanduser(), more)
