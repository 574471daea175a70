"""`lingprobe relate`: what scores have to do with each other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

import lingprobe
from lingprobe.cli.options import (
    EncoderPatterns,
    Folder,
    Output,
    PageStyle,
    ReadPatterns,
    TaskPatterns,
    Trust,
    Which,
    listed,
    put,
)


def relate(
    results: Folder = None,
    which: Which = None,
    task: TaskPatterns = None,
    encoder: EncoderPatterns = None,
    read: ReadPatterns = None,
    with_: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="SOURCE",
            help=(
                "Scores from elsewhere, as further columns: a CSV file, or `mteb:FOLDER`; may be"
                " repeated."
            ),
        ),
    ] = None,
    method: Annotated[
        Literal["spearman", "pearson", "kendall"],
        typer.Option("--method", help="The correlation."),
    ] = "spearman",
    correction: Annotated[
        Literal["holm", "bh"],
        typer.Option(
            "--correction",
            help=("Correction of p values for all pairs: Holm, or Benjamini-Hochberg."),
        ),
    ] = "holm",
    rows: Annotated[
        list[str] | None,
        typer.Option(
            "--rows",
            metavar="PATTERN",
            help=("Tasks (or other columns of scores) to show as rows of the matrix."),
        ),
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option("--columns", metavar="PATTERN", help="Those to show as its columns."),
    ] = None,
    family: Annotated[
        str | None,
        typer.Option(
            "--family",
            metavar="REGEX",
            help=(
                "Encoders with the same match in their names are one family (default: variants of"
                " one model)."
            ),
        ),
    ] = None,
    families: Annotated[
        Path | None,
        typer.Option(
            "--families",
            metavar="FILE",
            help=("A CSV file that defines the families, with columns encoder and family."),
        ),
    ] = None,
    within: Annotated[
        str | None,
        typer.Option(
            "--within",
            metavar="REGEX",
            help=(
                "Smaller groups for correlations within them, by matches in the names of encoders."
            ),
        ),
    ] = None,
    constant: Annotated[
        bool, typer.Option("--constant", help="Keep encoders with constant vectors.")
    ] = False,
    languages: Annotated[
        str | None,
        typer.Option(
            "--languages",
            metavar="A,B",
            help=(
                "Correlate two languages, such as `en,pl`: each task over encoders, and each"
                " encoder over tasks."
            ),
        ),
    ] = None,
    published: Annotated[
        Literal["conneau2018", "ud2019"] | None,
        typer.Option(
            "--published", help=("Correlate the scores of a paper's table instead of results.")
        ),
    ] = None,
    figure: Annotated[
        Literal["heat", "within", "dots", "radar", "scores"],
        typer.Option(
            "--figure",
            help=(
                "The kind of figure, if -o ends in .svg, .png or .pdf, and in HTML; within is a"
                " heat map of correlations within families; with --languages dots, radar or"
                " scores."
            ),
        ),
    ] = "heat",
    seed: Annotated[
        int, typer.Option("--seed", help=("The random seed of permutations and resamples."))
    ] = 0,
    style: PageStyle = "terminal",
    output: Output = None,
    trust: Trust = False,
) -> None:
    """Correlate scores on tasks over encoders, with permutation p values and 95 % intervals.

    Variants of a model (layers, pooling, seeds) are one family, which counts once, with its mean
    score. p values are corrected for all pairs shown, so choose with `-t`, `--rows` and `--columns`
    before you look. Scores from elsewhere (`--with`) are matched by the names of encoders.

    **Examples**

    - `lingprobe relate results/`
    - `lingprobe relate results/ -o correlations.svg`
    - `lingprobe relate results/ --with scores.csv --columns 'scores.csv'`
    - `lingprobe relate results/ --with mteb:results --rows lingprobe --columns mteb`
    - `lingprobe relate results/ --languages en,pl`
    - `lingprobe relate --published conneau2018 -o probing.svg`
    - `lingprobe relate --published ud2019 -e BERT-mean -e LASER --figure radar -o radar.svg`
    - `lingprobe relate --with scores.csv --family '^[^,]+' --format csv -o correlations.csv`
    """
    page = lingprobe.relate(
        results,
        with_=listed(with_),
        method=method,
        correction=correction,
        rows=listed(rows),
        columns=listed(columns),
        family=family,
        families=families,
        within=within,
        constant=constant,
        languages=languages or (),
        published=published,
        figure=figure,
        seed=seed,
        tasks=task,
        encoders=encoder,
        reads=read,
        experiment=which,
        trust=trust,
    )
    put(page, style, output, "pair" if isinstance(page.content, lingprobe.Relation) else "task")
