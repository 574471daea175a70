"""`lingprobe results curve`: what encoders know as they learn."""

from __future__ import annotations

from dataclasses import dataclass

import lingprobe
from lingprobe.api.result_options import CurveOptions
from lingprobe.cli.declaration import command
from lingprobe.cli.options import (
    SizedFileOptions,
    StyleOptions,
    print_page,
    show_page,
)


@dataclass(frozen=True, kw_only=True)
class CurveCommand(CurveOptions, SizedFileOptions, StyleOptions):
    """The options of `lingprobe results curve`."""


@command(CurveCommand)
def curve(options: CurveCommand) -> None:
    """Show scores during training: after each epoch or step, with the training's own dev scores,
    and tests whether they rise or fall.

    It shows results of `lingprobe run -e 'trained:FOLDER,epoch=*'`, or of models on the hub at
    several revisions. If `-o` ends in .svg, .png or .pdf, it draws a figure.

    **Examples**

    - `lingprobe run -t 'ud/*:UD_English-EWT' -e 'trained:models/en-de,epoch=0+*' -o results/`
    - `lingprobe results curve results/`
    - `lingprobe results curve results/ -t ud/tense -o curve.svg`
    - `lingprobe run -t ud/tense:UD_English-EWT -e trained:models/h64 trained:models/h256 -o
      widths/`
    - `lingprobe results curve widths/ --by hidden -o widths.svg`
    - `lingprobe results curve results/ -e '*en-de*' --format csv -o curve.csv`
    - `lingprobe results curve results/ --format html -o curve.html`
    - `lingprobe run -t ud/tense:UD_English-EWT -e
      hf:EleutherAI/pythia-70m,revisions=step512+step1000+step143000 -o pythia/`
    """
    page = lingprobe.curve(**options.select(CurveOptions))
    if options.output is not None and page.draws(options.output):
        print_page(page, options.style)
    show_page(page, options.style, options.output, "point", options.width)
