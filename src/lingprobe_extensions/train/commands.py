"""`lingprobe train`: a sentence encoder or a parser, from files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

import lingprobe
from lingprobe import UsageProblem
from lingprobe.extend import SHARED_OPTIONS, command, option, show_progress


@command(
    "train",
    option("architecture", metavar="ARCHITECTURE", positional=True),
    *SHARED_OPTIONS["folder"],
    option("files", metavar="[FILE]...", positional=True, help="Training data, like --data."),
    option("objective", metavar="NAME", default="", complete="objectives"),
    option("data", metavar="FILE", default=None),
    option("dev", metavar="FILE"),
    option("evaluate", metavar="FILE"),
    option("where", metavar="COLUMN=PATTERN", kind=list[str]),
    option("exclude", metavar="CORPUS"),
    *SHARED_OPTIONS["tasks"],
    option("vectors", metavar="FILE"),
    option("recipe", metavar="NAME"),
    option("epochs", default=None, least=1),
    option("hidden", default=None, least=1),
    option("seed", default=None, help="The random seed of weights and data order (default: 0)."),
    option(
        "setting",
        "--set",
        metavar="NAME=VALUE",
        help="Further settings, such as `clip=1`; see docs/training.md.",
    ),
    *SHARED_OPTIONS["quiet"],
    heading="Training",
)
def train(
    given: Mapping[str, Any],
    *,
    files: list[Path] | None = None,
    setting: list[str] | None = None,
    quiet: bool = False,
) -> None:
    """Train a sentence encoder or a parser, and save it after every epoch.

    Use the folder as an encoder: `trained:FOLDER`, or `trained:FOLDER,epoch=2` after two epochs.
    The same command continues a training that was stopped. Needs the extra `train`.

    **Examples**

    - `lingprobe train bilstm-max --objective translate --data train.en train.de -o models/en-de`
    - `lingprobe train bilstm-last --objective next --data novels.txt.xz --vectors novels.vec
      --exclude UD_English-EWT -o models/next`
    - `lingprobe train bilstm-max --objective infer --data nli.tsv --where 'source=lingnli*'
      --set batch=2048 -o models/nli`
    - `lingprobe train mean --objective infer --data lingnli.tsv --evaluate snli-dev.tsv -o
    models/mean` - `lingprobe train bow --objective cbow --data novels.txt.xz -o models/s2v`
    - `lingprobe train parser UD_English-EWT -o models/ewt`
    - `lingprobe run -t 'ud/*:UD_English-EWT' -e trained:models/en-de trained:models/en-de,epoch=1`
    """
    data = [*list(files or ()), *list(given.get("data") or ())]
    where = dict(_parse_pairs(given.get("where")))
    chosen = {**given, "data": data, "where": where, **dict(_parse_pairs(setting))}
    with _Bars(quiet) as bars:
        done = lingprobe.train(**chosen, told=bars.draw_progress)
    typer.echo(str(done))


@command(
    "export",
    option("folder", metavar="FOLDER", positional=True),
    *SHARED_OPTIONS["folder"],
    option("epoch", metavar="N"),
    option("words", metavar="CORPUS"),
    option("vectors", metavar="FILE"),
    heading="Training",
)
def export(given: Mapping[str, Any]) -> None:
    """Convert a trained encoder to a model of sentence-transformers.

    Its vocabulary is that of its training. Sentences of these words get the same vectors as from
    `trained:FOLDER`. Needs the extra `st`.

    **Examples**

    - `lingprobe export models/en-de -o models/en-de-st`
    - `lingprobe export models/en-de -o models/en-de-st --epoch 2 --words UD_English-EWT`
    """
    typer.echo(str(lingprobe.export(**given)))


def _parse_pairs(pairs: list[str] | None) -> list[tuple[str, Any]]:
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
