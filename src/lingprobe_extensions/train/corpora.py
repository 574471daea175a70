"""`lingprobe data tag` and `train vectors`: taggers and word vectors from corpora."""

from __future__ import annotations

from dataclasses import dataclass

import typer

import lingprobe
from lingprobe import command
from lingprobe.extend import QuietOptions
from lingprobe_extensions.train.options import TagOptions, VectorOptions, VectorSettings


@dataclass(frozen=True, kw_only=True)
class TagCommand(QuietOptions, TagOptions):
    """The options of `lingprobe data tag`."""


@command(TagCommand, heading="Data")
def tag(options: TagCommand) -> None:
    """Tag running text with a tagger trained on tagged text, and show its accuracy on held-out
    text.

    **Examples**

    - `lingprobe data tag novels.txt.xz --from brown.zip -o novels.tagged.xz`
    """
    done = lingprobe.tag(**options.select(TagOptions), progress=not options.quiet)
    share = f"{done.accuracy:.2%} of {done.tested:,} held-out words"
    left_out = (
        f"; {done.skipped:,} lines skipped, the first: {done.problem}" if done.skipped else ""
    )
    _remark(f"{share} are tagged as in {options.source}", options.quiet)
    counts = f"{done.sentences:,} sentences, {done.words:,} words{left_out}"
    _remark(f"{options.output}: {counts}", options.quiet)


@dataclass(frozen=True, kw_only=True)
class VectorsCommand(QuietOptions, VectorSettings, VectorOptions):
    """The options of `lingprobe train vectors`."""


@command(VectorsCommand, heading="Training")
def vectors(options: VectorsCommand) -> None:
    """Train word vectors on running text, without the sentences that they will be probed on.

    Needs gensim (the extra `static`). Use the vectors as an encoder, `static:FILE`,
    or as the word vectors of `untrained:` encoders.

    **Examples**

    - `lingprobe train vectors novels.txt --exclude UD_English-EWT --english -o novels.vec`
    - `lingprobe train vectors corpus.txt.xz -t 'ud/*:UD_Polish-PDB' --subwords --dim 100 -o
      polish.bin`
    """
    done = lingprobe.train_vectors(**options.select(VectorOptions, VectorSettings))
    _remark(str(done), options.quiet)


def _remark(text: str, quiet: bool) -> None:
    if not quiet:
        typer.echo(text, err=True)
