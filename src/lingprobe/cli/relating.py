"""`lingprobe relate`: what scores have to do with each other."""

from __future__ import annotations

from dataclasses import dataclass

import lingprobe
from lingprobe.api.result_options import RelateOptions
from lingprobe.cli.declaration import command
from lingprobe.cli.options import (
    SizedFileOptions,
    StyleOptions,
    check_figure,
    show_page,
)


@dataclass(frozen=True, kw_only=True)
class RelateCommand(RelateOptions, SizedFileOptions, StyleOptions):
    """The options of `lingprobe relate`."""


@command(RelateCommand)
def relate(options: RelateCommand) -> None:
    """Correlate scores on tasks over encoders, with permutation p values and 95 % intervals.

    Variants of a model (layers, pooling, seeds) are one family, which counts once, with its mean
    score. p values are corrected for all pairs shown, so choose with `-t`, `--rows` and `--columns`
    before you look. Scores from elsewhere (`--with`) are matched by the names of encoders.

    **Examples**

    - `lingprobe relate results/`
    - `lingprobe relate results/ -o correlations.svg`
    - `lingprobe relate results/ -o correlations.pdf --width column`
    - `lingprobe relate results/ --with scores.csv --columns 'scores.csv'`
    - `lingprobe relate results/ --with mteb:results --rows 'STS*' --columns lingprobe`
    - `lingprobe relate results/ --languages en,pl`
    - `lingprobe relate --published conneau2018 -o probing.svg`
    - `lingprobe relate --published ud2019 -e BERT-mean -e LASER --figure radar -o radar.svg`
    - `lingprobe relate --with scores.csv --family '^[^,]+' --format csv -o correlations.csv`
    """
    check_figure(options.figure, "heat", options.style, options.output)
    page = lingprobe.relate(**options.select(RelateOptions))
    what = "pair" if isinstance(page.content, lingprobe.CorrelationTable) else "task"
    show_page(page, options.style, options.output, what, options.width)
