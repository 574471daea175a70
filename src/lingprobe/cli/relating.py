"""`lingprobe relate`: what scores have to do with each other."""

from __future__ import annotations

from pathlib import Path

import lingprobe
from lingprobe.cli.declaration import Arguments, command, option
from lingprobe.cli.options import (
    PAGE_STYLE,
    READ_SELECTION,
    SIZED_OUTPUT,
    PageStyle,
    check_figure,
    show_page,
)


@command(
    "relate",
    *READ_SELECTION,
    option("with_", metavar="SOURCE", kind=list[str]),
    "method",
    "correction",
    option("rows", metavar="PATTERN"),
    option("columns", metavar="PATTERN"),
    option("family", metavar="REGEX"),
    option("families", metavar="FILE"),
    option("within", metavar="REGEX"),
    "constant",
    option("languages", metavar="A,B", kind=str),
    "published",
    "figure",
    "seed",
    PAGE_STYLE,
    *SIZED_OUTPUT,
    "trust",
)
def relate(
    given: Arguments,
    *,
    style: PageStyle = "terminal",
    output: Path | None = None,
    width: str | None = None,
) -> None:
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
    check_figure(given["figure"], "heat", style, output)
    page = lingprobe.relate(**given)
    what = "pair" if isinstance(page.content, lingprobe.Relation) else "task"
    show_page(page, style, output, what, width)
