"""`lingprobe tag` and `vectors`: taggers and word vectors from corpora."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import typer

import lingprobe
from lingprobe.extend import SHARED_OPTIONS, command, option


@command(
    "tag",
    option("texts", metavar="TEXT", positional=True),
    option("source", "--from", metavar="TAGGED"),
    *SHARED_OPTIONS["file"],
    "seed",
    *SHARED_OPTIONS["on_error"],
    *SHARED_OPTIONS["quiet"],
    heading="Data",
)
def tag(given: Mapping[str, Any], *, quiet: bool = False) -> None:
    """Tag running text with a tagger trained on tagged text, and show its accuracy on held-out
    text.

    **Examples**

    - `lingprobe tag novels.txt.xz --from brown.zip -o novels.tagged.xz`
    """
    done = lingprobe.tag(**given, progress=not quiet)
    share = f"{done.accuracy:.2%} of {done.tested:,} held-out words"
    left_out = (
        f"; {done.skipped:,} lines skipped, the first: {done.problem}" if done.skipped else ""
    )
    _remark(f"{share} are tagged as in {given['source']}", quiet)
    counts = f"{done.sentences:,} sentences, {done.words:,} words{left_out}"
    _remark(f"{given['output']}: {counts}", quiet)


@command(
    "train_vectors",
    option("texts", metavar="TEXT", positional=True),
    *SHARED_OPTIONS["file"],
    option("exclude", metavar="CORPUS"),
    *SHARED_OPTIONS["tasks"],
    option("dim", least=1),
    option("epochs", least=1),
    option("least", least=1),
    "subwords",
    "skipgram",
    "english",
    "seed",
    *SHARED_OPTIONS["quiet"],
    heading="Training",
)
def vectors(given: Mapping[str, Any], *, quiet: bool = False) -> None:
    """Train word vectors on running text, without the sentences that they will be probed on.

    Needs gensim (the extra `static`). Use the vectors as an encoder, `static:FILE`,
    or as the word vectors of `untrained:` encoders.

    **Examples**

    - `lingprobe vectors novels.txt --exclude UD_English-EWT --english -o novels.vec`
    - `lingprobe vectors corpus.txt.xz -t 'ud/*:UD_Polish-PDB' --subwords --dim 100 -o polish.bin`
    """
    _remark(str(lingprobe.train_vectors(**given)), quiet)


def _remark(text: str, quiet: bool) -> None:
    if not quiet:
        typer.echo(text, err=True)
