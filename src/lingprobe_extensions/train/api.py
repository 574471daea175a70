"""Training encoders, parsers, taggers and word vectors; what a parser's errors cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from lingprobe import Reference, sentences
from lingprobe.extend import PlaceOption, allow_code, as_list
from lingprobe_extensions.train import encoder, static
from lingprobe_extensions.train.exports import Exported
from lingprobe_extensions.train.exports import export as exported
from lingprobe_extensions.train.folder import Training
from lingprobe_extensions.train.parsers.tagger import Tagged, tag_text
from lingprobe_extensions.train.parsers.treebank import files
from lingprobe_extensions.train.sentences import train as trained
from lingprobe_extensions.train.settings import TREES, Request, Settings, objective_of
from lingprobe_extensions.train.static import Trained


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
    objective       what to learn, such as 'translate' or 'mine.py@order' (`lingprobe list
                    objectives` shows them); 'bow' and 'parser' need none; in Python, ''
    data            training data: two aligned files or a table to translate, running text,
                    bracketed trees to parse, tables or JSON lines of pairs to infer; to annotate,
                    treebanks in CoNLL-U and in brackets or folders of them, where test is never
                    read
    output          the folder to write; a training that was stopped continues there
    dev             data to select the best epoch (default: a twentieth of the examples, or the
                    treebank's dev)
    where           only rows of a table whose column matches; in Python, such as {'source':
                    'lingnli*'}
    exclude, tasks  corpora and tasks whose sentences are left out, since they will be probed
    evaluate        also evaluate on these files after each epoch, unfiltered; they do not influence
                    the training. A finished training is evaluated after its last epoch
    recipe          'small' (two cores, minutes) or 'paper' (the sizes of Conneau et al. 2018, a
                    GPU); 'combo' for a parser
    told            called with the epoch, its words so far, all its words, and the loss
    options         the fields of `lingprobe_extensions.train.settings.Settings`; or all of them as
                    `settings`
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
    if architecture == TREES:
        paths, its_dev = map(list, files(paths))
        judged = judged or its_dev
    left_out = [
        *_option("--exclude", map(str, as_list(exclude))),
        *_option("-t", map(_text, as_list(tasks))),
    ]
    request = Request(architecture, objective, paths, judged, where, probed, also, left_out)  # type: ignore[arg-type]
    chosen = settings or Settings.of(options, recipe or _usual(architecture))
    return trained(request, Path(output).expanduser(), chosen, told)


def _text(task: Any) -> str:
    """A task as it is typed, or the kind of one that is not."""
    return str(task) if isinstance(task, str | Reference) else type(task).__qualname__


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

    folder   a folder written by `lingprobe train`: 'bilstm-max', 'lstm-last' or 'mean', with or
             without embedding=
    output   the folder to write, which does not exist yet
    epoch    the epoch to export: 'best' (on dev), or a number
    words    corpora whose words get vectors too, beside the vocabulary of its training
    vectors  the file of word vectors that it was trained with, if it has moved
    The exported model splits texts at spaces; sentences of words in its vocabulary get the same
    vectors as from `trained:FOLDER`. Needs sentence-transformers (the extra `st`).
    DataProblem for an architecture that its modules cannot express, UsageProblem if the output
    exists.

        lingprobe.export("models/en-de", "models/en-de-st")
    """
    more = [word for s in (sentences(words) if as_list(words) else ()) for word in s.words]
    place = None if vectors is None else Path(vectors).expanduser()
    chosen = encoder.Trained(PlaceOption(str(folder)), epoch=str(epoch), vectors=place)
    return exported(chosen, Path(output).expanduser(), more)


def tag(
    texts: str | Path | Iterable[str | Path],
    source: str | Path,
    output: str | Path,
    *,
    seed: int = 0,
    on_error: Literal["raise", "skip"] = "raise",
    progress: bool = False,
) -> Tagged:
    """Tag running text with a tagger trained on tagged text, and measure its accuracy on held-out
    text.

    texts     running text, one sentence per line: .txt, .txt.gz or .txt.xz
    source    training data of the tagger: tagged text, or NLTK's brown.zip
    output    where to write: .tagged, .tagged.gz or .tagged.xz
    seed      the random seed that orders the training data
    on_error  as in `Settings`
    DataProblem for text that cannot be read, or too little training data.

        print(lingprobe.tag("novels.txt.xz", "brown.zip", "novels.tagged.xz").accuracy)
    """
    return tag_text(as_list(texts), source, output, seed, on_error, progress)


def train_vectors(
    texts: str | Path | Iterable[str | Path],
    output: str | Path,
    *,
    exclude: Iterable[str | Path] = (),
    tasks: Any = (),
    settings: static.Settings | None = None,
    **options: Any,
) -> Trained:
    """Train word vectors on running text, without the sentences that will be probed.

    texts           running text, one sentence or paragraph per line (.txt, .gz, .xz)
    output          where to write: .vec, or .bin with subwords
    exclude, tasks  corpora and tasks whose sentences are left out, since they will be probed
    options         the fields of `lingprobe_extensions.train.static.Settings`: dim, epochs, window,
                    least, seed, skipgram, subwords, english; or all of them as `settings`
    Needs gensim (the extra `static`). DataProblem if no sentences are left.

        lingprobe.train_vectors("novels.txt", "novels.vec", exclude=["UD_English-EWT"])
    """
    probed = sentences(exclude, tasks) if exclude or tasks else []
    chosen = settings or static.Settings(**options)
    return static.train_vectors(as_list(texts), output, probed, chosen)
