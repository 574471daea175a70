"""`lingprobe curve`: what encoders know as they learn."""

from __future__ import annotations

from typing import Annotated

import typer

import lingprobe
from lingprobe.cli.options import (
    EncoderPatterns,
    Folder,
    JudgedBy,
    Output,
    PageStyle,
    ReadPatterns,
    TaskPatterns,
    Trust,
    Which,
    put,
    show,
)


def curve(
    results: Folder = None,
    which: Which = None,
    task: TaskPatterns = None,
    encoder: EncoderPatterns = None,
    read: ReadPatterns = None,
    metric: JudgedBy = None,
    by: Annotated[
        str,
        typer.Option(
            "--by",
            metavar="SETTING",
            help="Compare trainings that differ in a setting, such as hidden, instead of epochs.",
        ),
    ] = "",
    seed: Annotated[
        int,
        typer.Option(
            "--seed", help=("The random seed of permutations, used with ten points or more.")
        ),
    ] = 0,
    style: PageStyle = "terminal",
    output: Output = None,
    trust: Trust = False,
) -> None:
    """Show scores during training: after each epoch or step, with the training's own dev scores,
    and tests whether they rise or fall.

    It shows results of `lingprobe run -e 'trained:FOLDER,epoch=*'`, or of models on the hub at
    several revisions. If `-o` ends in .svg, .png or .pdf, it draws a figure.

    **Examples**

    - `lingprobe run -t 'ud/*:UD_English-EWT' -e 'trained:models/en-de,epoch=0+*' -o results/`
    - `lingprobe curve results/`
    - `lingprobe curve results/ -t ud/tense -o curve.svg`
    - `lingprobe run -t ud/tense:UD_English-EWT -e trained:models/h64 trained:models/h256 -o
    widths/` - `lingprobe curve widths/ --by hidden -o widths.svg`
    - `lingprobe curve results/ -e '*en-de*' --format csv -o curve.csv`
    - `lingprobe curve results/ --format html -o curve.html`
    - `lingprobe run -t ud/tense:UD_English-EWT -e
      hf:EleutherAI/pythia-70m,revisions=step512+step1000+step143000 -o pythia/`
    """
    page = lingprobe.curve(
        results,
        by=by,
        seed=seed,
        tasks=task,
        encoders=encoder,
        reads=read,
        experiment=which,
        trust=trust,
        metric=metric,
    )
    if output is not None and page.draws(output):
        show(page, style)
    put(page, style, output, "curve")
