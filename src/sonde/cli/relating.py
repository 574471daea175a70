"""`sonde relate`: what scores have to do with each other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

import sonde
from sonde.cli.options import (
    EncoderPatterns,
    Folder,
    Output,
    PageStyle,
    ReadPatterns,
    TaskPatterns,
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
                "Scores from elsewhere, columns of their own: a table in CSV, or `mteb:FOLDER`; may"
                " be repeated."
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
            "--correction", help="Of p values, for all pairs: Holm, or Benjamini-Hochberg."
        ),
    ] = "holm",
    rows: Annotated[
        list[str] | None,
        typer.Option(
            "--rows", metavar="PATTERN", help="Columns of scores that stand down the matrix."
        ),
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option("--columns", metavar="PATTERN", help="Those that stand across it."),
    ] = None,
    family: Annotated[
        str | None,
        typer.Option(
            "--family",
            metavar="REGEX",
            help=(
                "Encoders in whose names this matches the same are variants of one (default: what"
                " is read of one model)."
            ),
        ),
    ] = None,
    families: Annotated[
        Path | None,
        typer.Option(
            "--families", metavar="FILE", help="A CSV that says so: columns encoder and family."
        ),
    ] = None,
    within: Annotated[
        str | None,
        typer.Option(
            "--within", metavar="REGEX", help="Finer groups, for the correlations within them."
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
                "Each task in one language with itself in the other, over encoders, and each"
                " encoder's scores over tasks, as `en,pl`."
            ),
        ),
    ] = None,
    published: Annotated[
        Literal["conneau2018", "ud2019"] | None,
        typer.Option("--published", help="A paper's table in place of results."),
    ] = None,
    figure: Annotated[
        Literal["heat", "within", "dots", "radar", "scores"],
        typer.Option(
            "--figure",
            help=(
                "What is drawn where -o names a .svg, .png or .pdf file, and in HTML; within is a"
                " heat map of what holds within families. Of two languages dots, radar or scores."
            ),
        ),
    ] = "heat",
    seed: Annotated[int, typer.Option("--seed", help="Of permutations and resamples.")] = 0,
    style: PageStyle = "terminal",
    output: Output = None,
) -> None:
    """Show which tasks go together: correlations between their scores over encoders, with p values
    by permutation and 95 % intervals.

    Encoders that are variants of one another (layers, pooling, seeds of one model) count as one
    family, which stands for itself with its mean. p values are corrected for all pairs that are
    shown, so choose with `-t`, `--rows` and `--columns` before you look. Scores from elsewhere
    (`--with`) join by the names of encoders and models.

    **Examples**

    - `sonde relate results/`
    - `sonde relate results/ -o correlations.svg`
    - `sonde relate results/ --with scores.csv --columns 'scores.csv'`
    - `sonde relate results/ --with mteb:results --rows sonde --columns mteb`
    - `sonde relate results/ --languages en,pl`
    - `sonde relate --published conneau2018 -o probing.svg`
    - `sonde relate --published ud2019 -e BERT-mean -e LASER --figure radar -o radar.svg`
    - `sonde relate --with scores.csv --family '^[^,]+' --format csv -o correlations.csv`
    """
    page = sonde.relate(
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
    )
    put(page, style, output, "pair" if isinstance(page.content, sonde.Relation) else "task")
