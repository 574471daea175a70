"""`lingprobe curve`: what encoders know as they learn."""

from __future__ import annotations

from pathlib import Path

import lingprobe
from lingprobe.cli.declaration import Arguments, command, option
from lingprobe.cli.options import (
    METRIC,
    PAGE_STYLE,
    READ_SELECTION,
    SIZED_OUTPUT,
    PageStyle,
    show,
    show_page,
)


@command(
    "curve",
    *READ_SELECTION,
    METRIC,
    option("by", metavar="SETTING"),
    "seed",
    PAGE_STYLE,
    *SIZED_OUTPUT,
    "trust",
)
def curve(
    given: Arguments,
    *,
    style: PageStyle = "terminal",
    output: Path | None = None,
    width: str | None = None,
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
      widths/`
    - `lingprobe curve widths/ --by hidden -o widths.svg`
    - `lingprobe curve results/ -e '*en-de*' --format csv -o curve.csv`
    - `lingprobe curve results/ --format html -o curve.html`
    - `lingprobe run -t ud/tense:UD_English-EWT -e
      hf:EleutherAI/pythia-70m,revisions=step512+step1000+step143000 -o pythia/`
    """
    page = lingprobe.curve(**given)
    if output is not None and page.draws(output):
        show(page, style)
    show_page(page, style, output, "curve", width)
