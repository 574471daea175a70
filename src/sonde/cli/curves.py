"""`sonde curve`: what encoders know as they learn."""

from __future__ import annotations

from typing import Annotated

import typer

import sonde
from sonde.cli.options import (
    EncoderPatterns,
    Folder,
    JudgedBy,
    Output,
    PageStyle,
    ReadPatterns,
    TaskPatterns,
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
            help="Trainings that differ in a setting, as hidden, in place of epochs.",
        ),
    ] = "",
    seed: Annotated[
        int, typer.Option("--seed", help="Of random permutations, from ten points on.")
    ] = 0,
    style: PageStyle = "terminal",
    output: Output = None,
) -> None:
    """Show what encoders know as they learn: scores after each epoch or at each step, beside the
    training's own figures on dev, and whether they rise or fall as training goes on.

    It shows what `sonde run -e 'trained:FOLDER,epoch=*'` measured, or models of the hub at several
    revisions; several trainings stand in one table and one figure. A figure is drawn where `-o`
    names a .svg, .png or .pdf file (PNG and PDF with matplotlib: `pip install 'sonde[plots]'`).

    **Examples**

    - `sonde run -t 'ud/*:UD_English-EWT' -e 'trained:models/en-de,epoch=0+*' -o results/`
    - `sonde curve results/`
    - `sonde curve results/ -t ud/tense -o curve.svg`
    - `sonde run -t ud/tense:UD_English-EWT -e trained:models/h64 trained:models/h256 -o widths/`
    - `sonde curve widths/ --by hidden -o widths.svg`
    - `sonde curve results/ -e '*en-de*' --format csv -o curve.csv`
    - `sonde curve results/ --format html -o curve.html`
    - `sonde run -t ud/tense:UD_English-EWT -e
      hf:EleutherAI/pythia-70m,revisions=step512+step1000+step143000 -o pythia/`
    """
    page = sonde.curve(
        results,
        by=by,
        seed=seed,
        tasks=task,
        encoders=encoder,
        reads=read,
        experiment=which,
        metric=metric,
    )
    if output is not None and page.draws(output):
        show(page, style)
    put(page, style, output, "curve")
